package wizard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A host shows a handful of options at once. The picker cuts a long pick into
// pages of single choices that fit, and collects several choices by toggling:
//
//	Which stages? (1–1/3) · pick to select …   the question, with its place
//	  ✓ Stage 2: token refresh                 an option, ticked
//	  next choices                             the page option
//	  finish (1)                               the done option
//
// Both functions look at nothing but their arguments.
// Rule: docs/wizard.md, "Picker".
const (
	pagePrefix = "__okstra_picker_page__:"
	doneValue  = "__okstra_picker_done__"
	tick       = "✓ " // before the label of what is selected
)

// Picker is the navigation of all picks, keyed by step: the option a page
// begins with, and the values toggled so far in the order of toggling.
type Picker struct {
	Offsets  map[string]int
	Selected map[string][]string
}

// CheckPrompt says why the picker cannot present s, or nil.
func CheckPrompt(s Screen, limit int) error {
	if limit < 1 {
		return fmt.Errorf("limit %d (expected 1 or more)", limit)
	}
	seen := make(map[string]bool, len(s.Options))
	for _, o := range s.Options {
		switch {
		case seen[o.Value]:
			return fmt.Errorf("option value %q stands twice in step %q", o.Value, s.Step)
		case strings.HasPrefix(o.Value, "__okstra_picker_"):
			return fmt.Errorf("option value %q of step %q is one of the picker's own", o.Value, s.Step)
		}
		seen[o.Value] = true
	}
	return nil
}

// Present makes the screen of at most limit options that stands for s now. It
// changes picks only.
func (p Picker) Present(s Screen, limit int, say Texts) Screen {
	if s.Kind != KindPick || len(s.Options) == 0 {
		return s
	}
	total := len(s.Options)
	paged := isPaged(s, limit)
	size := total
	if paged {
		size = max(1, limit-reserved(s))
	}
	offset := p.Offsets[s.Step]
	if offset < 0 || offset >= total {
		offset = 0
	}
	end := min(offset+size, total)
	shown := p.marked(s, offset, end)
	if paged {
		next, label := end, say.Text("picker.next")
		if end == total {
			next, label = 0, say.Text("picker.first")
		}
		shown = append(shown, Option{Value: pagePrefix + strconv.Itoa(next), Label: label})
		s.Label += fmt.Sprintf(" (%d–%d/%d)", offset+1, end, total)
	}
	if s.IsMulti() {
		shown = append(shown, Option{Value: doneValue, Label: say.Text("picker.done", len(p.Selected[s.Step]))})
		s.Label += " · " + say.Text("picker.toggle")
	}
	if len(shown) == 1 {
		shown = append(shown, Option{Value: pagePrefix + "0", Label: say.Text("picker.again")})
	}
	s.Options = customLast(shown)
	s.Multi = new(false)
	return s
}

// reserved is how many entries of a page are navigation: the page option, and
// done where several can be chosen.
func reserved(s Screen) int {
	if s.IsMulti() {
		return 2
	}
	return 1
}

// isPaged says whether a pick does not fit on one screen. Done takes a place
// there too.
func isPaged(s Screen, limit int) bool { return len(s.Options)+reserved(s)-1 > limit }

// marked are the options from offset to end, ticked where they are selected.
// Equal labels are told apart over the whole pick, not only over a page of it.
func (p Picker) marked(s Screen, offset, end int) []Option {
	count := make(map[string]int, end-offset)
	for _, o := range s.Options[offset:end] {
		count[o.Label] = 0
	}
	for _, o := range s.Options {
		if n, asked := count[o.Label]; asked {
			count[o.Label] = n + 1
		}
	}
	selected := map[string]bool{}
	for _, v := range p.Selected[s.Step] {
		selected[v] = true
	}
	options := slices.Clone(s.Options[offset:end])
	for i, o := range options {
		if count[o.Label] > 1 {
			options[i].Label += " [" + o.Value + "]"
		}
		if selected[o.Value] {
			options[i].Label = tick + options[i].Label
		}
	}
	return options
}

