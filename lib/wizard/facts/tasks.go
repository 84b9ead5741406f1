package facts

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

// Tasks lists the tasks of the project, the one with the newest run first.
func (p *Project) Tasks() []wizard.TaskFact {
	if p.haveTasks {
		return p.tasks
	}
	p.haveTasks = true
	manifests, err := filepath.Glob(filepath.Join(globQuote(p.Root), ".okstra/tasks/*/*/task-manifest.json"))
	if err != nil {
		p.warnf("tasks: %v", err)
	}
	worktrees := p.worktrees()
	for _, name := range manifests {
		if t, ok := p.task(name, worktrees); ok {
			p.tasks = append(p.tasks, t)
		}
	}
	slices.SortStableFunc(p.tasks, func(a, b wizard.TaskFact) int {
		return cmp.Or(cmp.Compare(b.LastAt, a.LastAt), cmp.Compare(a.Ref(), b.Ref()))
	})
	return p.tasks
}

func (p *Project) task(manifest string, worktrees map[string]bool) (wizard.TaskFact, bool) {
	dir := filepath.Dir(manifest)
	var m run.TaskManifest
	if !p.read(manifest, &m) {
		return wizard.TaskFact{}, false
	}
	t := wizard.TaskFact{
		Group: filepath.Base(filepath.Dir(dir)), ID: filepath.Base(dir),
		Title: shown(m.Title), WorkCategory: m.WorkCategory, BriefPath: m.BriefPath, HasWorktree: worktrees[m.TaskKey],
	}
	for _, name := range p.glob(dir, "runs/*/manifests/run-manifest-*.json") {
		var last struct {
			CreatedAt string `json:"createdAt"`
		}
		if p.read(name, &last) && last.CreatedAt >= t.LastAt {
			t.LastAt, t.LastType = last.CreatedAt, filepath.Base(filepath.Dir(filepath.Dir(name)))
		}
	}
	return t, true
}

// read decodes a document; what cannot be read is a warning.
func (p *Project) read(name string, v any) bool {
	doc, err := jsondoc.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(doc.Raw, v)
	}
	if err != nil {
		p.warnf("left out: %v", err)
	}
	return err == nil
}

func (p *Project) taskDir(group, task string) string {
	return filepath.Join(p.Root, ".okstra/tasks", group, task)
}

func (p *Project) glob(dir, pattern string) []string {
	names, err := filepath.Glob(filepath.Join(globQuote(dir), pattern))
	if err != nil {
		p.warnf("%s: %v", pattern, err)
	}
	return names
}

// globQuote keeps a folder's own name from being read as a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// worktrees are the task keys that have a worktree in the registry.
func (p *Project) worktrees() map[string]bool {
	name := filepath.Join(p.OkstraHome, "worktrees", "registry.json")
	if _, err := os.Stat(name); err != nil || p.OkstraHome == "" {
		return nil
	}
	var registry struct {
		Worktrees map[string]json.RawMessage `json:"worktrees"`
	}
	if !p.read(name, &registry) {
		return nil
	}
	out := map[string]bool{}
	for key := range registry.Worktrees {
		out[key] = true
	}
	return out
}

// report holds what the wizard reads of a final report's data.
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
		ID     string `json:"id"`
		Status string `json:"status"`
		Blocks string `json:"blocks"`
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

// reports are the data files of a task type, newest first: sequence numbers
// have three digits, so their order is that of the names.
func (p *Project) reports(group, task, taskType string) []string {
	names := p.glob(p.taskDir(group, task), path.Join("runs", taskType, "reports", "final-report-*.data.json"))
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(filepath.Base(b), filepath.Base(a)) })
	return names
}

// NextPhase is what the newest report of the task proposes.
func (p *Project) NextPhase(group, task string) string {
	newest, next := "", ""
	for _, taskType := range run.TaskTypes {
		names := p.reports(group, task, taskType)
		var r report
		if len(names) == 0 || !p.read(names[0], &r) || r.Header.GeneratedAt < newest {
			continue
		}
		newest, next = r.Header.GeneratedAt, r.next()
	}
	return next
}

func (r report) next() string {
	for _, d := range []*routed{r.RequirementsDiscovery, r.ImprovementDiscovery} {
		if d != nil && run.IsTaskType(d.Routing.NextPhase) {
			return d.Routing.NextPhase
		}
	}
	for _, n := range r.NextSteps {
		if n.Phase != "" {
			return n.Phase
		}
	}
	return ""
}
