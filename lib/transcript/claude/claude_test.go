package claude

import (
	"fmt"
	"strings"
	"testing"

	"okstra/lib/transcript"
)

// row is a transcript row; zero fields are left out or take a usual value.
type row struct {
	id, req, session, ts, model, more string
	side                              bool
	in, read, create, out             int
	stop                              bool
	usageMore                         string
}

func (r row) message() string {
	model := r.model
	if model == "" {
		model = "claude-opus-4-8"
	}
	stop := "null"
	if r.stop {
		stop = `"end_turn"`
	}
	id := ""
	if r.id != "" {
		id = fmt.Sprintf(`"id":"%s",`, r.id)
	}
	return fmt.Sprintf(`{"model":"%s",%s"type":"message","role":"assistant","content":[{"type":"text","text":"ok {\"usage\":1}"}],"stop_reason":%s,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d%s}}`,
		model, id, stop, r.in, r.create, r.read, r.out, r.usageMore)
}

func (r row) envelope() string {
	session, ts, req := r.session, r.ts, ""
	if session == "" {
		session = "s1"
	}
	if ts == "" {
		ts = "2026-09-08T10:00:00.000Z"
	}
	if r.req != "" {
		req = fmt.Sprintf(`"requestId":"%s",`, r.req)
	}
	return fmt.Sprintf(`"isSidechain":%v,"cwd":"/w/jobs","sessionId":"%s",%s%s"timestamp":"%s"`, r.side, session, req, r.more, ts)
}

func (r row) line() string {
	return fmt.Sprintf(`{"message":%s,"type":"assistant",%s}`, r.message(), r.envelope())
}

// mirror is the row as an older version mirrors it in the parent.
func (r row) mirror() string {
	parent := row{session: r.session, ts: r.ts}
	req := ""
	if r.req != "" {
		req = fmt.Sprintf(`,"requestId":"%s"`, r.req)
	}
	return fmt.Sprintf(`{"type":"progress",%s,"data":{"type":"agent_progress","message":{"type":"assistant","message":%s%s}}}`, parent.envelope(), r.message(), req)
}

func file(t *testing.T, path string, lines ...string) *transcript.File {
	t.Helper()
	return scanText(t, path, strings.Join(lines, "\n")+"\n")
}

func scanText(t *testing.T, path, text string) *transcript.File {
	t.Helper()
	f := &transcript.File{Provider: Provider, Path: path}
	if err := scan(strings.NewReader(text), f, new(transcript.Scratch)); err != nil {
		t.Fatal(err)
	}
	return f
}

// brief is an event's buckets: in, read, 5m, 1h, out.
func brief(events []transcript.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d/%d/%d/%d/%d ", e.Input, e.CacheRead, e.CacheWrite5m, e.CacheWrite1h, e.Output)
	}
	return strings.TrimSpace(b.String())
}

