package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkThousandJobs runs 1,000 jobs that do nothing, sidecars and ledger
// included, beside GNU parallel with its job log, both two at a time, in memory
// and on disk. The figure that counts is the ratio in memory: on a disk ours
// waits for every record to be there, and parallel for none. Under -short
// the jobs are few, and it only tries whether the benchmark runs.
func BenchmarkThousandJobs(b *testing.B) {
	self, err := exec.LookPath("okstra-dispatch")
	if err != nil {
		b.Skip("okstra-dispatch is not in PATH")
	}
	parallel, err := exec.LookPath("parallel")
	if err != nil {
		b.Skip("needs GNU parallel")
	}
	for _, place := range []struct{ name, base string }{{"memory", "/dev/shm"}, {"disk", ""}} {
		b.Run(place.name, func(b *testing.B) { thousandJobs(b, self, parallel, place.base) })
	}
}

func benchJobs() int {
	if testing.Short() {
		return 20
	}
	return 1000
}

func thousandJobs(b *testing.B, self, parallel, base string) {
	for b.Loop() {
		b.StopTimer()
		dir := noopProject(b, base)
		ours := exec.Command(self, "run", "-j", "2", "-q", "--retries", "0", "--boundary", "none", "--providers", "noop.json", "jobs.jsonl")
		ours.Dir, ours.Env = dir, append(os.Environ(), "HOME="+dir)
		theirs := exec.Command(parallel, "-j", "2", "--joblog", filepath.Join(dir, "joblog"), "true")
		theirs.Stdin, theirs.Env = strings.NewReader(strings.Repeat("x\n", benchJobs())), append(os.Environ(), "HOME="+dir)
		b.StartTimer()
		began := time.Now()
		if out, err := ours.Output(); err != nil && ours.ProcessState.ExitCode() > 1 {
			b.Fatalf("%v\n%s", err, out)
		}
		mine := time.Since(began)
		b.StopTimer()
		began = time.Now()
		if err := theirs.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(mine.Seconds()/time.Since(began).Seconds(), "ratio-to-parallel")
		b.StartTimer()
	}
}

func noopProject(b *testing.B, base string) string {
	dir, err := os.MkdirTemp(base, "okstra-bench-")
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("noop.json", `{"schemaVersion":"1.0","kind":"okstra-provider","id":"noop","command":"true","argv":[],"prompt":"stdin","env":{"pass":["PATH"],"set":{}},
"stream":{"format":"text"},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`)
	var jobs strings.Builder
	for i := range benchJobs() {
		id := fmt.Sprintf("w%03d", i)
		write(id+".md", "x\n")
		jobs.WriteString(`{"kind":"okstra-job","projectRoot":"` + dir + `","workerId":"` + id + `","role":"analyser","provider":"noop","promptPath":"` + id + `.md","resultPath":"r/` + id + ".md\"}\n")
	}
	write("jobs.jsonl", jobs.String())
	return dir
}
