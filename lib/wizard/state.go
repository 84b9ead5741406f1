package wizard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Outcomes of a state.
const (
	OutcomeOpen    = "open"
	OutcomeProceed = "proceed"
	OutcomeAborted = "aborted"
)

// Entry modes of a session.
const (
	CurrentSession = "current-session"
	External       = "external"
)

// Flow is the name of the step table.
const Flow = "okstra-run"

// State is the okstra-wizard-state document. Answers are the submitted
// strings, a multi pick's in prompt order with commas. Screen is the last
// screen as it was shown: an answer is matched against what the user saw.
// Pinned keeps, by step, what an answer stood for when it was given: the
// commit behind a ref, the digest of a plan, a path without links.
type State struct {
	Kind               string              `json:"kind"`
	SchemaVersion      string              `json:"schemaVersion"`
	Revision           int                 `json:"revision"`
	Flow               string              `json:"flow"`
	ProjectRoot        string              `json:"projectRoot"`
	ProjectID          string              `json:"projectId"`
	Lang               string              `json:"lang"`
	HostRuntime        string              `json:"hostRuntime"`
	HostEntryMode      string              `json:"hostEntryMode"`
	AvailableFunctions []string            `json:"availableFunctions"`
	AsyncQuestions     bool                `json:"asyncQuestions"`
	Selector           string              `json:"selector"`
	Outcome            string              `json:"outcome"`
	Editing            *string             `json:"editing"`
	Answers            map[string]string   `json:"answers"`
	Pinned             map[string][]string `json:"pinned"`
	PickerOffsets      map[string]int      `json:"pickerOffsets"`
	PickerSelected     map[string][]string `json:"pickerSelected"`
	Screen             Screen              `json:"screen"`
}

// NewState is a state without an answer.
func NewState(root, projectID string) State {
	return State{
		Kind: "okstra-wizard-state", SchemaVersion: "1.0", Flow: Flow,
		ProjectRoot: root, ProjectID: projectID, Lang: Languages[0],
		HostRuntime: "claude-code", HostEntryMode: CurrentSession, AvailableFunctions: []string{},
		Selector: "preferred", Outcome: OutcomeOpen,
		Answers: map[string]string{}, Pinned: map[string][]string{},
		PickerOffsets: map[string]int{}, PickerSelected: map[string][]string{},
	}
}

// Check says what in a state that was read this version cannot go on with.
// Answers and navigation that make no sense are not among it: the engine
// passes them over.
func (s State) Check() error {
	if s.Flow != Flow {
		return fmt.Errorf("/flow: %q (expected %q)", s.Flow, Flow)
	}
	if _, err := FindHost(s.HostRuntime); err != nil {
		return fmt.Errorf("/hostRuntime: %w", err)
	}
	for i, name := range s.AvailableFunctions {
		if !slices.Contains(Functions, name) {
			return fmt.Errorf("/availableFunctions/%d: unknown function %q", i, name)
		}
	}
	return nil
}

// clone copies what the engine changes, so that a refused answer leaves the
// caller's state alone.
func (s State) clone() State {
	s.Answers = maps.Clone(orMap(s.Answers))
	s.PickerOffsets = maps.Clone(orMap(s.PickerOffsets))
	s.Pinned = cloneLists(s.Pinned)
	s.PickerSelected = cloneLists(s.PickerSelected)
	return s
}

func orMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

func cloneLists(m map[string][]string) map[string][]string {
	out := make(map[string][]string, len(m))
	for k, v := range m {
		out[k] = append([]string{}, v...)
	}
	return out
}

// forget drops an answer and all that belongs to it.
func (s *State) forget(step string) {
	delete(s.Answers, step)
	delete(s.Pinned, step)
	s.forgetPicker(step)
}

func (s *State) forgetPicker(step string) {
	delete(s.PickerOffsets, step)
	delete(s.PickerSelected, step)
}

func (s State) picker() Picker { return Picker{s.PickerOffsets, s.PickerSelected} }

// MarshalStable is the state as JSON; maps come out in key order.
func (s State) MarshalStable() ([]byte, error) { return json.Marshal(s) }
