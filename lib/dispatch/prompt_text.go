package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// assignment is what the body of a prompt is written from.
type assignment struct {
	job       run.Job
	purpose   string
	task      run.Task
	title     string // of the task
	language  string // in which the report is written
	target    string // language of a translation
	manifest  run.Manifest
	inputs    run.InputFields
	stage     *int
	packet    json.RawMessage // one line, for a re-verification
	results   []string        // results that exist, for writers and critics
	attached  []attachment
	adversary bool
}

// attachment is a file whose text goes into the prompt as it is.
type attachment struct {
	name string
	text []byte
}

// body writes the prompt below its headers.
func (a assignment) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n# %s: %s\n\n", bodyTitle(a.purpose), a.title)
	b.WriteString(a.common())
	for _, part := range bodyParts(a.purpose) {
		b.WriteString(part(a))
	}
	for _, file := range a.attached {
		fmt.Fprintf(&b, "\n## Attached: %s\n\n", path.Base(file.name))
		b.Write(attachedText(file.text))
	}
	return b.String()
}

// attachedText is the text of a file as it stands in a prompt.
func attachedText(text []byte) []byte { return append(bytes.TrimRight(text, "\n"), '\n') }

// carries are the parts of the prompt that were handed in for it: the packet's
// round and groups, and what is attached.
func (a assignment) carries() []carried {
	var parts []carried
	if a.packet != nil {
		round := fmt.Sprintf("Round: %d", a.packetRound())
		parts = append(parts, carried{what: round, text: round + "\n"}, carried{what: "the groups of the packet", text: packetPart(a)})
	}
	for _, file := range a.attached {
		parts = append(parts, carried{what: file.name, text: string(bytes.TrimRight(file.text, "\n"))})
	}
	return parts
}

// carried is a part of a prompt that was handed in, and how it is called.
type carried struct{ what, text string }

// purposeKind is a purpose without its round or language.
func purposeKind(purpose string) string {
	for _, kind := range []string{"reverify", "plan-verify", "translator", "report-writer"} {
		if purpose == kind || strings.HasPrefix(purpose, kind+"-") {
			return kind
		}
	}
	return purpose
}

func bodyTitle(purpose string) string {
	return map[string]string{
		"analysis": "Analysis", "implementer": "Implementation", "verifier": "Verification",
		"reverify": "Re-verification", "critic": "Critic", "critic-gap": "Re-verification of a critic's gaps",
		"plan-verify": "Verification of the plan", "report-writer": "Final report", "translator": "Translation",
	}[purposeKind(purpose)]
}

// bodyParts are the pieces of a prompt in their order.
func bodyParts(purpose string) []func(assignment) string {
	return map[string][]func(assignment) string{
		"analysis":      {taskPart, readOnlyPart, resultPart, auditPart, errorsPart, returnPart},
		"verifier":      {taskPart, verifierPart, readOnlyPart, resultPart, auditPart, errorsPart, returnPart},
		"implementer":   {taskPart, implementerPart, resultPart, auditPart, errorsPart, returnPart},
		"critic":        {taskPart, readOnlyPart, criticPart, errorsPart},
		"reverify":      {readOnlyPart, verdictPart, packetPart, errorsPart},
		"critic-gap":    {readOnlyPart, verdictPart, packetPart, errorsPart},
		"plan-verify":   {readOnlyPart, verdictPart, packetPart, errorsPart},
		"report-writer": {taskPart, reportPart, resultPart, auditPart, errorsPart, returnPart},
		"translator":    {translatorPart, errorsPart},
	}[purposeKind(purpose)]
}

func (a assignment) common() string {
	lines := []string{
		fmt.Sprintf("You are worker `%s` of a run in which several agents look at the same task apart from each other.", a.job.WorkerID),
		"Nobody answers questions while you work: decide, and say in your result what you decided and why.",
		"Paths in the header and below are relative to the project root unless they begin with `/`.",
		"Write your files yourself; what you only say is lost.",
	}
	return strings.Join(lines, "\n") + "\n"
}

func taskPart(a assignment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Task\n\n- Task: `%s`, type `%s`, run %s\n", a.task.TaskKey, a.task.TaskType, a.task.RunSeq)
	item := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", label, value)
		}
	}
	item("Brief", quoted(a.inputs.BriefPath))
	item("Approved plan", quoted(a.inputs.ApprovedPlanPath))
	if a.stage != nil {
		fmt.Fprintf(&b, "- Stage: %d\n", *a.stage)
	}
	item("Look at", strings.Join(a.inputs.AnalysisTargets, ", "))
	item("Answers to open questions", quoted(a.inputs.ClarificationResponsePath))
	item("Related tasks", strings.Join(a.inputs.RelatedTasks, ", "))
	item("Worker results", quotedList(a.results))
	for _, d := range a.inputs.DesignPrep {
		fmt.Fprintf(&b, "- Design item %s: %s %s\n", d.ID, d.Decision, d.Note)
	}
	item("Directive", a.inputs.Directive)
	fmt.Fprintf(&b, "\n%s\n", goals[a.task.TaskType])
	return b.String()
}

