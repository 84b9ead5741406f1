package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/atomicfile"
	"okstra/lib/audit"
	"okstra/lib/clitest"
	"okstra/lib/run"
)

// A second dispatcher on a run folder waits and gives up with 75.
func TestSecondDispatcherIsTurnedAway(t *testing.T) {
	if testing.Short() {
		t.Skip("waits ten seconds for the lease")
	}
	t.Parallel()
	dir, _ := batch(t, 1)
	lease := filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/logs/dispatch")
	held, err := atomicfile.Lock(context.Background(), lease, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	cmd := command(t, dir, "run", "--boundary", "none", "jobs.jsonl")
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != 75 || !strings.Contains(said.String(), "another dispatcher") {
		t.Errorf("status %d, %q; want 75", status, said.String())
	}
}

// Sixteen jobs at once on one tree of 50,000 files, each told apart by call; the tree below
// stays clean but for the artifacts (report 20).
func TestReport20ManyJobsOnOneTree(t *testing.T) {
	t.Parallel()
	n, files := 16, 1250 // in each of 40 folders: 50,000
	if testing.Short() {
		n, files = 5, 25
	}
	dir, _ := batch(t, n)
	shop := filepath.Join(dir, "shop")
	for i := range 40 {
		sub := filepath.Join(shop, "src", string(rune('a'+i%26))+string(rune('a'+i/26)))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.go", j)), []byte("package x\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	before, err := audit.Take(t.Context(), audit.Scope{Root: shop, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	meddling := strings.Replace(quickProvider, `echo result >`, `echo $$ >src/aa/f1.go; echo $$ >by-$(basename \"$1\"); echo result >`, 1)
	if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(meddling), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, "run", "-j", "16", "--boundary", "overlay", "jobs.jsonl")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	if strings.Contains(said.String(), "no acceptable boundary") {
		t.Skipf("no overlay is available here: %s", said.String())
	}
	list := results(t, out.Bytes())
	if len(list) != n {
		t.Fatalf("%d result lines, want %d: %s", len(list), n, said.String())
	}
	for _, r := range list {
		if *r.Outcome != "policy-violation" {
			t.Errorf("%s: %s", r.WorkerID, *r.Outcome)
		}
		text, err := os.ReadFile(filepath.Join(shop, r.AttemptPath))
		if err != nil {
			t.Fatal(err)
		}
		all, own := strings.Count(string(text), `"path": "by-`), strings.Count(string(text), `"path": "by-`+filepath.Base(r.ResultPath))
		if own == 0 || own != all || !bytes.Contains(text, []byte(`"src/aa/f1.go"`)) {
			t.Errorf("%s is not told apart: %d of %d marks are its own", r.WorkerID, own, all)
		}
	}
	after, err := audit.Take(t.Context(), audit.Scope{Root: shop, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	changes, _ := audit.Differences(before, after)
	for _, c := range changes {
		if !strings.HasPrefix(c.Path, ".okstra/") && c.Path != ".okstra" {
			t.Errorf("the tree below was changed: %s %s %s", c.Path, c.Change, c.Detail)
		}
	}
}

// A full disk is told loudly, with status 3, and what was finished is whole
// (reports 18 and 19).
func TestReport19FullDiskKeepsWhatIsFinished(t *testing.T) {
	t.Parallel()
	disk := clitest.SmallDisk(t, 600<<10)
	dir, _ := batchIn(t, disk, 6)
	filler := filepath.Join(disk, "filler")
	cmd := command(t, dir, "run", "-j", "1", "--boundary", "none", "--retries", "0", "jobs.jsonl")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := fill(filler); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != 3 || !strings.Contains(said.String(), "no space left") {
		t.Errorf("status %d, %q; want 3 and the reason", status, said.String())
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/state/team-state-error-analysis-001.json")
	if _, _, err := run.LoadTeamState(state); err != nil {
		t.Errorf("the team state is not whole: %v", err)
	}
	if _, status := dispatchIn(t, dir, "run", "--boundary", "none", "jobs.jsonl"); status != 0 {
		if _, status := dispatchIn(t, dir, "resume", "--boundary", "none", "--run-manifest", batchManifest); status != 0 {
			t.Errorf("after room was made, resume ended with status %d", status)
		}
	}
	checkDone(t, dir, 6, "after a full disk")
}

// fill writes until nothing more fits.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for {
			if _, err := file.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
	return nil
}
