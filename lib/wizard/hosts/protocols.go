package hosts

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"okstra/lib/wizard"
)

// elicitation is a request of the Model Context Protocol, form mode.
type elicitation struct {
	Mode            string `json:"mode"`
	Message         string `json:"message"`
	RequestedSchema form   `json:"requestedSchema"`
}

type form struct {
	Type       string     `json:"type"`
	Required   []string   `json:"required,omitempty"`
	Properties properties `json:"properties"`
}

// properties are the fields of a form in the order of the questions.
type properties []property

type property struct {
	name  string
	field any
}

// MarshalJSON writes an object that keeps the order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{one.name, one.field} {
			if j > 0 {
				b.WriteByte(':')
			}
			text, err := plainJSON(v)
			if err != nil {
				return nil, err
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plainJSON leaves <, > and & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// field is one property. A list of values is an array, so that several can be
// chosen; a choice among titled values needs no enumNames, which clients drop.
type field struct {
	Type  string   `json:"type"`
	Title string   `json:"title,omitempty"`
	OneOf []choice `json:"oneOf,omitempty"`
	Items *items   `json:"items,omitempty"`
}

type items struct {
	AnyOf []choice `json:"anyOf"`
}

func mcpPayload(q asked) any {
	e := elicitation{Mode: "form", Message: q.screen.Label, RequestedSchema: form{Type: "object", Properties: properties{}}}
	if q.screen.Detail != "" {
		e.Message = strings.TrimRight(q.screen.Detail, "\n") + "\n\n" + e.Message
	}
	if q.screen.Ended() {
		return e
	}
	for _, one := range q.questions {
		f := field{Type: "string", Title: one.Header}
		var choices []choice
		for _, o := range one.Options {
			choices = append(choices, choice{o.Value, o.Label})
		}
		switch {
		case one.IsMulti():
			f.Type, f.Items = "array", &items{choices}
		case one.Kind == wizard.KindPick:
			f.OneOf = choices
		}
		if q.screen.Kind == wizard.KindGroup {
			f.Title = one.Label // the message is that of the group
		}
		if !one.IsOptional() {
			e.RequestedSchema.Required = append(e.RequestedSchema.Required, one.Step)
		}
		e.RequestedSchema.Properties = append(e.RequestedSchema.Properties, property{one.Step, f})
	}
	return e
}

// permission is a request of the Agent Client Protocol.
type permission struct {
	SessionID string             `json:"sessionId"`
	ToolCall  toolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type toolCall struct {
	ToolCallID string    `json:"toolCallId"`
	Title      string    `json:"title"`
	Kind       string    `json:"kind"`
	Status     string    `json:"status"`
	Content    []content `json:"content,omitempty"`
}

type content struct {
	Type    string    `json:"type"`
	Content textBlock `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// refusing are the values that a client may show as a refusal. The kinds grant
// nothing: the answer goes to the wizard, not to a tool.
var refusing = []string{"no", "abort"}

func acpPayload(q asked) any {
	p := permission{SessionID: q.session, ToolCall: toolCall{
		ToolCallID: "okstra-wizard:" + q.screen.Token, Title: q.screen.Label, Kind: "other", Status: "pending",
	}}
	if q.screen.Detail != "" {
		p.ToolCall.Content = []content{{"content", textBlock{"text", q.screen.Detail}}}
	}
	for _, one := range q.questions {
		for _, o := range one.Options {
			kind := "allow_once"
			if slices.Contains(refusing, o.Value) {
				kind = "reject_once"
			}
			p.Options = append(p.Options, permissionOption{o.Value, o.Label, kind})
		}
	}
	return p
}
