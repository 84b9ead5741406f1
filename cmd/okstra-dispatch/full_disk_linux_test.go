package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"okstra/lib/clitest"
	"okstra/lib/run"
)

// fullDisk is a batch on a disk of its own, on which a test leaves as much room
// as it likes. What its jobs did is counted on another disk.
type fullDisk struct {
	t           *testing.T
	dir, beside string
}

const (
	fullJobs = 4
	page     = 4096
)

// newFullDisk makes the batch. work is what each job does, a shell script that
// finds the path of its result in $1.
func newFullDisk(t *testing.T, work string) *fullDisk {
	t.Helper()
	d := &fullDisk{t: t, dir: filepath.Join(clitest.SmallDisk(t, 32<<20), "d"), beside: quickDir(t)}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	batchIn(t, d.dir, fullJobs)
	row := strings.Replace(quickProvider, `case $1 in */w?5-*) sleep 0.1;; esac; echo result >\"$1\"`,
		work+` || exit; basename \"$1\" 2>/dev/null >>`+filepath.Join(d.beside, "done")+"; true", 1)
	if err := os.WriteFile(filepath.Join(d.dir, "quick.json"), []byte(row), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(d.beside, "planned"), os.DirFS(filepath.Join(d.dir, "shop"))); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *fullDisk) ballast() string { return filepath.Join(d.dir, "ballast") }

// startOver puts everything back as it was planned, and leaves the disk with
// room for so many pages.
func (d *fullDisk) startOver(pages int) {
	d.t.Helper()
	_ = os.Remove(d.ballast())
	_ = os.Remove(filepath.Join(d.beside, "done"))
	startOver(d.t, d.dir, filepath.Join(d.beside, "planned"))
	var st syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &st); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.ballast(), make([]byte, (int(st.Bavail)-pages)*page), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// dispatch runs the program with its homes on the other disk.
func (d *fullDisk) dispatch(args ...string) (list []run.Result, said string, status int) {
	d.t.Helper()
	cmd := command(d.t, d.dir, args...)
	cmd.Env = append(cmd.Env, "HOME="+filepath.Join(d.beside, "home"), "TMPDIR="+d.beside)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return results(d.t, out.Bytes()), errs.String(), cmd.ProcessState.ExitCode()
}

// A disk that fills up at any moment is told of with status 3, or fails the
// jobs that had no room; it is never taken for success, no finished job is lost
// or done twice, and with room again everything can be finished.
func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	const hold = 49 // pages that are held back for records
	for _, tt := range []struct {
		name, boundary, work string
		from, to             int
		spoils               bool // a job can finish and have no room for its result
	}{
		{"results in place", "none", `echo result >\"$1\"`, hold - 10, hold + 22, false},
		{"results copied out", "overlay", `echo result >\"$1\"`, hold - 10, hold + 22, false},
		{"jobs that fill it", "none", `head -c 300000 /dev/zero; echo result >\"$1\"`, hold, hold + 330, false},
		{"large results copied out", "overlay", `head -c 300000 /dev/zero >\"$1\"`, hold, hold + 330, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newFullDisk(t, tt.work)
			steps := 3
			switch {
			case os.Getenv("OKSTRA_SOAK") != "":
				steps = tt.to - tt.from
			case testing.Short():
				steps = 1
			}
			for i := 1; i <= steps; i++ {
				d.fillUp(tt.boundary, tt.from+(tt.to-tt.from)*i/(steps+1), tt.spoils)
			}
		})
	}
}

func (d *fullDisk) fillUp(boundary string, pages int, spoils bool) {
	t := d.t
	t.Helper()
	d.startOver(pages)
	where := fmt.Sprintf("%d pages", pages)
	flags := []string{"-q", "-j", "2", "--boundary", boundary}
	list, said, status := d.dispatch(append([]string{"run", "jobs.jsonl"}, flags...)...)
	completed := 0
	for _, r := range list {
		if *r.Outcome == "completed" {
			completed++
		}
	}
	t.Logf("%s: status %d, %d of %d completed", where, status, completed, fullJobs)
	switch {
	case status == 0 && completed != fullJobs:
		t.Errorf("%s: run ended with 0 and %d of %d jobs completed", where, completed, fullJobs)
	case status == 3 && !strings.Contains(said, "no space left"), status > 3, status == 2:
		t.Errorf("%s: run ended with %d: %s", where, status, said)
	}
	told, said, status := d.dispatch("status", "--run-manifest", batchManifest)
	if status != 0 && status != 3 {
		t.Errorf("%s: status ended with %d: %s", where, status, said)
	}
	before := completedOf(told)
	for _, r := range list {
		if *r.Outcome == "completed" && !before[r.WorkerID] {
			t.Errorf("%s: %s was told completed, and status knows nothing of it", where, r.WorkerID)
		}
	}
	resume := append([]string{"resume", "--run-manifest", batchManifest}, flags...)
	if _, said, status := d.dispatch(resume...); status == 2 || status > 3 {
		t.Errorf("%s: resume on the full disk ended with %d: %s", where, status, said)
	}
	if err := os.Remove(d.ballast()); err != nil {
		t.Fatal(err)
	}
	if told, _, _ = d.dispatch("status", "--run-manifest", batchManifest); len(told) == 0 {
		resume = append([]string{"run", "jobs.jsonl"}, flags...) // nothing was accepted
	}
	if _, said, status := d.dispatch(resume...); status != 0 {
		t.Errorf("%s: with room again %s ended with %d: %s", where, resume[0], status, said)
	}
	checkDone(t, d.dir, fullJobs, where)
	done, _ := os.ReadFile(filepath.Join(d.beside, "done"))
	for name := range strings.FieldsSeq(string(done)) {
		if n := bytes.Count(done, []byte(name+"\n")); n > 1 && !spoils {
			t.Errorf("%s: the job that leaves %s was done %d times", where, name, n)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

func completedOf(list []run.Result) map[string]bool {
	done := map[string]bool{}
	for _, r := range list {
		if r.Outcome != nil && *r.Outcome == "completed" {
			done[r.WorkerID] = true
		}
	}
	return done
}
