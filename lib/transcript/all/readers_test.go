package all_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
	"okstra/lib/transcript/codex"
	"okstra/lib/transcript/gemini"
	"okstra/lib/transcript/grok"
	"okstra/lib/transcript/kimi"
	"okstra/lib/transcript/kimicode"
)

// sample is a reader with a path of its kind and lines as it meets them: some
// that count and some that only look like it.
type sample struct {
	reader *transcript.Reader
	path   string
	lines  []string
}

var samples = []sample{
	{&claude.Reader, "/h/.claude/projects/-w/11111111-1111-4111-8111-111111111111.jsonl", []string{
		`{"message":{"model":"claude-opus-4-8","id":"msg_1","role":"assistant","content":[{"type":"text","text":"say \"usage\": {"}],"stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":509,"cache_read_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":9}},"requestId":"req_1","type":"assistant","uuid":"u1","timestamp":"2026-09-08T10:05:02.114Z","sessionId":"s1","cwd":"/w"}`,
		`{"type": "assistant", "message": {"id": "msg_2", "model": "claude-opus-4-8", "stop_reason": "end_turn", "usage": {"output_tokens": 412, "input_tokens": null, "speed": "fast", "iterations": [{"type": "advisor_message", "model": "claude-haiku-4-5", "input_tokens": 3, "output_tokens": 4}]}}, "isSidechain": true, "timestamp": "2026-09-08T10:06:02Z"}`,
		`{"type":"progress","data":{"type":"agent_progress","message":{"type":"assistant","timestamp":"2026-09-08T10:07:00Z","message":{"id":"msg_3","model":"m","usage":{"input_tokens":1,"output_tokens":2}}}},"sessionId":"s1"}`,
		`{"type":"user","toolUseResult":{"usage":{"input_tokens":1000}},"message":{"role":"user","content":"usage"}}`,
		`{"type":"assistant","message":{"id":"msg_4","model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}`,
		`{"type":"assistant","message":{"id":"msg_5","model":"m","content":[{"type":"tool_use","input":{"usage":{"input_tokens":77}}}],"usage":{"input_tokens":-1,"output_tokens":1.5}}}`,
		`{"type":"summary","summary":"x"}`,
	}},
	{&codex.Reader, "/h/.codex/sessions/2026/09/08/rollout-2026-09-08T10-00-00-0199aa10-0000-7000-8000-000000000001.jsonl", []string{
		`{"timestamp":"2026-09-08T10:00:00Z","type":"session_meta","payload":{"id":"0199aa10-0000-7000-8000-000000000001","timestamp":"2026-09-08T10:00:00Z","cwd":"/w","source":{"subagent":{"thread_spawn":{"parent_thread_id":"0199aa10-0000-7000-8000-000000000000"}}}}}`,
		`{"timestamp":"2026-09-08T10:00:01Z","type":"turn_context","payload":{"turn_id":"t1","model":"gpt-5.6-sol"}}`,
		`{"timestamp": "2026-09-08T10:00:02Z", "type": "event_msg", "payload": {"type": "task_started", "turn_id": "t2"}}`,
		`{"timestamp":"2026-09-08T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":10,"total_tokens":110},"last_token_usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":10,"total_tokens":110}}}}`,
		`{"timestamp":"2026-09-08T10:00:04Z","type":"event_msg","payload":{"type":"token_count","info":null}}`,
		`{"timestamp":"2026-09-08T10:00:05Z","type":"token_usage_record","payload":{"thread_id":"0199aa10-0000-7000-8000-000000000001","turn_id":"t2","response_id":"r1","usage":{"input_tokens":5,"output_tokens":6,"total_tokens":11}}}`,
		`{"timestamp":"2026-09-08T10:00:06Z","type":"response_item","payload":{"output":"{\"type\":\"token_count\"} token_usage_record"}}`,
		`{"timestamp":"2026-09-08T10:00:07Z","type":"compacted","payload":{"latest_token_usage_record":{"usage":{"input_tokens":5}}}}`,
	}},
	{&grok.Reader, "/h/.grok/sessions/%2Fw/s1/updates.jsonl", []string{
		`{"timestamp":1789000000,"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"turn_completed","prompt_id":"p1","usage":{"inputTokens":10,"outputTokens":2,"cachedReadTokens":3,"modelCalls":3,"modelUsage":{"grok-4.7":{"inputTokens":8,"outputTokens":2,"cachedReadTokens":3,"modelCalls":2}}}},"_meta":{"eventId":"e1","agentTimestampMs":1789000000123}}}`,
		`{"timestamp": 1789000001, "params": {"update": {"sessionUpdate": "turn_completed", "usage": {"inputTokens": 4}}, "_meta": {"eventId": "e2"}}}`,
		`{"timestamp":1789000002,"params":{"update":{"sessionUpdate":"turn_completed"}}}`,
		`{"timestamp":1789000003,"params":{"update":{"sessionUpdate":"agent_message","text":"\"turn_completed\""},"_meta":{"totalTokens":120000}}}`,
	}},
	{&kimi.Reader, "/h/.kimi/sessions/0123456789abcdef0123456789abcdef/s1/wire.jsonl", []string{
		`{"type":"metadata","protocol_version":"1"}`,
		`{"timestamp":1789000000.25,"message":{"type":"StatusUpdate","payload":{"message_id":"m1","token_usage":{"input_other":1,"output":2,"input_cache_read":3,"input_cache_creation":4}}}}`,
		`{"timestamp": 1789000001, "message": {"type": "SubagentEvent", "payload": {"event": {"type": "StatusUpdate", "payload": {"token_usage": {"output": 9}}}}}}`,
		`{"timestamp":1789000002,"message":{"type":"StatusUpdate","payload":{"token_usage":null}}}`,
		`{"timestamp":1789000003,"message":{"type":"Text","payload":{"token_usage":{"output":5}}}}`,
	}},
	{&kimicode.Reader, "/h/.kimi-code/sessions/wd_w_0123456789ab/session_s1/agents/main/wire.jsonl", []string{
		`{"type":"usage.record","agentId":"main","model":"kimi-code/k3","usage":{"inputOther":1,"output":2,"inputCacheRead":3,"inputCacheCreation":4},"usageScope":"turn","time":1789000000123}`,
		`{"usage": {"output": 7}, "type": "usage.record", "time": 1789000000124}`,
		`{"type":"usage.record","model":"m","usage":{"output":100},"usageScope":"session","time":1789000000125}`,
		`{"type":"context.append_loop_event","event":{"type":"step.end","usage":{"output":2}},"note":"usage.record"}`,
	}},
	{&gemini.Reader, "/h/.gemini/tmp/w/chats/session-2026-09-08T10-00-0123abcd.jsonl", []string{
		`{"sessionId":"s1","projectHash":"h","startTime":"2026-09-08T10:00:00Z"}`,
		`{"id":"g1","timestamp":"2026-09-08T10:00:01Z","type":"gemini","model":"gemini-3.1-pro","tokens":{"input":10,"output":2,"cached":3,"thoughts":4,"tool":5,"total":21}}`,
		`{"$set": {"messages": [{"id": "g2", "type": "gemini", "tokens": {"input": 1, "output": 1}}]}}`,
		`{"$rewindTo":"g1"}`,
		`{"id":"u1","type":"user","content":"tokens"}`,
	}},
}

