package hosts

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/wizard"
)

// decode reads the host's object into v.
func (q asked) decode(raw []byte, v any, form string) error {
	if err := jsondoc.Unmarshal(raw, v); err != nil {
		return q.shape("not in its form (expected %s)", form)
	}
	return nil
}

// other says whether a text is what the host calls its own choice to type.
func (q asked) other(one wizard.Screen, text string) bool {
	return q.host.Other != "" && text == q.host.Other &&
		!slices.ContainsFunc(one.Options, func(o wizard.Option) bool { return o.Label == text })
}

// index finds a question by the text that the host keys its answers by.
func (q asked) index(key func(i int, one wizard.Screen) string, wanted string) int {
	for i, one := range q.questions {
		if key(i, one) == wanted {
			return i
		}
	}
	return -1
}

func byText(_ int, one wizard.Screen) string { return one.Label }

func byNumber(i int, _ wizard.Screen) string { return strconv.Itoa(i) }

// keyed turns answers that are keyed by question into entries, in the order of
// the questions. An empty answer is none.
func (q asked) keyed(answers map[string]string, key func(int, wizard.Screen) string) ([]wizard.Entry, error) {
	byIndex := map[int]string{}
	for _, k := range slices.Sorted(maps.Keys(answers)) {
		i := q.index(key, k)
		if i < 0 {
			return nil, q.mismatch(k, slices.Sorted(maps.Values(answers))...)
		}
		byIndex[i] = answers[k]
	}
	var entries []wizard.Entry
	for i, one := range q.questions {
		text := strings.TrimSpace(byIndex[i])
		if text == "" {
			continue
		}
		entries = append(entries, wizard.Entry{Step: one.Step, Texts: []string{text}, Joined: one.IsMulti(), Other: q.other(one, text)})
	}
	return entries, nil
}

// claudeReply is what AskUserQuestion gives back. Response is what a person
// typed instead of answering; annotations tell of each question that was left
// open how it was; afkTimeoutMs stands there when the call ended by itself.
type claudeReply struct {
	Answers     map[string]string `json:"answers"`
	Response    string            `json:"response"`
	Annotations map[string]struct {
		Notes      string `json:"notes"`
		Unanswered string `json:"unanswered"`
	} `json:"annotations"`
	AfkTimeoutMs *float64 `json:"afkTimeoutMs"`
}

// unanswered are the ways in which a question was left open. For such a
// question the text among the answers is one for the model, not a person's.
var unanswered = map[string]string{"skipped": Skipped, "replied_in_chat": Skipped, "dismissed": Dismissed}

func readClaude(q asked, raw []byte) (Reply, error) {
	const form = `{"answers": {"<question>": "<label>"}}`
	var in claudeReply
	if err := q.decode(raw, &in, form); err != nil {
		return Reply{}, err
	}
	if in.Answers == nil && in.Annotations == nil && in.Response == "" && in.AfkTimeoutMs == nil {
		return Reply{}, q.shape("no answers in it (expected %s)", form)
	}
	out := Reply{FreeText: true, Text: in.Response}
	without := Skipped
	for _, key := range slices.Sorted(maps.Keys(in.Annotations)) {
		if q.index(byText, key) < 0 {
			return Reply{}, q.mismatch(key, slices.Sorted(maps.Values(in.Answers))...)
		}
		a := in.Annotations[key]
		switch how, left := unanswered[a.Unanswered]; {
		case left:
			delete(in.Answers, key)
			if without != Dismissed {
				without = how
			}
		case a.Notes != "":
			out.Notes = append(out.Notes, a.Notes)
		}
	}
	var err error
	if out.Entries, err = q.keyed(in.Answers, byText); err != nil {
		return Reply{}, err
	}
	if in.AfkTimeoutMs != nil {
		// Nobody ended the call. What is no label was not chosen by anybody.
		out.Entries = slices.DeleteFunc(out.Entries, func(e wizard.Entry) bool { return !q.allLabels(e) })
		without = TimedOut
	}
	if len(out.Entries) == 0 && in.Response != "" && len(q.questions) == 1 && in.AfkTimeoutMs == nil {
		out.Entries = []wizard.Entry{{Step: q.questions[0].Step, Texts: []string{in.Response}, Typed: true}}
	}
	return finish(out, without), nil
}

// allLabels says whether an entry holds nothing but labels as they were shown.
func (q asked) allLabels(e wizard.Entry) bool {
	i := slices.IndexFunc(q.questions, func(one wizard.Screen) bool { return one.Step == e.Step })
	texts := e.Texts
	if e.Joined {
		texts = strings.Split(e.Texts[0], ", ")
	}
	for _, text := range texts {
		if !slices.ContainsFunc(q.questions[i].Options, func(o wizard.Option) bool { return o.Label == text }) {
			return false
		}
	}
	return true
}

// notePrefix stands before what a person typed in Codex.
const notePrefix = "user_note:"

