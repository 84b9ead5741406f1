package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"okstra/lib/transcript"
)

func rolloutText(thread string, in int) string {
	return strings.NewReplacer("THREAD", thread, "IN", strings.Repeat("1", in)).Replace(
		`{"timestamp":"2026-09-08T10:00:00Z","type":"session_meta","payload":{"id":"THREAD","timestamp":"2026-09-08T10:00:00Z","cwd":"/w"}}` + "\n" +
			`{"timestamp":"2026-09-08T10:00:01Z","type":"turn_context","payload":{"model":"gpt-5.6-sol"}}` + "\n" +
			`{"timestamp":"2026-09-08T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":IN,"output_tokens":1,"total_tokens":0}}}}` + "\n")
}

const (
	thread  = "0199aa10-0000-7000-8000-000000000001"
	rollout = "rollout-2026-09-08T10-00-00-" + thread + ".jsonl"
)

func packed(t *testing.T, text string) []byte {
	zip, err := zstd.NewWriter(nil)
	must(t, err)
	return zip.EncodeAll([]byte(text), nil)
}

func TestReport31PackedRolloutsAreReadAndThePlainOneWins(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // the input of the only event
	}{
		{"packed only", map[string]string{"sessions/2026/09/08/" + rollout + ".zst": rolloutText(thread, 1)}, `"input":1,`},
		{"plain beside packed", map[string]string{
			"sessions/2026/09/08/" + rollout + ".zst": rolloutText(thread, 1), "sessions/2026/09/08/" + rollout: rolloutText(thread, 2),
		}, `"input":11,`},
		{"live before archived", map[string]string{
			"archived_sessions/" + rollout: rolloutText(thread, 1), "sessions/2026/09/08/" + rollout: rolloutText(thread, 3),
		}, `"input":111,`},
		{"archived and packed", map[string]string{"archived_sessions/" + rollout + ".zst": rolloutText(thread, 2)}, `"input":11,`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range tt.files {
				content := []byte(text)
				if strings.HasSuffix(name, ".zst") {
					content = packed(t, text)
				}
				w.write(t, ".codex/"+name, content)
			}
			got := w.agree(t, "all", time.Time{})
			if strings.Count(got, `"input"`) != 1 || !strings.Contains(got, tt.want) {
				t.Errorf("want one event with %s:\n%s", tt.want, got)
			}
		})
	}
}

func TestReport31ATornArchiveIsAWarningAndCountsAsFarAsItGoes(t *testing.T) {
	w := newWorld(t)
	whole := packed(t, rolloutText(thread, 1))
	w.write(t, ".codex/sessions/2026/09/08/"+rollout+".zst", whole[:len(whole)-5])
	if got := w.agree(t, "torn", time.Time{}); !strings.Contains(got, "Files:1") {
		t.Errorf("%s", got)
	}
}

func TestReport11SubAgentsAtAnyDepth(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{
		"s1.jsonl", "agent-0123abc.jsonl", "s1/subagents/agent-aw-0123abc.jsonl",
		"s1/subagents/agent-aw-0123abc/subagents/agent-av-0123abd.jsonl", "s1/subagents/workflows/wf_1/agent-au-0123abe.jsonl",
	} {
		w.write(t, ".claude/projects/-w/"+name, []byte(reply("m"+string(rune('a'+i)), 1+i, "10:00:00")+"\n"))
	}
	if got := w.agree(t, "all", time.Time{}); strings.Count(got, `"output"`) != 5 {
		t.Errorf("want five events:\n%s", got)
	}
}

func TestReport38ChatsInBothFormsAtAnyDepth(t *testing.T) {
	w := newWorld(t)
	message := func(id string) string {
		return `{"id":"` + id + `","timestamp":"2026-09-08T10:00:01Z","type":"gemini","tokens":{"input":10}}`
	}
	for name, text := range map[string]string{
		"session-old.json":    `{"sessionId":"old","messages":[` + message("g1") + `]}`,
		"session-new.jsonl":   `{"sessionId":"new"}` + "\n" + message("g1") + "\n",
		"new/sub.jsonl":       `{"sessionId":"sub"}` + "\n" + message("g1") + "\n",
		"new/sub/deeper.json": `{"sessionId":"deeper","messages":[` + message("g1") + `]}`,
	} {
		w.write(t, ".gemini/tmp/w/chats/"+name, []byte(text))
	}
	if got := w.agree(t, "all", time.Time{}); strings.Count(got, `"input":10`) != 4 {
		t.Errorf("want four events:\n%s", got)
	}
}

// Somebody packs files and is interrupted, or keeps both: one is the other.
func TestAPackedTwinIsNotCountedBesideThePlainFile(t *testing.T) {
	w := newWorld(t)
	texts := map[string]string{ // rows without ids, which nothing else would tell apart from work of the same size
		session:                                `{"type":"assistant","timestamp":"2026-09-08T10:00:00Z","message":{"usage":{"input_tokens":5}}}` + "\n",
		".grok/sessions/%2Fw/s1/updates.jsonl": `{"timestamp":1789000009,"params":{"update":{"sessionUpdate":"turn_completed","usage":{"inputTokens":5}}}}` + "\n",
		".kimi-code/sessions/wd_w_0/session_s1/agents/main/wire.jsonl": `{"type":"usage.record","usage":{"inputOther":5}}` + "\n",
	}
	for name, text := range texts {
		w.write(t, name, []byte(text))
		w.write(t, name+".zst", packed(t, text))
	}
	if got := w.agree(t, "both", time.Time{}); strings.Count(got, `"input":5`) != 3 {
		t.Errorf("want three events:\n%s", got)
	}
	for name := range texts {
		must(t, os.Remove(w.path(name)))
	}
	if got := w.agree(t, "packed only", time.Time{}); strings.Count(got, `"input":5`) != 3 {
		t.Errorf("want three events:\n%s", got)
	}
}

func TestOneFileByTwoNamesIsReadOnce(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 1, "10:00:00")+"\n"))
	must(t, os.Symlink(filepath.Dir(w.path(session)), w.path(".claude/projects/-link")))
	must(t, os.Symlink("nowhere", w.path(".claude/projects/dangling.jsonl")))
	must(t, os.Symlink(w.path(".claude/projects"), w.path(".claude/projects/-w/loop")))
	must(t, os.Link(w.path(session), w.path(".claude/projects/-w/s9.jsonl")))
	if got := w.agree(t, "links", time.Time{}); strings.Count(got, "Files:1 ") != 1 {
		t.Errorf("want one file:\n%s", got)
	}
}

// A file is cut at line ends only, whatever the size of a piece, and no byte of
// it is read twice or not at all.
func TestPiecesCoverAFileExactly(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		text.WriteString(`{"n":"` + strings.Repeat("x", i*i%97) + "\"}\n")
	}
	text.WriteString(strings.Repeat("y", 300)) // a last line without its end
	path := filepath.Join(t.TempDir(), "f.jsonl")
	must(t, os.WriteFile(path, []byte(text.String()), 0o600))
	f := found{path: path, size: int64(text.Len()), reader: &transcript.Reader{}}
	for size := int64(1); size < 400; size += 7 {
		pieces, at := f.cut(0, size), int64(0)
		for i, p := range pieces {
			if p.from != at || i < len(pieces)-1 && (p.to <= p.from || text.String()[p.to-1] != '\n') {
				t.Fatalf("size %d: piece %d is %d to %d, want from %d", size, i, p.from, p.to, at)
			}
			at = p.to
		}
		if !(&piece{from: 0, to: at}).whole() {
			t.Fatalf("size %d: the last piece ends at %d", size, at)
		}
	}
}
