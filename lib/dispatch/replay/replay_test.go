package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var moment = time.Date(2026, 9, 8, 20, 0, 1, 500_000_000, time.UTC)

func values() Values {
	return Values{Names: map[string]string{"sessionId": "s-1", "resultPath": "/p/r.md"}, Now: moment}
}

func TestPlaceholders(t *testing.T) {
	for _, tt := range []struct {
		text, want, bad string
	}{
		{"plain", "plain", ""},
		{"${sessionId} and ${resultPath}", "s-1 and /p/r.md", ""},
		{"${now}", "2026-09-08T20:00:01.500Z", ""},
		{"${now-1m30s}", "2026-09-08T19:58:31.500Z", ""},
		{"${now+2h}", "2026-09-08T22:00:01.500Z", ""},
		{"${epochMs}", "1788897601500", ""},
		{"${epochSeconds+500ms}", "1788897602.000", ""},
		{"a $ b } c", "a $ b } c", ""},
		{"${unknown}", "", "unknown placeholder ${unknown}"},
		{"${now+soon}", "", "no duration"},
		{"${open", "", "not closed"},
	} {
		got, err := values().Expand(tt.text)
		if got != tt.want || (err == nil) != (tt.bad == "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
			t.Errorf("Expand(%q) = %q, %v; want %q, %q", tt.text, got, err, tt.want, tt.bad)
		}
	}
}

func TestPlaceholdersInJSONKeepOrderAndNumbers(t *testing.T) {
	in := `{"z": "${sessionId}", "a": ["${epochMs}", 1.50, true, null, "<&>"], "at": "t ${epochMs}", "${sessionId}": {}}`
	want := `{"z":"s-1","a":[1788897601500,1.50,true,null,"<&>"],"at":"t 1788897601500","s-1":{}}`
	got, err := values().JSON(json.RawMessage(in))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("${sessionId}")
	f.Add("${now-1s}${")
	f.Add("$${{}}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := values().Expand(text)
		if err != nil && got != "" {
			t.Errorf("an error came with %q", got)
		}
		if !strings.Contains(text, "${") && (err != nil || got != text) {
			t.Errorf("a text without placeholders became %q, %v", got, err)
		}
	})
}

func TestRecordingsOfAttempts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a-analysis.json":           `{"steps":[]}`,
		"a-analysis.attempt-1.json": `{"as":"codex","steps":[{"exit":1}]}`,
		"b-analysis.json":           `{"steps":[{"exit":1,"hang":true}]}`,
		"c-analysis.json":           `{"steps":`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := folder.Find("a", "analysis", 1); err != nil || r.As != "codex" {
		t.Errorf("attempt 1: %+v, %v", r, err)
	}
	if r, err := folder.Find("a", "analysis", 2); err != nil || r.As != "" {
		t.Errorf("attempt 2: %+v, %v", r, err)
	}
	for worker, want := range map[string]string{"b": "2 things at once", "c": "not JSON", "d": "no recording of worker"} {
		if _, err := folder.Find(worker, "analysis", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("worker %s: %v, want %q", worker, err, want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing folder was opened")
	}
}

func TestPlacesOfTranscripts(t *testing.T) {
	env := map[string]string{"HOME": "/home/u", "CODEX_HOME": "/codex"}
	s := session{env: func(name string) string { return env[name] }, dir: "/srv/my.shop", id: "0199aa10-0001", began: moment}
	for as, want := range map[string]string{
		"claude": "/home/u/.claude/projects/-srv-my-shop/0199aa10-0001.jsonl",
		"codex":  "/codex/sessions/2026/09/08/rollout-2026-09-08T20-00-01-0199aa10-0001.jsonl",
		"grok":   "/home/u/.grok/sessions/%2Fsrv%2Fmy.shop/0199aa10-0001/updates.jsonl",
		"gemini": "/home/u/.gemini/tmp/my.shop/chats/session-2026-09-08T20-00-0199aa10.jsonl",
	} {
		if got := places[as](s); got != want {
			t.Errorf("%s: %q, want %q", as, got, want)
		}
	}
	if got := places["kimi"](s); !strings.HasPrefix(got, "/home/u/.kimi-code/sessions/wd_my.shop_") || !strings.HasSuffix(got, "/session_0199aa10-0001/agents/main/wire.jsonl") {
		t.Errorf("kimi: %q", got)
	}
}

// A partial write, an appended line and an exit status are as recorded.
func TestPlay(t *testing.T) {
	dir := t.TempDir()
	var out, said bytes.Buffer
	p := &Player{
		Stdout: &out, Stderr: &said, Env: func(string) string { return dir }, Now: func() time.Time { return moment },
		Names: map[string]string{"resultPath": filepath.Join(dir, "deep", "r.md"), "workdir": dir, "sessionId": "s-1", "as": "claude"},
	}
	seven := 7
	status, err := p.Play(t.Context(), &Recording{Path: filepath.Join(dir, "x.json"), Steps: []Step{
		{Stdout: json.RawMessage(`{"type":"a","id":"${sessionId}"}`)},
		{Stdout: json.RawMessage(`"text\n"`)},
		{Stderr: "oops\n"},
		{Write: "${resultPath}", Text: "0123456789", Bytes: 4},
		{Write: "${resultPath}", Text: "+", Append: true},
		{Transcript: []json.RawMessage{json.RawMessage(`{"n":1}`)}, TranscriptPath: dir + "/t.jsonl"},
		{Exit: &seven},
		{Stdout: json.RawMessage(`"never"`)},
	}})
	if err != nil || status != 7 {
		t.Fatalf("status %d, %v; want 7", status, err)
	}
	if out.String() != "{\"type\":\"a\",\"id\":\"s-1\"}\ntext\n" || said.String() != "oops\n" {
		t.Errorf("printed %q and %q", out.String(), said.String())
	}
	for name, want := range map[string]string{"deep/r.md": "0123+", "t.jsonl": "{\"n\":1}\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := p.Play(t.Context(), &Recording{Steps: []Step{{Stderr: "${nothing}"}}}); err == nil {
		t.Error("an unknown placeholder was played")
	}
}
