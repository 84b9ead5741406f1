package evidence

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"okstra/lib/transcript"
)

const claudeText = `{"type":"user","timestamp":"2026-09-08T19:31:00Z","message":{"role":"user","content":"PROGRESS: phase-1-intake quoted in a prompt"}}
{"type":"assistant","uuid":"a","timestamp":"2026-09-08T19:31:01.250Z","message":{"role":"assistant","content":[{"type":"text","text":"Reading.\nPROGRESS: phase-1-intake reading task bundle\n  PROGRESS: phase-2-plan indented\n"},{"type":"tool_use","input":{"command":"PROGRESS: phase-3-team x"}}]}}
{"type":"assistant","uuid":"a","timestamp":"2026-09-08T19:31:01.250Z","message":{"role":"assistant","content":[{"type":"text","text":"PROGRESS: phase-1-intake the same row again"}]}}
not JSON
{"type":"assistant","isSidechain":true,"timestamp":"2026-09-08T19:32:00Z","message":{"role":"assistant","content":"PROGRESS: phase-2-plan of a sub-agent"}}
{"type":"user","timestamp":"2026-09-08T19:32:01Z","message":{"role":"user","content":[{"type":"tool_result","content":"PROGRESS: phase-2-plan from a tool"}]}}
{"type":"assistant","timestamp":"2026-09-08T19:33:00Z","message":{"role":"assistant","content":"PROGRESS:phase-2-plan\n~~~\nPROGRESS: phase-3-team in a fence\n~~~\nPROGRESS: phase-3-team after it"}}
`

const codexText = `{"timestamp":"2026-09-08T19:31:00Z","type":"session_meta","payload":{"id":"x"}}
{"timestamp":"2026-09-08T19:31:01Z","type":"event_msg","payload":{"type":"agent_message","message":"PROGRESS: phase-1-intake reading"}}
{"timestamp":"2026-09-08T19:31:01Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"PROGRESS: phase-1-intake reading"}]}}
{"timestamp":"2026-09-08T19:31:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"PROGRESS: phase-2-plan quoted"}]}}
{"timestamp":"2026-09-08T19:31:03Z","type":"response_item","payload":{"type":"function_call_output","output":"PROGRESS: phase-2-plan printed"}}
`

func texts(markers []Marker) []string {
	out := []string{}
	for _, m := range markers {
		out = append(out, m.Text)
	}
	return out
}

func TestOnlyTheLeadsOwnLinesCount(t *testing.T) {
	for _, tt := range []struct {
		name, provider, text string
		want                 []string
	}{
		{"claude", "claude", claudeText, []string{"PROGRESS: phase-1-intake reading task bundle", "PROGRESS:phase-2-plan", "PROGRESS: phase-3-team after it"}},
		{"codex tells each message twice", "codex", codexText, []string{"PROGRESS: phase-1-intake reading"}},
		{"codex without items", "codex", strings.Split(codexText, "\n")[1], []string{"PROGRESS: phase-1-intake reading"}},
		{"a provider that cannot be read", "kimi", codexText, []string{}},
		{"empty", "claude", "", []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tt.text), "t", tt.provider)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, texts(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAMarkerHasItsTimeAndItsLine(t *testing.T) {
	got, err := Read(strings.NewReader(claudeText), "t", "claude")
	if err != nil || len(got) == 0 {
		t.Fatal(got, err)
	}
	if got[0].Line != 2 || !got[0].At.Equal(time.Date(2026, 9, 8, 19, 31, 1, 250e6, time.UTC)) {
		t.Errorf("%+v", got[0])
	}
}

func TestAWindowIsClosedAtBothEnds(t *testing.T) {
	at := time.Date(2026, 9, 8, 19, 0, 0, 0, time.UTC)
	w := Window{at, at.Add(time.Hour)}
	for _, tt := range []struct {
		at   time.Time
		want bool
	}{{at, true}, {at.Add(time.Hour), true}, {at.Add(-1), false}, {at.Add(time.Hour + 1), false}, {time.Time{}, false}} {
		if got := w.Holds(tt.at); got != tt.want {
			t.Errorf("Holds(%s) = %v", tt.at, got)
		}
	}
	if !(Window{Since: at}).Holds(at.Add(1e6 * time.Hour)) {
		t.Error("a window without an end ends")
	}
}

func TestSessionsAreFoundByTheirId(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".claude/projects/-srv-shop/s-1.jsonl", ".claude/projects/-srv-shop/s-2.jsonl", ".claude/projects/-srv-shop/s-10.jsonl", ".claude/projects/-srv-shop/as-1.jsonl", ".codex/sessions/2026/09/08/rollout-2026-09-08T19-s-10.jsonl", ".codex/sessions/2026/09/08/rollout-2026-09-08T19-s-1.jsonl"} {
		write(t, filepath.Join(dir, name), nil)
	}
	home := transcript.Home{Dir: dir}
	for provider, want := range map[string]string{"claude": "-srv-shop/s-1.jsonl", "codex": "rollout-2026-09-08T19-s-1.jsonl"} {
		if got := Find(home, provider, "s-1"); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("%s: %v", provider, got)
		}
	}
	if got := Find(home, "claude", ""); got != nil {
		t.Errorf("no session id finds %v", got)
	}
}

