package render

import (
	"fmt"
	"strings"
)

// taskBlocks lists the blocks that a report can have, one for each task type,
// and what shows it. A report has one; a faulty one with more shows them all.
var taskBlocks = []struct {
	key, title string
	show       func(node) []section
}{
	{"requirementsDiscovery", "Requirements", requirementsDiscovery},
	{"errorAnalysis", "Error analysis", errorAnalysis},
	{"implementationPlanning", "Implementation plan", implementationPlanning},
	{"implementation", "Implementation", implementation},
	{"finalVerification", "Final verification", finalVerification},
	{"releaseHandoff", "Release hand-off", releaseHandoff},
	{"improvementDiscovery", "Improvements", improvementDiscovery},
}

// taskBlock is part 5. Its subsections are numbered here, so that the functions
// of the blocks only say what comes in which order; a block that brings
// numbers of its own keeps them.
func taskBlock(root node) []section {
	var sections []section
	for _, b := range taskBlocks {
		block := root.get(b.key)
		if block.isNull() {
			continue
		}
		sections = append(sections, section{number: "5", title: b.title, level: 2})
		for i, s := range b.show(block) {
			if s.level == 0 {
				s.level = 3
			}
			if s.number == "" {
				s.number = fmt.Sprintf("5.%d", i+1)
			}
			sections = append(sections, s)
		}
	}
	if sections == nil {
		return []section{{number: "5", title: "Task", level: 2, body: []block{none()}}}
	}
	return sections
}

func part5(title string, body ...block) section { return section{title: title, body: body} }

func routing(n node) block {
	return factsOf("Routing", n.get("routing"),
		field{"Next phase", "nextPhase", asToken},
		field{"Rationale", "rationale", asProse},
	)
}

func requirementsDiscovery(n node) []section {
	return []section{
		part5("Requirements", rowsOf("Requirements", n.get("requirements").list(),
			field{"Id", "id", asID},
			field{"Requirement", "statement", asProse},
			field{"Source", "source", asPlain},
			field{"Priority", "priority", asPlain},
		)),
		part5("Routing", routing(n), factsOf("Category", n,
			field{"Work category", "workCategory", asToken},
			field{"Missing inputs", "missingInputs", asRefs},
		)),
	}
}

func errorAnalysis(n node) []section {
	path := list{ordered: true}
	for _, step := range n.get("validationPath").list() {
		path.items = append(path.items, proseOf(step))
	}
	return []section{
		part5("Symptoms", rowsOf("Symptoms", n.get("symptoms").list(),
			field{"Id", "id", asID},
			field{"Symptom", "statement", asProse},
			field{"Trigger", "trigger", asProse},
		)),
		part5("Hypotheses", rowsOf("Hypotheses", n.get("hypotheses").list(),
			field{"Id", "id", asID},
			field{"Cause", "cause", asProse},
			field{"Confidence", "confidence", asToken},
			field{"Status", "status", asToken},
			field{"Evidence", "evidenceRefs", asRefs},
		)),
		part5("Reproduction", factsOf("Reproduction", n.get("reproduction"),
			field{"Status", "status", asToken},
			field{"Gap", "gap", asProse},
		)),
		part5("Validation path", path),
	}
}

