package wizard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// project is a fixed set of facts. asked records which kinds of facts were
// looked at.
type project struct {
	tasks      []TaskFact
	leftOut    int
	plans      []PlanFact
	decisions  []DesignItem
	open       bool
	responses  []string
	handoff    HandoffFact
	templates  []TemplateFact
	worktrees  []string
	noGit      bool
	noBranch   bool
	next       string
	language   string
	saved      map[string]string
	providers  []ProviderFact
	asked      map[string]bool
	goneCommit bool
	goneFile   string
}

var claudeModels = []ModelFact{{"opus", "Claude Opus"}, {"sonnet", "Claude Sonnet"}}

// twoProviders are what most projects of these tests have installed.
var twoProviders = []ProviderFact{
	{ID: "claude", Name: "Claude Code", Offered: true, CanWrite: true, DefaultModel: "opus", Models: claudeModels},
	{ID: "codex", Name: "Codex", Offered: true, CanWrite: true, DefaultModel: "sol", Models: []ModelFact{{"sol", "Sol"}}},
	{ID: "replay", Name: "Replay", CanWrite: true, DefaultModel: "tape", Models: []ModelFact{{"tape", "Tape"}}},
}

func (p *project) look(fact string) {
	if p.asked != nil {
		p.asked[fact] = true
	}
}

func (p *project) Tasks() TaskList {
	p.look("tasks")
	return TaskList{p.tasks, p.leftOut}
}

func (p *project) Task(group, id string) (TaskFact, bool) {
	p.look("tasks")
	for _, t := range p.tasks {
		if t.Group == group && t.ID == id {
			return t, true
		}
	}
	return TaskFact{}, false
}

func (p *project) HasOther(group, id string) bool {
	p.look("tasks")
	return slices.ContainsFunc(p.tasks, func(t TaskFact) bool { return t.Group != group || t.ID != id })
}

func (p *project) Groups() []string {
	p.look("tasks")
	var groups []string
	for _, t := range p.tasks {
		groups = append(groups, t.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

func (p *project) Taken(group, id string) string {
	p.look("tasks")
	for _, t := range p.tasks {
		if strings.EqualFold(t.Group, group) && strings.EqualFold(t.ID, id) {
			return t.Ref()
		}
	}
	return ""
}

func (p *project) HasWorktree(_, group, id string) bool {
	p.look("worktrees")
	return slices.Contains(p.worktrees, group+"/"+id)
}

func (p *project) NextPhase(string, string) string {
	p.look("runs")
	return p.next
}

func (p *project) Decisions(string, string) []DesignItem {
	p.look("design items")
	return p.decisions
}

func (p *project) Clarifications(string, string) ClarificationFact {
	p.look("clarifications")
	return ClarificationFact{p.open, p.responses}
}

func (p *project) Plans(string, string) []PlanFact {
	p.look("plans")
	return p.plans
}

func (p *project) Plan(path string) (PlanFact, error) {
	p.look("plans")
	for _, plan := range p.plans {
		if plan.Path == path {
			return plan, nil
		}
	}
	return PlanFact{}, fmt.Errorf("%q is no plan", path)
}

func (p *project) Handoff(string, string) HandoffFact {
	p.look("hand-off")
	return p.handoff
}

func (p *project) Providers() ProviderFacts {
	p.look("providers")
	installed := p.providers
	if installed == nil {
		installed = twoProviders
	}
	return ProviderFacts{Installed: installed, Default: []string{"claude", "codex"}, Known: []string{"claude", "codex"}}
}

func (p *project) Model(name string) (string, error) {
	p.look("providers")
	for _, installed := range p.Providers().Installed {
		for _, m := range installed.Models {
			if full := installed.ID + "/" + m.ID; name == full || strings.EqualFold(name, full) || name == m.ID {
				return full, nil
			}
		}
	}
	return "", fmt.Errorf("unknown model %q", name)
}

func (p *project) Defaults(role string) (string, bool) {
	p.look("defaults")
	m, ok := p.saved[role]
	return m, ok
}

func (p *project) Refs() RefFacts {
	p.look("refs")
	switch {
	case p.noGit:
		return RefFacts{}
	case p.noBranch:
		return RefFacts{Head: "0123456789abcdef"}
	}
	return RefFacts{Head: "0123456789abcdef", DefaultBranch: "main"}
}

func (p *project) Commit(ref string) (string, error) {
	p.look("refs")
	if ref == "nowhere" || p.goneCommit {
		return "", errors.New("no commit")
	}
	return strings.Repeat("a", 40), nil
}

func (p *project) Templates() []TemplateFact {
	p.look("templates")
	return p.templates
}

func (p *project) File(path string) (FileFact, error) {
	p.look("files")
	if path == "" || path == "missing.md" || path == p.goneFile {
		return FileFact{}, errors.New("no such file")
	}
	return FileFact{Path: path, Shown: path}, nil
}

func (p *project) Language(tag string) (string, error) {
	if tag == "xx" || strings.ContainsAny(tag, " /") {
		return "", errors.New("no such language")
	}
	return tag, nil
}

func (p *project) SavedLanguage() string {
	p.look("defaults")
	return p.language
}