func readCodex(q asked, raw []byte) (Reply, error) {
	const form = `{"answers": {"<id>": {"answers": ["<label>"]}}}`
	if strings.TrimSpace(string(raw)) == "null" {
		return Reply{Outcome: Cancelled}, nil
	}
	var in struct {
		Answers map[string]*struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if err := q.decode(raw, &in, form); err != nil {
		return Reply{}, err
	}
	if in.Answers == nil {
		return Reply{}, q.shape("no answers in it (expected %s)", form)
	}
	ids := q.ids()
	var out Reply
	for _, id := range slices.Sorted(maps.Keys(in.Answers)) {
		if !slices.Contains(ids, id) {
			return Reply{}, q.mismatch(id, id)
		}
	}
	for i, one := range q.questions {
		given, ok := in.Answers[ids[i]]
		if !ok || given == nil {
			continue
		}
		entry, notes := q.codexEntry(one, given.Answers)
		out.Notes = append(out.Notes, notes...)
		if len(entry.Texts) > 0 || entry.Other {
			out.Entries = append(out.Entries, entry)
		}
	}
	return finish(out, Cancelled), nil
}

// codexEntry parts the labels from what was typed beside them. A note without
// a label is the answer; beside one it is a remark.
func (q asked) codexEntry(one wizard.Screen, given []string) (e wizard.Entry, notes []string) {
	e.Step = one.Step
	for _, text := range given {
		note, typed := strings.CutPrefix(text, notePrefix)
		switch note = strings.TrimSpace(note); {
		case typed && note != "":
			notes = append(notes, note)
		case q.other(one, note):
			e.Other = true
		case !typed && note != "":
			e.Texts = append(e.Texts, note)
		}
	}
	if len(e.Texts) == 0 && len(notes) > 0 {
		e.Texts, e.Typed, e.Other = []string{strings.Join(notes, "\n")}, true, false
		return e, nil
	}
	e.Other = e.Other && len(e.Texts) == 0
	return e, notes
}

func readGemini(q asked, raw []byte) (Reply, error) {
	const form = `{"answers": {"0": "<label>"}}`
	var in struct {
		Answers map[string]string `json:"answers"`
	}
	if err := q.decode(raw, &in, form); err != nil {
		return Reply{}, err
	}
	if in.Answers == nil {
		return Reply{}, q.shape("no answers in it (expected %s)", form)
	}
	entries, err := q.keyed(in.Answers, byNumber)
	return finish(Reply{Entries: entries, FreeText: true}, Skipped), err
}

func readMCP(q asked, raw []byte) (Reply, error) {
	const form = `{"action": "accept", "content": {"<property>": "<value>"}}`
	var in struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if err := q.decode(raw, &in, form); err != nil {
		return Reply{}, err
	}
	switch in.Action {
	case "decline":
		return Reply{Outcome: Declined}, nil
	case "cancel":
		return Reply{Outcome: Cancelled}, nil
	case "accept":
	default:
		return Reply{}, q.shape("action %q (expected accept, decline or cancel)", in.Action)
	}
	var out Reply
	for _, name := range slices.Sorted(maps.Keys(in.Content)) {
		if q.index(func(_ int, one wizard.Screen) string { return one.Step }, name) < 0 {
			return Reply{}, q.mismatch(name, string(in.Content[name]))
		}
	}
	for _, one := range q.questions {
		value, ok := in.Content[one.Step]
		if !ok || string(value) == "null" {
			continue
		}
		entry := wizard.Entry{Step: one.Step, Exact: one.Kind == wizard.KindPick}
		var text string
		switch {
		case one.IsMulti() && jsondoc.Unmarshal(value, &entry.Texts) == nil:
		case !one.IsMulti() && jsondoc.Unmarshal(value, &text) == nil:
			entry.Texts = []string{text}
		default:
			return Reply{}, q.shape("property %q has another type than was asked for", one.Step)
		}
		if text != "" || len(entry.Texts) > 0 && one.IsMulti() || one.IsOptional() {
			out.Entries = append(out.Entries, entry)
		}
	}
	return finish(out, Skipped), nil
}

func readACP(q asked, raw []byte) (Reply, error) {
	const form = `{"outcome": {"outcome": "selected", "optionId": "<value>"}}`
	var in struct {
		Outcome *struct {
			Outcome  string  `json:"outcome"`
			OptionID *string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := q.decode(raw, &in, form); err != nil {
		return Reply{}, err
	}
	switch {
	case in.Outcome != nil && in.Outcome.Outcome == "cancelled":
		return Reply{Outcome: Cancelled}, nil
	case in.Outcome == nil || in.Outcome.Outcome != "selected" || in.Outcome.OptionID == nil:
		return Reply{}, q.shape("no outcome in it (expected %s)", form)
	case len(q.questions) != 1:
		return Reply{}, q.mismatch(*in.Outcome.OptionID, *in.Outcome.OptionID)
	}
	entry := wizard.Entry{Step: q.questions[0].Step, Texts: []string{*in.Outcome.OptionID}, Exact: true}
	return finish(Reply{Entries: []wizard.Entry{entry}}, Skipped), nil
}
