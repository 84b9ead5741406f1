package wizard

import (
	"slices"
	"strings"
)

var (
	planReads     = slices.Concat([]string{"task_type"}, taskReads)
	approvalReads = slices.Concat([]string{"approved_plan_pick", "approved_plan"}, planReads)
)

// planRows ask for the plan and, where it still can be given, for its
// approval. Approving is a choice like any other: nobody types a word for it,
// and it gives no right to anything but this plan.
var planRows = []row{
	{
		id: "approved_plan_pick", when: "implementation, final-verification or release-handoff", reads: planReads, facts: []string{"plans"}, typed: "approved_plan",
		shown:   ofType(planTypes...),
		options: planOptions,
		label:   func(_ view, value string) string { return base(value) },
		check: func(v view, a string) error {
			if a == Custom {
				return nil
			}
			return planCheck(v, "approved_plan_pick", a)
		},
		pin:   pinPlan,
		input: setPlan,
	},
	{
		id: "approved_plan", text: true, when: "approved_plan_pick is typed",
		reads: append([]string{"approved_plan_pick"}, planReads...), facts: []string{"plans"},
		shown: whenCustom("approved_plan_pick"),
		check: func(v view, a string) error { return planCheck(v, "approved_plan", a) },
		pin:   pinPlan,
		input: setPlan,
	},
	{
		id: "approve_plan_confirm", when: "implementation, and the plan is not approved", reads: approvalReads, facts: []string{"plans"},
		shown:   needsApproval,
		options: approvalOptions,
		detail: func(v view) string {
			p, _ := v.plan()
			return p.Path
		},
		check: approvalCheck,
		pin: func(v view, a string) []string {
			p, ok := v.plan()
			if !ok {
				return nil
			}
			if a != "yes_apply" {
				return []string{p.DataDigest}
			}
			return append([]string{p.DataDigest}, p.Answered...)
		},
		input: func(v view, r row, in *inputs) {
			in.PlanApproval = v.get(r.id)
			if pinned := v.pinned(r); len(pinned) > 0 {
				in.PlanDigest = pinned[0]
				in.PlanApplyItems = append(in.PlanApplyItems, pinned[1:]...)
			}
		},
	},
}

// plan is the chosen plan, once there is one.
func (v view) plan() (PlanFact, bool) {
	path := v.typed("approved_plan_pick", "approved_plan")
	if path == "" || !v.among("task_type", planTypes...) {
		return PlanFact{}, false
	}
	p, err := v.facts.Plan(path)
	return p, err == nil
}

// planOptions are only approved plans unless one is to be implemented, for
// there the approval can still be given.
func planOptions(v view) []Option {
	group, id, ok := v.existing()
	if !ok {
		return nil
	}
	var options []Option
	for _, p := range v.facts.Plans(group, id) {
		state := "approved"
		if !p.Approved {
			if !v.implements() {
				continue
			}
			state = "open"
		}
		options = append(options, Option{Value: p.Path, Label: base(p.Path), Description: join(" · ", v.say.Text("plan="+state), day(p.CreatedAt))})
	}
	return options
}

// planCheck refuses a plan that leads nowhere: no plan at all, one that would
// have to be approved first, or one with nothing left to do.
func planCheck(v view, step, path string) error {
	p, err := v.facts.Plan(path)
	switch {
	case err != nil:
		return Refuse("bad-plan", "%s: %v", step, err)
	case !p.Approved && !v.implements():
		return Refuse("plan-not-approved", "%s: %q is not approved (expected an approved plan)", step, p.Path)
	case v.implements() && len(stagesOf(p, false)) == 0:
		return Refuse("nothing-to-do", "%s: every stage of %q is implemented (expected one that is not)", step, p.Path)
	case v.is("task_type", "final-verification") && len(stagesOf(p, true)) == 0:
		return Refuse("nothing-to-do", "%s: no stage of %q is implemented (expected one that is)", step, p.Path)
	}
	return nil
}

// pinPlan keeps the plan's path as documents hold it, and what its data was.
func pinPlan(v view, path string) []string {
	if path == Custom {
		return nil
	}
	p, err := v.facts.Plan(path)
	if err != nil {
		return nil
	}
	return []string{p.Path, p.DataDigest}
}

func setPlan(v view, r row, in *inputs) {
	if pinned := v.pinned(r); len(pinned) == 2 {
		in.ApprovedPlanPath, in.PlanDigest = pinned[0], pinned[1]
	}
}

func needsApproval(v view) bool {
	p, ok := v.plan()
	return ok && v.implements() && !p.Approved
}

// planReady says whether the plan is chosen and, where needed, approved.
func planReady(v view) bool {
	_, ok := v.plan()
	return ok && (!needsApproval(v) || v.among("approve_plan_confirm", "yes", "yes_apply"))
}

func approvalOptions(v view) []Option {
	values := []string{"yes", "no"}
	if p, _ := v.plan(); len(p.Answered) > 0 {
		values = []string{"yes", "yes_apply", "no"}
	}
	return plain("approve_plan_confirm", values...)(v)
}

// approvalCheck refuses an approval while items that block it are open. A
// plain "yes" folds nothing in, so answered items still block it.
func approvalCheck(v view, a string) error {
	p, _ := v.plan()
	open := slices.Clone(p.OpenApproval)
	if a == "yes_apply" {
		open = slices.DeleteFunc(open, func(id string) bool { return slices.Contains(p.Answered, id) })
	}
	if a == "no" || len(open) == 0 {
		return nil
	}
	return Refuse("approval-blocked", "approve_plan_confirm: %s still block the approval (expected each resolved or obsolete)", strings.Join(open, ", "))
}
