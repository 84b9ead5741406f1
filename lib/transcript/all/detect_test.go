package all_test

import (
	"strings"
	"testing"

	"okstra/lib/transcript/all"
)

// A file is its writer's wherever it lies: folders of a home's path say nothing.
func TestFilesAreRecognisedWhereverTheyLie(t *testing.T) {
	const row = `{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"u1","message":{"content":"projectHash"}}` + "\n"
	const header = `{"sessionId":"s1","projectHash":"h","startTime":"2026-09-08T10:00:00Z"}` + "\n"
	for _, tt := range []struct{ path, head, want string }{
		{"/x/chats/h/.claude/projects/-w/s.jsonl", row, "claude/3"},
		{"/x/chats/s.jsonl", row, "claude/3"},
		{"/x/chats/s.jsonl", `{"type":"summary","summary":"` + strings.Repeat("x", 5000), "gemini/1"},
		{"/x/chats/h/.claude/projects/-w/s.jsonl", `{"type":"summary","summary":"` + strings.Repeat("x", 5000), "claude/3"},
		{"/x/chats/s.jsonl", "torn\n" + row, "claude/3"},
		{"/x/chats/h/sessions/other.jsonl", `{"timestamp":"","type":"session_meta","payload":{}}`, "codex/"},
		{"/h/.gemini/tmp/w/chats/0123/abc.jsonl", header, "gemini/1"},
		{"/elsewhere/abc.jsonl", "\ufeff" + header, "gemini/1"},
		{"/elsewhere/abc.jsonl", `{"id":"1","type":"gemini","content":""}`, "gemini/1"},
		{"/elsewhere/abc.json", "{\n  \"sessionId\": \"s1\",\n  \"messages\": []", "gemini/1"},
		{"/x/chats/h/.claude/projects/-w/sessions-index.json", `{"version":1,"entries":[]}`, ""},
		{"/x/chats/session-2026-09-08T10-00-0123abcd.json", "", "gemini/1"},
		{"/x/chats/notes.txt", header, ""},
		{"/x/session_x/h/.kimi/sessions/0123/s1/wire.jsonl", "", "kimi/1"},
		{"/x/session_x/h/.kimi-code/sessions/wd_w_0123456789ab/session_s1/agents/main/wire.jsonl", "", "kimi-code/3"},
	} {
		got := ""
		if r := all.Detect(tt.path, []byte(tt.head)[:min(len(tt.head), 4096)]); r != nil {
			got = r.Version
		}
		if got != tt.want && (!strings.HasSuffix(tt.want, "/") || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %q, want %q", tt.path, got, tt.want)
		}
	}
}