func TestOneReplyOneEvent(t *testing.T) {
	split := func(m5, h1 int) string {
		return fmt.Sprintf(`,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}`, m5, h1)
	}
	one := func(lines ...string) []*transcript.File { return []*transcript.File{file(t, "p/s1.jsonl", lines...)} }
	for _, tt := range []struct {
		name  string
		files []*transcript.File
		want  string
	}{
		{"reports 1, 2, 3, 9: streamed rows, the fullest counts", one(
			row{id: "m1", req: "r1", in: 3, out: 9}.line(), row{id: "m1", req: "r1", in: 3, out: 9}.line(), row{id: "m1", req: "r1", in: 3, out: 159, stop: true}.line(),
		), "3/0/0/0/159"},
		{"report 8: every row has the final usage", one(
			row{id: "m1", req: "r1", in: 3, out: 77, stop: true}.line(), row{id: "m1", req: "r1", in: 3, out: 77, stop: true}.line(),
		), "3/0/0/0/77"},
		{"report 4: a gateway without request ids", one(
			row{id: "m1", in: 3, out: 7}.line(), row{id: "m1", in: 3, out: 7}.line(), row{id: "m2", in: 3, out: 8}.line(),
		), "3/0/0/0/7 3/0/0/0/8"},
		{"a row without request joins the only request of its session", one(
			row{id: "m1", in: 3, out: 1}.line(), row{id: "m1", req: "r1", in: 3, out: 9}.line(),
		), "3/0/0/0/9"},
		{"a row without request beside two requests stays apart", one(
			row{id: "m1", in: 3, out: 1}.line(), row{id: "m1", req: "r1", in: 3, out: 9}.line(), row{id: "m1", req: "r2", in: 3, out: 8}.line(),
		), "3/0/0/0/1 3/0/0/0/9 3/0/0/0/8"},
		{"reports 5, 6: resumed and forked sessions copy rows", []*transcript.File{
			file(t, "p/s1.jsonl", row{id: "m1", req: "r1", session: "s1", in: 3, out: 9}.line()),
			file(t, "p/s2.jsonl", row{id: "m1", req: "r1", session: "s2", in: 3, out: 9}.line(), row{id: "m2", req: "r2", session: "s2", in: 4, out: 9}.line()),
		}, "3/0/0/0/9 4/0/0/0/9"},
		{"without a request the session is part of the key", []*transcript.File{
			file(t, "p/s1.jsonl", row{id: "m1", session: "s1", in: 3, out: 9}.line()),
			file(t, "p/s2.jsonl", row{id: "m1", session: "s2", in: 3, out: 9}.line()),
		}, "3/0/0/0/9 3/0/0/0/9"},
		{"report 10: an aside replays the parent's message", []*transcript.File{
			file(t, "p/s1.jsonl", row{id: "m1", req: "r1", in: 3, out: 9}.line()),
			file(t, "p/s1/subagents/agent-a1234567.jsonl", row{id: "m1", req: "r2", side: true, in: 3, out: 9}.line(), row{id: "m2", req: "r3", side: true, in: 4, out: 9}.line()),
		}, "3/0/0/0/9 4/0/0/0/9"},
		{"a side chain without main rows counts", one(row{id: "m1", req: "r2", side: true, in: 3, out: 9}.line()), "3/0/0/0/9"},
		{"no message id: by uuid, else by place", one(
			row{more: `"uuid":"u1",`, in: 3, out: 9}.line(), row{more: `"uuid":"u1",`, in: 3, out: 12}.line(), row{in: 4, out: 9}.line(), row{in: 4, out: 9}.line(),
		), "3/0/0/0/12 4/0/0/0/9 4/0/0/0/9"},
		{"mirrored sub-agent and its own file: the fuller copy", []*transcript.File{
			file(t, "p/s1.jsonl", row{id: "m1", req: "r1", in: 3, out: 1}.mirror()),
			file(t, "p/s1/subagents/agent-aclaude-worker-1234567.jsonl", row{id: "m1", req: "r1", side: true, in: 3, out: 5}.line()),
		}, "3/0/0/0/5"},
		{"mirrored sub-agent without a file of its own", one(row{id: "m1", in: 3, out: 1}.mirror()), "3/0/0/0/1"},
		{"report 12: advisor calls under their own model", one(
			row{id: "m1", req: "r1", in: 3, out: 9, usageMore: `,"iterations":[{"type":"message","input_tokens":3,"output_tokens":9},{"type":"advisor_message","model":"claude-sonnet-4-6","input_tokens":50,"output_tokens":20},{"type":"advisor_message","model":"claude-sonnet-4-6","input_tokens":50,"output_tokens":20}]`}.line(),
			row{id: "m1", req: "r1", in: 3, out: 9, usageMore: `,"iterations":[{"type":"message","input_tokens":3,"output_tokens":9},{"type":"advisor_message","model":"claude-sonnet-4-6","input_tokens":50,"output_tokens":25}]`}.line(),
		), "3/0/0/0/9 50/0/0/0/25 50/0/0/0/20"},
		{"report 13: a declined attempt is not added", one(
			row{id: "m1", req: "r1", in: 3, out: 9, usageMore: `,"iterations":[{"type":"fallback_message","model":"claude-opus-4-8","input_tokens":50,"output_tokens":20}]`}.line(),
		), "3/0/0/0/9"},
		{"behaviour 29: split", one(row{id: "m1", create: 509, out: 9, usageMore: split(409, 100)}.line()), "0/0/409/100/9"},
		{"behaviour 29: aggregate only", one(row{id: "m1", create: 509, out: 9}.line()), "0/0/509/0/9"},
		{"behaviour 29: 0/0 beside an aggregate", one(row{id: "m1", create: 509, out: 9, usageMore: split(0, 0)}.line()), "0/0/509/0/9"},
		{"behaviour 29: split below the aggregate", one(row{id: "m1", create: 509, out: 9, usageMore: split(100, 200)}.line()), "0/0/309/200/9"},
		{"behaviour 29: split above the aggregate", one(row{id: "m1", create: 100, out: 9, usageMore: split(100, 200)}.line()), "0/0/100/200/9"},
		{"report 28: what was cached is no part of the input here", one(row{id: "m1", in: 3, read: 400, create: 7, out: 9}.line()), "3/400/7/0/9"},
		{"two replies without ids spliced into one line", one(row{in: 4, out: 9}.line() + row{in: 5, out: 9}.line()), "4/0/0/0/9 5/0/0/0/9"},
		{"null cache fields", one(`{"type":"assistant","sessionId":"s","message":{"id":"m1","usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":null,"cache_creation":null}}}`), "3/0/0/0/4"},
		{"synthetic errors written with escapes", one(strings.Replace(row{id: "m1", model: "<synthetic>", in: 3, out: 9}.line(), "<synthetic>", `\u003csynthetic\u003e`, 1)), ""},
		{"synthetic errors are no reply", one(row{id: "m1", model: "<synthetic>", in: 3, out: 9}.line()), ""},
		{"all zero is no event", one(row{id: "m1"}.line()), ""},
		{"toolUseResult.usage is the tempting double count", one(`{"type":"user","toolUseResult":{"usage":{"input_tokens":5,"output_tokens":5},"message":{"usage":{"input_tokens":5}}},"message":{"role":"user"}}`), ""},
		{"behaviour 41: a usage object in a tool call's input", one(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","input":{"usage":{"input_tokens":5}}}]}}`), ""},
		{"usage at the top of an assistant row is not the message's", one(`{"type":"assistant","usage":{"input_tokens":5},"message":{"id":"m1"}}`), ""},
		{"keys in another order and spaced", one(`{ "timestamp" : "2026-09-08T10:00:00Z", "message" : { "usage" : { "output_tokens" : 4 , "input_tokens" : 3 } , "id" : "m1" } , "sessionId" : "s" , "type" : "assistant" }`), "3/0/0/0/4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, note := fold(tt.files, nil)
			if got := brief(events); got != tt.want || note.SkippedLines != 0 {
				t.Errorf("events = %s (skipped %d), want %s", got, note.SkippedLines, tt.want)
			}
		})
	}
}

func TestReportFourByMessageID(t *testing.T) {
	var lines []string
	for i := range 368 {
		lines = append(lines, row{id: fmt.Sprintf("m%d", i%171), in: 100, out: 9}.line())
	}
	events, _ := fold([]*transcript.File{file(t, "p/s1.jsonl", lines...)}, nil)
	if len(events) != 171 {
		t.Errorf("%d events, want 171", len(events))
	}
}

func TestTimeAndSessionAreTheEarliestRows(t *testing.T) {
	a := file(t, "p/a.jsonl", row{id: "m1", req: "r1", session: "a", ts: "2026-09-08T00:00:01.000Z", in: 3, out: 159, stop: true}.line())
	b := file(t, "p/b.jsonl", row{id: "m1", req: "r1", session: "b", ts: "2026-09-07T23:59:59.500Z", in: 3, out: 9}.line())
	events, _ := fold([]*transcript.File{a, b}, nil)
	e := events[0]
	if e.TS != "2026-09-07T23:59:59.500Z" || e.Session != "b" || e.Output != 159 || e.Source.Path != "p/b.jsonl" || fmt.Sprint(e.Copies) != "[0]" {
		t.Errorf("event = %+v", e)
	}
}

func TestPlaceholderAndSpeed(t *testing.T) {
	for _, tt := range []struct {
		name        string
		lines       []string
		placeholder bool
		speed       string
	}{
		{"report 7: no stop reason, few output tokens", []string{row{id: "m1", in: 3, out: 6}.line()}, true, ""},
		{"a stop reason in any row", []string{row{id: "m1", in: 3, out: 6}.line(), row{id: "m1", in: 3, out: 6, stop: true}.line()}, false, ""},
		{"more output than a placeholder", []string{row{id: "m1", in: 3, out: 11}.line()}, false, ""},
		{"report 37: fast", []string{row{id: "m1", in: 3, out: 11, usageMore: `,"speed":"fast"`}.line()}, false, "fast"},
		{"standard is the default", []string{row{id: "m1", in: 3, out: 11, usageMore: `,"speed":"standard"`}.line()}, false, ""},
		{"equal rows: the one with a speed", []string{row{id: "m1", in: 3, out: 11, usageMore: `,"speed":"fast"`}.line(), row{id: "m1", in: 3, out: 11}.line()}, false, "fast"},
	} {
		events, _ := fold([]*transcript.File{file(t, "p/s1.jsonl", tt.lines...)}, nil)
		if len(events) != 1 || events[0].Placeholder != tt.placeholder || events[0].Speed != tt.speed {
			t.Errorf("%s: %+v, want placeholder %v, speed %q", tt.name, events, tt.placeholder, tt.speed)
		}
	}
}

func TestBrokenLines(t *testing.T) {
	a, b := row{id: "m1", in: 3, out: 9}.line(), row{id: "m2", in: 4, out: 9}.line()
	for _, tt := range []struct {
		name, text string
		want       string
		skipped    int64
	}{
		{"BOM", "\ufeff" + a + "\n", "3/0/0/0/9", 0},
		{"CRLF", a + "\r\n" + b + "\r\n", "3/0/0/0/9 4/0/0/0/9", 0},
		{"blank lines", "\n  \n" + a + "\n\n", "3/0/0/0/9", 0},
		{"run of NUL before a row", "\x00\x00\x00" + a + "\n", "3/0/0/0/9", 0},
		{"NUL inside the needle", strings.Replace(a, `"usage":{"input`, "\"us\x00\x00age\":{\"input", 1) + "\n", "3/0/0/0/9", 0},
		{"splice", a + b + "\n", "3/0/0/0/9 4/0/0/0/9", 0},
		{"splice with a torn end", a + b[:40] + "\n" + b + "\n", "3/0/0/0/9 4/0/0/0/9", 1},
		{"torn line", a[:100] + "\n" + b + "\n", "4/0/0/0/9", 1},
		{"torn line joined by the next record", a[:100] + b + "\n" + b + "\n", "4/0/0/0/9", 1},
		{"no JSON", "hello\n" + a + "\n", "3/0/0/0/9", 1},
		{"behaviour 33: last line without newline", a + "\n" + b, "3/0/0/0/9 4/0/0/0/9", 0},
		{"last line torn", a + "\n" + b[:50], "3/0/0/0/9", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, note := fold([]*transcript.File{scanText(t, "p/s1.jsonl", tt.text)}, nil)
			if got := brief(events); got != tt.want || note.SkippedLines != tt.skipped {
				t.Errorf("events = %s, skipped %d, want %s, %d", got, note.SkippedLines, tt.want, tt.skipped)
			}
		})
	}
}

