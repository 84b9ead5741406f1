package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"okstra/lib/dispatch/proc"
)

// mostMemory is what the dispatcher, and each process that watches a job, may
// take at its peak, however much the job prints.
const mostMemory = 64 << 20

// printing is a provider that prints size bytes of a form and writes its
// result: events of a few hundred bytes, or one line that does not end.
func printing(size int64, form string) string {
	const done = `printf '\173"type":"done"\175\n'; echo r >"$1"` // a brace would begin a placeholder
	script := fmt.Sprintf(`yes "$(printf '\173"type":"text","data":"%s"\175')" | head -c %d; echo; `, strings.Repeat("abcdefgh", 30), size) + done
	if form == "line" {
		script = fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x; echo; `, size) + done
	}
	return `{"schemaVersion":"1.0","kind":"okstra-provider","id":"quick","command":"sh","argv":["-c",` + strconv.Quote(script) + `,"sh","{resultPath}"],
"prompt":"stdin","boundaries":["none"],"maxBoundaryPrecision":"exact-path","env":{"pass":["PATH"],"set":{}},
"stream":{"format":"jsonl","typePointer":"/type","good":["done"]},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`
}

// One job that prints a gigabyte takes no more memory than one that prints
// nothing: neither in the dispatcher nor in the process that watches it.
func TestOutputTakesNoMemory(t *testing.T) {
	for _, form := range []string{"events", "line"} {
		t.Run(form, func(t *testing.T) {
			size := int64(80 << 20)
			switch {
			case testing.Short():
				t.Skip("prints megabytes")
			case os.Getenv("OKSTRA_SOAK") != "":
				size = 1 << 30
			}
			t.Parallel()
			dir := t.TempDir()
			dir, _ = batchIn(t, dir, 1)
			if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(printing(size, form)), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := command(t, dir, "run", "-q", "--boundary", "none", "--retries", "0", "jobs.jsonl")
			most, err := peak(cmd)
			if err != nil {
				t.Fatal(err)
			}
			if most > mostMemory {
				t.Errorf("%d MB of output took %d MB of memory, want at most %d", size>>20, most>>20, mostMemory>>20)
			}
			stdout, _ := filepath.Glob(filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/prompts/*.stdout"))
			if len(stdout) != 1 {
				t.Fatalf("outputs: %q", stdout)
			}
			if info, err := os.Stat(stdout[0]); err != nil || info.Size() < size {
				t.Errorf("the output is not whole: %v, %v", info, err)
			}
		})
	}
}

// peak runs the dispatcher and gives the largest peak of it and its watchers.
func peak(cmd *exec.Cmd) (most int64, _ error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return most, err
		case <-time.After(20 * time.Millisecond):
		}
		most = max(most, peakOf(cmd.Process.Pid))
		for _, p := range proc.Descendants(cmd.Process.Pid) {
			if name, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "cmdline")); strings.Contains(string(name), "__slot") {
				most = max(most, peakOf(p.PID))
			}
		}
	}
}

// peakOf is the most memory that a process had resident, 0 when it is gone.
func peakOf(pid int) int64 {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// BenchmarkGigabyte has one job print a gigabyte of events: the peak of memory,
// and how much longer it takes than the printing alone into a file.
func BenchmarkGigabyte(b *testing.B) {
	size := int64(1 << 30)
	if testing.Short() {
		size = 8 << 20
	}
	for b.Loop() {
		dir, _ := batchIn(b, b.TempDir(), 1)
		if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(printing(size, "events")), 0o644); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		most, err := peak(command(b, dir, "run", "-q", "--boundary", "none", "--retries", "0", "jobs.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		ours := time.Since(began)
		began = time.Now()
		alone := exec.Command("sh", "-c", fmt.Sprintf(`yes "$1" | head -c %d >"$2"`, size), "sh", strings.Repeat("abcdefgh", 32), filepath.Join(dir, "alone"))
		if err := alone.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(most)/(1<<20), "MB-peak")
		b.ReportMetric(ours.Seconds()/time.Since(began).Seconds(), "ratio-to-printing")
	}
}
