package wizard

import (
	"slices"
	"strconv"
	"strings"

	"okstra/lib/run"
)

var planReads = append([]string{"task_type", "tasks", "plans"}, taskReads...)

// plan is the chosen plan, once there is one.
func (v view) plan() (PlanFact, bool) {
	if !v.among("task_type", planTypes...) {
		return PlanFact{}, false
	}
	path := v.get("approved_plan_pick")
	if path == Custom {
		p, err := v.facts.Plan(v.get("approved_plan"))
		return p, err == nil
	}
	for _, p := range v.plans() {
		if p.Path == path {
			return p, true
		}
	}
	return PlanFact{}, false
}

// plans are those on offer: only approved ones unless one is to be
// implemented, for there the approval can still be given.
func (v view) plans() []PlanFact {
	t, ok := v.task()
	if !ok {
		return nil
	}
	plans := slices.Clone(v.facts.Plans(t.Group, t.ID))
	if !v.is("task_type", "implementation") {
		plans = slices.DeleteFunc(plans, func(p PlanFact) bool { return !p.Approved })
	}
	return plans
}

func needsApproval(v view) bool {
	p, ok := v.plan()
	return ok && v.is("task_type", "implementation") && !p.Approved
}

// planReady says whether the plan is chosen and, where needed, approved.
func planReady(v view) bool {
	_, ok := v.plan()
	return ok && (!needsApproval(v) || v.among("approve_plan_confirm", "yes", "yes_apply"))
}

var stageReads = slices.Concat(planReads, []string{"approved_plan_pick", "approved_plan", "approve_plan_confirm", "stages"})

var planRows = []row{
	{
		id: "approved_plan_pick", reads: planReads, custom: true, shown: ofType(planTypes...),
		options: func(v view) []Option {
			var options []Option
			for _, p := range v.plans() {
				state := "open"
				if p.Approved {
					state = "approved"
				}
				options = append(options, Option{Value: p.Path, Label: base(p.Path), Description: join(" · ", v.say.Text("plan="+state), day(p.CreatedAt))})
			}
			return options
		},
		input: setPlan,
	},
	{
		id: "approved_plan", text: true, reads: append([]string{"approved_plan_pick"}, planReads...), shown: whenCustom("approved_plan_pick"),
		check: func(v view, a string) error {
			p, err := v.facts.Plan(a)
			switch {
			case err != nil:
				return refuse("bad-plan", "approved_plan: %v", err)
			case !p.Approved && !v.is("task_type", "implementation"):
				return refuse("plan-not-approved", "approved_plan: %s is not approved", p.Path)
			}
			return nil
		},
		input: setPlan,
	},
	{
		id: "approve_plan_confirm", reads: slices.Concat(planReads, []string{"approved_plan_pick", "approved_plan"}), shown: needsApproval,
		options: func(v view) []Option {
			values := []string{"yes", "no"}
			if p, _ := v.plan(); len(p.Answered) > 0 {
				values = []string{"yes", "yes_apply", "no"}
			}
			return plain("approve_plan_confirm", values...)(v)
		},
		check: approvalCheck,
		input: func(v view, in *inputs, a string) {
			in.PlanApproval = a
			if p, _ := v.plan(); a == "yes_apply" {
				in.PlanApplyItems = p.Answered
			}
		},
	},
	{
		id: "stage_pick", multi: true, min: 1, alone: []string{all, wholeTask}, reads: stageReads,
		shown:   func(v view) bool { return v.among("task_type", stageTypes...) && planReady(v) },
		options: stageOptions,
		check:   stageCheck,
		input: func(_ view, in *inputs, a string) {
			in.Stages = stageChoices(a)
		},
	},
	{
		id: "handoff_stage_pick", multi: true, min: 1, alone: []string{wholeTask}, reads: stageReads,
		shown: func(v view) bool { return v.is("task_type", "release-handoff") && planReady(v) },
		options: func(v view) []Option {
			t, _ := v.task()
			h := v.facts.Handoff(t.Group, t.ID)
			var options []Option
			for _, s := range h.Stages {
				options = append(options, Option{Value: strconv.Itoa(s.Number), Label: v.say.Text("stage", s.Number, s.Title)})
			}
			if h.WholeTask {
				options = append(options, Option{Value: wholeTask, Label: v.say.Text("stage=whole-task")})
			}
			return options
		},
		input: func(_ view, in *inputs, a string) { in.HandoffStages = stageChoices(a) },
	},
}

func setPlan(v view, in *inputs, _ string) {
	if p, ok := v.plan(); ok {
		in.ApprovedPlanPath, in.PlanDigest = p.Path, p.DataDigest
	}
}

// approvalCheck refuses an approval while items that block it are open; a
// plain "yes" folds nothing in, so answered items still block it.
func approvalCheck(v view, a string) error {
	p, _ := v.plan()
	open := p.OpenApproval
	if a == "yes_apply" {
		open = slices.DeleteFunc(slices.Clone(open), func(id string) bool { return slices.Contains(p.Answered, id) })
	}
	if a == "no" || len(open) == 0 {
		return nil
	}
	return refuse("approval-blocked", "approve_plan_confirm: %s still block the approval (expected them resolved or obsolete)", strings.Join(open, ", "))
}

func stageOptions(v view) []Option {
	p, _ := v.plan()
	verify := v.is("task_type", "final-verification")
	done := map[int]bool{}
	for _, s := range p.Stages {
		done[s.Number] = s.Done
	}
	var options []Option
	complete := len(p.Stages) > 0
	for _, s := range p.Stages {
		complete = complete && s.Done
		if s.Done != verify {
			continue
		}
		options = append(options, Option{Value: strconv.Itoa(s.Number), Label: v.say.Text("stage", s.Number, s.Title), Description: readiness(v, s, done)})
	}
	if len(options) > 0 {
		options = append(options, Option{Value: all, Label: v.say.Text("stage=all")})
	}
	if verify && complete {
		options = append(options, Option{Value: wholeTask, Label: v.say.Text("stage=whole-task")})
	}
	return options
}

func readiness(v view, s StageFact, done map[int]bool) string {
	var waits []string
	for _, d := range s.DependsOn {
		if !done[d] {
			waits = append(waits, strconv.Itoa(d))
		}
	}
	if len(waits) > 0 {
		return v.say.Text("stage.waits", strings.Join(waits, ", "))
	}
	return v.say.Text("stage.ready")
}

func stageCheck(v view, a string) error {
	p, _ := v.plan()
	chosen := map[int]bool{}
	for _, c := range stageChoices(a) {
		if c.Word != "" {
			return nil
		}
		chosen[c.Number] = true
	}
	for _, s := range p.Stages {
		for _, d := range s.DependsOn {
			i := slices.IndexFunc(p.Stages, func(o StageFact) bool { return o.Number == d })
			if chosen[s.Number] && !chosen[d] && (i < 0 || !p.Stages[i].Done) {
				return refuse("stage-blocked", "stage_pick: stage %d waits for stage %d (expected it done or chosen too)", s.Number, d)
			}
		}
	}
	return nil
}

func stageChoices(answer string) []run.StageChoice {
	out := []run.StageChoice{}
	for part := range strings.SplitSeq(answer, ",") {
		if n, err := strconv.Atoi(part); err == nil {
			out = append(out, run.StageChoice{Number: n})
		} else if part != "" {
			out = append(out, run.StageChoice{Word: part})
		}
	}
	slices.SortStableFunc(out, func(a, b run.StageChoice) int { return a.Number - b.Number })
	return out
}
