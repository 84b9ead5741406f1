package validate

import (
	"path"
	"slices"
	"strings"

	"okstra/lib/finding"
)

var stageRules = []Rule{
	{
		Code: "stage-map", Level: finding.Error, Title: "the stages cannot be put in order", Only: onlyPlanning,
		Checks: "Stages are not numbered from 1 without gap, a stage depends on one that does not exist, or stages depend on each other in a circle.",
		Why:    "Nobody can carry out a plan that has no beginning.",
		Fails:  "stage 1 depends on 2, stage 2 on 1",
		Passes: "stage 2 depends on 1",
		check:  (*judge).stageMap,
	},
	{
		Code: "stage-steps", Level: finding.Error, Title: "a stage is too long", Only: onlyPlanning,
		Checks: "A stage has more than six effective steps, or fewer than it lists.",
		Why:    "A stage is what one worker does and another one verifies in one sitting.",
		Fails:  `"effectiveSteps": 7`,
		Passes: `"effectiveSteps": 3 with three steps`,
		check:  (*judge).stageSteps,
	},
	{
		Code: "stage-overlap", Level: finding.Error, Title: "independent stages change the same file", Only: onlyPlanning,
		Checks: "Two stages of which neither depends on the other, directly or through others, plan the same path.",
		Why:    "Independent stages may run side by side, and then one of them loses.",
		Fails:  "go.mod in stages 1 and 2, both without dependencies",
		Passes: "go.mod in stage 1 and in stage 2, which depends on 1",
		check:  (*judge).stageOverlap,
	},
	{
		Code: "stage-paths", Level: finding.Error, Title: "the planned paths of a stage are not usable", Only: []string{planning, building},
		Checks: "A stage plans no path, or one that is not relative and normalised. For an implementation the stage at hand is looked at.",
		Why:    "The implementer may write exactly what is planned here.",
		Fails:  `"files": "<br>, " on every step`,
		Passes: "\"files\": \"`internal/http/retry.go`<br>go.mod\"",
		check:  (*judge).stagePaths,
	},
	{
		Code: "stage-carry", Level: finding.Error, Title: "the stage's carry is told wrongly", Only: onlyBuilding,
		Checks: "`carry.persisted` contradicts the carry sidecar, or a withheld carry has no reason.",
		Why:    "The next stage builds on what was carried over.",
		Fails:  `"persisted": true without carry/stage-1.json`,
		Passes: `"persisted": false, "withheldReason": "a verifier failed"`,
		check:  (*judge).stageCarry,
	},
	{
		Code: "stage-deviation", Level: finding.Error, Title: "a deviation from the plan has no reason", Only: onlyBuilding,
		Checks: "The report lists a changed file that the stage does not plan, and gives no reason.",
		Why:    "A plan may be wrong; a change beside it must be explained.",
		Fails:  `{"path": "Makefile", "planned": false}`,
		Passes: `{"path": "Makefile", "planned": false, "reason": "the target was misspelt"}`,
		check:  (*judge).stageDeviations,
	},
}

const maxSteps = 6

// stages are the stages of the report at hand.
func (s *subject) stages() []node {
	return s.report.root().find("/implementationPlanning/stages").list()
}

func (j *judge) stageMap() {
	stages := j.stages()
	known := map[int]bool{}
	for i, s := range stages {
		at := s.get("stage")
		if at.has() && at.whole() != i+1 {
			j.at(at, sprintf("%d", i+1), "%s", at.show())
		}
		known[at.whole()] = true
	}
	for _, s := range stages {
		for _, d := range s.get("dependsOn").list() {
			if !known[d.whole()] {
				j.at(d, "a stage of the plan", "%s, which is none", d.show())
			}
		}
	}
	before := ancestors(stages)
	for _, s := range stages {
		if n := s.get("stage").whole(); before[n][n] {
			j.at(s.get("dependsOn"), "stages that do not depend on this one", "a circle through stage %d", n)
			return
		}
	}
}

