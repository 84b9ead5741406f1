package validate

import (
	"path"
	"strconv"
	"strings"
)

// link is one step on the way from a run to the plan that it carries out.
type link struct {
	at       node // where the way goes on, or breaks off
	expected string
	found    string
}

// planData follows a run to the data of its approved plan. The second result
// is where the way breaks off, nil if it does not.
func (s *subject) planData() (*artifact, *link) {
	m := s.manifest.root()
	if !s.context.usable() || !s.context.root().isObject() {
		return nil, &link{m.get("activeRunContextPath"), "an active run context that can be read", ""}
	}
	inputsPath := s.context.root().get("sourceArtifacts", "runInputsPath")
	if inputsPath.text() == "" || !s.inputs.usable() || !s.inputs.root().isObject() {
		return nil, &link{inputsPath, "run inputs that can be read", ""}
	}
	plan := s.inputs.root().get("inputs", "approvedPlanPath")
	if strings.TrimSpace(plan.text()) == "" {
		return nil, &link{plan, "the path of an approved plan", ""}
	}
	data := strings.TrimSuffix(plan.text(), path.Ext(plan.text())) + ".data.json"
	a := s.open(data, "final-report", document)
	a.foreign = true
	if !a.usable() || !a.root().isObject() {
		return nil, &link{plan, "a plan whose data " + data + " can be read", ""}
	}
	return a, nil
}

// stageOf is the stage of the run, 0 when it has none.
func (s *subject) stageOf() (int, node) {
	n := s.context.root().get("run", "stage")
	if i, ok := n.integer(); ok && i > 0 {
		return int(i), n
	}
	if text := n.text(); text != "" && strings.Trim(text, "0123456789") == "" {
		if i, err := strconv.Atoi(text); err == nil {
			return i, n
		}
	}
	return 0, n
}

// planStage is the first row of a stage in the plan.
func planStage(plan *artifact, stage int) node {
	for _, n := range plan.root().get("implementationPlanning", "stages").list() {
		if i, ok := n.get("stage").integer(); ok && int(i) == stage {
			return n
		}
	}
	return node{}
}

func (j *judge) planChain() {
	if !j.manifest.usable() {
		return
	}
	plan, broken := j.planData()
	if broken != nil {
		j.at(broken.at, broken.expected, "%s", broken.at.show())
		return
	}
	stage, at := j.stageOf()
	if stage == 0 {
		j.at(at, "the number of a stage", "%s", at.show())
		return
	}
	row := planStage(plan, stage)
	switch paths, _ := plannedPaths(row); {
	case !row.has():
		j.at(at, "a stage of the approved plan", "%s, which %s does not have", at.show(), plan.path)
	case len(paths) == 0:
		j.at(row, "a stage that plans at least one path", "%s without a planned path", row.show())
	}
}

// plannedPaths is what the steps of a stage say they change, sorted, and the
// cells it was read from.
func plannedPaths(stage node) ([]string, []node) {
	set := map[string]bool{}
	var cells []node
	for _, step := range stage.get("stepwiseExecution").list() {
		cell := step.get("files")
		cells = append(cells, cell)
		for _, p := range cellPaths(cell.text()) {
			set[p] = true
		}
	}
	return sorted(set), cells
}

// cellPaths takes a cell apart: "<br>" and "," separate, blank parts drop out,
// backticks around a part are its dress. Rule: docs/write-policy.md, "Planned
// paths".
func cellPaths(cell string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.ReplaceAll(cell, "<br>", ","), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, strings.Trim(part, "`"))
		}
	}
	return out
}
