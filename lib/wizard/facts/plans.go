package facts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

// Plans are the planning reports of a task, newest first.
func (p *Project) Plans(group, task string) []wizard.PlanFact {
	key := group + "/" + task
	if plans, ok := p.plans[key]; ok {
		return plans
	}
	var plans []wizard.PlanFact
	for _, data := range p.reports(group, task, "implementation-planning") {
		plan, err := p.plan(data)
		if err != nil {
			p.warnf("left out: %v", err)
			continue
		}
		plans = append(plans, plan)
	}
	if p.plans == nil {
		p.plans = map[string][]wizard.PlanFact{}
	}
	p.plans[key] = plans
	return plans
}

// Plan reads the plan behind a report that a person named.
func (p *Project) Plan(name string) (wizard.PlanFact, error) {
	full := run.Abs(p.Root, name)
	if !strings.HasSuffix(full, ".data.json") {
		full = strings.TrimSuffix(full, filepath.Ext(full)) + ".data.json"
	}
	return p.plan(full)
}

func (p *Project) plan(data string) (wizard.PlanFact, error) {
	doc, err := jsondoc.ReadFile(data)
	if err != nil {
		return wizard.PlanFact{}, err
	}
	var r report
	if err := json.Unmarshal(doc.Raw, &r); err != nil {
		return wizard.PlanFact{}, fmt.Errorf("%s: %w", data, err)
	}
	if r.ImplementationPlanning == nil {
		return wizard.PlanFact{}, fmt.Errorf("%s: no implementationPlanning (expected a plan)", data)
	}
	plan := wizard.PlanFact{
		Path:       run.Rel(p.Root, strings.TrimSuffix(data, ".data.json")+".md"),
		DataDigest: digest.Bytes(doc.Raw), CreatedAt: r.Header.GeneratedAt, Approved: r.ImplementationPlanning.Approval.Approved,
	}
	for _, c := range r.ClarificationItems {
		if c.Blocks == "approval" && c.Status != "resolved" && c.Status != "obsolete" {
			plan.OpenApproval = append(plan.OpenApproval, c.ID)
		}
		if c.Status == "answered" {
			plan.Answered = append(plan.Answered, c.ID)
		}
	}
	task := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(data))))
	for _, s := range r.ImplementationPlanning.Stages {
		_, err := os.Lstat(filepath.Join(task, "runs/implementation/carry", fmt.Sprintf("stage-%d.json", s.Stage)))
		plan.Stages = append(plan.Stages, wizard.StageFact{Number: s.Stage, Title: shown(s.Title), DependsOn: s.DependsOn, Done: err == nil})
	}
	return plan, nil
}

// Handoff tells which stages are verified, accepted and not yet taken: the
// last row of a stage counts.
func (p *Project) Handoff(group, task string) wizard.HandoffFact {
	last := map[run.StageChoice]run.StageConsumer{}
	var order []run.StageChoice
	name := filepath.Join(p.taskDir(group, task), "consumers.jsonl")
	if _, err := os.Lstat(name); err != nil {
		return wizard.HandoffFact{}
	}
	rows, faults, err := jsonl.ReadFile(name)
	for _, fault := range append(faults, err) {
		if fault != nil {
			p.warnf("left out: %v", fault)
		}
	}
	for _, row := range rows {
		var c run.StageConsumer
		if err := json.Unmarshal(row.Raw, &c); err != nil {
			p.warnf("left out: %s:%d: %v", name, row.Number, err)
			continue
		}
		if _, seen := last[c.Stage]; !seen {
			order = append(order, c.Stage)
		}
		last[c.Stage] = c
	}
	titles := map[int]string{}
	for _, plan := range p.Plans(group, task) {
		for _, s := range plan.Stages {
			if _, known := titles[s.Number]; !known {
				titles[s.Number] = s.Title
			}
		}
	}
	var facts wizard.HandoffFact
	for _, stage := range order {
		c := last[stage]
		if c.Status != "verified" || c.VerdictToken == nil || *c.VerdictToken != "accepted" {
			continue
		}
		if stage.Word != "" {
			facts.WholeTask = true
			continue
		}
		facts.Stages = append(facts.Stages, wizard.StageFact{Number: stage.Number, Title: titles[stage.Number], Verified: true})
	}
	return facts
}

// Clarifications tells whether the latest report of the task type still has
// open or answered items, and which response files lie beside the task.
func (p *Project) Clarifications(group, task, taskType string) wizard.ClarificationFact {
	names := p.reports(group, task, taskType)
	var r report
	if len(names) == 0 || !p.read(names[0], &r) {
		return wizard.ClarificationFact{}
	}
	var facts wizard.ClarificationFact
	for _, c := range r.ClarificationItems {
		facts.Open = facts.Open || c.Status == "open" || c.Status == "answered"
	}
	for _, name := range p.glob(p.taskDir(group, task), "clarification*.md") {
		facts.Files = append([]string{run.Rel(p.Root, name)}, facts.Files...)
	}
	return facts
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
	for _, place := range templatePlaces {
		if info, err := os.Stat(filepath.Join(p.Root, place.path)); err == nil && info.Mode().IsRegular() {
			out = append(out, wizard.TemplateFact{Path: place.path, Origin: place.origin})
		}
	}
	if name := filepath.Join(p.OkstraHome, "pr-template.md"); p.OkstraHome != "" {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			out = append(out, wizard.TemplateFact{Path: name, Origin: "global"})
		}
	}
	return out
}
