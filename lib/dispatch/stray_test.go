package dispatch

import (
	"fmt"
	"testing"

	"okstra/lib/run"
)

// A journal that was damaged or taken away must not make work look undone.
func TestStraysAreJobsThatOnlyTheLedgerKnows(t *testing.T) {
	ref := func(worker string) string { return run.AssignmentRef(PurposeAnalysis, worker) }
	record := &record{entries: map[string]*entry{testRun + "/" + ref("a"): {}}}
	row := func(assignment, attempt string, n int) run.LedgerRow {
		return run.LedgerRow{AssignmentRef: assignment, AttemptPath: attempt, Attempt: n}
	}
	m := shopRun()
	got := straysOf(*m, record, []run.LedgerRow{
		row(ref("a"), "q/a.md.attempt-1.json", 1),
		row(ref("b"), "q/b.md.attempt-1.json", 1),
		row(ref("c"), "", 1),
		row("", "q/d.md.attempt-1.json", 1),
		row(ref("e"), "q/e.md.attempt-3.json", 1),
		row(ref("b"), "q/b.md.attempt-2.json", 2),
	})
	if len(got) != 1 || len(got[0].rows) != 2 || got[0].job.PromptPath != "q/b.md" || got[0].job.WorkerID != "b" {
		t.Fatalf("strays = %+v, want b with two attempts", got)
	}
	lines := got[0].lines()
	if len(lines) != 2 || lines[1].Attempt != 2 || fmt.Sprint(lines[0].Warnings) != "[journal-lacks: it has no line of this job]" {
		t.Errorf("lines = %+v", lines)
	}
}
