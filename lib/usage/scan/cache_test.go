package scan

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"okstra/lib/dirfd"
	"okstra/lib/schema"
	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
)

// later is a clock by which every file of a test is settled.
var later = time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)

// world is a home that a test edits. Each edit sets a time of its own, for file
// systems count time in steps that a test is faster than.
type world struct {
	home, cache string
	edits       int
}

func newWorld(t testing.TB) *world {
	dir := t.TempDir()
	return &world{home: filepath.Join(dir, "home"), cache: filepath.Join(dir, "cache")}
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) write(t fataler, name string, text []byte) {
	path := w.path(name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, text, 0o644))
	w.touch(t, name)
}

func (w *world) touch(t fataler, name string) {
	w.edits++
	at := time.Date(2026, 9, 8, 12, 0, w.edits, 0, time.UTC)
	must(t, os.Chtimes(w.path(name), at, at))
}

type fataler interface{ Fatalf(string, ...any) }

func must(t fataler, err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// events is what a scan prints, as text to compare.
func (w *world) events(t fataler, o Options) string {
	o.Readers, o.Home, o.Now = all.Readers(), transcript.Home{Dir: w.home}, later
	r, err := Run(context.Background(), o)
	must(t, err)
	must(t, r.Uncached)
	var b strings.Builder
	window := transcript.Window{Since: o.Since}
	for i := range r.Events {
		if e := &r.Events[i]; window.Holds(e.At) {
			b.Write(append(e.AppendJSON(nil), fmt.Sprintf(" %s %v\n", e.Kind, e.Copies)...))
		}
	}
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s %s %s %s %s %s %d\n", f.Path, f.Session, f.Agent, f.Team, f.CWD, f.Parent, f.Started)
	}
	fmt.Fprintf(&b, "%+v", r.Note)
	return b.String()
}

// agree holds the answer with the cache to the one without.
func (w *world) agree(t fataler, what string, since time.Time) string {
	want := w.events(t, Options{Since: since})
	if got := w.events(t, Options{Since: since, Cache: w.cache}); got != want {
		t.Fatalf("%s: with the cache\n%s\nwithout\n%s", what, got, want)
	}
	return want
}

func reply(id string, out int, at string) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"s1","cwd":"/w","requestId":"r_%s","timestamp":"2026-09-08T%sZ","message":{"id":"%s","model":"claude-opus-4-8","usage":{"input_tokens":3,"output_tokens":%d}}}`, id, at, id, out)
}

const session = ".claude/projects/-w/s1.jsonl"

func TestCase30AReplyGrowsAfterACachedScan(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 1, "10:00:00")+"\n"+reply("m1", 40, "10:00:01")+"\n"))
	w.agree(t, "first", time.Time{})
	w.append(t, session, reply("m1", 412, "10:00:02")+"\n")
	if got := w.agree(t, "grown", time.Time{}); !strings.Contains(got, `"output":412`) || strings.Count(got, `"output"`) != 1 {
		t.Fatalf("want one event of 412:\n%s", got)
	}
}

func (w *world) append(t fataler, name, text string) {
	// In place: the inode stays, as when a CLI appends.
	f, err := os.OpenFile(w.path(name), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
	w.touch(t, name)
}

func TestCase31ANarrowerWindowOnAWarmCache(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 1, "10:00:00")+"\n"+reply("m2", 2, "11:00:00")+"\n"))
	w.agree(t, "whole", time.Time{})
	w.agree(t, "narrow", time.Date(2026, 9, 8, 10, 30, 0, 0, time.UTC))
	w.agree(t, "whole again", time.Time{})
}

func TestCase32WhateverHappensToTranscriptAndCache(t *testing.T) {
	one, two := reply("m1", 11, "10:00:00")+"\n", reply("m2", 22, "10:00:01")+"\n"
	for name, edit := range map[string]func(t *testing.T, w *world){
		"truncated": func(t *testing.T, w *world) {
			must(t, os.Truncate(w.path(session), int64(len(one))))
			w.touch(t, session)
		},
		"replaced by the same size": func(t *testing.T, w *world) { w.write(t, session, []byte(two+one)) },
		"replaced with its time kept": func(t *testing.T, w *world) {
			info, err := os.Stat(w.path(session))
			must(t, err)
			must(t, os.WriteFile(w.path(session), []byte(two+one), 0o644))
			must(t, os.Chtimes(w.path(session), info.ModTime(), info.ModTime()))
		},
		"another file by its name": func(t *testing.T, w *world) {
			must(t, os.Rename(w.path(session), w.path("old")))
			w.write(t, session, []byte(two+two+one))
		},
		"emptied":       func(t *testing.T, w *world) { w.write(t, session, nil) },
		"removed":       func(t *testing.T, w *world) { must(t, os.Remove(w.path(session))) },
		"cache garbage": func(t *testing.T, w *world) { w.spoil(t, func([]byte) []byte { return []byte("garbage\x00") }) },
		"cache torn":    func(t *testing.T, w *world) { w.spoil(t, func(b []byte) []byte { return b[:len(b)/2] }) },
		"cache of rows of the wrong types": func(t *testing.T, w *world) {
			w.spoil(t, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"usage":[3`, `"usage":["3"`, 1)) })
		},
		"cache of another reader": func(t *testing.T, w *world) {
			w.spoil(t, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"claude/`, `"claude/9`, 1)) })
		},
		"cache of a future version": func(t *testing.T, w *world) {
			w.spoil(t, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"1.0"`, `"9.0"`, 1)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(t, session, []byte(one+two))
			w.agree(t, "before", time.Time{})
			edit(t, w)
			w.agree(t, "after", time.Time{})
			w.agree(t, "and again", time.Time{})
		})
	}
}

