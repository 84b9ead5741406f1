package kimicode

import (
	"strings"
	"testing"

	"okstra/lib/transcript"
)

const path = "/h/.kimi-code/sessions/wd_jobs_0123456789ab/session_s-1/agents/main/wire.jsonl"

func fold1(t *testing.T, files map[string]string) []transcript.Event {
	t.Helper()
	var list []*transcript.File
	for name, text := range files {
		f := &transcript.File{Provider: Provider, Path: name}
		if err := Reader.Scan(strings.NewReader(text), f, new(transcript.Scratch)); err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	events, _ := Reader.Fold(list, nil)
	return events
}

func usage(scope string) string {
	return `{"type":"usage.record","agentId":"main","model":"kimi-k3","usage":{"inputOther":100,"output":10,"inputCacheRead":7,"inputCacheCreation":3},` + scope + `"time":1788861909123}` + "\n"
}

func TestOnlyTheRecordCountsOfThreeCopies(t *testing.T) {
	text := usage(`"usageScope":"turn",`) +
		`{"type":"context.append_loop_event","event":{"type":"step.end","usage":{"inputOther":100,"output":10}}}` + "\n" +
		`{"type":"agent.message.appended","message":{"meta":{"usage":{"inputOther":100,"output":10}}}}` + "\n" +
		`{"type":"tool.call","args":{"type":"usage.record","usage":{"inputOther":5,"output":5}}}` + "\n"
	events := fold1(t, map[string]string{path: text})
	if len(events) != 1 {
		t.Fatalf("%d events, want 1: %+v", len(events), events)
	}
	want := transcript.Counts{Input: 100, CacheRead: 7, CacheWrite5m: 3, Output: 10}
	if e := events[0]; e.Counts != want || e.Session != "s-1" || e.TS != "2026-09-08T10:05:09.123Z" || e.Model != "kimi-k3" {
		t.Errorf("event %+v, want counts %+v of session s-1", e, want)
	}
}

func TestPublicReport40SessionScopeIsCumulative(t *testing.T) {
	text := usage(`"usageScope":"turn",`) + usage(`"usageScope":"session",`) + usage(``)
	if events := fold1(t, map[string]string{path: text}); len(events) != 1 {
		t.Errorf("%d events, want 1: session scope is a running total and equal records are one", len(events))
	}
}

func TestCopiesInAForkCountOnce(t *testing.T) {
	other := strings.Replace(path, "s-1", "s-2", 1)
	if events := fold1(t, map[string]string{path: usage(``), other: usage(``)}); len(events) != 1 {
		t.Errorf("%d events, want 1", len(events))
	}
}

func TestRecordsWithoutATimeAreEachTheirOwn(t *testing.T) {
	line := `{"type":"usage.record","model":"kimi-k3","usage":{"inputOther":1,"output":1}}` + "\n"
	if events := fold1(t, map[string]string{path: line + line}); len(events) != 2 {
		t.Errorf("%d events, want 2", len(events))
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(usage(`"usageScope":"turn",`)))
	f.Add([]byte(`{"type":"usage.record","usage":{"inputOther":-1}}{"type":"usage.record","usage":null}`))
	f.Add([]byte("\xef\xbb\xbf" + usage(``) + "torn {"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := &transcript.File{Provider: Provider, Path: path}
		if err := Reader.Scan(strings.NewReader(string(text)), file, new(transcript.Scratch)); err != nil {
			t.Fatal(err)
		}
		events, _ := Reader.Fold([]*transcript.File{file}, nil)
		for _, e := range events {
			if e.Total() < 0 || e.Input < 0 || e.Output < 0 {
				t.Fatalf("negative counts: %+v", e)
			}
		}
	})
}

// A home may lie below a folder that is called like a session.
func TestTheSessionIsTheOneNearestToTheFile(t *testing.T) {
	for name, want := range map[string]string{
		path:                           "s-1",
		"/x/session_x/home" + path:     "s-1",
		"/x/session_x/agents/y" + path: "s-1",
		"/x/session_x/home/wire.jsonl": "",
	} {
		if got := SessionOfFile(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
