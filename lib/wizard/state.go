package wizard

import "maps"

// Outcomes of a state.
const (
	OutcomeOpen    = "open"
	OutcomeProceed = "proceed"
	OutcomeAborted = "aborted"
)

// State is the okstra-wizard-state document. Answers are the submitted
// strings, a multi pick's in prompt order with commas. Screen is the last
// screen as it was shown: an answer is matched against what the user saw.
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
	PickerOffsets      map[string]int      `json:"pickerOffsets"`
	PickerSelected     map[string][]string `json:"pickerSelected"`
	Screen             Screen              `json:"screen"`
}

// NewState is a state without an answer.
func NewState(root, projectID string) State {
	return State{
		Kind: "okstra-wizard-state", SchemaVersion: "1.0", Flow: "okstra-run",
		ProjectRoot: root, ProjectID: projectID, Lang: Languages[0],
		HostRuntime: "claude-code", HostEntryMode: "current-session", AvailableFunctions: []string{},
		Selector: "preferred", Outcome: OutcomeOpen,
		Answers: map[string]string{}, PickerOffsets: map[string]int{}, PickerSelected: map[string][]string{},
	}
}

// clone copies what the engine changes, so that a refused answer leaves the
// caller's state alone.
func (s State) clone() State {
	answers := make(map[string]string, len(s.Answers))
	maps.Copy(answers, s.Answers)
	offsets := make(map[string]int, len(s.PickerOffsets))
	maps.Copy(offsets, s.PickerOffsets)
	selected := make(map[string][]string, len(s.PickerSelected))
	for k, v := range s.PickerSelected {
		selected[k] = append([]string{}, v...)
	}
	s.Answers, s.PickerOffsets, s.PickerSelected = answers, offsets, selected
	return s
}

func (s State) picker() Picker { return Picker{s.PickerOffsets, s.PickerSelected} }