// ancestors are the stages that each stage depends on, directly or not.
func ancestors(stages []node) map[int]map[int]bool {
	direct := map[int][]int{}
	for _, s := range stages {
		for _, d := range s.get("dependsOn").list() {
			direct[s.get("stage").whole()] = append(direct[s.get("stage").whole()], d.whole())
		}
	}
	out := map[int]map[int]bool{}
	for stage := range direct {
		seen := map[int]bool{}
		queue := slices.Clone(direct[stage])
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			if !seen[at] {
				seen[at] = true
				queue = append(queue, direct[at]...)
			}
		}
		out[stage] = seen
	}
	return out
}

func (j *judge) stageSteps() {
	for _, s := range j.stages() {
		at, listed := s.get("effectiveSteps"), len(s.get("stepwiseExecution").list())
		steps, ok := at.integer()
		switch {
		case !ok:
		case steps > maxSteps:
			j.at(at, sprintf("at most %d", maxSteps), "%s", at.show())
		case int(steps) < listed:
			j.at(at, sprintf("at least %d, which are listed", listed), "%s", at.show())
		}
	}
}

func (j *judge) stageOverlap() {
	stages := j.stages()
	before := ancestors(stages)
	for i, a := range stages {
		paths, _ := plannedPaths(a)
		for _, b := range stages[:i] {
			m, n := a.get("stage").whole(), b.get("stage").whole()
			others, _ := plannedPaths(b)
			if before[m][n] || before[n][m] {
				continue
			}
			for _, p := range paths {
				if slices.Contains(others, p) {
					j.at(a.get("stepwiseExecution"), sprintf("a dependency between stages %d and %d, or other files", n, m),
						"a list that changes %s, as independent stage %d does", finding.Quote(p), n)
				}
			}
		}
	}
}

func (j *judge) stagePaths() {
	stages := j.stages()
	if j.task.TaskType == building {
		plan, broken := j.planData()
		if broken != nil {
			return // manifest-chain
		}
		stage, _ := j.stageOf()
		stages = []node{planStage(plan, stage)}
	}
	for _, s := range stages {
		paths, cells := plannedPaths(s)
		if len(paths) == 0 && s.has() && j.task.TaskType == planning {
			j.at(s.get("stepwiseExecution"), "at least one planned path", "a list that plans no path")
		}
		for _, p := range paths {
			if p != "" && !path.IsAbs(p) && path.Clean(p) == p && p != "." && p != ".." && !strings.HasPrefix(p, "../") {
				continue
			}
			for _, cell := range cells {
				if slices.Contains(cellPaths(cell.text()), p) {
					j.at(cell, "relative and normalised paths", "%s with %s", cell.show(), finding.Quote(p))
					break
				}
			}
		}
	}
}

func (j *judge) stageCarry() {
	carry := j.report.root().find("/implementation/carry")
	persisted := carry.get("persisted")
	if !persisted.has() || j.carry == nil {
		return
	}
	switch there := !j.carry.missing; {
	case persisted.yes() && !there:
		j.at(persisted, "false, or a carry sidecar "+j.carry.path, "%s without the sidecar", persisted.show())
	case !persisted.yes() && there:
		j.at(persisted, "true, or no carry sidecar", "%s although %s exists", persisted.show(), j.carry.path)
	case !persisted.yes() && carry.get("withheldReason").text() == "":
		j.at(carry.get("withheldReason"), "why the carry was withheld", "%s", carry.get("withheldReason").show())
	case persisted.yes() && carry.get("path").isText() && carry.get("path").text() != j.carry.path:
		j.at(carry.get("path"), j.carry.path, "%s", carry.get("path").show())
	}
}

func (j *judge) stageDeviations() {
	plan, broken := j.planData()
	var planned []string
	if broken == nil {
		stage, _ := j.stageOf()
		planned, _ = plannedPaths(planStage(plan, stage))
	}
	for _, c := range j.report.root().find("/implementation/changedFiles").list() {
		name := c.get("path")
		deviates := !c.get("planned").yes() || broken == nil && !slices.Contains(planned, name.text())
		if name.isText() && deviates && strings.TrimSpace(c.get("reason").text()) == "" {
			j.at(name, "a planned path, or a reason", "%s, which stage %d does not plan", name.show(), j.report.root().find("/implementation/stage").whole())
		}
	}
}
