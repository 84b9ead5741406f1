package modelserver

import "net/http"

// messages speaks Anthropic's Messages.
func (t *turn) messages() {
	id := "msg_" + t.id
	usage := obj{
		"input_tokens": Truth.Input, "cache_creation_input_tokens": Truth.CacheWrite,
		"cache_read_input_tokens": Truth.CacheRead, "output_tokens": 1, "service_tier": "standard",
	}
	if !t.body.Stream {
		usage["output_tokens"] = Truth.Output
		t.json(http.StatusOK, obj{
			"id": id, "type": "message", "role": "assistant", "model": t.body.Model,
			"content":     []obj{{"type": "text", "text": t.text()}},
			"stop_reason": "end_turn", "stop_sequence": nil, "usage": usage,
		})
		t.finish()
		return
	}
	t.events()
	ev := func(kind string, rest obj) {
		rest["type"] = kind
		t.event(kind, rest)
	}
	ev("message_start", obj{"message": obj{
		"id": id, "type": "message", "role": "assistant", "model": t.body.Model,
		"content": []obj{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	if t.scenario == "midhang" {
		t.hang()
		return
	}
	index := 0
	block := func(start obj, deltas func(delta func(obj))) {
		ev("content_block_start", obj{"index": index, "content_block": start})
		deltas(func(d obj) { ev("content_block_delta", obj{"index": index, "delta": d}) })
		ev("content_block_stop", obj{"index": index})
		index++
	}
	if t.scenario == "think" {
		block(obj{"type": "thinking", "thinking": "", "signature": ""}, func(delta func(obj)) {
			delta(obj{"type": "thinking_delta", "thinking": "stub thought"})
			delta(obj{"type": "signature_delta", "signature": "c3R1Yg=="})
		})
	}
	stop := "end_turn"
	if tool := t.tool("Bash"); tool != "" {
		stop = "tool_use"
		block(obj{"type": "text", "text": ""}, func(delta func(obj)) {
			delta(obj{"type": "text_delta", "text": "I will run a tool."})
		})
		block(obj{"type": "tool_use", "id": "toolu_" + t.id, "name": tool, "input": obj{}}, func(delta func(obj)) {
			delta(obj{"type": "input_json_delta", "partial_json": asText(obj{"command": t.command(), "description": "stub tool call"})})
		})
	} else {
		block(obj{"type": "text", "text": ""}, func(delta func(obj)) {
			if !t.pieces(func(s string) { delta(obj{"type": "text_delta", "text": s}) }) {
				t.cut()
			}
		})
	}
	ev("message_delta", obj{"delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": Truth.Output}})
	ev("message_stop", obj{})
	t.finish()
}
