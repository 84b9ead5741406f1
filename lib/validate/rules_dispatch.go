package validate

import (
	"bytes"
	"cmp"
	"slices"

	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/run"
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
		Code: "dispatch-worker", Level: finding.Error, Title: "ledger and roster do not match",
		Checks: "The worker of a ledger row is not in the roster, its `roleExecutionRef` is not one of the worker's in the run manifest, or a worker that came to an end other than `not-run` has no row at all.",
		Why:    "What a worker consumed and found would be counted for no one, or for another one.",
		Fails:  `"assignmentRef": "assignment:analysis:scope-z" without a worker scope-z`,
		Passes: `"assignmentRef": "assignment:analysis:scope-b"`,
		check:  (*judge).dispatchWorker,
	},
	{
		Code: "dispatch-status", Level: finding.Error, Title: "a process has no end on record",
		Checks: "A ledger row has no status file beside its prompt; that one still says `started` after the run ended; or it tells another provider, model, session, attempt, exit code or file of its output than the row and its prompt.",
		Why:    "The status file is the only evidence of a process.",
		Fails:  `"state": "started", and "endedAt" of the team state is set`,
		Passes: `"state": "exited"`,
		check:  (*judge).dispatchStatus,
	},
	{
		Code: "dispatch-attempt", Level: finding.Error, Title: "an attempt is not accounted for",
		Checks: "A ledger row has no attempt sidecar, or that one tells another job, session, prompt, result, worktree, outcome or enforcement than the row, or that it completed without its result; the attempts of an assignment have a gap; or a sidecar of the run has no row.",
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
	{
		Code: "dispatch-prompt", Level: finding.Error, Title: "a prompt is not the one that was sent",
		Checks: "The file of a prompt has another digest than its job line in the journal, is empty, or names another assignment than its ledger row; or the copy of a later attempt has another text than the first prompt.",
		Why:    "A reader would take the wrong question for the one that the worker answered.",
		Fails:  "a sentence added to scope-a-analysis-error-analysis-002.md after the worker had read it",
		Passes: "the file with the job line's `promptDigest`",
		check:  (*judge).changedPrompts,
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
	refs := map[[2]string]bool{}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		refs[[2]string{n.get("workerId").text(), n.get("roleExecutionRef").text()}] = true
	}
	for _, d := range j.dispatches {
		ref := d.get("roleExecutionRef")
		switch {
		case j.worker(d.worker) == nil:
			at := d.get("assignmentRef")
			if d.first {
				at = d.get("workerId")
			}
			j.at(at, "a worker of the roster", "%s, which names no worker of the run", at.show())
		case len(refs) > 0 && ref.isText() && !refs[[2]string{d.worker, ref.text()}]:
			j.at(ref, "a roleExecutionRef of "+d.worker+" in the run manifest", "%s", ref.show())
		}
	}
	if !j.team.usable() {
		return
	}
	for _, m := range j.roster {
		if m.id != "" && m.status != "not-run" && slices.Contains(terminal, m.status) && len(m.dispatches) == 0 {
			j.at(m.get("status"), "not-run, or a row in the ledger", "%s for %s, whom nobody dispatched", m.get("status").show(), m.id)
		}
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
		case d.outcome != "" && d.outcome != "lost":
			j.agree(d.status.root(), d, "provider", "model", "modelExecutionValue", "sessionId", "attempt", "exitCode")
			for key, due := range map[string]string{
				"stdoutPath": run.StdoutPath(prompt.text()), "stderrPath": run.StderrPath(prompt.text()), "logPath": run.LogPath(prompt.text()),
			} {
				j.lies(d.status.root().get(key), due)
			}
		}
	}
}

