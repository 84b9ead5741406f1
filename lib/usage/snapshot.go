package usage

import (
	"encoding/json"
	"math"

	"okstra/lib/transcript"
)

// snapshotNames are the names under which a wrapper's usage snapshot holds a
// count.
var snapshotNames = struct{ input, cached, output, reasoning []string }{
	input:     []string{"inputTokens", "input_tokens"},
	cached:    []string{"cachedInputTokens", "cached_input_tokens"},
	output:    []string{"outputTokens", "output_tokens"},
	reasoning: []string{"reasoningTokens", "thinking_tokens", "thinkingOutputTokens"},
}

// snapshot reads a usage object as a provider's stream reported it.
func snapshot(raw json.RawMessage) (transcript.Counts, bool) {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil || len(fields) == 0 {
		return transcript.Counts{}, false
	}
	count := func(names []string) int64 {
		for _, name := range names {
			var n json.Number
			if json.Unmarshal(fields[name], &n) != nil {
				continue
			}
			// Up to 2^53 a whole number is exact as a float, however it is written.
			if v, err := n.Float64(); err == nil && v > 0 && v <= 1<<53 && v == math.Trunc(v) {
				return int64(v)
			}
		}
		return 0
	}
	input := count(snapshotNames.input)
	cached := min(input, count(snapshotNames.cached))
	output := count(snapshotNames.output)
	c := transcript.Counts{
		Input: input - cached, CacheRead: cached, Output: output, Reasoning: min(output, count(snapshotNames.reasoning)),
	}
	return c, !c.IsZero()
}
