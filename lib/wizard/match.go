package wizard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// maxAnswer is the most bytes of an answer.
const maxAnswer = 64 << 10

// answer is one answer, matched to its step.
type answer struct{ step, value string }

// matcher finds what an answer means on a screen that a user saw.
// Rule: docs/wizard.md, "What an answer may look like".
type matcher struct {
	alias  func(step string) map[string]string // words that stand for a value
	offers func(step, value string) bool       // is it on offer, be it on another page
}

func (m Machine) matcher(s *State) matcher {
	v := m.view(s)
	table := rows(v)
	return matcher{
		alias: func(step string) map[string]string {
			if r, ok := find(table, step); ok && r.alias != nil {
				return r.alias(v)
			}
			return nil
		},
		offers: func(step, value string) bool {
			r, ok := find(table, step)
			return ok && !r.text && v.offersOne(r, value)
		},
	}
}

// screen matches a raw answer against the whole screen.
func (m matcher) screen(s Screen, raw string) ([]answer, error) {
	text, err := clean(raw)
	if err != nil {
		return nil, err
	}
	value := ""
	switch s.Kind {
	case KindGroup:
		return m.group(s, text)
	case KindText:
		value, err = matchText(s, text)
	default:
		value, err = m.pick(s, text, s.interaction())
	}
	if err != nil {
		return nil, err
	}
	return []answer{{s.Step, value}}, nil
}

// entry matches what a host's reply says about one question.
func (m matcher) entry(q Screen, e Entry) ([]answer, error) {
	kind := nativeSingle
	if q.IsMulti() {
		kind = nativeMulti
	}
	var values []string
	for _, raw := range e.Texts {
		text, err := clean(raw)
		if err != nil {
			return nil, err
		}
		value := text
		switch {
		case q.Kind == KindText:
			value, err = matchText(q, text)
		case e.Exact:
			value, err = exactly(q, text)
		case e.Joined:
			value, err = m.pick(q, text, kind)
		default:
			value, err = m.one(q, text, kind)
		}
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	if q.IsMulti() && !e.Joined {
		return []answer{{q.Step, inPromptOrder(q, values)}}, nil
	}
	if len(values) != 1 {
		return nil, Refuse("bad-answer", "%s: %d answers to one question", q.Step, len(values))
	}
	return []answer{{q.Step, values[0]}}, nil
}

func exactly(q Screen, value string) (string, error) {
	if _, ok := q.option(value); ok {
		return value, nil
	}
	return "", noMatch(q, value)
}

// clean takes off what surrounds an answer. Quotes stay: they may be meant.
func clean(raw string) (string, error) {
	if len(raw) > maxAnswer {
		return "", Refuse("bad-answer", "the answer has %d bytes (expected %d or less)", len(raw), maxAnswer)
	}
	if !utf8.ValidString(raw) {
		return "", Refuse("bad-answer", "the answer is not UTF-8")
	}
	raw = strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
	text := norm.NFC.String(strings.TrimSpace(raw))
	for _, c := range text {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return "", Refuse("bad-answer", "the answer holds the control character %U", c)
		}
	}
	return text, nil
}

func matchText(s Screen, text string) (string, error) {
	switch {
	case text != "" && text != "-":
		return text, nil
	case s.IsOptional():
		return "", nil
	}
	return "", Refuse("empty", "%s: the answer is empty (expected a text)", s.Step)
}

func (m matcher) pick(s Screen, text, kind string) (string, error) {
	if s.IsMulti() {
		return m.multi(s, text, kind)
	}
	return m.one(s, text, kind)
}

// multi reads a list of choices: the whole text first, for a label may hold a
// comma, then its parts. The result is in prompt order.
func (m matcher) multi(s Screen, text, kind string) (string, error) {
	if text == "" || text == "-" || text == doneValue {
		return "", nil
	}
	if whole, err := m.one(s, text, nativeMulti); err == nil {
		return whole, nil
	}
	var values []string
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == '，' || c == '\n' }) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		value, err := m.one(s, part, kind)
		if err != nil {
			return "", err
		}
		values = append(values, value)
	}
	return inPromptOrder(s, values), nil
}

// one finds the one option that a text names. The first rule that hits
// anything decides; a position has its say even after a value or a label, so
// that "2" is refused where it is one option's place and another's value.
func (m matcher) one(s Screen, text, kind string) (string, error) {
	positions := kind == numbered || kind == sequentialGroup
	if value, ok := explicit(s, text, positions); ok {
		return value, nil
	}
	hits := m.exact(s, text)
	if n, ok := position(text); ok && positions && n <= len(s.Options) && !slices.Contains(hits, s.Options[n-1].Value) {
		hits = append(hits, s.Options[n-1].Value)
	}
	if len(hits) == 0 {
		hits = s.hits(folded(text))
	}
	if len(hits) == 0 && kind == nativeSingle {
		hits = m.elsewhere(s, text)
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", noMatch(s, text)
	}
	how := "=value for the value"
	if positions {
		how = "#n for the position, " + how
	}
	return "", Refuse("ambiguous", "%s: %q may mean %s (write %s)", s.Step, text, list(hits, "or"), how).With(hits...)
}

