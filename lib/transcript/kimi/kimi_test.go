package kimi

import (
	"fmt"
	"strings"
	"testing"

	"okstra/lib/transcript"
)

func file(t testing.TB, path string, lines ...string) *transcript.File {
	t.Helper()
	f := &transcript.File{Provider: Provider, Path: path}
	if err := scan(strings.NewReader(strings.Join(lines, "\n")+"\n"), f, new(transcript.Scratch)); err != nil {
		t.Fatal(err)
	}
	return f
}

const main = "h/.kimi/sessions/0123456789abcdef0123456789abcdef/s1/wire.jsonl"

func payload(id string, other, out int) string {
	return fmt.Sprintf(`{"context_usage":0.1,"message_id":"%s","token_usage":{"input_other":%d,"output":%d,"input_cache_read":2,"input_cache_creation":1}}`, id, other, out)
}

func status(ts, id string, other, out int) string {
	return fmt.Sprintf(`{"timestamp":%s,"message":{"type":"StatusUpdate","payload":%s}}`, ts, payload(id, other, out))
}

func mirror(ts, id string, other, out int) string {
	return fmt.Sprintf(`{"timestamp":%s,"message":{"type":"SubagentEvent","payload":{"task_tool_call_id":"t","event":{"type":"StatusUpdate","payload":%s}}}}`, ts, payload(id, other, out))
}

func TestUpdates(t *testing.T) {
	child := strings.Replace(main, "s1/", "s1/subagents/a/", 1)
	fork := strings.Replace(main, "s1/", "s2/", 1)
	for _, tt := range []struct {
		name  string
		files []*transcript.File
		want  string
	}{
		{"two replies", []*transcript.File{file(t, main, `{"type":"metadata","protocol_version":"1"}`, status("1788861600.5", "m1", 100, 10), status("1788861601.5", "m2", 7, 3))}, "100/10 7/3 "},
		{"a mirror without the child's file counts", []*transcript.File{file(t, main, status("1788861600.5", "m1", 100, 10), mirror("1788861601.5", "m2", 7, 3))}, "100/10 7/3 "},
		{"mirror and child file count once", []*transcript.File{file(t, main, status("1788861600.5", "m1", 100, 10), mirror("1788861601.5", "m2", 7, 3)), file(t, child, status("1788861601.4", "m2", 7, 3))}, "100/10 7/3 "},
		{"a fork's copy counts once", []*transcript.File{file(t, main, status("1788861600.5", "m1", 100, 10)), file(t, fork, status("1788861600.5", "m1", 100, 10), status("1788861700.5", "m3", 100, 10))}, "100/10 100/10 "},
		{"null: nothing has changed", []*transcript.File{file(t, main, `{"timestamp":1,"message":{"type":"StatusUpdate","payload":{"token_usage":null}}}`)}, ""},
		{"other messages", []*transcript.File{file(t, main, `{"timestamp":1,"message":{"type":"ToolResult","payload":{"token_usage":{"input_other":5}}}}`)}, ""},
	} {
		events, _ := fold(tt.files, nil)
		var got strings.Builder
		for _, e := range events {
			got.WriteString(fmt.Sprintf("%d/%d ", e.Input, e.Output))
			if e.CacheRead != 2 || e.CacheWrite5m != 1 {
				t.Errorf("%s: cache %+v", tt.name, e)
			}
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}

func TestStampMovesDigits(t *testing.T) {
	for raw, want := range map[string]string{
		"1788861909.123": "2026-09-08T10:05:09.123Z", "1788861909": "2026-09-08T10:05:09Z", "1788861909.1234567": "2026-09-08T10:05:09.1234567Z",
		"": "", "-5": "", "1e9": "", `"x"`: "", "null": "", "99999999999999999999": "",
	} {
		if got := stamp([]byte(raw)); got != want {
			t.Errorf("stamp(%s) = %q, want %q", raw, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(status("1.5", "m", 1, 2) + mirror("2", "", 3, 4))
	f.Fuzz(func(t *testing.T, text string) {
		events, _ := fold([]*transcript.File{file(t, main, text)}, nil)
		for _, e := range events {
			if e.Input < 0 || e.Output < 0 || e.Total() == 0 {
				t.Errorf("event %+v", e)
			}
		}
	})
}