func quoted(path string) string {
	if path == "" {
		return ""
	}
	return "`" + path + "`"
}

func quotedList(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = quoted(p)
	}
	return strings.Join(out, ", ")
}

// goals say in a sentence or two what each task type is after.
var goals = map[string]string{
	"requirements-discovery":  "Find out what is really asked for: the kind of work, the requirements with their sources, what is missing to begin, and what a person has to answer.",
	"error-analysis":          "Find out why the fault happens: symptom and trigger, causes with the evidence for and against each, what is not reproduced yet, and how a fix could be proved.",
	"implementation-planning": "Plan the change: at least two options with their trade-offs, then stages of at most six steps each, with the files that every step touches, how it is checked and how it is undone.",
	"implementation":          "Carry out one stage of the approved plan, no more: its files, its steps, its checks.",
	"final-verification":      "Check the work against every requirement by reading and by commands that change nothing. Each requirement is covered by something you can name, or is a blocker.",
	"release-handoff":         "Prepare the hand-off of verified work as the user chose it.",
	"improvement-discovery":   "Look for improvements worth making, each with the evidence for it, its effect and its effort.",
}

func readOnlyPart(assignment) string {
	return "\n## Limits\n\n- Change nothing but the files that the header names. No commit, no branch, no stash, no configuration.\n" +
		"- Run only commands that change nothing in the tree.\n" +
		"- Cite what you claim as `path:line` or `path:line-line`; a claim without a place is an opinion.\n"
}

func implementerPart(a assignment) string {
	var b strings.Builder
	b.WriteString("\n## Limits\n\n- Work in the worktree of the header. Change only these files:\n")
	for _, p := range a.job.PlannedPaths {
		fmt.Fprintf(&b, "  - `%s`\n", p)
	}
	b.WriteString("- Commit on the branch that is checked out, one parent per commit; no push, no publishing, no other branch, no change of git's configuration.\n" +
		"- A file that the plan does not name stays as it is; say in section 2 what you would have needed.\n")
	return b.String()
}

func verifierPart(a assignment) string {
	return "\n## What to verify\n\nJudge the work of the stage as it stands in the worktree, not what its author says about it. " +
		"Each fault is a finding. Say PASS, FAIL or NON-RESULT with the checks you ran in section 5.\n"
}

func resultPart(a assignment) string {
	id := strings.ReplaceAll(a.task.TaskKey, ":", "-")
	return fmt.Sprintf(`
## Result file

Write the result to the Result Path, in Markdown, beginning with this front matter:

    ---
    title: "OKSTRA %[1]s Result - %[2]s"
    id: %[3]s
    aliases: ["%[3]s-%[4]s"]
    tags: ["worker-result", "%[4]s"]
    taskType: %[4]s
    workerId: %[5]s
    task-id: %[6]s
    ---

Then these sections, in this order, each with its heading; an empty one says "None.":

    ## 1. Findings
    ## 2. Missing Information
    ## 3. Safe Assumptions
    ## 4. Uncertain Points
    ## 5. Recommended Next Actions
    ## 6. Out-of-scope Notes        (may be left out)

A finding, in any of them:

    ### F-001 One sentence that can be right or wrong
    - Tickets: PAY-12                (always there, may be empty)
    - Evidence: path/to/file.go:31-58
    - Evidence: another/file.go:7 (what is seen there)

    Free text, as long as needed.

Ids ascend from F-001 through the whole file without a gap. Section 1 needs at least one Evidence line per finding.
There is no section 0 in this file.
`, roleTitle(a.job.Role), a.task.TaskKey, id, a.task.TaskType, a.job.WorkerID, a.task.TaskID)
}

