package validate

import (
	"slices"

	"okstra/lib/finding"
	"okstra/lib/run"
)

var teamRules = []Rule{
	{
		Code: "team-status", Level: finding.Error, Title: "a worker has no end",
		Checks: "A required worker has no terminal status, or its status is an unknown word. A translator is required where the run promises translations.",
		Why:    "Every worker of a run has a result or an explicit end; nobody is lost in silence.",
		Fails:  `"workerId": "scope-b", "status": null`,
		Passes: `"workerId": "scope-b", "status": "timeout", "reason": "no output for 900 s"`,
		check:  (*judge).teamStatus,
	},
	{
		Code: "team-roster", Level: finding.Error, Title: "the roster is not the manifest's",
		Checks: "The team state's workers are not exactly the role executions of the run manifest, the leader's aside, with the same provider and model and the agent's name made of the worker's id; or one names a prompt or a result that no dispatch of it has.",
		Why:    "A worker that stands in one of them only was never planned, or never accounted for.",
		Fails:  "scope-c in `roleExecutions` and not in `workers`",
		Passes: "the same workers with the same roles in both",
		check:  (*judge).teamRoster,
	},
	{
		Code: "team-writer-fallback", Level: finding.Error, Title: "the lead wrote the report itself", Except: notHandoff,
		Checks: "There is a report whose writer did not complete, and no dispatch of a report writer that failed and was logged.",
		Why:    "The lead may step in only after a real attempt to have the report written.",
		Fails:  "a report, and no row of purpose report-writer in the ledger",
		Passes: "a report-writer row with outcome failed, and its row in errors.jsonl",
		check:  (*judge).writerFallback,
	},
	{
		Code: "team-create", Level: finding.Error, Title: "the host was not asked for a team",
		Checks: "`teamCreate` is present, there is no team, and it does not say `attempted` and `error`.",
		Why:    "Running without a team is legal only when the host refused one.",
		Fails:  `"teamCreate": {"attempted": false, "status": "ok"} without a team`,
		Passes: `"teamCreate": {"attempted": true, "status": "error"} without a team`,
		check:  (*judge).teamCreate,
	},
}

// terminal are the words for how a worker ended.
var terminal = []string{"completed", "timeout", "error", "not-run"}

// required says whether a worker of the roster must come to an end.
func (s *subject) required(m *member) bool {
	return m.role != run.RoleTranslator || len(s.manifest.root().get("translations").list()) > 0
}

func (j *judge) teamStatus() {
	for _, m := range j.roster {
		status := m.get("status")
		switch {
		case !status.has() || status.null() && !j.required(m):
		case !slices.Contains(terminal, status.text()):
			j.at(status, join(terminal, "or"), "%s for %s", status.show(), m.id)
		}
	}
}

func (j *judge) teamRoster() {
	if !j.manifest.usable() || !j.team.usable() {
		return
	}
	type part struct{ worker, role string }
	due := map[part]node{}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		p := part{n.get("workerId").text(), n.get("role").text()}
		if p.role != run.RoleLeader {
			due[p] = n
		}
	}
	for _, m := range j.roster {
		p := part{m.id, m.role}
		if planned, ok := due[p]; ok {
			delete(due, p)
			j.sameSeat(m.node, planned)
			j.ownFiles(m)
			continue
		}
		at := m.get("workerId")
		j.at(at, "a worker of the run manifest's roleExecutions, once", "%s as %s", at.show(), m.role)
	}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		p := part{n.get("workerId").text(), n.get("role").text()}
		if _, ok := due[p]; ok {
			j.at(j.team.root().get("workers"), "a row for each role execution", "a list without %s as %s", p.worker, p.role)
		}
	}
}

// sameSeat compares what a worker is played by with what was planned for it.
func (j *judge) sameSeat(worker, planned node) {
	for _, key := range []string{"provider", "model", "modelExecutionValue"} {
		have, want := worker.get(key), planned.get(key)
		if have.present && want.present && have.show() != want.show() {
			j.at(have, want.show()+", as the run manifest's roleExecutions say", "%s", have.show())
		}
	}
}

// ownFiles reports an agent's name that is not the worker's, and files that
// none of its dispatches names. One that was never dispatched may have any.
func (j *judge) ownFiles(m *member) {
	if at, due := m.get("agent"), run.AgentName(m.id); m.id != "" {
		j.same(at, due)
	}
	for _, key := range []string{"promptPath", "resultPath"} {
		at := m.get(key)
		names := func(d *dispatched) bool { return d.first || j.samePath(d.get(key), at) }
		if _, err := j.rel(at.text()); err != nil {
			continue // doc-path
		}
		if at.text() != "" && len(m.dispatches) > 0 && !slices.ContainsFunc(m.dispatches, names) {
			j.at(at, "the "+key+" of one of the worker's dispatches", "%s for %s", at.show(), m.id)
		}
	}
}

func (j *judge) writerFallback() {
	if !j.report.usable() || !j.team.usable() {
		return
	}
	workers := j.team.root().get("workers")
	for _, m := range j.roster {
		if m.role == run.RoleReportWriter && m.status == "completed" {
			return
		}
	}
	for _, d := range j.dispatches {
		if j.roleOf(d) != run.RoleReportWriter || d.outcome == "" || d.outcome == "completed" {
			continue
		}
		if j.logged(d) {
			return
		}
		j.at(d.get("outcome"), "a row in the errors log for the failed report writer", "%s, which is not logged", d.get("outcome").show())
		return
	}
	j.at(workers, "a report writer that completed, or one that was dispatched and failed",
		"a list without one that wrote the report, and no failed dispatch of one")
}

// logged says whether the errors log has a row about an attempt.
func (s *subject) logged(d *dispatched) bool {
	if s.errorsLog == nil {
		return false
	}
	for _, row := range s.errorsLog.rows {
		n := row.node()
		sameAttempt := d.attempt == 0 || n.get("attempt").whole() == d.attempt
		if n.get("assignmentRef").text() == d.assigned && sameAttempt {
			return true
		}
	}
	return false
}

func (j *judge) teamCreate() {
	create := j.team.root().get("teamCreate")
	if !create.isObject() || j.team.root().get("team", "teamName").text() != "" || j.team.root().get("teamName").text() != "" {
		return
	}
	if !create.get("attempted").yes() || create.get("status").text() != "error" {
		j.at(create, "attempted and refused, or a team", "attempted %s, status %s, and no team",
			create.get("attempted").show(), create.get("status").show())
	}
}
