package all_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
	"okstra/lib/usage/scan"
)

// What a scan of whole homes finds, on several cores, without a cache, with a
// new one and with a warm one, is what the oracles find in their files.
func TestAScanOfHomesAgreesWithTheOracles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a thousand files")
	}
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "home")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		var want []transcript.Event
		for _, name := range []string{"claude", "codex", "gemini", "grok", "kimi", "kimi-code"} {
			docs := oracles[name].draw(t)
			for i := range docs {
				docs[i].path = filepath.Join(dir, "home", strings.TrimPrefix(docs[i].path, "/h/"))
				lay(t, docs[i], name == "grok")
			}
			want = append(want, oracles[name].judge(docs).events...)
		}
		for i := range want {
			want[i].TS = transcript.Stamp(want[i].TS, transcript.Instant(want[i].TS))
		}
		ways := []string{"without a cache"}
		if odds(t, 20) { // a cache is written through to the disk, which takes its time
			ways = append(ways, "with a new cache", "with a warm cache")
		}
		for _, how := range ways {
			o := scan.Options{Readers: all.Readers(), Home: transcript.Home{Dir: filepath.Join(dir, "home")}, Now: time.Now().Add(time.Hour)}
			if how != "without a cache" {
				o.Cache = filepath.Join(dir, "cache")
			}
			r, err := scan.Run(context.Background(), o)
			if err != nil || r.Uncached != nil || len(r.Warnings) > 0 {
				t.Fatalf("%s: %v, %v, %v", how, err, r.Uncached, r.Warnings)
			}
			if diff := cmp.Diff(sorted(want), sorted(r.Events)); diff != "" {
				t.Fatalf("%s: oracles (-) and scan (+) differ:\n%s", how, diff)
			}
		}
	})
}

// lay puts a document where a CLI would, with what belongs beside it.
func lay(t *rapid.T, d document, summary bool) {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.path, []byte(d.text), 0o644); err != nil {
		t.Fatal(err)
	}
	if !summary {
		return
	}
	kind := "main"
	if d.child {
		kind = "subagent_explore"
	}
	text, err := json.Marshal(map[string]string{"current_model_id": d.model, "session_kind": kind, "parent_session_id": d.parent})
	if err == nil {
		err = os.WriteFile(filepath.Join(filepath.Dir(d.path), "summary.json"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sorted(events []transcript.Event) []string {
	lines := []string{}
	for i := range events {
		lines = append(lines, string(events[i].AppendJSON(nil)))
	}
	slices.Sort(lines)
	return lines
}