// read scans a text from its start.
func (s sample) read(t fataler, text []byte, every bool) *transcript.File {
	f := &transcript.File{Provider: s.reader.Provider, Path: s.path}
	scanOn(t, s.reader, text, f, every)
	return f
}

// scratches are reused from text to text, as a worker's is from file to file: a
// fuzz target would spend most of its time on clearing new ones.
var scratches = sync.Pool{New: func() any { return new(transcript.Scratch) }}

func scanOn(t fataler, r *transcript.Reader, text []byte, f *transcript.File, every bool) {
	s, _ := scratches.Get().(*transcript.Scratch)
	defer scratches.Put(s)
	s.Every = every
	if err := r.Scan(bytes.NewReader(text), f, s); err != nil {
		t.Fatalf("%v", err)
	}
}

type fataler interface{ Fatalf(string, ...any) }

// check holds a reader to what every reader promises of any bytes at all: the
// search hides no row, a text may be read in two parts, and folding ends well.
func (s sample) check(t fataler, text []byte, cut int) {
	fast, slow := s.read(t, text, false), s.read(t, text, true)
	if fast.Skipped > slow.Skipped {
		t.Fatalf("the search skips %d lines, a parse of every line %d", fast.Skipped, slow.Skipped)
	}
	slow.Skipped, slow.Tail.Skipped = fast.Skipped, fast.Tail.Skipped // lines that look whole are not parsed without need
	same(t, "search and parse of every line", fast, slow)

	events, _ := s.reader.Fold([]*transcript.File{fast}, nil)
	for _, e := range events {
		if e.Total() <= 0 || e.Input < 0 || e.CacheRead < 0 || e.Output < 0 || e.Reasoning > e.Output {
			t.Fatalf("impossible event %+v", e)
		}
	}

	at := bytes.LastIndexByte(text[:min(max(cut, 0), len(text))], '\n') + 1
	parts := s.read(t, text[:at], false)
	if s.reader.Whole || at == 0 {
		return // read in one piece only
	}
	scanOn(t, s.reader, text[at:], parts, false)
	same(t, "one part and two", fast, parts)
}

