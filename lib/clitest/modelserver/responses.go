package modelserver

import (
	"encoding/json"
	"strings"
)

// responsesTools are the names of the shell tool in the CLIs that speak
// Responses.
var responsesTools = []string{"exec_command", "shell_command", "shell"}

// responses speaks OpenAI's Responses, streaming. A request that offers tools
// and no shell among them asks for a title.
func (t *turn) responses() {
	if len(t.body.Tools) > 0 && t.offered(responsesTools...) == "" && !t.codeMode() {
		t.side()
	}
	id := "resp_" + t.id
	t.events()
	n := 0
	ev := func(kind string, rest obj) {
		rest["type"], rest["sequence_number"] = kind, n
		n++
		t.event(kind, rest)
	}
	ev("response.created", obj{"response": obj{"id": id, "object": "response", "status": "in_progress", "model": t.body.Model, "output": []obj{}}})
	if t.scenario == "midhang" {
		t.hang()
		return
	}
	if t.scenario == "think" {
		item := func(summary []obj) obj {
			return obj{"id": "rs_" + t.id, "type": "reasoning", "summary": summary, "encrypted_content": nil}
		}
		ev("response.output_item.added", obj{"output_index": 0, "item": item([]obj{})})
		ev("response.output_item.done", obj{"output_index": 0, "item": item([]obj{{"type": "summary_text", "text": "stub thought"}})})
	}
	item := t.responsesItem(ev)
	ev("response.completed", obj{"response": obj{
		"id": id, "object": "response", "status": "completed", "model": t.body.Model, "output": []obj{item},
		"usage": obj{
			"input_tokens": Truth.Input + Truth.CacheRead, "input_tokens_details": obj{"cached_tokens": Truth.CacheRead},
			"output_tokens": Truth.Output, "output_tokens_details": obj{"reasoning_tokens": Truth.Reasoning},
			"total_tokens": Truth.Input + Truth.CacheRead + Truth.Output,
		},
	}})
	t.finish()
}

func (t *turn) responsesItem(ev func(string, obj)) obj {
	if tool := t.tool(responsesTools...); tool != "" {
		arguments := map[string]obj{
			"exec_command":  {"cmd": t.command()},
			"shell_command": {"command": t.command()},
			"shell":         {"command": []string{"bash", "-lc", t.command()}},
		}[tool]
		call := func(status, arguments string) obj {
			return obj{"id": "fc_" + t.id, "type": "function_call", "status": status, "name": tool, "call_id": "call_" + t.id, "arguments": arguments}
		}
		done := call("completed", asText(arguments))
		ev("response.output_item.added", obj{"output_index": 0, "item": call("in_progress", "")})
		ev("response.function_call_arguments.done", obj{"item_id": "fc_" + t.id, "output_index": 0, "arguments": asText(arguments)})
		ev("response.output_item.done", obj{"output_index": 0, "item": done})
		return done
	}
	if t.wantsTool() && t.codeMode() {
		return t.codeCall(ev)
	}
	message := func(status string, content []obj) obj {
		return obj{"id": "msg_" + t.id, "type": "message", "status": status, "role": "assistant", "content": content}
	}
	at := func(rest obj) obj {
		rest["item_id"], rest["output_index"], rest["content_index"] = "msg_"+t.id, 0, 0
		return rest
	}
	ev("response.output_item.added", obj{"output_index": 0, "item": message("in_progress", []obj{})})
	if !t.pieces(func(s string) { ev("response.output_text.delta", at(obj{"delta": s})) }) {
		t.cut()
	}
	ev("response.output_text.done", at(obj{"text": t.text()}))
	done := message("completed", []obj{{"type": "output_text", "text": t.text(), "annotations": []obj{}}})
	ev("response.output_item.done", obj{"output_index": 0, "item": done})
	return done
}

// codeMode says whether the request offers, instead of tools, one that runs a
// program which calls them, as Codex does for the models that it knows. They
// stand in the input then and not among the tools.
func (t *turn) codeMode() bool { return strings.Contains(t.raw, `"type":"custom","name":"exec"`) }

func (t *turn) codeCall(ev func(string, obj)) obj {
	program := "text(await tools.exec_command(" + asText(obj{"cmd": t.command()}) + "))"
	call := func(status, input string) obj {
		return obj{"id": "ctc_" + t.id, "type": "custom_tool_call", "status": status, "name": "exec", "call_id": "call_" + t.id, "input": input}
	}
	done := call("completed", program)
	ev("response.output_item.added", obj{"output_index": 0, "item": call("in_progress", "")})
	ev("response.custom_tool_call_input.done", obj{"item_id": "ctc_" + t.id, "output_index": 0, "input": program})
	ev("response.output_item.done", obj{"output_index": 0, "item": done})
	return done
}

func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only literals of this package come here
	}
	return string(b)
}
