package grok

import (
	"fmt"
	"strings"
	"testing"

	"okstra/lib/transcript"
)

func file(t testing.TB, session string, lines ...string) *transcript.File {
	t.Helper()
	f := &transcript.File{Provider: Provider, Path: "sessions/%2Fw%2Fjobs/" + session + "/updates.jsonl"}
	if err := scan(strings.NewReader(strings.Join(lines, "\n")+"\n"), f, new(transcript.Scratch)); err != nil {
		t.Fatal(err)
	}
	return f
}

// turn is a prompt of in tokens in and one token out, at a second of the day.
func turn(id string, second, in int) string {
	return line(id, second, second, fmt.Sprintf(`"inputTokens":%d,"outputTokens":1,"cachedReadTokens":0,"totalTokens":%d,"modelCalls":2,"modelUsage":{"grok-4.7":{"inputTokens":%d,"outputTokens":1,"modelCalls":2}}`, in, in+1, in))
}

func line(id string, envelope, agent int, usage string) string {
	return fmt.Sprintf(`{"timestamp":%d,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"turn_completed","prompt_id":"%s","usage":{%s}},"_meta":{"eventId":"e-%s","agentTimestampMs":%d,"totalTokens":999999}}}`,
		1788861600+envelope, id, usage, id, (1788861600+agent)*1000)
}

func total(events []transcript.Event) (n int64) {
	for _, e := range events {
		n += e.Total()
	}
	return n
}

func TestReport32RecordsAreSummed(t *testing.T) {
	events, _ := fold([]*transcript.File{file(t, "s", turn("p1", 1, 9999), turn("p2", 2, 11999), turn("p3", 3, 14999))}, nil)
	if got := total(events); got != 37000 || len(events) != 3 {
		t.Errorf("behaviour 10: %d tokens in %d events, want 37000 in 3", got, len(events))
	}
	e := events[0]
	if e.Model != "grok-4.7" || e.TS != "2026-09-08T10:00:01.000Z" || e.CWD != "/w/jobs" || e.Calls != 2 || e.Incomplete {
		t.Errorf("event = %+v", e)
	}
}

func TestBuckets(t *testing.T) {
	for _, tt := range []struct {
		name, usage, want string
	}{
		{"cached and created lie inside the input", `"inputTokens":9216,"outputTokens":154,"cachedReadTokens":6814,"cacheCreationTokens":2,"reasoningTokens":26`, "current 2400/6814/2/154/26 "},
		{"cached beyond the input", `"inputTokens":10,"cachedReadTokens":20,"outputTokens":1`, "current 0/10/0/1/0 "},
		{"models and the rest", `"inputTokens":100,"outputTokens":10,"modelUsage":{"a":{"inputTokens":60,"outputTokens":4},"b":{"inputTokens":30,"outputTokens":6}}`, "a 60/0/0/4/0 b 30/0/0/6/0 current 10/0/0/0/0 incomplete "},
		{"report 33: occupancy is no use", `"totalTokens":5`, ""},
		{"incomplete by its own word", `"inputTokens":3,"usageIsIncomplete":true`, "current 3/0/0/0/0 incomplete "},
	} {
		f := file(t, "s", line("p1", 1, 1, tt.usage))
		f.Model = "current"
		events, _ := fold([]*transcript.File{f}, nil)
		var got strings.Builder
		for _, e := range events {
			got.WriteString(fmt.Sprintf("%s %d/%d/%d/%d/%d ", e.Model, e.Input, e.CacheRead, e.CacheWrite5m, e.Output, e.Reasoning))
			if e.Incomplete {
				got.WriteString("incomplete ")
			}
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}

func TestReport34ForkCopiesCountOnceForTheOriginal(t *testing.T) {
	fork := file(t, "a-fork", line("p1", 100, 1, `"inputTokens":5`), line("p2", 101, 101, `"inputTokens":7`))
	original := file(t, "b-original", line("p1", 1, 1, `"inputTokens":5`))
	events, _ := fold([]*transcript.File{fork, original}, nil)
	if len(events) != 2 || total(events) != 12 || events[1].File != 1 || fmt.Sprint(events[1].Copies) != "[0]" {
		t.Errorf("events = %+v", events)
	}
}

func TestSubAgentsAreInTheParentsRecord(t *testing.T) {
	child := func() *transcript.File {
		f := file(t, "child", turn("c1", 5, 99))
		f.Child, f.Parent = true, "parent"
		return f
	}
	for _, tt := range []struct {
		name  string
		files []*transcript.File
		want  int64
	}{
		{"the parent wrote its record after it", []*transcript.File{child(), file(t, "parent", turn("p1", 9, 499))}, 500},
		{"behaviour 39: the parent was killed before it wrote", []*transcript.File{child(), file(t, "parent", turn("p1", 2, 499))}, 600},
		{"behaviour 39: the parent is gone", []*transcript.File{child()}, 100},
	} {
		events, _ := fold(tt.files, nil)
		if got := total(events); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Some records state no time of the agent's, and the envelope's with a fraction.
func TestAnEnvelopesTimeMayHaveAFraction(t *testing.T) {
	for timestamp, want := range map[string]string{
		"1789000000": "2026-09-10T00:26:40.000Z", "1789000000.125": "2026-09-10T00:26:40.125Z", "1789000000.9999": "2026-09-10T00:26:41.000Z",
		"-1.5": "", "0.0001": "", "1e300": "", `"1789000000"`: "",
	} {
		record := `{"timestamp":` + timestamp + `,"params":{"sessionId":"s","update":{"sessionUpdate":"turn_completed","prompt_id":"p","usage":{"inputTokens":4}}}}`
		events, _ := fold([]*transcript.File{file(t, "s", record)}, nil)
		if len(events) != 1 || events[0].TS != want {
			t.Errorf("%s: %+v, want one event at %q", timestamp, events, want)
		}
	}
}

func TestFailedTurnHasNoUsage(t *testing.T) {
	f := file(t, "s", `{"timestamp":1788861600,"params":{"update":{"sessionUpdate":"turn_completed","prompt_id":"p"}}}`, `{"timestamp":1788861600,"params":{"update":{"sessionUpdate":"tool_call","content":"turn_completed","usage":{"inputTokens":5}}}}`)
	if events, _ := fold([]*transcript.File{f}, nil); len(events) != 0 {
		t.Errorf("events = %+v", events)
	}
}

func FuzzScan(f *testing.F) {
	f.Add(turn("p1", 1, 10))
	f.Add(line("", 1, 1, `"inputTokens":-1,"modelUsage":{"a":{"inputTokens":1},"a":null}`) + line("p", 2, 2, `"inputTokens":3`))
	f.Fuzz(func(t *testing.T, text string) {
		events, _ := fold([]*transcript.File{file(t, "s", text)}, nil)
		for _, e := range events {
			if e.Input < 0 || e.CacheRead < 0 || e.CacheWrite5m < 0 || e.Output < 0 || e.Total() == 0 {
				t.Errorf("event %+v", e)
			}
		}
	})
}
