package stream

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
)

// Rules as the provider rows give them; the rows themselves are tested beside
// the catalogue.
var (
	claude = Rules{
		Format: "jsonl", TypePointer: "/type", Good: []string{"result"}, Retry: []string{"system/api_retry"},
		UsagePointer: "/usage", DenialsPointer: "/permission_denials", SessionEvent: "system/init", SessionPointer: "/session_id",
	}
	codex = Rules{
		Format: "jsonl", TypePointer: "/type", Good: []string{"turn.completed"}, Bad: []string{"turn.failed"},
		Harmless: []string{"item.completed"}, UsagePointer: "/usage", SessionEvent: "thread.started", SessionPointer: "/thread_id",
	}
	gemini = Rules{Format: "jsonl", TypePointer: "/type", Good: []string{"result"}, UsagePointer: "/stats", SessionEvent: "init", SessionPointer: "/session_id"}
	grok   = Rules{Format: "jsonl", TypePointer: "/type", Good: []string{"end"}, Bad: []string{"error"}, UsagePointer: "/usage", SessionEvent: "end", SessionPointer: "/sessionId"}
)

func read(rules Rules, text string) (Summary, string) {
	var log strings.Builder
	r := NewReader(rules, &log)
	_, _ = r.Write([]byte(text))
	r.Close()
	return r.Summary(), log.String()
}

