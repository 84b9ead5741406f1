package wizard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

const maxAnswer = 64 << 10

// answer is one answer, matched to its step.
type answer struct{ step, value string }

// normalise matches a raw answer against the screen that the user saw.
// Rule: docs/wizard.md, "What an answer may look like".
func normalise(s Screen, raw string) ([]answer, error) {
	text, err := clean(raw)
	if err != nil {
		return nil, err
	}
	kind := ""
	if s.Interaction != nil {
		kind = s.Interaction.Kind
	}
	switch {
	case s.Kind == KindGroup:
		return matchGroup(s, text, kind)
	case s.Kind == KindText:
		value, err := matchText(s, text)
		return []answer{{s.Step, value}}, err
	}
	value, err := matchPick(s, text, kind)
	if err != nil {
		return nil, err
	}
	return []answer{{s.Step, value}}, nil
}

func clean(raw string) (string, error) {
	if len(raw) > maxAnswer {
		return "", refuse("bad-answer", "the answer has %d bytes (expected %d or less)", len(raw), maxAnswer)
	}
	raw = strings.TrimSuffix(raw, "\n")
	raw = strings.TrimSuffix(raw, "\r")
	text := norm.NFC.String(strings.TrimSpace(raw))
	for _, c := range text {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return "", refuse("bad-answer", "the answer holds the control character %U", c)
		}
	}
	return text, nil
}

func matchText(s Screen, text string) (string, error) {
	if text != "" && text != "-" {
		return text, nil
	}
	if s.Optional != nil && *s.Optional {
		return "", nil
	}
	return "", refuse("empty", "%s: the answer is empty (expected a text)", s.Step)
}

func matchPick(s Screen, text, kind string) (string, error) {
	if s.IsMulti() {
		return matchMulti(s, text, kind)
	}
	return matchOne(s, text, kind)
}

// matchOne finds the one option that a text names.
func matchOne(s Screen, text, kind string) (string, error) {
	if rest, ok := strings.CutPrefix(text, "="); ok {
		if _, known := s.option(rest); known {
			return rest, nil
		}
	}
	if rest, ok := strings.CutPrefix(text, "#"); ok {
		if n, ok := position(rest); ok && n <= len(s.Options) {
			return s.Options[n-1].Value, nil
		}
	}
	hits := s.hits(func(o Option) bool { return o.Value == text })
	if len(hits) == 0 {
		hits = s.hits(func(o Option) bool { return o.Label == text || plainLabel(o) == text })
	}
	if kind == numbered || kind == sequentialGroup {
		if n, ok := position(text); ok && n <= len(s.Options) && !slices.Contains(hits, s.Options[n-1].Value) {
			hits = append(hits, s.Options[n-1].Value)
		}
	}
	if len(hits) == 0 {
		wanted := fold(text)
		hits = s.hits(func(o Option) bool { return fold(o.Value) == wanted || fold(o.Label) == wanted })
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", refuse("no-match", "%s: %q is none of the choices (expected %s)", s.Step, text, s.values()).with(s.first(20)...)
	}
	return "", refuse("ambiguous", "%s: %q may mean %s (write #n for the position, =value for the value)", s.Step, text, strings.Join(hits, " or ")).with(hits...)
}

func (s Screen) hits(match func(Option) bool) []string {
	var out []string
	for _, o := range s.Options {
		if match(o) {
			out = append(out, o.Value)
		}
	}
	return out
}

func (s Screen) first(n int) []string {
	var out []string
	for _, o := range s.Options[:min(n, len(s.Options))] {
		out = append(out, o.Value)
	}
	return out
}