// spoil edits the only file of the cache.
func (w *world) spoil(t fataler, edit func([]byte) []byte) {
	path := filepath.Join(w.cache, "claude", "_-w.jsonl")
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, edit(text), 0o600))
}

func TestCase32TwoProcessesAtOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 8 {
		w.write(t, fmt.Sprintf(".claude/projects/-w/s%d.jsonl", i), []byte(reply(fmt.Sprint("m", i), i+1, "10:00:00")+"\n"))
	}
	want := w.events(t, Options{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				if got := w.events(errorer{t}, Options{Cache: w.cache}); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
	all.Wait()
}

// errorer is a test as goroutines other than its own may use it.
type errorer struct{ testing.TB }

func (e errorer) Fatalf(format string, args ...any) { e.Errorf(format, args...) }

func TestCase33ALastLineWithoutItsEndCountsNowAndOnceLater(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 1, "10:00:00")+"\n"+reply("m2", 2, "10:00:01")))
	if got := w.agree(t, "unfinished", time.Time{}); strings.Count(got, `"output"`) != 2 {
		t.Fatalf("want two events:\n%s", got)
	}
	w.append(t, session, "\n"+reply("m3", 3, "10:00:02")+"\n")
	if got := w.agree(t, "finished", time.Time{}); strings.Count(got, `"output"`) != 3 {
		t.Fatalf("want three events:\n%s", got)
	}
}

func TestReport42AnotherInodeReplacesAndDoesNotAdd(t *testing.T) {
	w := newWorld(t)
	text := []byte(reply("m1", 7, "10:00:00") + "\n")
	w.write(t, session, text)
	before := w.agree(t, "before", time.Time{})
	must(t, os.Rename(w.path(session), w.path(session)+".old"))
	w.write(t, session, text)
	must(t, os.Remove(w.path(session)+".old"))
	if after := w.agree(t, "after", time.Time{}); after != before {
		t.Fatalf("%s\nbecame\n%s", before, after)
	}
}

func TestCacheIsReadAgainAndOnlyByItsOwner(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 7, "10:00:00")+"\n"))
	w.agree(t, "first", time.Time{})
	path := filepath.Join(w.cache, "claude", "_-w.jsonl")
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	// What the cache says is believed where nothing contradicts it: the other
	// number can have come from nowhere else.
	w.spoil(t, func(b []byte) []byte {
		line := bytes.TrimSuffix(bytes.Replace(b, []byte("0,7,0]"), []byte("0,8,0]"), 1), []byte("\n"))
		n := len(documentHead) + sealSize
		sum := seal(line[n:])
		copy(line[len(documentHead):n], sum[:])
		return append(line, '\n')
	})
	if got := w.events(t, Options{Cache: w.cache}); !strings.Contains(got, `"output":8`) {
		t.Errorf("the cache was not read:\n%s", got)
	}
	w.spoil(t, func(b []byte) []byte { return bytes.Replace(b, []byte("0,8,0]"), []byte("0,9,0]"), 1) })
	w.agree(t, "a number that has changed by itself", time.Time{})
}