// implementationPlanning keeps the numbers that planning runs are cited by:
// 5.5 is the stage map, 5.5.<i> stage i and 5.5.9 the verification of the plan
// body. A ninth stage therefore counts on from 5.5.10.
func implementationPlanning(n node) []section {
	sections := []section{
		part5("Options", rowsOf("Options", n.get("options").list(),
			field{"Id", "id", asID},
			field{"Option", "title", asProse},
			field{"Summary", "summary", asProse},
			field{"Trade-offs", "tradeOffs", asProseLines},
			field{"Recommended", "recommended", asYesNo},
		)),
		part5("Validation", rowsOf("Validation", n.get("validation").list(),
			field{"Id", "id", asID},
			field{"Check", "check", asProse},
			field{"Command", "command", asCode},
			field{"Stage", "stage", asPlain},
		)),
		part5("Rollback", rowsOf("Rollback", n.get("rollback").list(),
			field{"Id", "id", asID},
			field{"Step", "step", asProse},
		)),
		part5("Requirement coverage", rowsOf("Requirement coverage", n.get("requirementCoverage").list(),
			field{"Requirement", "requirementId", asRef},
			field{"Stages", "stages", stageNumbers},
			field{"Note", "note", asProse},
		)),
		part5("Stage map", rowsOf("Stage map", n.get("stages").list(),
			field{"Stage", "stage", asPlain},
			field{"Title", "title", asProse},
			field{"Depends on", "dependsOn", dependsOn},
			field{"Steps", "effectiveSteps", asPlain},
		), stageGraph(n.get("stages").list())),
	}
	for i, stage := range n.get("stages").list() {
		number := i + 1
		if number >= 9 {
			number++
		}
		s := stageSection(stage)
		s.number, s.level = fmt.Sprintf("5.5.%d", number), 4
		sections = append(sections, s)
	}
	if body := n.get("planBodyVerification"); !body.isNull() {
		s := planBody(body)
		s.number, s.level = "5.5.9", 4
		sections = append(sections, s)
	}
	approval := part5("Approval", factsOf("Approval", n.get("approval"),
		field{"Requested", "requested", asYesNo},
		field{"Approved", "approved", asYesNo},
		field{"Approved at", "approvedAt", asPlain},
	))
	approval.number = "5.6"
	return append(sections, approval)
}

func stageGraph(stages []node) stageMap {
	m := stageMap{title: "Stages and what they wait for"}
	for _, stage := range stages {
		number, ok := stage.get("stage").whole()
		if !ok {
			continue
		}
		s := stageNode{number: number, title: stage.get("title").text()}
		for _, d := range stage.get("dependsOn").list() {
			if before, ok := d.whole(); ok {
				s.dependsOn = append(s.dependsOn, before)
			}
		}
		m.stages = append(m.stages, s)
	}
	return m
}

func stageNumbers(n node) cell {
	if n.text() != "" {
		return asToken(n)
	}
	return asRefs(n)
}

func dependsOn(n node) cell {
	if c := asRefs(n); c != nil {
		return c
	}
	return line(span{kind: label, text: "none"})
}

func stageSection(stage node) section {
	criteria := list{}
	for _, c := range stage.get("exitCriteria").list() {
		criteria.items = append(criteria.items, proseOf(c))
	}
	return section{
		title: "Stage " + stage.get("stage").text(),
		body: []block{
			paragraph(proseOf(stage.get("title"))),
			rowsOf("Steps of stage "+stage.get("stage").text(), stage.get("stepwiseExecution").list(),
				field{"Step", "step", asPlain},
				field{"Action", "action", asProse},
				field{"Files", "files", plannedFiles},
				field{"Done when", "doneWhen", asProse},
			),
			paragraph(labels("Exit criteria:")),
			criteria,
		},
	}
}

// plannedFiles shows a cell of planned paths, which are parted by <br> or
// commas and may stand in backticks, one path a line.
func plannedFiles(n node) cell {
	var c cell
	for _, path := range strings.FieldsFunc(strings.ReplaceAll(n.text(), "<br>", ","), func(r rune) bool { return r == ',' }) {
		if path = strings.Trim(strings.TrimSpace(path), "`"); path != "" {
			c = append(c, []span{{kind: code, text: path}})
		}
	}
	return c
}

func planBody(n node) section {
	return section{title: "Plan-body verification", body: []block{
		factsOf("Plan-body verification", n, field{"Gate", "gate", asToken}, field{"Rounds", "rounds", asPlain}),
		rowsOf("Items of the plan body", n.get("items").list(),
			field{"Id", "id", asID},
			field{"Part", "ref", asRef},
			field{"Agree", "agree", asPlain},
			field{"Supplement", "supplement", asPlain},
			field{"Disagree", "disagree", asPlain},
			field{"Grounds", "letters", asRefs},
		),
	}}
}

