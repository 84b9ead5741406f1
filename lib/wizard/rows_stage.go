package wizard

import (
	"slices"
	"strconv"
	"strings"

	"okstra/lib/run"
)

var stageReads = slices.Concat([]string{"approve_plan_confirm"}, approvalReads)

// stageRows ask which stages of the plan it is about.
var stageRows = []row{
	{
		id: "stage_pick", when: "implementation or final-verification", multi: true, min: 1, alone: []string{all, wholeTask},
		reads: stageReads, facts: []string{"plans", "stages"},
		shown:   func(v view) bool { return v.among("task_type", stageTypes...) && planReady(v) },
		ask:     func(v view) string { return v.get("task_type") },
		options: stageOptions,
		alias:   stageAlias,
		check:   stageCheck,
		input: func(v view, r row, in *inputs) {
			in.Stages = append(in.Stages, stageChoices(v.get(r.id))...)
		},
	},
	{
		id: "handoff_stage_pick", when: "release-handoff", multi: true, min: 1, alone: []string{wholeTask},
		reads: stageReads, facts: []string{"plans", "hand-off"},
		shown:   func(v view) bool { return v.is("task_type", "release-handoff") && planReady(v) },
		options: handoffOptions,
		input: func(v view, r row, in *inputs) {
			in.HandoffStages = append(in.HandoffStages, stageChoices(v.get(r.id))...)
		},
	},
}

// stagesOf are the stages of a plan that are implemented, or those that are
// not.
func stagesOf(p PlanFact, done bool) []StageFact {
	return slices.DeleteFunc(slices.Clone(p.Stages), func(s StageFact) bool { return s.Done != done })
}

func isDone(p PlanFact, stage int) bool {
	return slices.ContainsFunc(p.Stages, func(s StageFact) bool { return s.Number == stage && s.Done })
}

// stageOptions offers what is left to implement, or what can be verified; the
// whole task can be verified once every stage is implemented.
func stageOptions(v view) []Option {
	p, _ := v.plan()
	verify := v.is("task_type", "final-verification")
	var options []Option
	for _, s := range stagesOf(p, verify) {
		options = append(options, Option{
			Value: strconv.Itoa(s.Number), Label: v.say.Text("stage", s.Number, s.Title), Description: readiness(v, p, s),
		})
	}
	if len(options) > 0 {
		options = append(options, Option{Value: all, Label: v.say.Text("stage=all")})
	}
	if verify && wholeTaskDone(p) {
		options = append(options, Option{Value: wholeTask, Label: v.say.Text("stage=whole-task")})
	}
	return options
}

func wholeTaskDone(p PlanFact) bool { return len(p.Stages) > 0 && len(stagesOf(p, false)) == 0 }

// readiness tells what a stage waits for, or why it need not wait.
func readiness(v view, p PlanFact, s StageFact) string {
	var waits, done []string
	for _, d := range s.DependsOn {
		if isDone(p, d) {
			done = append(done, strconv.Itoa(d))
		} else {
			waits = append(waits, strconv.Itoa(d))
		}
	}
	switch {
	case s.Done:
		return v.say.Text("stage.done")
	case len(waits) > 0:
		return v.say.Text(number("stage.waits", waits), list(waits, v.say.Text("and")))
	case len(done) > 0:
		return v.say.Text(number("stage.after", done), list(done, v.say.Text("and")))
	}
	return v.say.Text("stage.ready")
}

// number is the key of a text about one thing, or about several.
func number(key string, things []string) string {
	if len(things) == 1 {
		return key
	}
	return key + ".many"
}

func stageAlias(v view) map[string]string {
	if v.is("task_type", "final-verification") {
		return map[string]string{"auto": wholeTask}
	}
	return map[string]string{"auto": all}
}

// stageCheck demands that what a stage depends on is done or chosen too.
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
			if chosen[s.Number] && !chosen[d] && !isDone(p, d) {
				return Refuse("stage-blocked", "stage_pick: stage %d waits for stage %d (expected that one done or chosen too)", s.Number, d)
			}
		}
	}
	return nil
}

func handoffOptions(v view) []Option {
	group, id, _ := v.existing()
	h := v.facts.Handoff(group, id)
	var options []Option
	for _, s := range h.Stages {
		options = append(options, Option{Value: strconv.Itoa(s.Number), Label: strings.TrimSuffix(v.say.Text("stage", s.Number, s.Title), ": ")})
	}
	if h.WholeTask {
		options = append(options, Option{Value: wholeTask, Label: v.say.Text("stage=whole-task")})
	}
	return options
}

// stageChoices reads an answer: numbers in ascending order, or one word.
func stageChoices(answer string) []run.StageChoice {
	out := []run.StageChoice{}
	for _, part := range splitList(answer) {
		if n, err := strconv.Atoi(part); err == nil {
			out = append(out, run.StageChoice{Number: n})
		} else {
			out = append(out, run.StageChoice{Word: part})
		}
	}
	slices.SortStableFunc(out, func(a, b run.StageChoice) int { return a.Number - b.Number })
	return out
}