func TestCachedDocumentsKeepTheirSchema(t *testing.T) {
	w := newWorld(t)
	for name, lines := range drafts {
		w.write(t, name, []byte(strings.Join(lines, "\n")+"\n"))
	}
	zip, err := zstd.NewWriter(nil)
	must(t, err)
	packed := "rollout-2026-08-01T10-00-00-0199aa10-0000-7000-8000-000000000002.jsonl.zst"
	w.write(t, ".codex/archived_sessions/"+packed, zip.EncodeAll([]byte(`{"timestamp":"2026-08-01T10:00:01Z","type":"turn_context","payload":{}}`+"\n"), nil))
	w.agree(t, "all", time.Time{})
	shards, _ := filepath.Glob(filepath.Join(w.cache, "*", "*"))
	documents := 0
	for _, shard := range shards {
		text, err := os.ReadFile(shard)
		must(t, err)
		for line := range bytes.Lines(text) {
			documents++
			var document map[string]any
			if err := schema.DecodeLine(shard, documents, bytes.TrimSuffix(line, []byte("\n")), "usage-cache", &document); err != nil {
				t.Errorf("%v", err)
			}
		}
	}
	if want := len(drafts); documents != want { // all but the Gemini document, which is written anew each time
		t.Errorf("%d documents in %q, want %d", documents, shards, want)
	}
}

func TestAFreshFileIsNotYetCached(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 7, "10:00:00")+"\n"))
	info, err := os.Stat(w.path(session))
	must(t, err)
	changed := dirfd.Of(info).Ctime
	o := Options{Readers: all.Readers(), Home: transcript.Home{Dir: w.home}, Cache: w.cache, Now: time.Unix(0, changed).Add(settled / 2)}
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.cache); err == nil {
		t.Error("a file was cached that may change again within the same tick of the clock")
	}
}

func TestACacheThatCannotBeWrittenIsNoFault(t *testing.T) {
	w := newWorld(t)
	w.write(t, session, []byte(reply("m1", 7, "10:00:00")+"\n"))
	must(t, os.WriteFile(w.cache, nil, 0o600)) // a file where the folder should be
	r, err := Run(context.Background(), Options{Readers: all.Readers(), Home: transcript.Home{Dir: w.home}, Cache: w.cache, Now: later})
	if err != nil || r.Uncached == nil || len(r.Events) != 1 {
		t.Errorf("%v, %v, %d events", err, r.Uncached, len(r.Events))
	}
}

func TestShardNamesStayInTheCache(t *testing.T) {
	for _, folder := range []string{"..", ".", "a/b", "x\x00y", strings.Repeat("é", 200), "-w"} {
		shard := new(finder).shardOf("claude", folder+"/s.jsonl")
		if base := filepath.Base(shard); filepath.Dir(shard) != "claude" || base[0] != '_' || len(base) > 255 || strings.ContainsRune(base, 0) {
			t.Errorf("%q: %q", folder, shard)
		}
	}
}

// drafts are the lines that random homes are made of, by transcript.
var drafts = map[string][]string{
	".claude/projects/-w/s1.jsonl":                             {reply("m1", 5, "10:00:00"), reply("m1", 9, "10:00:01"), reply("m2", 2, "11:00:00"), `{"type":"user","message":"x"}`, "torn {", `{"usage"`},
	".claude/projects/-w/s2.jsonl":                             {reply("m1", 5, "10:00:00"), strings.Replace(reply("m3", 4, "10:20:00"), `"cwd":"/w"`, `"cwd":"/v","agentName":"a-worker","teamName":"t"`, 1)},
	".claude/projects/-w/s1/subagents/agent-aw-0123abcd.jsonl": {reply("m4", 6, "10:30:00"), reply("m1", 7, "10:00:00")},
	".codex/sessions/2026/09/08/rollout-2026-09-08T10-00-00-0199aa10-0000-7000-8000-000000000001.jsonl": {
		`{"timestamp":"2026-09-08T10:00:00Z","type":"session_meta","payload":{"id":"0199aa10-0000-7000-8000-000000000001","timestamp":"2026-09-08T10:00:00Z","cwd":"/w"}}`,
		`{"timestamp":"2026-09-08T10:00:01Z","type":"turn_context","payload":{"turn_id":"t1","model":"gpt-5.6-sol"}}`,
		`{"timestamp":"2026-09-08T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110},"last_token_usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}}}}`,
		`{"timestamp":"2026-09-08T10:10:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":150,"output_tokens":30,"total_tokens":180},"last_token_usage":{"input_tokens":50,"output_tokens":20,"total_tokens":70}}}}`,
	},
	".grok/sessions/%2Fw/s1/updates.jsonl": {
		`{"timestamp":1789000000,"params":{"sessionId":"s1","update":{"sessionUpdate":"turn_completed","prompt_id":"p1","usage":{"inputTokens":10,"outputTokens":2,"modelCalls":3}},"_meta":{"eventId":"e1"}}}`,
		`{"timestamp":1789000009,"params":{"update":{"sessionUpdate":"turn_completed","usage":{"inputTokens":4,"modelUsage":{"grok-4.7":{"inputTokens":3}}}}}}`,
	},
	".kimi/sessions/0123/s1/wire.jsonl":                            {`{"timestamp":1789000000.25,"message":{"type":"StatusUpdate","payload":{"message_id":"m1","token_usage":{"input_other":1,"output":2}}}}`},
	".kimi-code/sessions/wd_w_0/session_s1/agents/main/wire.jsonl": {`{"type":"usage.record","agentId":"main","model":"kimi-code/k3","usage":{"inputOther":1,"output":2},"time":1789000000123}`},
	".gemini/tmp/w/chats/session-1.jsonl": {
		`{"sessionId":"s1","projectHash":"h"}`, `{"id":"g1","timestamp":"2026-09-08T10:00:01Z","type":"gemini","model":"gemini-3.1-pro","tokens":{"input":10,"output":2,"cached":3}}`,
	},
	".gemini/tmp/w/chats/session-2.json": {`{"sessionId":"s2","messages":[{"id":"g2","type":"gemini","timestamp":"2026-09-08T10:00:01Z","tokens":{"input":1,"output":2}}]}`},
}

