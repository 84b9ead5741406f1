package all_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Documents for the oracles: made of what the CLIs write, few ids so that they
// meet, with copies, and with what should not be there.

var oraclePaths = map[string][]string{
	"claude": {
		"/h/.claude/projects/-w/s1.jsonl", "/h/.claude/projects/-w/s1/subagents/agent-ascope-worker-0123abc.jsonl", "/h/.claude/projects/-w/s2.jsonl",
	},
	"codex": {
		"/h/.codex/sessions/2026/09/08/rollout-2026-09-08T10-00-00-" + threadA + ".jsonl", "/h/.codex/sessions/2026/09/08/rollout-2026-09-08T10-00-09-" + threadB + ".jsonl",
		"/h/.codex/sessions/2026/09/08/rollout-2026-09-08T10-00-12-" + threadC + ".jsonl",
	},
	"grok":      {"/h/.grok/sessions/%2Fw/s1/updates.jsonl", "/h/.grok/sessions/%2Fw/s2/updates.jsonl", "/h/.grok/sessions/slug-0123/s3/updates.jsonl"},
	"kimi":      {"/h/.kimi/sessions/0123/s1/subagents/a/wire.jsonl", "/h/.kimi/sessions/0123/s1/wire.jsonl", "/h/.kimi/sessions/0123/s2/wire.jsonl"},
	"kimi-code": {"/h/.kimi-code/sessions/wd_w_0123/session_s1/agents/main/wire.jsonl", "/h/.kimi-code/sessions/wd_w_0123/session_s1/agents/sub/wire.jsonl", "/h/.kimi-code/sessions/wd_w_0123/session_s2/agents/main/wire.jsonl"},
	"gemini":    {"/h/.gemini/tmp/w/chats/s1/sub.jsonl", "/h/.gemini/tmp/w/chats/session-s1.jsonl", "/h/.gemini/tmp/w/chats/session-s1b.json"},
}

// draw takes one of a few texts.
func draw(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "text") }

// odds is true once in n times.
func odds(t *rapid.T, n int) bool { return rapid.IntRange(1, n).Draw(t, "odds") == n }

// number draws a count, now and then something that is none.
func number(t *rapid.T) string {
	if odds(t, 12) {
		return draw(t, "null", "-1", "1.5", `"7"`, "true", "{}", "[1]", "9007199254740992", "9007199254740993", "1e3", "1.0", "-0", "1e99", "0.5e1")
	}
	return draw(t, "0", "1", "2", "5", "9", "40", "412", "1000")
}

func clock(t *rapid.T) string {
	if odds(t, 15) {
		return draw(t, `""`, `"yesterday"`, "7", "null", `"2026-02-30T10:00:00Z"`, `"9999-01-01T00:00:00Z"`)
	}
	return draw(t, `"2026-09-08T10:00:00Z"`, `"2026-09-08T10:00:00.5Z"`, `"2026-09-08T19:00:00+09:00"`, `"2026-09-08T23:59:59.999Z"`, `"2026-09-09T00:00:00Z"`, `"2026-09-08T10:00:30Z"`)
}

// object writes members "key", raw, …; an empty raw is left out. Their order is
// free, and now and then a member is missing, twice there or of another type.
func object(t *rapid.T, members ...string) string {
	type pair struct{ key, raw string }
	var all []pair
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			all = append(all, pair{members[i], members[i+1]})
		}
	}
	if len(all) > 1 && odds(t, 3) {
		all = rapid.Permutation(all).Draw(t, "order")
	}
	if len(all) > 0 && odds(t, 10) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
		switch rapid.IntRange(0, 3).Draw(t, "oddity") {
		case 0:
			all = append(all[:i:i], all[i+1:]...)
		case 1:
			all = append(all, pair{all[i].key, draw(t, "null", "5", `"other"`, "{}", "[]")})
		case 2:
			all[i].raw = draw(t, "null", "5", `"other"`, `"s\u0031"`, "{}", "[]", "true", `""`)
		case 3:
			all = append(all, pair{"x", `{"usage":{"input_tokens":77},"text":"\"usage\": {\"output\":9}"}`})
		}
	}
	colon := draw(t, ":", ":", ":", " : ")
	var b strings.Builder
	for i, p := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q%s%s", p.key, colon, p.raw)
	}
	return "{" + b.String() + "}"
}

