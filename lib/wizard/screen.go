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
	none      = "none"
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
// A pick has a list of options even when there is nothing to choose.
type Screen struct {
	Step        string       `json:"step"`
	Token       string       `json:"token,omitempty"`
	Kind        string       `json:"kind"`
	Header      string       `json:"header,omitempty"`
	Label       string       `json:"label"`
	Detail      string       `json:"detail,omitempty"`
	Multi       *bool        `json:"multi,omitempty"`
	Options     []Option     `json:"options,omitzero"`
	Questions   []Screen     `json:"questions,omitempty"`
	Optional    *bool        `json:"optional,omitempty"`
	Interaction *Interaction `json:"interaction,omitempty"`
}

// IsMulti says whether several options may be chosen.
func (s Screen) IsMulti() bool { return s.Multi != nil && *s.Multi }

// IsOptional says whether an empty text is an answer.
func (s Screen) IsOptional() bool { return s.Optional != nil && *s.Optional }

// Ended says whether the screen asks nothing any more.
func (s Screen) Ended() bool { return s.Kind == KindDone || s.Kind == KindAborted }

// IsNative says whether a host's own picker is to show the screen.
func (s Screen) IsNative() bool {
	return s.Interaction != nil && s.Interaction.Function != hostTextFunction
}

// Members are the questions of a group, or the screen itself.
func (s Screen) Members() []Screen {
	if s.Kind == KindGroup {
		return s.Questions
	}
	return []Screen{s}
}

func (s Screen) interaction() string {
	if s.Interaction == nil {
		return ""
	}
	return s.Interaction.Kind
}

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