func same(t fataler, what string, a, b *transcript.File) {
	if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s differ:\n%s", what, diff)
	}
}

// damage is what crashes, editors and other tools do to a line.
var damage = []func(*rapid.T, string) string{
	func(_ *rapid.T, s string) string { return s },
	func(_ *rapid.T, s string) string { return s },
	func(t *rapid.T, s string) string { return s[:rapid.IntRange(0, len(s)).Draw(t, "torn")] },
	func(t *rapid.T, s string) string {
		at := rapid.IntRange(0, len(s)).Draw(t, "at")
		return s[:at] + rapid.SampledFrom([]string{"\x00", "\x00\x00\x00", `"`, `\`, "{", "}", " ", "\r", "é", "\xff", `"usage":{"input_tokens":1}`, `_`}).Draw(t, "insert") + s[at:]
	},
	func(_ *rapid.T, s string) string { return s + "\r" },
	func(_ *rapid.T, s string) string { return s + s },
	func(_ *rapid.T, s string) string { return strings.ReplaceAll(s, `":`, `" : `) },
	func(_ *rapid.T, s string) string { return "\ufeff" + s },
	func(_ *rapid.T, s string) string { return " \t" + s + "  " },
}

// transcriptOf draws a text made of a reader's lines, whole and damaged.
func (s sample) transcriptOf(t *rapid.T) string {
	line := rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom(s.lines).Draw(t, "line")
		return rapid.SampledFrom(damage).Draw(t, "damage")(t, text)
	})
	text := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
	if rapid.Bool().Draw(t, "ended") {
		text += "\n"
	}
	return text
}

func TestSearchHidesNothingThatAParseFinds(t *testing.T) {
	for _, s := range samples {
		t.Run(s.reader.Version, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := s.transcriptOf(t)
				s.check(t, []byte(text), rapid.IntRange(0, len(text)).Draw(t, "cut"))
			})
		})
	}
}

// A block is a quarter of a MiB: lines that straddle blocks and lines that are
// longer than one are lines like others.
func TestSearchAcrossBlocks(t *testing.T) {
	for _, s := range samples {
		for _, size := range []int{100 << 10, 256<<10 - 7, 256 << 10, 700 << 10} {
			filler := `{"type":"filler","text":"` + strings.Repeat("x", size) + `"}`
			var text strings.Builder
			for _, line := range s.lines {
				text.WriteString(line + "\n" + filler + "\n" + filler + line + "\n")
			}
			s.check(t, []byte(text.String()), text.Len()/2)
		}
	}
}

func fuzz(f *testing.F, version string) {
	for _, s := range samples {
		if s.reader.Version != version {
			continue
		}
		f.Add([]byte(strings.Join(s.lines, "\n")), 200)
		f.Add([]byte("\ufeff"+strings.Join(s.lines, "\r\n")+"\r\n\x00\x00"), 1<<20)
		for _, line := range s.lines {
			f.Add([]byte(line+line), 0)
		}
		f.Fuzz(func(t *testing.T, text []byte, cut int) { s.check(t, text, cut) })
	}
}

func FuzzClaude(f *testing.F)   { fuzz(f, claude.Reader.Version) }
func FuzzCodex(f *testing.F)    { fuzz(f, codex.Reader.Version) }
func FuzzGrok(f *testing.F)     { fuzz(f, grok.Reader.Version) }
func FuzzKimi(f *testing.F)     { fuzz(f, kimi.Reader.Version) }
func FuzzKimiCode(f *testing.F) { fuzz(f, kimicode.Reader.Version) }
func FuzzGemini(f *testing.F)   { fuzz(f, gemini.Reader.Version) }