// Whatever happens to a home between scans, the answer with the cache is the
// answer without, in every window, and so is that of a scan in tiny pieces that
// parses every line.
func TestCacheAgreesWithAFreshScanOfARandomHome(t *testing.T) {
	zip, err := zstd.NewWriter(nil)
	must(t, err)
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(base, fmt.Sprint(runs))
		w := &world{home: filepath.Join(dir, "home"), cache: filepath.Join(dir, "cache")}
		defer os.RemoveAll(dir)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(drafts)))
		text := func(name string) string {
			lines := rapid.SliceOfN(rapid.SampledFrom(drafts[name]), 1, 4).Draw(t, "lines")
			return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"\n", "\n", "", "\r\n"}).Draw(t, "end")
		}
		edits := map[string]func(name string, old []byte){
			"write":    func(name string, _ []byte) { w.write(t, name, []byte(text(name))) },
			"append":   func(name string, _ []byte) { w.append(t, name, text(name)) },
			"truncate": func(name string, old []byte) { w.write(t, name, old[:rapid.IntRange(0, len(old)).Draw(t, "size")]) },
			"overwrite in place": func(name string, old []byte) {
				if len(old) > 0 {
					old[rapid.IntRange(0, len(old)-1).Draw(t, "byte")] ^= 1
				}
				w.write(t, name, old)
			},
			"replace": func(name string, old []byte) {
				must(t, os.Remove(w.path(name)))
				w.write(t, name, append([]byte(text(name)), old...))
			},
			"remove": func(name string, _ []byte) { must(t, os.Remove(w.path(name))) },
			"touch":  func(name string, _ []byte) { w.touch(t, name) },
			"pack": func(name string, old []byte) {
				if strings.HasSuffix(name, ".jsonl") {
					must(t, os.Remove(w.path(name)))
					w.write(t, name+".zst", zip.EncodeAll(old, nil))
				}
			},
			"spoil the cache": func(string, []byte) {
				found, _ := filepath.Glob(filepath.Join(w.cache, "*", "*"))
				if len(found) > 0 {
					path := rapid.SampledFrom(found).Draw(t, "shard")
					old, err := os.ReadFile(path)
					must(t, err)
					must(t, os.WriteFile(path, old[:rapid.IntRange(0, len(old)).Draw(t, "kept")], 0o600))
				}
			},
		}
		edit := rapid.SampledFrom(slices.Sorted(maps.Keys(edits)))
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			for range rapid.IntRange(1, 4).Draw(t, "edits") {
				name, how := name.Draw(t, "name"), edit.Draw(t, "edit")
				old, err := os.ReadFile(w.path(name))
				if err != nil {
					how = "write"
				}
				edits[how](name, old)
			}
			want := w.agree(t, "whole", time.Time{})
			if got := w.events(t, Options{piece: 100, Workers: 3}); got != want {
				t.Fatalf("in pieces\n%s\nwhole\n%s", got, want)
			}
			w.agree(t, "since", time.Date(2026, 9, 8, 10, rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, time.UTC))
		}
	})
}