func roleTitle(role string) string {
	words := strings.Split(role, "-")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

func auditPart(a assignment) string {
	if a.job.AuditPath == "" {
		return ""
	}
	return fmt.Sprintf(`
## Audit file

Write to the Audit Path what you read, one line per input, this prompt first:

    # Audit %s %s %s

    ## 0. Reading Confirmation
    - %s: read
    - path/to/file.go: read, lines 1-120
    - docs/limits.md: not found
`, a.job.WorkerID, a.task.TaskType, a.task.RunSeq, a.job.PromptPath)
}

func errorsPart(a assignment) string {
	if a.job.ErrorsSidecarPath == "" {
		return ""
	}
	return fmt.Sprintf(`
## When a tool of yours fails

Write each failed tool call to the Errors sidecar path; leave the file out when none failed:

    {"schemaVersion": "1.0", "kind": "okstra-worker-errors", "workerId": "%s",
     "errors": [{"at": "2026-01-31T12:00:00Z", "tool": "shell", "command": "go test ./...", "exitCode": 1, "message": "what it said"}]}
`, a.job.WorkerID)
}

func returnPart(a assignment) string {
	return fmt.Sprintf(`
## Last message

    **Model:** %s, %s
    Worker results written to %s. Sections 1-5 complete. Findings: <n>.
`, a.job.Role, a.job.ModelExecutionValue, run.Abs(a.job.ProjectRoot, a.job.ResultPath))
}

func criticPart(a assignment) string {
	kind := "what the results together overlook"
	if a.task.TaskType == "final-verification" {
		kind = "blockers of acceptance that the verifiers missed"
	}
	return fmt.Sprintf(`
## Critic file

Read the worker results and look for %s. Write to the Result Path:

    # Critic
    Worker: %s

    ### X-001 One sentence that can be right or wrong
    - Tickets:
    - Evidence: path/to/file.go:61-70
    What follows from it.

Ids ascend from X-001. When nothing is missing, the file has its first two lines only.
`, kind, a.job.WorkerID)
}

func verdictPart(a assignment) string {
	letter := ""
	if purposeKind(a.purpose) == "plan-verify" {
		letter = "\n    Letter: c                        (a to e, on every DISAGREE)"
	}
	basis := ""
	if a.adversary {
		basis = "\n    Basis: refuted                   (refuted: you show the opposite; unsupported: the cited evidence does not carry the claim)"
	}
	stance := "Judge each claim by the evidence it cites."
	if a.adversary {
		stance = "Try to refute each claim. The claim has to prove itself: what the evidence does not carry is unsupported."
	}
	return fmt.Sprintf(`
## Verdicts

Below stand claims of other workers. %s Write to the Result Path exactly one block for each:

    # Reverify
    Round: %d
    Worker: %s

    ## G-002
    Verdict: DISAGREE                (AGREE, DISAGREE or SUPPLEMENT)%s%s
    Evidence: path/to/file.go:14-19
    Reason: one sentence; a line that continues a value begins with two blanks

Evidence is needed for DISAGREE and SUPPLEMENT%s, Reason for both. No verdict about anything that is not listed.
`, stance, a.packetRound(), a.job.WorkerID, basis, letter, evidenceRule(a.adversary))
}

func evidenceRule(adversary bool) string {
	if adversary {
		return " and for AGREE"
	}
	return ""
}

func (a assignment) packetRound() int {
	var p struct {
		Round int `json:"round"`
	}
	_ = jsondoc.Unmarshal(a.packet, &p) // the packet was read before
	return p.Round
}

// packetPart puts the groups into the prompt as they came, in their order.
func packetPart(a assignment) string {
	var p struct {
		Groups []json.RawMessage `json:"groups"`
	}
	_ = jsondoc.Unmarshal(a.packet, &p)
	var b strings.Builder
	b.WriteString("\n## Claims\n\n```json\n")
	for _, group := range p.Groups {
		b.Write(group)
		b.WriteByte('\n')
	}
	b.WriteString("```\n")
	return b.String()
}

func reportPart(a assignment) string {
	return fmt.Sprintf(`
## Report data

Write the final report as data to `+"`%s`"+` (kind okstra-final-report, schema version 2.0, reportLanguage %s);
`+"`okstra-validate doc --kind final-report`"+` checks it. `+"`%s`"+` is rendered from it by `+"`okstra-translate render`"+`, never written by hand.

- The findings and their classes come from `+"`%s`"+`; do not classify anew.
- executionStatus names every worker of the run with the status it really had.
- usageSummary is null: it is filled in later.
- The Result Path gets your own account in the usual form; the Audit Path names the data file, the inputs you reconciled, and where and why you left the expected shape.
`, a.manifest.ReportDataPath, a.language, a.manifest.ReportPath, orNone(a.manifest.ConvergenceStatePath))
}

func orNone(path *string) string {
	if path == nil {
		return "the worker results"
	}
	return *path
}

func translatorPart(a assignment) string {
	return fmt.Sprintf(`
## Translation into %[1]s

Translate the strings of `+"`%[2]s`"+` into %[1]s. The blocks to translate are attached below; where nothing is attached,
`+"`okstra-translate prepare --data %[2]s --lang %[1]s --markdown FILE`"+` writes them.

- Write every block to the Result Path under its own heading, exactly "## T-001", "## T-002" and so on, in the same order.
- Code, placeholders, paths, links, ids and numbers stay as they are, backslashes before backticks too.
- Nothing is added, nothing left out; no note of yours stands in the file.
`, a.target, a.manifest.ReportDataPath)
}
