package validate

import (
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/run"
)

var resultRules = []Rule{
	{
		Code: "result-missing", Level: finding.Error, Title: "a completed worker left no result", Except: notHandoff,
		Checks: "A worker's status is `completed`, and the result it should have written is not there.",
		Why:    "Completed means that there is something to read.",
		Fails:  `"status": "completed", and worker-results/scope-a-worker-error-analysis-002.md does not exist`,
		Passes: "the file lies at the worker's `resultPath`",
		check:  (*judge).resultMissing,
	},
	{
		Code: "result-unexpected", Level: finding.Warning, Title: "a worker that did not run left a result", Except: notHandoff,
		Checks: "A worker's status is `not-run`, and its result exists.",
		Why:    "One of the two is wrong, and a finding may be missing from the grouping.",
		Fails:  `"status": "not-run" beside worker-results/scope-c-worker-error-analysis-002.md`,
		Passes: `"status": "not-run", and no result`,
		check:  (*judge).resultUnexpected,
	},
	{
		Code: grouping.CodeFrontMatter, Level: finding.Error, Title: "the front matter of a result is wrong", Except: notHandoff,
		Checks: "A required key of the front matter is absent, or its value is not that of the run, the worker or its role.",
		Why:    "The front matter is how a result is found again years later.",
		Fails:  "taskType: implementation, in a result of an error analysis",
		Passes: "taskType: error-analysis",
		check:  (*judge).resultFrontMatter,
	},
	{
		Code: "result-changed", Level: finding.Error, Title: "a result is not the one that was delivered", Except: notHandoff,
		Checks: "What the last completed attempt of an assignment wrote is gone, or has another digest than its sidecar. The report and its translations are left out: they are completed by others.",
		Why:    "It is a worker's own word; whoever edits it puts words into its mouth.",
		Fails:  "a sentence added to scope-a-worker-error-analysis-002.md after the worker had ended",
		Passes: "the file with the digest in `artifact.digest` of the sidecar",
		check:  (*judge).changedResults,
	},
	resultRule(grouping.CodeSection, "the sections of a result are wrong",
		"Sections 1 to 5 are missing, repeated, empty or out of order.",
		"A reader of many results looks for the same thing at the same place.",
		"## 2. Missing Information, then ## 1. Findings", "## 1. Findings … ## 5. Recommended Next Actions, an empty one saying None.",
		grouping.CodeSection),
	resultRule(grouping.CodeConfirmation, "the reading confirmation stands in the result",
		"The body has a section `0. Reading Confirmation`.",
		"It belongs to the audit file: a result holds findings only.",
		"## 0. Reading Confirmation in a result", "## 0. Reading Confirmation in the audit file",
		grouping.CodeConfirmation),
	resultRule(grouping.CodeItem, "an item of a result is malformed",
		"An item lacks its title, its list of tickets or, in section 1, its evidence; or a list stands where none belongs; or a ticket is none.",
		"What cannot be read as an item never reaches the grouping.",
		"### F-001 without a title", "### F-001 Retry loop ignores the request deadline, then - Tickets: PAY-12 and - Evidence: internal/http/retry.go:31-58",
		grouping.CodeItem, "ticket-placeholder", "ticket-duplicate", "text-encoding"),
	resultRule(grouping.CodeItemID, "the ids of a result have a gap",
		"Item ids do not ascend from F-001 without gap or repeat.",
		"A gap looks like a finding that somebody removed.",
		"F-001, F-003", "F-001, F-002",
		grouping.CodeItemID),
	{
		Code: grouping.CodeAudit, Level: finding.Error, Title: "the audit file of a result is not in order", Except: notHandoff,
		Checks: "The audit file is missing, has no section `0. Reading Confirmation`, or that section is empty.",
		Why:    "It shows what the worker read before it judged.",
		Fails:  "an audit file without a line under ## 0. Reading Confirmation",
		Passes: "- internal/http/retry.go: read, lines 1-120",
		check:  (*judge).resultAudit,
	},
}