func customLast(options []Option) []Option {
	slices.SortStableFunc(options, func(a, b Option) int {
		switch {
		case a.Value == Custom && b.Value != Custom:
			return 1
		case b.Value == Custom && a.Value != Custom:
			return -1
		}
		return 0
	})
	return options
}

// Accept takes the value chosen on a presented screen of the pick s. It gives
// the value to submit, or nil when the choice only moved the picker.
func (p Picker) Accept(s Screen, value string) (*string, error) {
	if rest, ok := strings.CutPrefix(value, pagePrefix); ok {
		return nil, p.turn(s, rest)
	}
	if !s.IsMulti() {
		delete(p.Offsets, s.Step)
		return &value, nil
	}
	if _, known := s.option(value); !known && value != doneValue {
		return nil, Refuse("invalid-choice", "%q is no choice of step %q", value, s.Step)
	}
	if value != doneValue && value != Custom {
		p.toggle(s.Step, value)
		return nil, nil
	}
	selected := p.Selected[s.Step]
	delete(p.Selected, s.Step)
	delete(p.Offsets, s.Step)
	if value == doneValue {
		value = inPromptOrder(s, selected)
	}
	return &value, nil
}

// isNavigation says whether a value is one of the picker's own.
func isNavigation(value string) bool {
	return value == doneValue || strings.HasPrefix(value, pagePrefix)
}

func (p Picker) turn(s Screen, rest string) error {
	n, err := strconv.Atoi(rest)
	digits := !strings.ContainsFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if err != nil || !digits || len(rest) > 9 || n >= len(s.Options) {
		return Refuse("invalid-page", "%q is no page of step %q (expected 0 to %d)", rest, s.Step, len(s.Options)-1)
	}
	p.Offsets[s.Step] = n
	return nil
}

// toggle keeps a selection that was emptied, so that it is told apart from
// one that was never begun.
func (p Picker) toggle(step, value string) {
	selected := p.Selected[step]
	switch i := slices.Index(selected, value); {
	case i >= 0:
		selected = slices.Delete(slices.Clone(selected), i, i+1)
	case value == all || value == wholeTask:
		selected = []string{value}
	default:
		selected = append(slices.DeleteFunc(slices.Clone(selected), func(v string) bool {
			return v == all || v == wholeTask
		}), value)
	}
	if selected == nil {
		selected = []string{}
	}
	p.Selected[step] = selected
}

// prune forgets selections that the pick no longer offers, and the place in a
// pick that fits on one screen by now: what lies before it could not be reached.
func (p Picker) prune(s Screen, limit int) {
	if p.Offsets[s.Step] > 0 && !isPaged(s, limit) {
		delete(p.Offsets, s.Step)
	}
	kept, ok := p.Selected[s.Step]
	if !ok {
		return
	}
	p.Selected[s.Step] = slices.DeleteFunc(slices.Clone(kept), func(v string) bool {
		_, known := s.option(v)
		return !known
	})
}

func inPromptOrder(s Screen, values []string) string {
	var out []string
	for _, o := range s.Options {
		if slices.Contains(values, o.Value) {
			out = append(out, o.Value)
		}
	}
	return strings.Join(out, ",")
}

// About describes an option, for hosts that want a description of each: its
// own, or what one of the picker's own options does.
func (s Screen) About(o Option, say Texts) string {
	things := say.Or(s.Step+".things", "things")
	if strings.HasSuffix(s.Step, "_model") {
		things = say.Or(s.Step+".things", "model.things")
	}
	switch {
	case o.Description != "":
		return o.Description
	case o.Value == doneValue:
		return say.Text("picker.done.about")
	case o.Value == pagePrefix+"0" && o.Label == say.Text("picker.again"):
		return say.Text("picker.again.about")
	case o.Value == pagePrefix+"0":
		return say.Text("picker.first.about", things)
	case strings.HasPrefix(o.Value, pagePrefix):
		return say.Text("picker.next.about", things)
	}
	return ""
}