func TestReport14HugeLine(t *testing.T) {
	huge := `{"type":"file-history-snapshot","snapshot":"` + strings.Repeat("x", 3<<20) + `"}`
	f := scanText(t, "p/s1.jsonl", huge+"\n"+row{id: "m1", in: 3, out: 9}.line()+"\n"+huge+"\n")
	events, note := fold([]*transcript.File{f}, nil)
	if brief(events) != "3/0/0/0/9" || events[0].Source.Line != 2 || note.SkippedLines != 0 || f.End.Line != 3 || f.End.Offset != note.Bytes {
		t.Errorf("events = %+v, note %+v, end %+v", events, note, f.End)
	}
}

func TestAgentNamesInFileNames(t *testing.T) {
	for _, tt := range []struct{ path, agent, lead string }{
		{"p/s1.jsonl", "", ""},
		{"p/s1/subagents/agent-aclaude-worker-reverify-r1-0123abc.jsonl", "claude-worker-reverify-r1", "s1"},
		{"p/s1/subagents/agent-a2271d1.jsonl", "", "s1"},
		{"p/s1/subagents/workflows/wf_1/agent-ascope-b-worker-abcdef.jsonl", "scope-b-worker", "s1"},
		{"p/agent-ascope-worker-abcdef12.jsonl.zst", "scope-worker", ""},
		{"p/agent-ascope-worker-xyz.jsonl", "", ""},
		{"/h/projects/-w/s1/subagents/agent-ascope-worker-abcdef/subagents/agent-a2271d1.jsonl", "", "s1"},
		{"/x/subagents/h/projects/-w/s1.jsonl", "", ""},
		{"/x/subagents/h/projects/-w/s1/subagents/agent-a2271d1.jsonl", "", "s1"},
		{"/projects/x/y/subagents/h/projects/-w/group/s1/subagents/agent-a2271d1.jsonl", "", "s1"},
	} {
		if got := AgentOfFile(tt.path); got != tt.agent {
			t.Errorf("AgentOfFile(%q) = %q, want %q", tt.path, got, tt.agent)
		}
		if got := LeadOfFile(tt.path); got != tt.lead {
			t.Errorf("LeadOfFile(%q) = %q, want %q", tt.path, got, tt.lead)
		}
	}
}