// documents makes files of lines; the later ones also copy lines of the first.
func documents(t *rapid.T, name string, line func(*rapid.T) string) []document {
	paths := oraclePaths[name]
	docs := make([]document, rapid.IntRange(1, len(paths)).Draw(t, "files"))
	var all []string
	for i := range docs {
		var lines []string
		for range rapid.IntRange(0, 7).Draw(t, "lines") {
			text := ""
			if len(all) > 0 && odds(t, 4) {
				text = rapid.SampledFrom(all).Draw(t, "copy")
			} else {
				text = line(t)
				all = append(all, text)
			}
			if odds(t, 12) {
				text = rapid.SampledFrom(damage).Draw(t, "damage")(t, text)
			}
			if odds(t, 15) {
				text += line(t) // spliced
			}
			lines = append(lines, text)
		}
		docs[i] = document{path: paths[i], text: strings.Join(lines, draw(t, "\n", "\n", "\r\n")) + draw(t, "\n", "")}
		if odds(t, 10) {
			docs[i].text = "\ufeff" + docs[i].text
		}
	}
	return docs
}

func drawClaude(t *rapid.T) []document { return documents(t, "claude", claudeLine) }

func claudeLine(t *rapid.T) string {
	split := ""
	if odds(t, 3) {
		split = object(t, "ephemeral_5m_input_tokens", number(t), "ephemeral_1h_input_tokens", number(t))
	}
	usage := func(more ...string) string {
		return object(t, append([]string{
			"input_tokens", number(t), "cache_creation_input_tokens", number(t), "cache_read_input_tokens", number(t),
			"cache_creation", split, "output_tokens", number(t), "speed", draw(t, "", "", `"fast"`, `"standard"`),
		}, more...)...)
	}
	iterations := ""
	if odds(t, 4) {
		iterations = "[" + usage("type", draw(t, `"advisor_message"`, `"advisor_message"`, `"message"`, `"fallback_message"`), "model", draw(t, `"m2"`, `"m3"`)) + draw(t, "", ",5", ","+usage("type", `"advisor_message"`)) + "]"
	}
	message := object(t, "model", draw(t, `"m1"`, `"m1"`, `"m1"`, `"<synthetic>"`), "id", draw(t, `"a"`, `"a"`, `"b"`, ""), "content", draw(t, `[]`, `[{"type":"tool_use","input":{"usage":{"input_tokens":5}}}]`),
		"stop_reason", draw(t, "null", `"end_turn"`, ""), "usage", usage("iterations", iterations))
	row := func(typ string, more ...string) string {
		return object(t, append([]string{
			"message", message, "requestId", draw(t, `"r1"`, `"r1"`, `"r2"`, "", `""`), "type", typ, "uuid", draw(t, `"u1"`, `"u2"`, ""), "timestamp", clock(t),
			"sessionId", draw(t, `"s1"`, `"s1"`, `"s2"`, ""), "isSidechain", draw(t, "false", "true", ""), "cwd", draw(t, `"/w"`, ""), "agentName", draw(t, "", `"claude-worker"`),
		}, more...)...)
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return object(t, "type", `"progress"`, "data", object(t, "type", draw(t, `"agent_progress"`, `"agent_progress"`, `"hook_progress"`), "message", row(`"assistant"`)), "sessionId", draw(t, `"s1"`, ""), "timestamp", clock(t))
	case 1:
		return object(t, "type", `"user"`, "toolUseResult", object(t, "usage", usage()), "message", message)
	}
	return row(`"assistant"`)
}

func drawGrok(t *rapid.T) []document {
	docs := documents(t, "grok", grokLine)
	for i := range docs {
		docs[i].model = draw(t, "", "grok-4.7")
		if i > 0 && odds(t, 2) {
			docs[i].child, docs[i].parent = true, draw(t, "s1", "s1", "gone")
		}
	}
	return docs
}

