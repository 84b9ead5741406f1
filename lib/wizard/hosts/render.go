package hosts

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/wizard"
)

// Call is a screen as a host's tool call. Detail is what the host should say
// before it, for hosts whose calls have no place for it.
type Call struct {
	Host     string `json:"host"`
	Token    string `json:"token"`
	Step     string `json:"step"`
	Function string `json:"function"`
	Detail   string `json:"detail,omitempty"`
	Payload  any    `json:"payload"`
}

// hostText is the function of a host that has to write the question out.
const hostText = "host-text"

// written is the payload of hostText.
type written struct {
	Text string `json:"text"`
}

// profile is the form in which a kind of host asks and answers.
type profile struct {
	payload func(q asked) any
	read    func(q asked, raw []byte) (Reply, error)
	detail  bool // the payload has a place for the detail
	text    bool // texts are asked for with a call as well
}

// profiles are the forms of the hosts that have a picker.
var profiles = map[string]profile{
	"claude-code": {payload: claudePayload, read: readClaude},
	"codex":       {payload: codexPayload, read: readCodex},
	"gemini":      {payload: geminiPayload, read: readGemini},
	"mcp":         {payload: mcpPayload, read: readMCP, detail: true, text: true},
	"acp":         {payload: acpPayload, read: readACP, detail: true},
}

// asked is a screen in the words in which a host shows it.
type asked struct {
	screen    wizard.Screen
	host      wizard.Host
	say       wizard.Texts
	session   string
	questions []wizard.Screen // as shown: labels that differ, no choice that the host adds itself
}

// Render makes the call by which a host shows a screen. A screen that was made
// for wider limits is a refusal: the session must say first where it is. The
// function names what the session declared, if it runs on that host.
func Render(s wizard.State, h wizard.Host, session string) (Call, error) {
	q := ask(s.Screen, h, wizard.TextsFor(s.Lang))
	q.session = session
	call := Call{Host: h.ID, Token: s.Screen.Token, Step: s.Screen.Step, Function: hostText, Detail: s.Screen.Detail}
	form, native := profiles[h.Profile]
	written := written{Text(s.Screen, q.say)}
	plain := s.Screen.Ended() || s.Screen.Kind == wizard.KindText
	if !native || plain && !form.text {
		call.Detail, call.Payload = "", written
		return call, nil
	}
	if err := q.fits(); err != nil {
		return Call{}, err
	}
	if form.detail {
		call.Detail = ""
	}
	call.Function, call.Payload = function(s, h), form.payload(q)
	return call, nil
}

// function is the tool that the screen was planned for, or the host's own.
func function(s wizard.State, h wizard.Host) string {
	if s.HostRuntime == h.ID && s.Screen.IsNative() {
		return s.Screen.Interaction.Function
	}
	if s.HostRuntime == h.ID && s.AsyncQuestions && h.AsyncFunction != "" {
		return h.AsyncFunction
	}
	return h.FunctionMap["native_single_select"]
}

// ask words the questions of a screen for a host.
func ask(s wizard.Screen, h wizard.Host, say wizard.Texts) asked {
	q := asked{screen: s, host: h, say: say}
	for _, one := range s.Members() {
		one.Options = distinct(one.Options)
		if kept := withoutCustom(one.Options); h.FreeText && len(kept) >= h.Limits.MinOptions {
			one.Options = kept
		}
		q.questions = append(q.questions, one)
	}
	return q
}

// distinct tells equal labels apart by their values.
func distinct(options []wizard.Option) []wizard.Option {
	count := map[string]int{}
	for _, o := range options {
		count[o.Label]++
	}
	options = slices.Clone(options)
	for i, o := range options {
		if count[o.Label] > 1 {
			options[i].Label += " [" + o.Value + "]"
		}
	}
	return options
}

// withoutCustom leaves out the choice to type, for a host that offers that
// itself. Where too few choices would be left it stays.
func withoutCustom(options []wizard.Option) []wizard.Option {
	return slices.DeleteFunc(slices.Clone(options), func(o wizard.Option) bool { return o.Value == wizard.Custom })
}

// fits refuses what the host would refuse, or cut, or show as something else.
func (q asked) fits() error {
	limits, n := q.host.Limits, len(q.questions)
	no := func(format string, args ...any) error {
		return wizard.Refuse("does-not-fit", "%s does not fit %s: %s; declare the host first (step --no-submit --host %s --available-functions …)",
			q.screen.Step, q.host.ID, fmt.Sprintf(format, args...), q.host.ID)
	}
	if n > 1 && (!q.host.CanGroup() || n > limits.Questions) {
		return no("%d questions (expected %d or fewer in one call)", n, max(1, limits.Questions))
	}
	texts := map[string]bool{}
	for _, one := range q.questions {
		switch {
		case texts[one.Label]:
			return no("two questions read %q", one.Label)
		case one.Kind != wizard.KindPick:
		case one.IsMulti() && !q.host.CanMulti():
			return no("several choices in %s (expected one)", one.Step)
		case !q.host.Fits(one):
			return no("%d options in %s (expected %d to %d, and no comma in the labels of several choices)", len(one.Options), one.Step, limits.MinOptions, limits.Options)
		}
		texts[one.Label] = true
	}
	return nil
}

// question is a question of Claude Code and, with a type, of Gemini.
type question struct {
	Type        string   `json:"type,omitempty"`
	Question    string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	MultiSelect bool     `json:"multiSelect"`
	Options     []option `json:"options"`
}

// codexQuestion is a question of Codex.
type codexQuestion struct {
	ID       string   `json:"id"`
	Header   string   `json:"header,omitempty"`
	Question string   `json:"question"`
	Options  []option `json:"options"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

type questionList[Q any] struct {
	Questions []Q `json:"questions"`
}

// options are the choices of a question, each with a description: these hosts
// want a text there.
func (q asked) options(one wizard.Screen) []option {
	out := []option{}
	for _, o := range one.Options {
		out = append(out, option{o.Label, one.About(o, q.say)})
	}
	return out
}

func claudePayload(q asked) any { return q.list("") }

func geminiPayload(q asked) any { return q.list("choice") }

func (q asked) list(kind string) questionList[question] {
	var out questionList[question]
	for _, one := range q.questions {
		out.Questions = append(out.Questions, question{kind, one.Label, one.Header, one.IsMulti(), q.options(one)})
	}
	return out
}

func codexPayload(q asked) any {
	var out questionList[codexQuestion]
	for i, id := range q.ids() {
		one := q.questions[i]
		out.Questions = append(out.Questions, codexQuestion{id, one.Header, one.Label, q.options(one)})
	}
	return out
}

// ids are the names of the questions in snake case. They are mapped back by
// their place, so that two steps may come out alike but for a number.
func (q asked) ids() []string {
	var ids []string
	for _, one := range q.questions {
		id := snake(one.Step)
		for n := 2; slices.Contains(ids, id); n++ {
			id = fmt.Sprintf("%s_%d", snake(one.Step), n)
		}
		ids = append(ids, id)
	}
	return ids
}

func snake(step string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.ToLower(step))
}