// resultRule is a rule that the parser of results looks into.
func resultRule(code, title, checks, why, fails, passes string, codes ...string) Rule {
	return Rule{
		Code: code, Level: finding.Error, Title: title, Except: notHandoff,
		Checks: checks, Why: why, Fails: fails, Passes: passes,
		check: func(j *judge) {
			j.eachResult(func(m *member) {
				_, faults := m.parse()
				j.parsed(m.result, faults, codes...)
			})
		},
	}
}

// parse reads the result, once.
func (m *member) parse() (grouping.Result, []finding.Finding) {
	if !m.parsed {
		m.parsedResult, m.faults = grouping.ParseResult(m.result.path, m.result.text)
		m.parsed = true
	}
	return m.parsedResult, m.faults
}

// eachResult visits the results that can be read.
func (j *judge) eachResult(visit func(*member)) {
	for _, m := range j.roster {
		if m.result.usable() {
			visit(m)
		}
	}
}

func (j *judge) resultMissing() {
	for _, m := range j.roster {
		if m.status != "completed" || m.role == run.RoleTranslator {
			continue
		}
		by := m.get("resultPath")
		switch {
		case by.text() == "":
			j.at(by, "the path of the result of a completed worker", "%s although %s completed", by.show(), m.id)
		case m.result.absent():
			j.at(by, "a result that is there", "%s, which does not exist although %s completed", by.show(), m.id)
		}
	}
}

// changedResults compares what attempts delivered with what lies there now.
// Where several delivered the same file, the last one counts.
func (j *judge) changedResults() {
	delivered := map[string]node{}
	edited := map[string]bool{}    // the lead may go on writing there
	elsewhere := map[string]bool{} // that it is gone is told by another rule
	for _, m := range j.roster {
		if m.result != nil {
			elsewhere[m.result.path] = true
		}
	}
	for _, d := range j.dispatches {
		n := d.sidecar.root().get("artifact")
		name, err := j.rel(n.get("path").text())
		late := strings.HasPrefix(d.purpose, run.RoleReportWriter) || strings.HasPrefix(d.purpose, run.RoleTranslator)
		if d.outcome == "completed" && err == nil && n.get("path").text() != "" && n.get("digest").text() != "" {
			delivered[name], edited[name] = n, late
			elsewhere[name] = elsewhere[name] || strings.HasPrefix(d.purpose, "reverify-") || d.purpose == "critic-gap"
		}
	}
	for _, name := range sorted(delivered) {
		due := delivered[name].get("digest")
		switch a := j.open(name, "", markdown); {
		case a.missing && elsewhere[name]:
		case a.missing:
			j.at(delivered[name].get("path"), "the file that was delivered", "%s, which does not exist", delivered[name].get("path").show())
		case edited[name] || !a.usable():
		case digest.Bytes(a.text) != due.text():
			j.at(due, digest.Bytes(a.text)+", the digest of "+a.path, "%s", due.show())
		default:
			if size := delivered[name].get("bytes"); size.has() && size.whole() != len(a.text) {
				j.at(size, sprintf("%d, the size of %s", len(a.text), a.path), "%s", size.show())
			}
		}
	}
}

func (j *judge) resultUnexpected() {
	for _, m := range j.roster {
		if m.status == "not-run" && m.result.usable() {
			j.at(m.get("status"), "another status, or no result", "%s although %s exists", m.get("status").show(), m.result.path)
		}
	}
}

func (j *judge) resultFrontMatter() {
	j.eachResult(func(m *member) {
		result, faults := m.parse()
		if j.task.TaskKey != "" {
			faults = append(slices.Clone(faults), result.CheckIdentity(m.result.path, j.task, m.id, m.role)...)
		}
		j.parsed(m.result, faults, grouping.CodeFrontMatter)
	})
}

func (j *judge) resultAudit() {
	j.eachResult(func(m *member) {
		switch {
		case m.audit.missing:
			j.file(m.result, "an audit file "+m.audit.path, "no audit file beside it")
		case m.audit.usable():
			j.parsed(m.audit, grouping.CheckAudit(m.audit.path, m.audit.text), grouping.CodeAudit)
		}
	})
}
