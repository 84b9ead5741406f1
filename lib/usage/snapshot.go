package usage

import (
	"encoding/json"

	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
)

// snapshotNames are the names under which a wrapper's usage snapshot holds a
// count.
var snapshotNames = struct{ input, cached, output, reasoning []string }{
	input:     []string{"inputTokens", "input_tokens"},
	cached:    []string{"cachedInputTokens", "cached_input_tokens"},
	output:    []string{"outputTokens", "output_tokens"},
	reasoning: []string{"reasoningTokens", "thinking_tokens", "thinkingOutputTokens"},
}

// snapshot reads a usage object as a provider's stream reported it. bad counts the
// members that are no counts. Rule: docs/usage.md, "What is counted".
func snapshot(raw json.RawMessage) (c transcript.Counts, bad int) {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
		return c, 0
	}
	count := func(names []string) int64 {
		wrong := 0
		for _, name := range names {
			value, there := fields[name]
			if !there {
				continue
			}
			n, ok := rawjson.ParseCount(value)
			if n > 0 {
				return n
			}
			if !ok {
				wrong = 1
			}
		}
		bad += wrong
		return 0
	}
	input := count(snapshotNames.input)
	cached := min(input, count(snapshotNames.cached))
	output := count(snapshotNames.output)
	return transcript.Counts{
		Input: input - cached, CacheRead: cached, Output: output, Reasoning: min(output, count(snapshotNames.reasoning)),
	}, bad
}