func (s Screen) values() string {
	text := strings.Join(s.first(20), ", ")
	if more := len(s.Options) - 20; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// position reads a decimal number, in full-width digits too.
func position(text string) (int, bool) {
	narrow := width.Narrow.String(text)
	if narrow == "" || len(narrow) > 6 || strings.IndexFunc(narrow, func(c rune) bool { return c < '0' || c > '9' }) >= 0 {
		return 0, false
	}
	n, err := strconv.Atoi(narrow)
	return n, err == nil && n >= 1
}

// plainLabel is a label without the picker's marks.
func plainLabel(o Option) string {
	return strings.TrimSuffix(strings.TrimPrefix(o.Label, "✓ "), " ["+o.Value+"]")
}

// fold makes texts equal that differ only in case, white space, width and the
// marks that hosts and the picker add.
func fold(text string) string {
	text = width.Fold.String(text)
	text = strings.TrimPrefix(text, "✓ ")
	for _, mark := range []string{"(Recommended)", "(추천)"} {
		text = strings.TrimSuffix(text, mark)
	}
	if i := strings.LastIndex(text, " ["); i > 0 && strings.HasSuffix(text, "]") {
		text = text[:i]
	}
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// matchMulti reads a list of choices; the result is in prompt order.
func matchMulti(s Screen, text, kind string) (string, error) {
	if text == "" || text == "-" || text == doneValue {
		return "", nil
	}
	if whole, err := matchOne(s, text, nativeMulti); err == nil {
		return whole, nil
	}
	var values []string
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '，' || c == '\n' }) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		value, err := matchOne(s, part, kind)
		if err != nil {
			return "", err
		}
		values = append(values, value)
	}
	return inPromptOrder(s, values), nil
}

// matchGroup reads one JSON object keyed by step, or for a native group also
// an array in question order. Nothing is applied unless every answer is good.
func matchGroup(s Screen, text, kind string) ([]answer, error) {
	given, err := groupAnswers(s, text, kind)
	if err != nil {
		return nil, err
	}
	var out []answer
	for _, q := range s.Questions {
		raw, ok := given[q.Step]
		if !ok {
			continue
		}
		value, given, err := memberAnswer(q, raw, kind)
		if err != nil {
			return nil, err
		}
		if given {
			out = append(out, answer{q.Step, value})
		}
	}
	if len(out) == 0 {
		return nil, refuse("no-match", "%s: the reply answers none of its questions", s.Step)
	}
	return out, nil
}

func groupAnswers(s Screen, text, kind string) (map[string]json.RawMessage, error) {
	bad := func(why string) error {
		return refuse("bad-answer", "%s: %s (expected one JSON object keyed by step)", s.Step, why)
	}
	var list []json.RawMessage
	if kind == nativeGroup && json.Unmarshal([]byte(text), &list) == nil {
		if len(list) > len(s.Questions) {
			return nil, bad(fmt.Sprintf("%d answers to %d questions", len(list), len(s.Questions)))
		}
		out := map[string]json.RawMessage{}
		for i, raw := range list {
			out[s.Questions[i].Step] = raw
		}
		return out, nil
	}
	out := map[string]json.RawMessage{}
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad("the reply is no JSON object")
	}
	for d.More() {
		t, err := d.Token()
		key, _ := t.(string)
		if err != nil {
			return nil, bad("the reply is no JSON object")
		}
		if !slices.ContainsFunc(s.Questions, func(q Screen) bool { return q.Step == key }) {
			return nil, bad(fmt.Sprintf("%q is none of the questions", key))
		}
		if _, twice := out[key]; twice {
			return nil, bad(fmt.Sprintf("%q is answered twice", key))
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, bad("the reply is no JSON object")
		}
		out[key] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, bad("the reply is no JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad("something follows the object")
	}
	return out, nil
}

// memberAnswer reads a string, or for a multi pick an array of strings. A
// null or empty one leaves the question unanswered.
func memberAnswer(q Screen, raw json.RawMessage, kind string) (value string, given bool, err error) {
	if bytes.Equal(raw, []byte("null")) {
		return "", false, nil
	}
	if kind == nativeGroup {
		kind = nativeSingle
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text, err = clean(text); err != nil || text == "" {
			return "", false, err
		}
		value, err = matchPick(q, text, kind)
		return value, true, err
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil || !q.IsMulti() {
		return "", false, refuse("bad-answer", "%s: %.80s is no answer (expected a string)", q.Step, raw)
	}
	var values []string
	for _, one := range list {
		if one, err = clean(one); err != nil {
			return "", false, err
		}
		hit, err := matchOne(q, one, kind)
		if err != nil {
			return "", false, err
		}
		values = append(values, hit)
	}
	return inPromptOrder(q, values), len(values) > 0, nil
}
