package wizard

// Kinds of a screen.
const (
	KindPick    = "pick"
	KindGroup   = "pick_group"
	KindText    = "text"
	KindDone    = "done"
	KindAborted = "aborted"
)

// Values with a meaning of their own among the options of a pick.
const (
	Custom    = "__type_custom__"
	newTask   = "__new__"
	all       = "all"
	wholeTask = "whole-task"
	skip      = "skip"
)

// Option is one choice of a pick. Values are unique within their pick.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Interaction says how the host should ask.
type Interaction struct {
	Kind     string `json:"kind"`
	Function string `json:"function"`
}

// Screen is one question, or a group of them. Multi is set for picks only,
// Optional for texts only; Interaction is nil once nothing is asked any more.
type Screen struct {
	Step        string       `json:"step"`
	Token       string       `json:"token,omitempty"`
	Kind        string       `json:"kind"`
	Header      string       `json:"header,omitempty"`
	Label       string       `json:"label"`
	Detail      string       `json:"detail,omitempty"`
	Multi       *bool        `json:"multi,omitempty"`
	Options     []Option     `json:"options,omitempty"`
	Questions   []Screen     `json:"questions,omitempty"`
	Optional    *bool        `json:"optional,omitempty"`
	Interaction *Interaction `json:"interaction,omitempty"`
}

// IsMulti says whether several options may be chosen.
func (s Screen) IsMulti() bool { return s.Multi != nil && *s.Multi }

// Ended says whether the screen asks nothing any more.
func (s Screen) Ended() bool { return s.Kind == KindDone || s.Kind == KindAborted }

func (s Screen) option(value string) (Option, bool) {
	for _, o := range s.Options {
		if o.Value == value {
			return o, true
		}
	}
	return Option{}, false
}

// onlyCustom says whether the one thing to choose is to type an answer.
func (s Screen) onlyCustom() bool {
	return s.Kind == KindPick && len(s.Options) == 1 && s.Options[0].Value == Custom
}
