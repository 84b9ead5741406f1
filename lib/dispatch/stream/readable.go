package stream

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"okstra/lib/safetext"
)

// longest is how much of one event goes to the readable log. The raw output
// is kept whole beside it.
const longest = 4000

// readable is the account of one event for a person, "" for one that says
// nothing. It knows the shapes that agent CLIs print; of an event of another
// shape it gives the name.
func readable(event *object, kind string) string {
	for _, form := range forms {
		if text := form(event); text != "" {
			text = strings.TrimRight(text, "\n")
			return shorten(text, len(text))
		}
	}
	if kind == "" {
		return ""
	}
	return "[" + kind + "]"
}

// forms are tried in order; the first that knows the event wins.
var forms = []func(*object) string{messageText, itemText, toolText, resultText, plainText}

// messageText reads {"message": {"content": [block, …]}} (claude).
func messageText(event *object) string {
	var lines []string
	for _, block := range event.get("message.content").Array() {
		switch block.Get("type").Str {
		case "text":
			lines = append(lines, block.Get("text").Str)
		case "tool_use":
			lines = append(lines, "> "+block.Get("name").Str+" "+block.Get("input").Raw)
		case "tool_result":
			lines = append(lines, "< "+contentText(block.Get("content")))
		}
	}
	return strings.Join(lines, "\n")
}

func contentText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var parts []string
	for _, part := range content.Array() {
		parts = append(parts, part.Get("text").Str)
	}
	return strings.Join(parts, "\n")
}

// itemText reads {"item": {…}} (codex).
func itemText(event *object) string {
	item := event.get("item")
	switch item.Get("type").Str {
	case "":
		return ""
	case "command_execution":
		text := "> " + item.Get("command").Str
		if code := item.Get("exit_code"); code.Type == gjson.Number {
			text += fmt.Sprintf("\n< %s[exit %d]", item.Get("aggregated_output").Str, code.Int())
		}
		return text
	}
	for _, path := range []string{"text", "message"} {
		if text := item.Get(path).Str; text != "" {
			return text
		}
	}
	return "[" + item.Get("type").Str + "]"
}

// toolText reads a tool call that is an event of its own (gemini, grok, kimi).
func toolText(event *object) string {
	for _, path := range []string{"tool_name", "toolName", "tool.name"} {
		if name := event.get(path).Str; name != "" {
			return "> " + name + " " + event.get("parameters").Raw
		}
	}
	if calls := event.get("tool_calls").Array(); len(calls) > 0 {
		return "> " + calls[0].Get("function.name").Str + " " + calls[0].Get("function.arguments").Str
	}
	return ""
}

// resultText reads an event that ends a run or reports an error.
func resultText(event *object) string {
	for _, path := range []string{"result", "error.message", "error"} {
		if text := event.get(path); text.Type == gjson.String && text.Str != "" {
			return text.Str
		}
	}
	return ""
}

// plainText reads {"content": "…"}, {"data": "…"} and {"message": "…"}.
func plainText(event *object) string {
	for _, path := range []string{"content", "data", "message", "text"} {
		if text := event.get(path); text.Type == gjson.String && text.Str != "" {
			return text.Str
		}
	}
	return ""
}

// shorten cuts text, the beginning of whole bytes or all of them.
func shorten(text string, whole int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + fmt.Sprintf("… (%d bytes more)", whole-longest)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// writeText writes text with terminal escapes removed. A log that cannot be
// written is no reason to stop reading the stream: the raw output is there.
func writeText(w io.Writer, text []byte) {
	if w == nil {
		return
	}
	if !isPlain(text) {
		text = []byte(safetext.Block(string(text)))
	}
	_, _ = w.Write(text)
}

// isPlain tells whether a text is of letters that any terminal takes as they
// are; of others it is not said.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c >= 0x7f || (c < ' ' && c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}
