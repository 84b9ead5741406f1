package wizard

import (
	"maps"
	"slices"
	"strings"
)

// Preset answers steps before anything is asked. A preset is an ordinary
// answer: it is checked now and can be changed later. All must find their
// step; the order in which they are given does not matter.
func (m Machine) Preset(s State, presets map[string]string) (State, error) {
	left := maps.Clone(presets)
	for moved := true; moved && len(left) > 0; {
		moved = false
		work := s.clone()
		v := m.view(&work)
		for _, r := range rows(v) {
			raw, wanted := left[r.id]
			if !wanted || !v.pending(r) {
				continue
			}
			screen := v.screen(r)
			screen.Interaction = &Interaction{Kind: nativeMulti}
			answers, err := normalise(screen, raw)
			if err != nil {
				return s, err
			}
			if _, err := m.submit(&work, answers[0]); err != nil {
				return s, err
			}
			delete(left, r.id)
			s, moved = work, true
			break
		}
	}
	if len(left) > 0 {
		return s, refuse("preset-unused", "preset for %s: the step is not asked here", strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return m.Refresh(s)
}

// StepInfo is a row of the step table, for people.
type StepInfo struct {
	Step   string   `json:"step"`
	Kind   string   `json:"kind"`
	Multi  bool     `json:"multi"`
	Group  string   `json:"group"`
	Reads  []string `json:"reads"`
	Custom bool     `json:"custom"`
}

// Steps lists the step table as it is for a state without answers; rows of
// models appear once it is known who takes part.
func (m Machine) Steps(s State) []StepInfo {
	var out []StepInfo
	for _, r := range rows(m.view(&s)) {
		kind := KindPick
		if r.text {
			kind = KindText
		}
		reads := r.reads
		if reads == nil {
			reads = []string{}
		}
		out = append(out, StepInfo{r.id, kind, r.multi, r.group, reads, r.custom})
	}
	return out
}

// Declare says anew where the session runs and what its host can do.
func (m Machine) Declare(s State, host string, functions []string) (State, error) {
	work := s.clone()
	work.HostRuntime, work.AvailableFunctions = host, functions
	return m.Refresh(work)
}
