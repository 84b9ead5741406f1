package wizard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// group reads one JSON object keyed by step, or for a native group also an
// array in question order. Nothing is applied unless every answer is good; a
// question without an answer stays open.
func (m matcher) group(s Screen, text string) ([]answer, error) {
	given, err := groupAnswers(s, text)
	if err != nil {
		return nil, err
	}
	var out []answer
	for _, q := range s.Questions {
		raw, ok := given[q.Step]
		if !ok {
			continue
		}
		value, answered, err := m.member(q, raw, memberKind(s, q))
		if err != nil {
			return nil, err
		}
		if answered {
			out = append(out, answer{q.Step, value})
		}
	}
	if len(out) == 0 {
		return nil, Refuse("empty", "%s: the reply answers none of its questions", s.Step)
	}
	return out, nil
}

// memberKind is the plan under which a question of a group is answered.
func memberKind(s, q Screen) string {
	switch {
	case s.interaction() != nativeGroup:
		return sequentialGroup
	case q.IsMulti():
		return nativeMulti
	}
	return nativeGroup
}

func groupAnswers(s Screen, text string) (map[string]json.RawMessage, error) {
	bad := func(format string, args ...any) error {
		return Refuse("bad-answer", "%s: %s (expected one JSON object keyed by step)", s.Step, fmt.Sprintf(format, args...))
	}
	var array []json.RawMessage
	if s.interaction() == nativeGroup && json.Unmarshal([]byte(text), &array) == nil && array != nil {
		if len(array) > len(s.Questions) {
			return nil, bad("%d answers to %d questions", len(array), len(s.Questions))
		}
		out := map[string]json.RawMessage{}
		for i, raw := range array {
			out[s.Questions[i].Step] = raw
		}
		return out, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad("the answer is no JSON object")
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		key, _ := t.(string)
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return nil, bad("the answer is no JSON object")
		}
		if !slices.ContainsFunc(s.Questions, func(q Screen) bool { return q.Step == key }) {
			return nil, bad("%q is none of the questions", cut(key, maxEcho))
		}
		if _, twice := out[key]; twice {
			return nil, bad("%q is answered twice", key)
		}
		out[key] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, bad("the answer is no JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad("something follows the object")
	}
	return out, nil
}

// member reads a string, or for a multi pick an array of strings. A null or
// empty one leaves the question unanswered.
func (m matcher) member(q Screen, raw json.RawMessage, kind string) (value string, answered bool, err error) {
	if bytes.Equal(raw, []byte("null")) {
		return "", false, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text, err = clean(text); err != nil || text == "" {
			return "", false, err
		}
		value, err = m.pick(q, text, kind)
		return value, true, err
	}
	var list []*string
	if json.Unmarshal(raw, &list) != nil || !q.IsMulti() || slices.Contains(list, nil) {
		return "", false, Refuse("bad-answer", "%s: %s is no answer (expected a string)", q.Step, cut(string(raw), maxEcho))
	}
	var values []string
	for _, given := range list {
		one, err := clean(*given)
		if err != nil {
			return "", false, err
		}
		hit, err := m.one(q, one, kind)
		if err != nil {
			return "", false, err
		}
		values = append(values, hit)
	}
	return inPromptOrder(q, values), len(values) > 0, nil
}