func implementation(n node) []section {
	deviations := list{}
	for _, d := range n.get("deviations").list() {
		deviations.items = append(deviations.items, proseOf(d))
	}
	var deviationBlock block = deviations
	if len(deviations.items) == 0 {
		deviationBlock = none()
	}
	return []section{
		part5("Stage", factsOf("Stage", n,
			field{"Stage", "stage", asPlain},
			field{"Approved plan", "approvedPlanRef", asCode},
			field{"Result kept", "carry/persisted", asYesNo},
			field{"Kept in", "carry/path", asCode},
			field{"Withheld because", "carry/withheldReason", asProse},
		)),
		part5("Commits", rowsOf("Commits", n.get("commits").list(),
			field{"Commit", "sha", asCode},
			field{"Subject", "subject", asPlain},
			field{"Files", "files", asCodes},
		)),
		part5("Changed files", rowsOf("Changed files", n.get("changedFiles").list(),
			field{"File", "path", asCode},
			field{"Planned", "planned", asYesNo},
			field{"Reason", "reason", asProse},
		)),
		part5("Verification", rowsOf("Verification", n.get("verification").list(),
			field{"Verifier", "verifier", asPlain},
			field{"Result", "result", asToken},
			field{"Checks", "checks", asProseLines},
		)),
		part5("Deviations", deviationBlock),
	}
}

func finalVerification(n node) []section {
	return []section{
		part5("Scope", factsOf("Scope", n,
			field{"Scope", "scope", asToken},
			field{"Stages", "stages", asRefs},
		)),
		part5("Requirement coverage", rowsOf("Requirement coverage", n.get("coverage").list(),
			field{"Requirement", "requirementId", asRef},
			field{"Status", "status", asToken},
			field{"Artifact", "artifact", asCode},
			field{"Blocker", "blockerRef", asRef},
		)),
		part5("Acceptance blockers", rowsOf("Acceptance blockers", n.get("acceptanceBlockers").list(),
			field{"Id", "id", asID},
			field{"Blocker", "statement", asProse},
			field{"Evidence", "evidenceRefs", asRefs},
			field{"Raised by", "origin", asToken},
		)),
		part5("Residual risks", rowsOf("Residual risks", n.get("residualRisks").list(),
			field{"Id", "id", asID},
			field{"Risk", "statement", asProse},
			field{"Raised by", "origin", asToken},
		)),
		part5("Read-only commands", rowsOf("Read-only commands", n.get("readOnlyCommands").list(),
			field{"Command", "command", asCode},
			field{"Exit status", "exitCode", asPlain},
			field{"Summary", "summary", asProse},
		)),
	}
}

func releaseHandoff(n node) []section {
	return []section{
		part5("Hand-off", factsOf("Hand-off", n,
			field{"Mode", "mode", asToken},
			field{"Stages", "stages", asRefs},
			field{"Action", "action", asToken},
			field{"Base branch", "baseBranch", asCode},
			field{"Message", "messageHandling", asToken},
			field{"Pull request", "prUrl", asPlain},
			field{"Verification", "verificationRef", asCode},
		)),
		part5("Commands", rowsOf("Commands", n.get("commands").list(),
			field{"Command", "argv", argv},
			field{"Exit status", "exitCode", asPlain},
		)),
	}
}

// argv shows the words of a command; it need not be fit for a shell.
func argv(n node) cell {
	if words := strings.Join(n.texts(), " "); words != "" {
		return line(span{kind: code, text: words})
	}
	return nil
}

func improvementDiscovery(n node) []section {
	return []section{
		part5("Candidates", rowsOf("Candidates", n.get("candidates").list(),
			field{"Id", "id", asID},
			field{"Improvement", "title", asProse},
			field{"Lens", "lens", asPlain},
			field{"Impact", "impact", asToken},
			field{"Effort", "effort", asToken},
			field{"Priority", "priority", asPlain},
			field{"Evidence", "evidenceRefs", asRefs},
		)),
		part5("Routing", routing(n)),
	}
}