func grokLine(t *rapid.T) string {
	counts := []string{"inputTokens", number(t), "outputTokens", number(t), "cachedReadTokens", number(t), "cacheCreationTokens", draw(t, "", number(t)), "reasoningTokens", number(t), "modelCalls", draw(t, "", "1", "3")}
	models := ""
	if odds(t, 2) {
		models = object(t, "grok-4.7", object(t, "inputTokens", number(t), "outputTokens", number(t), "cachedReadTokens", number(t), "modelCalls", "2"), draw(t, "grok-4.7", "b"), draw(t, "", object(t, counts...)))
	}
	usage := draw(t, "null", "", object(t, append(counts, "modelUsage", models, "usageIsIncomplete", draw(t, "", "", "true"))...), object(t, counts...))
	return object(t, "timestamp", draw(t, "1789000000", "1789000001", "1789000050", "1789000000123", "", `"x"`), "params", object(t, "sessionId", draw(t, `"s1"`, `"s2"`, ""),
		"update", object(t, "sessionUpdate", draw(t, `"turn_completed"`, `"turn_completed"`, `"turn_completed"`, `"tool_call"`), "prompt_id", draw(t, `"p1"`, `"p2"`, ""), "usage", usage),
		"_meta", object(t, "eventId", draw(t, `"e1"`, `"e2"`, ""), "agentTimestampMs", draw(t, "1789000000123", "1789000040000", ""), "totalTokens", "120000")))
}

func drawKimi(t *rapid.T) []document {
	return documents(t, "kimi", func(t *rapid.T) string {
		status := object(t, "type", draw(t, `"StatusUpdate"`, `"StatusUpdate"`, `"StatusUpdate"`, `"Text"`), "payload", object(t, "message_id", draw(t, `"m1"`, `"m2"`, ""),
			"token_usage", draw(t, "null", object(t, "input_other", number(t), "output", number(t), "input_cache_read", draw(t, "", "3"), "input_cache_creation", draw(t, "", "4")), `{"input_other":5,"output":1}`, `{"input_other":5,"output":1}`)))
		if odds(t, 3) {
			status = object(t, "type", `"SubagentEvent"`, "payload", object(t, "event", status, "task_tool_call_id", `"c"`))
		}
		return object(t, "timestamp", draw(t, "1789000000.25", "1789000000.25", "1789000001", "1789000000.1234567891", "0", "-5", "", `"x"`, "1e9", "99999999999999"), "message", status)
	})
}

func drawKimiCode(t *rapid.T) []document {
	return documents(t, "kimi-code", func(t *rapid.T) string {
		usage := draw(t, `{"inputOther":5,"output":1}`, object(t, "inputOther", number(t), "output", number(t), "inputCacheRead", number(t), "inputCacheCreation", number(t)))
		if odds(t, 4) {
			return object(t, "type", `"context.append_loop_event"`, "event", object(t, "type", `"step.end"`, "usage", usage), "note", `"usage.record"`)
		}
		return object(t, "type", `"usage.record"`, "agentId", draw(t, `"main"`, `"sub"`, ""), "model", draw(t, `"kimi-code\/k3"`, `"k3"`, ""), "usage", usage,
			"usageScope", draw(t, `"turn"`, `"turn"`, "", `"session"`), "time", draw(t, "1789000000123", "1789000000123", "1789000000124", "1789000000124.0", "", "0", "-1", "99999999999999999", `"x"`))
	})
}

func drawGemini(t *rapid.T) []document {
	message := func(t *rapid.T) string {
		tokens := draw(t, "null", "", object(t, "input", number(t), "output", number(t), "cached", number(t), "thoughts", number(t), "tool", draw(t, "0", "5", ""), "total", number(t)))
		return object(t, "id", draw(t, `"g1"`, `"g2"`, `"g3"`, ""), "timestamp", clock(t), "type", draw(t, `"gemini"`, `"gemini"`, `"gemini"`, `"user"`), "model", draw(t, `"gemini-3.1-pro"`, `"gemini-3-flash"`, ""), "tokens", tokens)
	}
	docs := documents(t, "gemini", func(t *rapid.T) string {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return object(t, "sessionId", draw(t, `"s1"`, `"s2"`), "projectHash", `"h"`)
		case 1:
			return object(t, "$set", object(t, "messages", "["+message(t)+","+message(t)+draw(t, "", ",7")+"]"))
		case 2:
			return `{"$rewindTo":"g1"}`
		}
		return message(t)
	})
	if odds(t, 3) {
		newline := draw(t, "", "\n", "\n  ")
		docs[0].text = draw(t, "", "\ufeff", "\n") + object(t, "sessionId", draw(t, `"s1"`, `"s2"`), "messages", "["+newline+message(t)+","+newline+message(t)+newline+"]") + draw(t, "\n", "")
	}
	return docs
}
