package validate

import (
	"slices"

	"okstra/lib/finding"
)

var dispatchRules = []Rule{
	{
		Code: "dispatch-ledger", Level: finding.Warning, Title: "the ledger is not a list of rows",
		Checks: "`workerDispatches` is no list, or an element of it is no object.",
		Why:    "Readers skip what they cannot read, so a dispatch may go unaccounted for.",
		Fails:  `"workerDispatches": {}`,
		Passes: `"workerDispatches": []`,
		check:  (*judge).ledgerShape,
	},
	{
		Code: "dispatch-worker", Level: finding.Error, Title: "a dispatch belongs to nobody",
		Checks: "The worker of a ledger row is not in the roster.",
		Why:    "Its usage and its result would be counted for no one.",
		Fails:  `"assignmentRef": "assignment:analysis:scope-z" without a worker scope-z`,
		Passes: `"assignmentRef": "assignment:analysis:scope-b"`,
		check:  (*judge).dispatchWorker,
	},
	{
		Code: "dispatch-status", Level: finding.Error, Title: "a process has no end on record",
		Checks: "A ledger row has no status file beside its prompt, or that one still says `started` after the run ended.",
		Why:    "The status file is the only evidence of a process.",
		Fails:  `"state": "started", and "endedAt" of the team state is set`,
		Passes: `"state": "exited"`,
		check:  (*judge).dispatchStatus,
	},
	{
		Code: "dispatch-attempt", Level: finding.Error, Title: "an attempt is not accounted for",
		Checks: "A ledger row has no attempt sidecar, or the attempts of an assignment have a gap.",
		Why:    "The sidecar holds what the attempt was allowed to do and what it did.",
		Fails:  "attempts 1 and 3 of assignment:analysis:scope-b",
		Passes: "attempts 1 and 2, each with its sidecar",
		check:  (*judge).dispatchAttempt,
	},
	{
		Code: "dispatch-retry", Level: finding.Error, Title: "an attempt was repeated that must not be",
		Checks: "An attempt follows one whose `resultClass` is not `failed-no-mutation`.",
		Why:    "Retrying after a change hides the change in the next baseline.",
		Fails:  `attempt 2 after "resultClass": "failed-mutated"`,
		Passes: `attempt 2 after "resultClass": "failed-no-mutation"`,
		check:  (*judge).dispatchRetry,
	},
}

func (j *judge) ledgerShape() {
	ledger := j.team.root().get("workerDispatches")
	if !ledger.has() || ledger.null() {
		return
	}
	if !ledger.isList() {
		j.at(ledger, "a list of rows", "%s", ledger.show())
	}
	for _, row := range ledger.list() {
		if !row.isObject() {
			j.at(row, "an object", "%s", row.show())
		}
	}
}

func (j *judge) dispatchWorker() {
	for _, d := range j.dispatches {
		if j.worker(d.worker) != nil {
			continue
		}
		at := d.get("assignmentRef")
		if d.first {
			at = d.get("workerId")
		}
		j.at(at, "a worker of the roster", "%s, which names no worker of the run", at.show())
	}
}

func (j *judge) dispatchStatus() {
	for _, d := range j.dispatches {
		prompt := d.get("promptPath")
		switch {
		case d.first || d.status == nil || d.outcome == "cancelled":
		case d.status.missing:
			j.at(prompt, "a status file beside the prompt", "%s without %s", prompt.show(), d.status.path)
		case j.over() && d.status.root().get("state").text() == "started":
			at := d.status.root().get("state")
			j.at(at, "exited, timeout or failed", "%s after the run ended", at.show())
		}
	}
}

func (j *judge) dispatchAttempt() {
	for _, d := range j.dispatches {
		if d.sidecar != nil && d.sidecar.missing {
			at := d.get("attemptPath")
			j.at(at, "an attempt sidecar that is there", "%s, which does not exist", at.show())
		}
		if d.sidecar == nil && !d.first && d.get("attemptPath").has() {
			at := d.get("attemptPath")
			j.at(at, "the path of the attempt's sidecar", "%s", at.show())
		}
	}
	for _, ref := range j.assignments() {
		due := 1
		for _, d := range j.attempts(ref) {
			if at := d.get("attempt"); d.attempt != due && d.attempt > 0 {
				j.at(at, sprintf("attempt %d", due), "%s of %s", at.show(), ref)
				break
			}
			due++
		}
	}
}

func (j *judge) dispatchRetry() {
	for _, ref := range j.assignments() {
		var before *dispatched
		for _, d := range j.attempts(ref) {
			if before != nil && d.attempt == before.attempt+1 && before.class != "failed-no-mutation" {
				at := before.get("resultClass")
				j.at(at, "failed-no-mutation before another attempt", "%s of attempt %d, and attempt %d followed", at.show(), before.attempt, d.attempt)
			}
			before = d
		}
	}
}

// assignments lists the references of the ledger in order of appearance.
func (s *subject) assignments() []string {
	var refs []string
	for _, d := range s.dispatches {
		if d.assigned != "" && !slices.Contains(refs, d.assigned) {
			refs = append(refs, d.assigned)
		}
	}
	return refs
}

// attempts are the rows of an assignment by their number.
func (s *subject) attempts(ref string) []*dispatched {
	var rows []*dispatched
	for _, d := range s.dispatches {
		if d.assigned == ref {
			rows = append(rows, d)
		}
	}
	slices.SortStableFunc(rows, func(a, b *dispatched) int { return a.attempt - b.attempt })
	return rows
}
