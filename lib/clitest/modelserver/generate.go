package modelserver

import "net/http"

// generate speaks Gemini's generateContent. A request for JSON routes the
// prompt to a model and is no part of the conversation.
func (t *turn) generate(stream bool) {
	usage := obj{
		"promptTokenCount": Truth.Input + Truth.CacheRead, "cachedContentTokenCount": Truth.CacheRead,
		"candidatesTokenCount": Truth.Output, "thoughtsTokenCount": Truth.Reasoning,
		"totalTokenCount": Truth.Input + Truth.CacheRead + Truth.Output + Truth.Reasoning,
	}
	content := func(part obj) obj { return obj{"role": "model", "parts": []obj{part}} }
	last := func(part obj) obj {
		return obj{
			"candidates":    []obj{{"content": content(part), "finishReason": "STOP", "index": 0}},
			"usageMetadata": usage, "modelVersion": "stub", "responseId": t.id,
		}
	}
	whole := func(part obj) {
		if !stream {
			t.json(http.StatusOK, last(part))
		} else {
			t.events()
			t.event("", last(part))
		}
		t.finish()
	}
	config := t.body.GenerationConfig
	if config.ResponseMimeType == "application/json" || len(config.ResponseJSONSchema) > 0 {
		t.side()
		whole(obj{"text": asText(obj{"reasoning": "stub", "model_choice": "flash", "complexity_reasoning": "stub", "complexity_score": 10})})
		return
	}
	if tool := t.tool("run_shell_command"); tool != "" {
		whole(obj{"functionCall": obj{"id": "fc" + t.id, "name": tool, "args": obj{"command": t.command(), "description": "stub"}}})
		return
	}
	if !stream {
		whole(obj{"text": t.text()})
		return
	}
	t.events()
	part := func(s string) {
		t.event("", obj{"candidates": []obj{{"content": content(obj{"text": s}), "index": 0}}})
	}
	if t.scenario == "midhang" {
		part("ST")
		t.hang()
		return
	}
	if t.scenario == "think" {
		t.event("", obj{"candidates": []obj{{"content": content(obj{"text": "stub thought", "thought": true}), "index": 0}}})
	}
	if !t.pieces(part) {
		t.cut()
	}
	t.event("", last(obj{"text": "\n"}))
	t.finish()
}
