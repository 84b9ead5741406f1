package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/cli"
	"okstra/lib/clitest"
)

// The cache between processes: whatever happens to it and to the processes that
// write it, the answer is that of --no-cache.

// household is a home of several projects and a cache that processes share.
type household struct {
	place
	cache string
	want  string
}

func newHousehold(t *testing.T, cache string) *household {
	h := &household{place: newPlace(t), cache: cache}
	for project := range 4 {
		for session := range 6 {
			id := fmt.Sprintf("%d%d", project, session)
			h.claude(fmt.Sprintf("-w%d/%s.jsonl", project, id), id, "m"+id, fmt.Sprintf("10:%02d:%02d", project, session), "", "", int64(100*project+session+1))
		}
	}
	h.rollout(leadID, "09:00:00", "/w", "gpt-5.6-sol", tokenCount("09:50:00", 10_000, 10_000), tokenCount("10:10:00", 14_000, 4_000))
	h.grok("/w", "g-1", 10_000, 12_000)
	past := time.Now().Add(-time.Hour) // settled: what changed just now is not cached
	err := filepath.Walk(filepath.Join(h.root, "home"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		return os.Chtimes(path, past, past)
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond) // the times of a change of times count, too
	h.want = h.output("--no-cache")
	if strings.Count(h.want, `"provider"`) != 28 {
		t.Fatalf("the home holds\n%s", h.want)
	}
	return h
}

func (h *household) command(flags ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	cmd = exec.Command("okstra-token-usage", append([]string{"events", "--home", filepath.Join(h.root, "home")}, flags...)...)
	cmd.Env = append(os.Environ(), "OKSTRA_HOME="+h.cache)
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, errs
	return cmd, out, errs
}

func (h *household) output(flags ...string) string {
	h.t.Helper()
	cmd, out, errs := h.command(flags...)
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("%v: %s", err, errs)
	}
	return out.String()
}

// agrees holds a run with the cache, inside this process, to the one without.
func (h *household) agrees(what string) {
	h.t.Helper()
	var out, errs bytes.Buffer
	std := cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: cli.Env{Get: func(name string) string {
		return map[string]string{"OKSTRA_HOME": h.cache}[name]
	}}}
	if status := cli.Main(std, []string{"events", "--home", filepath.Join(h.root, "home")}, app()); status != 0 {
		h.t.Fatalf("%s: status %d: %s", what, status, &errs)
	}
	if got := out.String(); got != h.want {
		h.t.Fatalf("%s: with the cache (+) and without (-):\n%s", what, cmp.Diff(strings.Split(h.want, "\n"), strings.Split(got, "\n")))
	}
}

func (h *household) shards() []string {
	found, err := filepath.Glob(filepath.Join(h.cache, "cache/token-usage/*/_*.jsonl"))
	if err != nil || len(found) == 0 {
		h.t.Fatalf("no cache files: %v", err)
	}
	return found
}

func TestBehaviour32TwoProcessesAtOnce(t *testing.T) {
	h := newHousehold(t, t.TempDir())
	for round := range 4 {
		if round%2 == 0 {
			if err := os.RemoveAll(h.cache); err != nil {
				t.Fatal(err)
			}
		}
		var started []func()
		for range 3 {
			cmd, out, errs := h.command()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started = append(started, func() {
				if err := cmd.Wait(); err != nil || out.String() != h.want || errs.Len() > 0 {
					t.Errorf("round %d: %v %s\n%s", round, err, errs, cmp.Diff(h.want, out.String()))
				}
			})
		}
		for _, wait := range started {
			wait()
		}
		h.agrees("after processes at once")
	}
}

func TestBehaviour32AProcessKilledWhileItWrites(t *testing.T) {
	h := newHousehold(t, t.TempDir())
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 8 {
		if err := os.RemoveAll(h.cache); err != nil {
			t.Fatal(err)
		}
		cmd, _, _ := h.command()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for { // killed once it has begun to write, or soon
			time.Sleep(time.Duration(random.IntN(1500)) * time.Microsecond)
			if _, err := os.Stat(h.cache); err == nil || random.IntN(20) == 0 {
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		h.agrees(fmt.Sprintf("after kill %d", round))
		h.agrees("and again")
	}
}

func TestBehaviour32GarbageForACache(t *testing.T) {
	h := newHousehold(t, t.TempDir())
	h.agrees("first")
	random := rand.New(rand.NewPCG(3, 4))
	for _, spoil := range []struct {
		name string
		do   func(text []byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"noise", func(text []byte) []byte {
			for i := range text {
				text[i] = byte(random.IntN(256))
			}
			return text
		}},
		{"cut", func(text []byte) []byte { return text[:random.IntN(len(text))] }},
		{"cut in front", func(text []byte) []byte { return text[random.IntN(len(text)):] }},
		{"twice", func(text []byte) []byte { return append(text, text...) }},
		{"two halves of lines", func(text []byte) []byte { return append(text[:len(text)/2:len(text)/2], text[len(text)/3:]...) }},
		{"numbers of another type", func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`"rows":[[`), []byte(`"rows":[["`)) }},
		{"a digit that has flipped", func(text []byte) []byte {
			digits := []int{}
			for i, b := range text {
				if b >= '0' && b <= '9' {
					digits = append(digits, i)
				}
			}
			at := digits[random.IntN(len(digits))]
			text[at] = '0' + (text[at]-'0'+1)%10
			return text
		}},
	} {
		t.Run(spoil.name, func(t *testing.T) {
			for range 3 {
				for _, path := range h.shards() {
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if len(text) == 0 {
						continue
					}
					if err := os.WriteFile(path, spoil.do(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				h.agrees("spoilt")
				h.agrees("mended")
			}
		})
	}
}

func TestBehaviour32ACacheOnAFullDisk(t *testing.T) {
	disk := clitest.SmallDisk(t, 16<<10)
	h := newHousehold(t, disk)
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, bytes.Repeat([]byte{1}, 12<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"nearly full", "once more"} {
		cmd, out, errs := h.command()
		if err := cmd.Run(); err != nil || out.String() != h.want {
			t.Fatalf("%s: %v %s\n%s", what, err, errs, out)
		}
		if !strings.Contains(errs.String(), "the cache was not written") || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: standard error %q", what, errs)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	h.agrees("with room again")
}