// agree reports what a file about an attempt tells otherwise than its ledger
// row. What one of them does not know is no contradiction.
func (j *judge) agree(n node, d *dispatched, keys ...string) {
	for _, key := range keys {
		have, due := n.get(key), d.get(key)
		unknown := have.value == nil || due.value == nil || have.isText() && have.text() == "" || due.isText() && due.text() == ""
		if !unknown && !equal(have.value, due.value) {
			j.at(have, due.show()+", as in the ledger", "%s", have.show())
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
		if n := d.sidecar.root(); n.isObject() && !d.first {
			j.compareAttempt(n, d)
		}
	}
	for _, rows := range j.assignments() {
		due := 1
		for _, d := range rows {
			if at := d.get("attempt"); d.attempt != due && d.attempt > 0 {
				j.at(at, sprintf("attempt %d", due), "%s of %s", at.show(), d.assigned)
				break
			}
			due++
		}
	}
	if j.over() && j.team.usable() {
		j.strayAttempts()
	}
}

// lies reports a path that is not the one due. What is not there, or empty, is
// no contradiction.
func (j *judge) lies(at node, due string) {
	if at.text() == "" || due == "" || at.text() == due {
		return
	}
	a, errA := j.rel(at.text())
	b, errB := j.rel(due)
	if errA != nil || errB != nil || a != b {
		j.at(at, due, "%s", at.show())
	}
}

// samePath says whether two values name one file.
func (j *judge) samePath(a, b node) bool {
	if a.text() == b.text() {
		return true
	}
	x, errX := j.rel(a.text())
	y, errY := j.rel(b.text())
	return errX == nil && errY == nil && x == y
}

// compareAttempt holds a sidecar against its ledger row. The two are written
// one after the other, so an end that only one of them has is a fault once the
// run is over.
func (j *judge) compareAttempt(n node, d *dispatched) {
	if at, due := n.get("jobId"), j.runID()+"/"+d.assigned; at.isText() && at.text() != due {
		j.at(at, due, "%s", at.show())
	}
	j.agree(n, d, "attempt", "sessionId", "outcome", "cause", "resultClass", "mutation")
	j.lies(n.get("promptPath"), d.get("promptPath").text())
	j.lies(n.get("statusPath"), run.StatusPath(d.get("promptPath").text()))
	j.lies(n.get("artifact", "path"), d.get("resultPath").text())
	if at, due := n.get("placement", "worktreePath"), d.get("worktreePath"); at.isText() && due.isText() && at.text() != due.text() {
		j.at(at, due.show()+", as in the ledger", "%s", at.show())
	}
	if d.outcome == "completed" {
		for _, key := range []string{"present", "newerThanStart"} {
			if at := n.get("artifact", key); n.get("artifact", "path").text() != "" && at.has() && !at.yes() {
				j.at(at, "true of an attempt that completed", "%s", at.show())
			}
		}
	}
	if !j.over() || d.outcome == "lost" {
		return
	}
	for _, key := range []string{"outcome", "writeEnforcement"} {
		switch have, due := n.get(key), d.get(key); {
		case !have.has() || !due.has():
		case have.null() != due.null():
			j.at(have, due.show()+", as in the ledger", "%s", have.show())
		case have.isObject() && due.isObject() && !equal(have.value, due.value):
			j.at(have, "the one of the ledger's row", "another %s than the ledger's", key)
		}
	}
}

// strayAttempts reports sidecars of the run that no row of the ledger names.
func (j *judge) strayAttempts() {
	named := map[string]bool{}
	for _, d := range j.dispatches {
		if d.sidecar != nil {
			named[d.sidecar.path] = true
		}
	}
	for _, name := range j.beside("prompts", attemptName) {
		if !named[name] {
			j.at(j.team.root().get("workerDispatches"), "a row for each attempt", "a list without the attempt of %s", name)
		}
	}
}

// changedPrompts compares the prompts with the digests of the job lines, and
// the copies of later attempts with the first one.
func (j *judge) changedPrompts() {
	for _, rows := range j.assignments() {
		var first *artifact
		for _, d := range rows {
			at := d.get("promptPath")
			a := j.open(at.text(), "", markdown)
			if at.text() == "" || !a.usable() {
				continue
			}
			if d.attempt == 1 {
				first = a
			}
			label, body := promptParts(a.text)
			switch {
			case len(bytes.TrimSpace(a.text)) == 0:
				j.at(at, "a prompt with a text", "%s, which is empty", at.show())
			case label != "" && label != d.assigned:
				j.at(at, "a prompt of "+d.assigned, "%s, which is one of %s", at.show(), finding.Quote(label))
			case d.attempt > 1 && first != nil && !bytes.Equal(body, promptBody(first.text)):
				j.at(at, "a copy of "+first.path+", its headers aside", "%s, which has another text", at.show())
			}
		}
	}
	for _, job := range j.jobs() {
		due, at := job.get("promptDigest"), job.get("promptPath")
		if due.text() == "" || at.text() == "" {
			continue
		}
		if a := j.open(at.text(), "", markdown); a.usable() && digest.Bytes(a.text) != due.text() {
			j.at(due, digest.Bytes(a.text)+", the digest of "+a.path, "%s", due.show())
		}
	}
}

// promptParts gives the assignment that the header block of a prompt names, ""
// for none, and what follows the block. A prompt that was written by hand has
// no such block.
func promptParts(text []byte) (assignment string, body []byte) {
	if !bytes.HasPrefix(text, []byte("**")) {
		return "", text
	}
	rest := text
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("**Assignment:**")); ok {
			assignment = string(bytes.TrimSpace(value))
		}
		rest = after
	}
	return assignment, rest
}

func promptBody(text []byte) []byte {
	_, body := promptParts(text)
	return body
}

func (j *judge) dispatchRetry() {
	for _, rows := range j.assignments() {
		var before *dispatched
		for _, d := range rows {
			if before != nil && d.attempt == before.attempt+1 && before.class != "failed-no-mutation" {
				at := before.get("resultClass")
				j.at(at, "failed-no-mutation before another attempt", "%s of attempt %d, and attempt %d followed", at.show(), before.attempt, d.attempt)
			}
			before = d
		}
	}
}

// assignments lists the ledger's assignments in order of appearance, each with
// its rows by their number.
func (s *subject) assignments() [][]*dispatched {
	var list [][]*dispatched
	at := map[string]int{}
	for _, d := range s.dispatches {
		if d.assigned == "" {
			continue
		}
		i, known := at[d.assigned]
		if !known {
			i, at[d.assigned] = len(list), len(list)
			list = append(list, nil)
		}
		list[i] = append(list[i], d)
	}
	for _, rows := range list {
		slices.SortStableFunc(rows, func(a, b *dispatched) int { return cmp.Compare(a.attempt, b.attempt) })
	}
	return list
}