// A rollout may be packed, archived or lie behind a link; it speaks once.
func TestAMovedTranscriptIsFoundOnce(t *testing.T) {
	name := "rollout-2026-09-08T19-29-00-s-1.jsonl"
	sessions, archive := ".codex/sessions/2026/09/08/"+name, ".codex/archived_sessions/"+name
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"packed", []string{sessions + ".zst"}, sessions + ".zst"},
		{"plain beside packed", []string{sessions, sessions + ".zst"}, sessions},
		{"packed, and plain in the archive", []string{sessions + ".zst", archive}, archive},
		{"live and archived", []string{archive, sessions}, sessions},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			for _, file := range tt.files {
				write(t, filepath.Join(home, file), nil)
			}
			want := []string{filepath.Join(home, tt.want)}
			if diff := cmp.Diff(want, Find(transcript.Home{Dir: home}, "codex", "s-1")); diff != "" {
				t.Error(diff)
			}
			linked := t.TempDir()
			if err := os.Symlink(filepath.Join(home, ".codex"), filepath.Join(linked, ".codex")); err != nil {
				t.Fatal(err)
			}
			if got := Find(transcript.Home{Dir: linked}, "codex", "s-1"); len(got) != 1 || got[0] != filepath.Join(linked, tt.want) {
				t.Errorf("behind a link: %v", got)
			}
		})
	}
	loop := t.TempDir()
	write(t, filepath.Join(loop, sessions), nil)
	if err := os.Symlink(loop, filepath.Join(loop, ".codex/sessions/round")); err != nil {
		t.Fatal(err)
	}
	if got := Find(transcript.Home{Dir: loop}, "codex", "s-1"); len(got) != 1 {
		t.Errorf("in a circle: %v", got)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAPackedTranscriptIsRead(t *testing.T) {
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(codexText)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := packed.Bytes()
	got, err := Read(bytes.NewReader(whole), "t.jsonl.zst", "codex")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"PROGRESS: phase-1-intake reading"}, texts(got)); diff != "" {
		t.Error(diff)
	}
	for _, broken := range [][]byte{whole[:len(whole)-3], []byte(codexText)} {
		if _, err := Read(bytes.NewReader(broken), "t.jsonl.zst", "codex"); err == nil {
			t.Error("a broken archive is read without an error")
		}
	}
}

// failing breaks off where a disk would.
type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("disk failure")
	}
	return n, err
}

func TestAReadErrorIsTold(t *testing.T) {
	got, err := Read(failing{strings.NewReader(claudeText)}, "t", "claude")
	if err == nil || len(got) == 0 {
		t.Errorf("%d markers, error %v (expected what was read, and the error)", len(got), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(claudeText, "claude")
	f.Add(codexText, "codex")
	f.Add("```\nPROGRESS: phase-1-intake\n", "claude")
	f.Fuzz(func(t *testing.T, text, provider string) {
		markers, err := Read(strings.NewReader(text), "t", provider)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range markers {
			if !strings.HasPrefix(m.Text, "PROGRESS:") || strings.Contains(m.Text, "\n") || m.Line < 1 {
				t.Errorf("%+v", m)
			}
		}
		Lines(text)
	})
}
