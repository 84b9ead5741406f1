package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/safetext"
	"okstra/lib/wizard"
)

const planType = "implementation-planning"

// planned is a plan that was read, or why it is none.
type planned struct {
	plan wizard.PlanFact
	err  error
}

// safeStatement is a text of a report that a question is about.
func safeStatement(text string) string { return safetext.Line(text) }

// Plans are the planning reports of a task, newest first.
func (p *Project) Plans(group, id string) []wizard.PlanFact {
	var plans []wizard.PlanFact
	for _, data := range p.reportData(group, id, planType) {
		plan, err := p.plan(data)
		if err != nil {
			p.warnf("left out: %v", err)
			continue
		}
		plans = append(plans, plan)
	}
	return plans
}

// Plan reads the plan behind a report that a person named, by its Markdown or
// by its data.
func (p *Project) Plan(name string) (wizard.PlanFact, error) {
	full := run.Abs(p.Root, name)
	if !strings.HasSuffix(full, ".data.json") {
		full = strings.TrimSuffix(full, ".md") + ".data.json"
	}
	return p.plan(filepath.Clean(full))
}

func (p *Project) plan(data string) (wizard.PlanFact, error) {
	if found, ok := p.plans[data]; ok {
		return found.plan, found.err
	}
	plan, err := p.readPlan(data)
	if p.plans == nil {
		p.plans = map[string]planned{}
	}
	p.plans[data] = planned{plan, err}
	return plan, err
}

func (p *Project) readPlan(data string) (wizard.PlanFact, error) {
	var r report
	doc, err := run.Load(data, reportKind, &r)
	switch {
	case err != nil:
		return wizard.PlanFact{}, err
	case r.ImplementationPlanning == nil:
		return wizard.PlanFact{}, fmt.Errorf("%s: no implementationPlanning (expected a plan)", data)
	}
	markdown := strings.TrimSuffix(data, ".data.json") + ".md"
	if info, err := os.Lstat(markdown); err != nil || !info.Mode().IsRegular() {
		return wizard.PlanFact{}, fmt.Errorf("%s: the plan's Markdown is no regular file (expected the report beside its data)", markdown)
	}
	plan := wizard.PlanFact{
		Path: run.Rel(p.Root, markdown), DataDigest: digest.Bytes(doc.Raw),
		CreatedAt: r.Header.GeneratedAt, Approved: r.ImplementationPlanning.Approval.Approved,
	}
	for _, c := range r.ClarificationItems {
		if c.Blocks == "approval" && c.Status != "resolved" && c.Status != "obsolete" {
			plan.OpenApproval = append(plan.OpenApproval, c.ID)
		}
		if c.Status == "answered" {
			plan.Answered = append(plan.Answered, c.ID)
		}
	}
	carries := filepath.Join(implementationOf(data), "carry")
	for _, s := range r.ImplementationPlanning.Stages {
		info, err := os.Lstat(filepath.Join(carries, fmt.Sprintf("stage-%d.json", s.Stage)))
		plan.Stages = append(plan.Stages, wizard.StageFact{
			Number: s.Stage, Title: shown(s.Title), DependsOn: s.DependsOn, Done: err == nil && info.Mode().IsRegular(),
		})
	}
	return plan, nil
}

// implementationOf is the implementation run folder of the task that a
// planning report lies in: its parents are reports, the planning run folder,
// runs.
func implementationOf(data string) string {
	runs := filepath.Dir(filepath.Dir(filepath.Dir(data)))
	return filepath.Join(runs, "implementation")
}

// Handoff tells which stages are verified, accepted and not yet taken: the
// last row of a stage counts.
func (p *Project) Handoff(group, id string) wizard.HandoffFact {
	name := filepath.Join(p.taskDir(group, id), "consumers.jsonl")
	last := map[run.StageChoice]run.StageConsumer{}
	var order []run.StageChoice
	for _, c := range p.consumers(name) {
		if _, seen := last[c.Stage]; !seen {
			order = append(order, c.Stage)
		}
		last[c.Stage] = c
	}
	var facts wizard.HandoffFact
	titles := map[int]string{}
	if len(order) > 0 {
		titles = p.stageTitles(group, id)
	}
	for _, stage := range order {
		c := last[stage]
		switch {
		case c.Status != "verified" || c.VerdictToken == nil || *c.VerdictToken != "accepted":
		case stage.Word != "":
			facts.WholeTask = true
		default:
			facts.Stages = append(facts.Stages, wizard.StageFact{Number: stage.Number, Title: titles[stage.Number], Done: true})
		}
	}
	return facts
}

// consumers are the readable rows of consumers.jsonl.
func (p *Project) consumers(name string) []run.StageConsumer {
	if _, err := os.Lstat(name); err != nil {
		return nil
	}
	rows, faults, err := jsonl.ReadFile(name)
	for _, fault := range append(faults, err) {
		if fault != nil {
			p.warnf("left out: %v", fault)
		}
	}
	var out []run.StageConsumer
	for _, row := range rows {
		var c run.StageConsumer
		doc := jsondoc.Doc{Name: fmt.Sprintf("%s:%d", name, row.Number), Raw: row.Raw}
		if err := doc.Decode(&c); err != nil {
			p.warnf("left out: %v", err)
			continue
		}
		out = append(out, c)
	}
	return out
}

// stageTitles are the titles of a task's stages, the newest plan's first.
func (p *Project) stageTitles(group, id string) map[int]string {
	titles := map[int]string{}
	for _, plan := range p.Plans(group, id) {
		for _, s := range plan.Stages {
			if _, known := titles[s.Number]; !known {
				titles[s.Number] = s.Title
			}
		}
	}
	return titles
}
