package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
)

// chatTools are the names of the shell tool in the CLIs that speak Chat
// Completions.
var chatTools = []string{"Bash", "Shell", "bash", "shell", "run_terminal_cmd", "run_command", "run_terminal_command", "execute_command"}

// chat speaks OpenAI's Chat Completions. A request without tools, or in which
// the CLI itself reacts to the model's last words, asks for a title or the like
// and is no part of the conversation.
func (t *turn) chat() {
	if len(t.body.Tools) == 0 || t.talksBack() {
		t.side()
	}
	id := "chatcmpl-" + t.id
	usage := obj{
		"prompt_tokens": Truth.Input + Truth.CacheRead, "completion_tokens": Truth.Output,
		"total_tokens":              Truth.Input + Truth.CacheRead + Truth.Output,
		"prompt_tokens_details":     obj{"cached_tokens": Truth.CacheRead},
		"completion_tokens_details": obj{"reasoning_tokens": Truth.Reasoning},
		"cached_tokens":             Truth.CacheRead,
	}
	tool := t.tool(chatTools...)
	calls := []obj{{"index": 0, "id": "call_" + t.id, "type": "function", "function": obj{
		"name": tool, "arguments": asText(obj{"command": t.command(), "description": "stub"}),
	}}}
	if !t.body.Stream {
		message, reason := obj{"role": "assistant", "content": t.text()}, "stop"
		if tool != "" {
			message, reason = obj{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls"
		}
		t.json(http.StatusOK, obj{
			"id": id, "object": "chat.completion", "created": 1, "model": t.body.Model,
			"choices": []obj{{"index": 0, "message": message, "finish_reason": reason}}, "usage": usage,
		})
		t.finish()
		return
	}
	t.events()
	chunk := func(rest obj) {
		rest["id"], rest["object"], rest["created"], rest["model"] = id, "chat.completion.chunk", 1, t.body.Model
		t.event("", rest)
	}
	delta := func(d obj, reason any) []obj { return []obj{{"index": 0, "delta": d, "finish_reason": reason}} }
	chunk(obj{"choices": delta(obj{"role": "assistant", "content": ""}, nil)})
	if t.scenario == "midhang" {
		t.hang()
		return
	}
	if t.scenario == "think" {
		chunk(obj{"choices": delta(obj{"reasoning_content": "stub thought"}, nil)})
	}
	reason := "stop"
	if tool != "" {
		reason = "tool_calls"
		chunk(obj{"choices": delta(obj{"tool_calls": calls}, nil)})
	} else if !t.pieces(func(s string) { chunk(obj{"choices": delta(obj{"content": s}, nil)}) }) {
		t.cut()
	}
	chunk(obj{"choices": delta(obj{}, reason), "usage": usage})
	chunk(obj{"choices": []obj{}, "usage": usage})
	t.raw0("data: [DONE]\n\n")
	t.finish()
}

// talksBack tells whether the last message is a reminder by the CLI that follows
// the model's own.
func (t *turn) talksBack() bool {
	n := len(t.body.Messages)
	if n < 2 || t.body.Messages[n-2].Role != "assistant" {
		return false
	}
	var text string // what is no text is no reminder either
	_ = json.Unmarshal(t.body.Messages[n-1].Content, &text)
	return strings.HasPrefix(text, "<system-reminder>")
}
