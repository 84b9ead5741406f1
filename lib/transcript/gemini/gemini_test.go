package gemini

import (
	"fmt"
	"strings"
	"testing"

	"okstra/lib/transcript"
)

func read(t testing.TB, texts ...string) ([]transcript.Event, transcript.Note) {
	t.Helper()
	var files []*transcript.File
	for i, text := range texts {
		f := &transcript.File{Provider: Provider, Path: fmt.Sprintf("tmp/jobs/chats/session-%d.jsonl", i)}
		if err := scan(strings.NewReader(text), f, new(transcript.Scratch)); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fold(files, nil)
}

func brief(events []transcript.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d/%d/%d/%d@%d ", e.Input, e.CacheRead, e.Output, e.Reasoning, e.Source.Line)
	}
	return strings.TrimSpace(b.String())
}

const (
	header  = `{"sessionId":"s1","projectHash":"h","startTime":"2026-09-08T10:00:00.000Z"}` + "\n"
	message = `{"id":"m1","timestamp":"2026-09-08T10:00:01.000Z","type":"gemini","content":"ok","model":"gemini-3.1-pro","tokens":{"input":4608,"output":77,"cached":3407,"thoughts":13,"tool":5,"total":4703}}`
)

func TestChats(t *testing.T) {
	early := strings.Replace(message, `"tokens":{`, `"tokens":null,"x":{`, 1)
	for _, tt := range []struct{ name, text, want string }{
		{"lines", header + message + "\n", "1206/3407/90/13@2"},
		{"report 39: the same id again, the last tokens win", header + strings.Replace(message, `"output":77`, `"output":7`, 1) + "\n" + message + "\n", "1206/3407/90/13@2"},
		{"tokens arrive later", header + early + "\n" + message + "\n", "1206/3407/90/13@2"},
		{"tokens once there are not taken away", header + message + "\n" + early + "\n", "1206/3407/90/13@2"},
		{"a patch repeats the messages", header + message + "\n" + `{"$set":{"messages":[` + message + `]}}` + "\n", "1206/3407/90/13@2"},
		{"a rewound message was paid for", header + message + "\n" + `{"$rewindTo":"m0"}` + "\n", "1206/3407/90/13@2"},
		{"report 38: the old form, one object", "{\"sessionId\":\"s1\",\n\"messages\":[{\"id\":\"m0\",\"type\":\"user\"},\n" + message + "\n]}", "1206/3407/90/13@3"},
		{"cached beyond input", header + `{"id":"m1","type":"gemini","tokens":{"input":10,"cached":20,"output":1}}` + "\n", "0/10/1/0@2"},
		{"no id", header + `{"type":"gemini","tokens":{"input":1}}` + "\n" + `{"type":"gemini","tokens":{"input":1}}` + "\n", "1/0/0/0@2 1/0/0/0@3"},
		{"other types", header + strings.Replace(message, `"type":"gemini"`, `"type":"info"`, 1) + "\n", ""},
		{"tokens in a tool call", header + `{"id":"m1","type":"gemini","toolCalls":[{"tokens":{"input":5}}]}` + "\n", ""},
		{"all zero", header + `{"id":"m1","type":"gemini","tokens":{"input":0}}` + "\n", ""},
	} {
		events, note := read(t, tt.text)
		if got := brief(events); got != tt.want || note.SkippedLines != 0 {
			t.Errorf("%s: %s (skipped %d), want %s", tt.name, got, note.SkippedLines, tt.want)
		}
	}
}

func TestMessageInBothFormsCountsOnce(t *testing.T) {
	events, _ := read(t, header+message+"\n", `{"sessionId":"s1","messages":[`+message+`]}`)
	if len(events) != 1 || events[0].Session != "s1" || events[0].TS != "2026-09-08T10:00:01.000Z" {
		t.Errorf("events = %+v", events)
	}
}

func TestBrokenLinesAreCounted(t *testing.T) {
	events, note := read(t, header+message[:60]+"\n"+message+"\n")
	if len(events) != 1 || note.SkippedLines != 1 {
		t.Errorf("%d events, %d skipped, want 1 and 1", len(events), note.SkippedLines)
	}
}

func FuzzScan(f *testing.F) {
	f.Add(header + message + "\n")
	f.Add(`{"sessionId":"s1","messages":[` + message + `]}`)
	f.Add(`{"$set":{"messages":[` + message + `,null,7]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		events, _ := read(t, text)
		for _, e := range events {
			if e.Input < 0 || e.CacheRead < 0 || e.Output < 0 || e.Reasoning < 0 || e.Total() == 0 {
				t.Errorf("event %+v", e)
			}
		}
	})
}
