package validate

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

// plan is the data of the approved plan, else of the task's newest plan; nil
// when there is none.
func (s *subject) plan() *artifact {
	if s.task.TaskType == planning {
		return s.report
	}
	if approved := s.inputs.root().get("inputs", "approvedPlanPath"); approved.text() != "" {
		if a := s.foreign(dataOf(approved.text()), approved); a.usable() {
			return a
		}
	}
	return s.newest(planning)
}

// foreign opens a document of another run. What is wrong about its content is
// that run's business; that it cannot be read is ours.
func (s *subject) foreign(name string, by node) *artifact {
	a := s.open(name, "final-report", document)
	a.foreign = a != s.report
	a.wanted = append(a.wanted, want{by, true})
	return a
}

var reportName = regexp.MustCompile(`^final-report-[a-z-]+-([0-9]{3})\.data\.json$`)

// newest is the data of the newest report of a task type, nil when there is none.
func (s *subject) newest(taskType string) *artifact {
	dir := path.Join(s.folder.TaskDir(), "runs", taskType, "reports")
	entries, err := os.ReadDir(filepath.Join(s.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if reportName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	a := s.open(path.Join(dir, slices.Max(names)), "final-report", document)
	a.foreign = a != s.report
	return a
}

func (j *judge) reportCoverage() {
	if j.task.TaskType == planning {
		j.covers("/implementationPlanning/requirementCoverage", j.discovered())
		return
	}
	j.covers("/finalVerification/coverage", j.planned())
}

// covers reports requirements that have no row in a list.
func (j *judge) covers(pointer string, requirements []string) {
	list := j.report.root().find(pointer)
	if !list.isList() {
		return
	}
	have := map[string]bool{}
	for _, row := range list.list() {
		have[row.get("requirementId").text()] = true
	}
	for _, id := range requirements {
		if !have[id] {
			j.at(list, "a row for each requirement", "a list without %s", id)
		}
	}
}

// discovered are the requirements that the task's discovery has found.
func (s *subject) discovered() []string {
	var ids []string
	for _, q := range s.newest(discovery).root().find("/requirementsDiscovery/requirements").list() {
		ids = append(ids, q.get("id").text())
	}
	return ids
}

// planned are the requirements that the plan puts into the stages that were
// verified.
func (s *subject) planned() []string {
	block := s.report.root().get("finalVerification")
	whole := block.get("scope").text() == "whole-task"
	stages := map[int]bool{}
	for _, n := range block.get("stages").list() {
		stages[n.whole()] = true
	}
	var ids []string
	for _, row := range s.plan().root().find("/implementationPlanning/requirementCoverage").list() {
		due := whole && row.get("stages").isList()
		for _, n := range row.get("stages").list() {
			due = due || stages[n.whole()]
		}
		if due {
			ids = append(ids, row.get("requirementId").text())
		}
	}
	return ids
}
