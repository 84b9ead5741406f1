package stream

import (
	"github.com/tidwall/gjson"

	"okstra/lib/run"
)

// Counts reads a provider's usage object into disjoint buckets. Providers
// differ in names and in whether the input includes what came from the cache:
// the name of the cache count tells which. ok is false when the object holds
// no count of ours. A count that is no whole number from 0 reads as absent.
func Counts(usage gjson.Result) (counts run.Usage, ok bool) {
	get := func(names ...string) (int64, bool) {
		for _, name := range names {
			if v := usage.Get(name); v.Type == gjson.Number && v.Num >= 0 && v.Num == float64(v.Int()) {
				return v.Int(), true
			}
		}
		return 0, false
	}
	input, hasInput := get("input_tokens", "inputTokens", "prompt_tokens", "input")
	output, hasOutput := get("output_tokens", "outputTokens", "completion_tokens", "output")
	if !hasInput && !hasOutput {
		return run.Usage{}, false
	}
	counts.Input, counts.Output = input, output
	counts.Reasoning, _ = get("reasoning_output_tokens", "reasoningTokens", "reasoning_tokens", "thinking_tokens", "thoughts")
	counts.Reasoning = min(counts.Reasoning, counts.Output)

	// Disjoint: what the cache gave is not part of the input.
	if read, ok := get("cache_read_input_tokens", "cacheReadInputTokens", "cachedReadTokens"); ok {
		counts.CacheRead = read
	}
	// Included: the input counts cached tokens too.
	if read, ok := get("cached_input_tokens", "cachedInputTokens", "input_tokens_details.cached_tokens", "prompt_tokens_details.cached_tokens", "cached"); ok {
		counts.CacheRead = min(read, counts.Input)
		counts.Input -= counts.CacheRead
	}
	// Gemini leaves the thoughts out of the output and of the stream, but not out
	// of the total. They are billed as output.
	if total, ok := get("total_tokens"); ok && usage.Get("cached").Exists() && total > input+output {
		counts.Reasoning = total - input - output
		counts.Output += counts.Reasoning
	}
	written, _ := get("cache_creation_input_tokens", "cacheCreationInputTokens")
	hour, _ := get("cache_creation.ephemeral_1h_input_tokens")
	counts.CacheWrite1h = min(hour, written)
	counts.CacheWrite5m = written - counts.CacheWrite1h
	return counts, true
}

// Plus adds two counts bucket by bucket.
func plus(a, b run.Usage) run.Usage {
	return run.Usage{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead,
		CacheWrite5m: a.CacheWrite5m + b.CacheWrite5m, CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h,
		Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
	}
}

// running adds up the usage that single replies carry while the run goes on.
// One reply is printed as several events with the same id and usage, one after
// the other; the last of them counts.
type running struct {
	before run.Usage // of all replies but the current one
	now    run.Usage
	id     string
	any    bool
	final  bool // the run's own total is known
}

func (r *running) add(event *object) {
	usage := event.get("message.usage")
	if r.final || !usage.IsObject() {
		return
	}
	counts, ok := Counts(usage)
	if !ok {
		return
	}
	if id := event.get("message.id").String(); id != r.id {
		r.before, r.id = plus(r.before, r.now), id
	}
	r.now, r.any = counts, true
}

func (r *running) total() (run.Usage, bool) {
	return plus(r.before, r.now), r.any && !r.final
}
