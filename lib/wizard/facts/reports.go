package facts

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/run"
	"okstra/lib/wizard"
)

// report is what the wizard reads of a final report's data.
type report struct {
	Header struct {
		GeneratedAt string `json:"generatedAt"`
	} `json:"header"`
	NextSteps []struct {
		Phase string `json:"phase"`
	} `json:"nextSteps"`
	RequirementsDiscovery *routed `json:"requirementsDiscovery"`
	ImprovementDiscovery  *routed `json:"improvementDiscovery"`
	ClarificationItems    []struct {
		ID        string `json:"id"`
		Kind      string `json:"kind"`
		Statement string `json:"statement"`
		Status    string `json:"status"`
		Blocks    string `json:"blocks"`
	} `json:"clarificationItems"`
	ImplementationPlanning *struct {
		Approval struct {
			Approved bool `json:"approved"`
		} `json:"approval"`
		Stages []struct {
			Stage     int    `json:"stage"`
			Title     string `json:"title"`
			DependsOn []int  `json:"dependsOn"`
		} `json:"stages"`
	} `json:"implementationPlanning"`
}

type routed struct {
	Routing struct {
		NextPhase string `json:"nextPhase"`
	} `json:"routing"`
}

const reportKind = "okstra-final-report"

// reportFile is a report and where it lies.
type reportFile struct {
	taskType, path string
	report         report
}

// newest gives the newest readable report of each task type that a task has,
// the newest of all first.
func (p *Project) newest(group, id string) []reportFile {
	ref := group + "/" + id
	if found, ok := p.reports[ref]; ok {
		return found
	}
	var found []reportFile
	for _, taskType := range run.TaskTypes {
		for _, name := range p.reportData(group, id, taskType) {
			r := reportFile{taskType: taskType, path: name}
			if _, err := run.Load(name, reportKind, &r.report); err != nil {
				p.warnf("left out: %v", err)
				continue
			}
			found = append(found, r)
			break
		}
	}
	slices.SortStableFunc(found, func(a, b reportFile) int {
		return cmp.Compare(b.report.Header.GeneratedAt, a.report.Header.GeneratedAt)
	})
	if p.reports == nil {
		p.reports = map[string][]reportFile{}
	}
	p.reports[ref] = found
	return found
}

// reportData are the data files of a task type, newest first: sequence numbers
// have three digits, so their order is that of the names.
func (p *Project) reportData(group, id, taskType string) []string {
	dir := filepath.Join(p.taskDir(group, id), "runs", taskType, "reports")
	var names []string
	for _, e := range p.entries(dir) {
		if name := e.Name(); strings.HasPrefix(name, "final-report-") && strings.HasSuffix(name, ".data.json") {
			names = append(names, filepath.Join(dir, name))
		}
	}
	slices.Reverse(names)
	return names
}

// NextPhase is what the newest report of the task proposes.
func (p *Project) NextPhase(group, id string) string {
	found := p.newest(group, id)
	if len(found) == 0 {
		return ""
	}
	r := found[0].report
	for _, d := range []*routed{r.RequirementsDiscovery, r.ImprovementDiscovery} {
		if d != nil && run.IsTaskType(d.Routing.NextPhase) {
			return d.Routing.NextPhase
		}
	}
	for _, n := range r.NextSteps {
		if run.IsTaskType(n.Phase) {
			return n.Phase
		}
	}
	return ""
}

// Decisions are the decisions that the newest report of the task left open.
func (p *Project) Decisions(group, id string) []wizard.DesignItem {
	found := p.newest(group, id)
	if len(found) == 0 {
		return nil
	}
	var items []wizard.DesignItem
	for _, c := range found[0].report.ClarificationItems {
		if c.Kind == "decision" && c.Status == "open" {
			items = append(items, wizard.DesignItem{ID: c.ID, Statement: safeStatement(c.Statement)})
		}
	}
	return items
}

// Clarifications tells whether the newest report of the task still has open or
// answered items, and which response files there are: clarification*.md beside
// the task manifest or in the run folder of that report.
func (p *Project) Clarifications(group, id string) wizard.ClarificationFact {
	found := p.newest(group, id)
	if len(found) == 0 {
		return wizard.ClarificationFact{}
	}
	var facts wizard.ClarificationFact
	for _, c := range found[0].report.ClarificationItems {
		facts.Open = facts.Open || c.Status == "open" || c.Status == "answered"
	}
	if !facts.Open {
		return facts
	}
	dir := p.taskDir(group, id)
	facts.Files = p.responses(dir, filepath.Join(dir, "runs", found[0].taskType))
	return facts
}

// responses are the response files in some folders, newest first.
func (p *Project) responses(dirs ...string) []string {
	type response struct {
		path string
		info fs.FileInfo
	}
	var files []response
	for _, dir := range dirs {
		for _, e := range p.entries(dir) {
			name := e.Name()
			if !strings.HasPrefix(name, "clarification") || !strings.HasSuffix(name, ".md") || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil {
				files = append(files, response{run.Rel(p.Root, filepath.Join(dir, name)), info})
			}
		}
	}
	slices.SortFunc(files, func(a, b response) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(b.path, a.path))
	})
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths
}

// templatePlaces are where a pull request template may lie in a project.
var templatePlaces = []struct{ path, origin string }{
	{".github/pull_request_template.md", "repository"},
	{".github/PULL_REQUEST_TEMPLATE.md", "repository"},
	{".okstra/pr-template.md", "project"},
}

// Templates are the pull request templates that exist.
func (p *Project) Templates() []wizard.TemplateFact {
	var out []wizard.TemplateFact
	var seen []fs.FileInfo
	add := func(full, path, origin string) {
		info, err := os.Stat(full)
		if err != nil || !info.Mode().IsRegular() || slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
			return // also the same file under two names, where case does not count
		}
		seen = append(seen, info)
		out = append(out, wizard.TemplateFact{Path: path, Origin: origin})
	}
	for _, place := range templatePlaces {
		add(filepath.Join(p.Root, place.path), place.path, place.origin)
	}
	if p.OkstraHome != "" {
		name := filepath.Join(p.OkstraHome, "pr-template.md")
		add(name, name, "global")
	}
	return out
}
