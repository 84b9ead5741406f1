package all_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Threads of 10:00:00, 10:00:09 and 10:00:12 by their ids, and one whose id says
// nothing. Turns: of each time, and such as say nothing.
const (
	threadA = "0199aa10-0000-7000-8000-000000000001"
	threadB = "0199aa10-2328-7000-8000-000000000002"
	threadC = "0199aa10-2ee0-7000-8000-000000000003"
)

var codexTurns = []string{
	`"0199aa10-0100-7000-8000-00000000aaaa"`, `"0199aa10-2400-7000-8000-00000000bbbb"`, `"0199aa10-3000-7000-8000-00000000cccc"`,
	`"t1"`, `"t2"`, `"11111111-2222-4333-8444-555555555555"`, "",
}

// codexCounter is the CLI's counter, which a thread goes on with.
type codexCounter struct {
	total [6]int64
	past  []string // snapshots written
}

func drawCodex(t *rapid.T) []document {
	paths := oraclePaths["codex"]
	threads := []string{threadA, threadB, threadC}
	docs := make([]document, rapid.IntRange(1, 3).Draw(t, "files"))
	var earlier [][]string
	for i := range docs {
		c := &codexCounter{}
		id, linked := threads[i], ""
		if i > 0 && odds(t, 6) {
			id = threads[i-1] // a second file of the thread
		}
		var lines []string
		link := []string{}
		if i > 0 && odds(t, 2) {
			linked = fmt.Sprintf("%q", draw(t, threads[i-1], threads[0], "0199aa0f-0000-7000-8000-00000000dead"))
			link = rapid.SampledFrom([][]string{{"forked_from_id", linked}, {"parent_thread_id", linked}, {"source", fmt.Sprintf(`{"subagent":{"thread_spawn":{"parent_thread_id":%s}}}`, linked)}, {}}).Draw(t, "link")
		}
		at := draw(t, `"2026-09-08T10:00:00Z"`, `"2026-09-08T10:00:09Z"`, `"2026-09-08T10:00:12Z"`)
		lines = append(lines, codexLine(t, at, "session_meta", object(t, append([]string{"id", fmt.Sprintf("%q", id), "timestamp", draw(t, at, at, ""), "cwd", `"/w"`}, link...)...)))
		if i > 0 && odds(t, 2) {
			lines = append(lines, copies(t, rapid.SampledFrom(earlier).Draw(t, "history"), c)...)
		}
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			line := c.line(t, id)
			if odds(t, 25) {
				line = rapid.SampledFrom(damage).Draw(t, "damage")(t, line)
			}
			lines = append(lines, line)
		}
		earlier = append(earlier, lines)
		docs[i] = document{path: paths[i], text: strings.Join(lines, "\n") + draw(t, "\n", "\n", "")}
	}
	return docs
}

// copies is a beginning of a history, as it was or stamped anew, with the meta
// of its thread or without.
func copies(t *rapid.T, history []string, c *codexCounter) (lines []string) {
	from := rapid.IntRange(0, 1).Draw(t, "with the meta")
	stamp := draw(t, "", `"timestamp":"2026-09-08T10:00:10Z"`, `"timestamp":"2026-09-08T10:00:30Z"`)
	for _, line := range history[from:rapid.IntRange(from, len(history)).Draw(t, "until")] {
		if i := strings.Index(line, `"timestamp":"`); stamp != "" && i == 1 {
			if end := strings.IndexByte(line[i+13:], '"'); end >= 0 {
				line = line[:i] + stamp + line[i+13+end+1:]
			}
		}
		lines = append(lines, line)
	}
	if odds(t, 2) {
		c.total = [6]int64{500, 100, 0, 50, 0, 550}
	}
	return lines
}

func codexLine(t *rapid.T, at, typ, payload string) string {
	return object(t, "timestamp", at, "type", fmt.Sprintf("%q", typ), "payload", payload)
}

func codexUsage(t *rapid.T, u [6]int64) string {
	var members []string
	for i, name := range codexFields {
		members = append(members, name, fmt.Sprint(u[i]))
	}
	if odds(t, 20) {
		members[1] = number(t)
	}
	return object(t, members...)
}

// line writes the next thing: mostly a count, with what goes wrong with counts.
func (c *codexCounter) line(t *rapid.T, thread string) string {
	at := fmt.Sprintf(`"2026-09-08T10:00:%02dZ"`, rapid.SampledFrom([]int{0, 1, 8, 9, 10, 12, 14, 20, 40}).Draw(t, "second"))
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1:
		return codexLine(t, at, "turn_context", object(t, "turn_id", rapid.SampledFrom(codexTurns).Draw(t, "turn"), "model", draw(t, `"gpt-5.6-sol"`, `"gpt-5.6-luna"`, ""), "cwd", `"/w"`))
	case 2:
		return codexLine(t, at, "event_msg", object(t, "type", `"task_started"`, "turn_id", rapid.SampledFrom(codexTurns).Draw(t, "turn")))
	case 3:
		usage := c.grow(t)
		return codexLine(t, at, "token_usage_record", object(t, "thread_id", draw(t, fmt.Sprintf("%q", thread), fmt.Sprintf("%q", threadA), ""), "turn_id", `"t1"`,
			"response_id", draw(t, `"resp1"`, `"resp2"`, `"resp3"`, ""), "usage", codexUsage(t, usage), "thread_token_usage", draw(t, "", codexUsage(t, c.total))))
	case 4:
		if len(c.past) > 0 {
			return codexLine(t, at, "event_msg", rapid.SampledFrom(c.past).Draw(t, "again"))
		}
	}
	info := ""
	switch rapid.IntRange(0, 9).Draw(t, "count") {
	case 0:
		info = "null"
	case 1: // a fill
		info = object(t, "total_token_usage", codexUsage(t, c.total), "last_token_usage", `{"input_tokens":0,"total_tokens":9000}`)
	case 2: // an old file
		c.grow(t)
		info = object(t, "total_token_usage", codexUsage(t, c.total))
	case 3: // a compaction or a stale snapshot
		total := c.total
		last := c.grow(t)
		for i := range c.total {
			c.total[i] = max(0, total[i]-last[i])
		}
		info = object(t, "total_token_usage", codexUsage(t, c.total), "last_token_usage", codexUsage(t, last))
		if odds(t, 2) {
			c.total = total
		}
	case 4: // told by a record before
		info = object(t, "total_token_usage", codexUsage(t, c.total), "last_token_usage", `{"input_tokens":10,"output_tokens":1,"total_tokens":11}`)
	case 5:
		info = object(t, "last_token_usage", codexUsage(t, c.grow(t)))
	default:
		last := c.grow(t)
		info = object(t, "total_token_usage", codexUsage(t, c.total), "last_token_usage", codexUsage(t, last))
	}
	payload := object(t, "type", `"token_count"`, "info", info)
	c.past = append(c.past, payload)
	return codexLine(t, at, "event_msg", payload)
}

// grow adds a reply to the counter.
func (c *codexCounter) grow(t *rapid.T) [6]int64 {
	in, out := rapid.SampledFrom([]int64{0, 10, 10, 100, 700}).Draw(t, "in"), rapid.SampledFrom([]int64{0, 1, 1, 30}).Draw(t, "out")
	last := [6]int64{in, in / 2, 0, out, out / 2, in + out}
	for i := range last {
		c.total[i] += last[i]
	}
	return last
}