func TestAnAgentsOwnAgentsLieInItsFolder(t *testing.T) {
	const lead = "/h/projects/-w/s1/subagents/"
	for path, want := range map[string]string{
		lead + "agent-a2271d1.jsonl":                                                              "[]",
		lead + "agent-ascope-worker-abcdef/subagents/agent-a2271d1.jsonl":                         "[scope-worker]",
		lead + "ascope-worker-abcdef/subagents/agent-a2271d1.jsonl":                               "[scope-worker]",
		lead + "workflows/wf_1/agent-a2271d1.jsonl":                                               "[]",
		lead + "agent-aone-abcdef/subagents/agent-atwo-abcdef/subagents/agent-athree-abcde.jsonl": "[two one]",
	} {
		if got := fmt.Sprint(AgentsAbove(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestAgentsAreNamedByTheirFiles(t *testing.T) {
	for path, want := range map[string]string{
		"/p/s/subagents/agent-ascope-worker-0a1b2c3.jsonl": "scope-worker",
		"/p/agent-aclaude-worker-002-abcdef.jsonl.zst":     "claude-worker-002",
		"/p/agent-a2271d1.jsonl":                           "",
		"/p/agent-a-abcdef.jsonl":                          "",
		"/p/agent-a--abcdef.jsonl":                         "-",
		"/p/agent-ascope-abcde.jsonl":                      "",
		"/p/agent-ascope-ABCDEF.jsonl":                     "",
		"/p/agent-ascope-abcdef-.jsonl":                    "",
		"/p/agent-bscope-abcdef.jsonl":                     "",
		"/p/agent-atwo\nlines-abcdef.jsonl":                "",
		"/p/11111111-1111-4111-8111-111111111111.jsonl":    "",
	} {
		if got := AgentOfFile(path); got != want {
			t.Errorf("AgentOfFile(%q) = %q, want %q", path, got, want)
		}
	}
}