func TestSummaryOfAStream(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rules  Rules
		stream string
		want   Summary
	}{
		{"claude: a good run counts the usage of its result, not of its replies", claude, `
{"type":"system","subtype":"init","session_id":"s-1","cwd":"/srv/shop"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"hello"}],"usage":{"input_tokens":1201,"cache_read_input_tokens":3407,"cache_creation_input_tokens":509,"output_tokens":1}}}
{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":2402,"cache_read_input_tokens":6814,"cache_creation_input_tokens":1018,"cache_creation":{"ephemeral_1h_input_tokens":18},"output_tokens":154},"permission_denials":[{"tool":"Bash"}]}
`, Summary{
			SessionID: "s-1", Cwd: "/srv/shop", Terminal: "result", Good: true, Denials: 1, Events: 3,
			Usage: &run.Usage{Input: 2402, CacheRead: 6814, CacheWrite5m: 1000, CacheWrite1h: 18, Output: 154},
		}},
		{
			"claude: a total of nothing does not undo what the replies say", claude, `{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":1201,"output_tokens":77}}}
{"type":"result","is_error":false,"usage":{"input_tokens":0,"output_tokens":0}}`,
			Summary{Terminal: "result", Good: true, Events: 2, Usage: &run.Usage{Input: 1201, Output: 77}},
		},
		{
			"claude: a total of nothing after no reply is nothing", claude, `{"type":"result","is_error":true,"usage":{"input_tokens":0,"output_tokens":0}}`,
			Summary{Terminal: "result", Events: 1, Usage: &run.Usage{}},
		},
		{
			"claude: is_error wins over the subtype success", claude,
			`{"type":"result","subtype":"success","is_error":true,"api_error_status":400,"result":"bad request"}`,
			Summary{Terminal: "result", Message: "bad request", APIStatus: new(400), Events: 1},
		},
		{
			"claude: an is_error that is a text is no good end", claude, `{"type":"result","subtype":"success","is_error":"true"}`,
			Summary{Terminal: "result", Events: 1},
		},
		{"claude: nor one that is a number", claude, `{"type":"result","subtype":"success","is_error":0}`, Summary{Terminal: "result", Events: 1}},
		{"claude: nor one that is null", claude, `{"type":"result","subtype":"success","is_error":null}`, Summary{Terminal: "result", Events: 1}},
		{"claude: nor a subtype that is no text", claude, `{"type":"result","subtype":["success"],"is_error":false}`, Summary{Terminal: "result", Events: 1}},
		{"gemini: nor a status that is no text", gemini, `{"type":"result","status":{"error":1}}`, Summary{Terminal: "result", Events: 1}},
		{"gemini: no status at all", gemini, `{"type":"result","status":null}`, Summary{Terminal: "result", Good: true, Events: 1}},
		{"a type that is no text names no event", claude, `{"type":["result"],"is_error":false}`, Summary{Events: 1}},
		{
			"claude: fewer denials than none are none", claude, `{"type":"result","subtype":"success","is_error":false,"permission_denials":-3}`,
			Summary{Terminal: "result", Good: true, Events: 1},
		},
		{
			"claude: retries are counted and do not end the run", claude, `{"type":"system","subtype":"api_retry","attempt":1,"error_status":429}
{"type":"system","subtype":"api_retry","attempt":2,"error_status":429}`,
			Summary{APIStatus: new(429), Events: 2, Retries: 2, InARow: 2},
		},
		{
			"codex: an item of type error is harmless, cached input is taken out", codex, `{"type":"thread.started","thread_id":"t-1"}
{"type":"item.completed","item":{"type":"error","message":"unknown model metadata"}}
{"type":"turn.completed","usage":{"input_tokens":9216,"cached_input_tokens":6814,"output_tokens":154,"reasoning_output_tokens":26}}`,
			Summary{
				SessionID: "t-1", Terminal: "turn.completed", Good: true, Events: 3,
				Usage: &run.Usage{Input: 2402, CacheRead: 6814, Output: 154, Reasoning: 26},
			},
		},
		{
			"codex: a failed turn names the status", codex,
			`{"type":"error","message":"stream error"}
{"type":"turn.failed","error":{"message":"unexpected status 429 Too Many Requests"}}`,
			Summary{Terminal: "turn.failed", Message: "unexpected status 429 Too Many Requests", APIStatus: new(429), Events: 2},
		},
		{
			"gemini: the result carries a status", gemini, `{"type":"init","session_id":"g-1","model":"auto"}
{"type":"result","status":"error","error":{"message":"quota"}}`,
			Summary{SessionID: "g-1", Terminal: "result", Message: "quota", Events: 2},
		},
		{
			"gemini: thoughts stand in the total alone", gemini, `{"type":"result","status":"success","stats":{"total_tokens":9396,"input_tokens":9216,"output_tokens":154,"cached":6814,"input":2402}}`,
			Summary{Terminal: "result", Good: true, Events: 1, Usage: &run.Usage{Input: 2402, CacheRead: 6814, Output: 180, Reasoning: 26}},
		},
		{
			"grok: an end that was cancelled", grok, `{"type":"end","stopReason":"cancelled","sessionId":"k-1","usage":{"inputTokens":2402,"cachedReadTokens":6814,"outputTokens":154}}`,
			Summary{
				SessionID: "k-1", Terminal: "end", Good: true, Cancelled: true, Events: 1,
				Usage: &run.Usage{Input: 2402, CacheRead: 6814, Output: 154},
			},
		},
		{"a stream without a terminal event", codex, `{"type":"thread.started","thread_id":"t-1"}`, Summary{SessionID: "t-1", Events: 1}},
		{"a bare status number in a text is none", claude, `{"type":"error","message":"it took 429 steps"}`, Summary{Message: "it took 429 steps", Events: 1}},
		{"plain text has no events", Rules{Format: "text"}, "hello\nworld\n", Summary{Last: "world"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := read(tt.rules, tt.stream)
			got.RawUsage = nil
			if tt.rules.Has() {
				got.Last = ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

// Records that were spliced are told apart, what cannot be read is counted
// (report 17).
func TestReport17SplicedLinesAreResynchronised(t *testing.T) {
	for _, tt := range []struct {
		name     string
		stream   string
		events   int
		bad      int
		terminal string
	}{
		{"two records on one line", `{"type":"a"}{"type":"result"}`, 2, 1, "result"},
		{"a record, rubbish, a record", `{"type":"a"}x}{"type":"result"}`, 2, 1, "result"},
		{"a cut record swallows what follows on its line", `{"type":"as{"type":"result"}`, 0, 1, ""},
		{"the next line is read again", "{\"type\":\"as\n{\"type\":\"result\"}", 1, 1, "result"},
		{"braces inside texts do not count", `{"type":"a","t":"}{\""}{"type":"result"}`, 2, 1, "result"},
		{"prose is a bad line", "I have done it.\n{\"type\":\"result\"}", 1, 1, "result"},
		{"an empty line is none", "\n\r\n{\"type\":\"result\"}\r\n", 1, 0, "result"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := read(claude, tt.stream)
			if got.Events != tt.events || got.BadLines != tt.bad || got.Terminal != tt.terminal {
				t.Errorf("events %d bad %d terminal %q, want %d, %d, %q", got.Events, got.BadLines, got.Terminal, tt.events, tt.bad, tt.terminal)
			}
		})
	}
}

// A line may be longer than any buffer (report 15), but not take any memory.
func TestReport15LongLinesAreRead(t *testing.T) {
	long := `{"type":"assistant","pad":"` + strings.Repeat("x", 300_000) + `"}` + "\n" + `{"type":"result"}`
	if got, _ := read(claude, long); got.Events != 2 || got.BadLines != 0 || got.Terminal != "result" {
		t.Errorf("got %+v, want two events", got)
	}
	var log strings.Builder
	r := NewReader(claude, &log)
	piece := []byte(strings.Repeat("y", 1<<20))
	for range 40 {
		_, _ = r.Write(piece)
		if cap(r.line) > 2*maxLine {
			t.Fatalf("the reader holds %d bytes", cap(r.line))
		}
	}
	_, _ = r.Write([]byte("\n{\"type\":\"result\"}\n"))
	if got := r.Summary(); got.BadLines != 1 || got.Terminal != "result" {
		t.Errorf("got %+v, want one bad line and the end", got)
	}
}

func TestReadableLog(t *testing.T) {
	_, log := read(claude, `{"type":"assistant","message":{"content":[{"type":"text","text":"look \u001b[31mred"},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","content":"a.txt"}]}}
{"type":"result","result":"done"}
not json
`)
	want := "look red\n> Bash {\"command\":\"ls\"}\n< a.txt\ndone\nnot json\n"
	if log != want {
		t.Errorf("log %q, want %q", log, want)
	}
}

// However the bytes arrive, the same is read.
func FuzzReader(f *testing.F) {
	f.Add(`{"type":"result","is_error":true}{"type":"a"}`+"\n", 3)
	f.Add("{\"type\":\"assistant\",\"message\":{\"id\":1,\"usage\":{\"input_tokens\":1e3}}}\n\x00\xff", 1)
	f.Add(`{"type":"item.completed","item":{"type":"command_execution","exit_code":1}}`, 7)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, min(size, len(text)))
		whole, _ := read(codex, text)
		r := NewReader(codex, nil)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, _ = r.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		r.Close()
		if diff := cmp.Diff(whole, r.Summary()); diff != "" {
			t.Errorf("pieces of %d read otherwise (-whole +pieces):\n%s", size, diff)
		}
	})
}

