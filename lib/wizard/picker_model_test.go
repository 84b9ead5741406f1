package wizard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// slowPicker is the picker once more, as its description reads: one list after
// the other, nothing shared with the code under test but the words of the
// catalogue. It knows no byte limits on a page number; the tests stay below.
type slowPicker struct {
	offsets  map[string]int
	selected map[string][]string
}

func (p slowPicker) present(s Screen, limit int, say Texts) Screen {
	if s.Kind != "pick" || len(s.Options) == 0 {
		return s
	}
	chosen := p.selected[s.Step]
	multi := s.Multi != nil && *s.Multi
	var labelled []Option
	for _, o := range s.Options {
		same := 0
		for _, other := range s.Options {
			if other.Label == o.Label {
				same++
			}
		}
		made := o
		if same > 1 {
			made.Label = made.Label + " [" + made.Value + "]"
		}
		if slices.Contains(chosen, o.Value) {
			made.Label = "✓ " + made.Label
		}
		labelled = append(labelled, made)
	}
	reserve, extra := 1, 0
	if multi {
		reserve, extra = 2, 1
	}
	paged := len(labelled)+extra > limit
	size := len(labelled)
	if paged {
		size = max(limit-reserve, 1)
	}
	offset := p.offsets[s.Step]
	if offset < 0 || offset >= len(labelled) {
		offset = 0
	}
	var page []Option
	for i := offset; i < offset+size && i < len(labelled); i++ {
		page = append(page, labelled[i])
	}
	last := offset + len(page)
	label := s.Label
	if paged {
		next, words := 0, say.Text("picker.first")
		if offset+size < len(labelled) {
			next, words = offset+size, say.Text("picker.next")
		}
		page = append(page, Option{Value: "__okstra_picker_page__:" + fmt.Sprint(next), Label: words})
		label += fmt.Sprintf(" (%d–%d/%d)", offset+1, last, len(labelled))
	}
	if multi {
		page = append(page, Option{Value: "__okstra_picker_done__", Label: say.Text("picker.done", len(chosen))})
		label += " · " + say.Text("picker.toggle")
	}
	if len(page) == 1 {
		page = append(page, Option{Value: "__okstra_picker_page__:0", Label: say.Text("picker.again")})
	}
	var front, back []Option
	for _, o := range page {
		if o.Value == "__type_custom__" {
			back = append(back, o)
		} else {
			front = append(front, o)
		}
	}
	s.Label, s.Options, s.Multi = label, append(front, back...), new(false)
	return s
}

// accept gives the value to submit, and whether there is one; an error is a
// refusal.
func (p slowPicker) accept(s Screen, value string) (submit string, ok bool, err error) {
	if rest, isPage := strings.CutPrefix(value, "__okstra_picker_page__:"); isPage {
		for _, c := range rest {
			if !unicode.IsDigit(c) || c > '9' {
				return "", false, fmt.Errorf("invalid-page")
			}
		}
		n, bad := strconv.Atoi(rest)
		if bad != nil || n < 0 || n >= len(s.Options) {
			return "", false, fmt.Errorf("invalid-page")
		}
		p.offsets[s.Step] = n
		return "", false, nil
	}
	if s.Multi == nil || !*s.Multi {
		delete(p.offsets, s.Step)
		return value, true, nil
	}
	known := false
	for _, o := range s.Options {
		known = known || o.Value == value
	}
	done := value == "__okstra_picker_done__"
	if !done && !known {
		return "", false, fmt.Errorf("invalid-choice")
	}
	if done || value == "__type_custom__" {
		chosen := p.selected[s.Step]
		delete(p.selected, s.Step)
		delete(p.offsets, s.Step)
		if !done {
			return value, true, nil
		}
		var ordered []string
		for _, o := range s.Options {
			if slices.Contains(chosen, o.Value) {
				ordered = append(ordered, o.Value)
			}
		}
		return strings.Join(ordered, ","), true, nil
	}
	before, has := p.selected[s.Step], false
	var after []string
	for _, v := range before {
		if v == value && !has {
			has = true
			continue
		}
		after = append(after, v)
	}
	if !has {
		if value == "all" || value == "whole-task" {
			after = []string{value}
		} else {
			after = nil
			for _, v := range before {
				if v != "all" && v != "whole-task" {
					after = append(after, v)
				}
			}
			after = append(after, value)
		}
	}
	if after == nil {
		after = []string{}
	}
	p.selected[s.Step] = after
	return "", false, nil
}