// explicit reads "=value" and, where positions count, "#n".
func explicit(s Screen, text string, positions bool) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "="); ok {
		if _, known := s.option(rest); known {
			return rest, true
		}
	}
	if rest, ok := strings.CutPrefix(text, "#"); ok && positions {
		if n, ok := position(rest); ok && n <= len(s.Options) {
			return s.Options[n-1].Value, true
		}
	}
	return "", false
}

// exact finds values, then labels, as they stand.
func (m matcher) exact(s Screen, text string) []string {
	hits := s.hits(func(o Option) bool { return norm.NFC.String(o.Value) == text })
	if len(hits) > 0 {
		return hits
	}
	if value, ok := m.aliasOf(s, text); ok {
		return []string{value}
	}
	return s.hits(func(o Option) bool { return slices.Contains(labelsOf(o), text) })
}

// aliasOf is the value that a word stands for, where it is on offer.
func (m matcher) aliasOf(s Screen, word string) (string, bool) {
	if m.alias == nil {
		return "", false
	}
	value, ok := m.alias(s.Step)[word]
	if !ok {
		return "", false
	}
	_, shown := s.option(value)
	return value, shown || m.offers(s.Step, value)
}

// elsewhere finds, for a page of a long pick, the picker's own values and the
// exact values of other pages.
func (m matcher) elsewhere(s Screen, text string) []string {
	value := strings.TrimPrefix(text, "=")
	if strings.HasPrefix(value, pagePrefix) || m.offers != nil && m.offers(s.Step, value) {
		return []string{value}
	}
	return nil
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

func noMatch(s Screen, text string) *Refusal {
	if len(s.Options) == 0 {
		reason := s.Detail
		if reason == "" {
			reason = "nothing is on offer"
		}
		return Refuse("no-match", "%s: %q cannot be chosen: %s", s.Step, cut(text, maxEcho), reason)
	}
	return Refuse("no-match", "%s: %q is none of the choices (expected %s)", s.Step, cut(text, maxEcho), expected(s)).With(firstValues(s)...)
}

func firstValues(s Screen) []string { return values(s.Options[:min(shownFirst, len(s.Options))]) }

func expected(s Screen) string {
	if more := len(s.Options) - shownFirst; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(firstValues(s), ", "), more)
	}
	return list(values(s.Options), "or")
}

// position reads a decimal number, in full-width digits too.
func position(text string) (int, bool) {
	narrow := width.Narrow.String(text)
	if narrow == "" || len(narrow) > 6 || strings.ContainsFunc(narrow, func(c rune) bool { return c < '0' || c > '9' }) {
		return 0, false
	}
	n, err := strconv.Atoi(narrow)
	return n, err == nil && n >= 1
}

// labelsOf are the label as it is shown and without the marks that the picker
// and a change put on it.
func labelsOf(o Option) []string {
	label := norm.NFC.String(o.Label)
	plain := strings.TrimPrefix(label, tick)
	plain = strings.TrimSuffix(plain, " ["+norm.NFC.String(o.Value)+"]")
	out := []string{label, plain}
	for _, lang := range Languages {
		if short, ok := strings.CutSuffix(plain, currentMark(TextsFor(lang))); ok {
			out = append(out, short)
		}
	}
	return out
}

// recommended are what hosts add to the label of a first choice.
var recommended = []string{" (recommended)", " (추천)"}

// folded compares without regard to case, inner white space, full-width forms
// and marks.
func folded(text string) func(Option) bool {
	wanted := fold(text)
	for _, mark := range recommended {
		wanted = strings.TrimSuffix(wanted, mark)
	}
	wanted = strings.TrimPrefix(wanted, fold(tick)+" ")
	return func(o Option) bool {
		value := fold(o.Value)
		plain := strings.TrimSuffix(wanted, " ["+value+"]")
		if value == wanted {
			return true
		}
		return slices.ContainsFunc(labelsOf(o), func(label string) bool {
			label = fold(label)
			return label == wanted || label == plain
		})
	}
}

func fold(text string) string {
	text = cases.Fold().String(width.Fold.String(text))
	return strings.Join(strings.Fields(text), " ")
}