// A worker prints what it likes: lines that are nested without end, or that
// begin a record at every place, are bad lines and nothing else.
func TestHostileLinesAreBadLines(t *testing.T) {
	for _, tt := range []struct{ name, begin, again string }{
		{"brackets without end", `{"a":`, "["},
		{"objects without end", "", `{"a":`},
		{"records that begin everywhere and never end", "", `{}{""`},
		{"records that end and are none", "", `}{"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(Rules{Format: "jsonl", TypePointer: "/type", Good: []string{"done"}}, nil)
			line := tt.begin + strings.Repeat(tt.again, (maxLine-len(tt.begin))/len(tt.again))
			for _, text := range []string{line, "\n", `{"type":"done"}`, "\n"} {
				if _, err := r.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			r.Close()
			if s := r.Summary(); s.BadLines != 1 || !s.Good {
				t.Errorf("%d bad lines, good end %v; want 1, true", s.BadLines, s.Good)
			}
		})
	}
}

// A program that writes faster than we read must not keep us from looking at
// its limits: one look ends after a while, and the end reads the rest.
func TestOneLookDoesNotReadForEver(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(out, bytes.Repeat([]byte("{}\n"), 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(0, 0)
	now := func() time.Time { // each question takes a while
		clock = clock.Add(50 * time.Millisecond)
		return clock
	}
	f := Follow(Rules{Format: "jsonl"}, out, filepath.Join(dir, "err"), nil, now, nil, nil)
	f.Look(now())
	if n := f.reader.Summary().Events; n == 0 || n >= 1<<20 {
		t.Errorf("the first look read %d events of %d, want some", n, 1<<20)
	}
	if n := f.Close().Events; n != 1<<20 {
		t.Errorf("%d events in the end, want %d", n, 1<<20)
	}
}

// An event says the same whether its fields were found in one pass or are
// looked for one by one, as those of an event with very many are.
func FuzzFields(f *testing.F) {
	for _, text := range []string{
		`{"type":"result","is_error":true,"usage":{"input_tokens":5},"permission_denials":[1]}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":1,"output_tokens":2}}}`,
		`{"error":"x","error":{"message":"status 429"},"type":"error","type":"result"}`,
		`{"t\u0079pe":"result","message":null,"message":{"content":[]},"session_id":"s","subtype":"init"}`,
		`{"type":{"a":1},"item":{"type":"command_execution","command":"ls","exit_code":1},"tool.name":"x","tool":{"name":"y"}}`,
		`{"a":1,"":{"b":2},"*":3,"type":"error","message":{"0":"x"},"error":[{"message":"y"}]}`,
		`{"type":"result","a~b/c":{"x.y":{"input_tokens":7}},"thread_id":5}`,
	} {
		f.Add(text)
	}
	odd := Rules{
		Format: "jsonl", TypePointer: "/t/type", Good: []string{"result"}, Bad: []string{"error/x"}, UsagePointer: "/a~0b~1c/x.y",
		DenialsPointer: "/*", SessionEvent: "init", SessionPointer: "//b",
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(text, "{") || !valid([]byte(text)) {
			t.Skip()
		}
		for _, rules := range []Rules{claude, codex, grok, odd} {
			var logs [2]strings.Builder
			var sums [2]Summary
			for i, many := range []bool{false, true} {
				r := NewReader(rules, &logs[i])
				r.object.read([]byte(text))
				r.object.many = r.object.many || many
				r.take(&r.object)
				sums[i] = r.Summary()
			}
			if diff := cmp.Diff(sums[1], sums[0]); diff != "" || logs[0].String() != logs[1].String() {
				t.Errorf("%s (-one by one +at once):\n%s%q\n%q", text, diff, logs[1].String(), logs[0].String())
			}
		}
	})
}

// An event with more fields than are kept is read all the same.
func TestAnEventOfManyFields(t *testing.T) {
	var event strings.Builder
	event.WriteString("{")
	for i := range 3 * mostFields {
		event.WriteString(`"k` + strings.Repeat("x", i) + `":0,`)
	}
	event.WriteString(`"type":"result","usage":{"input_tokens":3,"output_tokens":4}}`)
	if got, _ := read(claude, event.String()); !got.Good || got.Usage == nil || got.Usage.Output != 4 {
		t.Errorf("%+v", got)
	}
}
