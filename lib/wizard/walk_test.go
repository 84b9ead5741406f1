package wizard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// drawnProject is a project with anything that steps depend on.
func drawnProject(t *rapid.T) *project {
	p := &project{noGit: rapid.Bool().Draw(t, "no git"), noBranch: rapid.Bool().Draw(t, "no branch"), open: rapid.Bool().Draw(t, "open items")}
	for i := range rapid.IntRange(0, 5).Draw(t, "tasks") {
		task := TaskFact{ProjectID: "shop", Group: []string{"pay", "auth"}[i%2], ID: fmt.Sprintf("task-%d", i), Title: "Title"}
		if rapid.Bool().Draw(t, "brief") {
			task.BriefPath = "brief.md"
		}
		p.tasks = append(p.tasks, task)
		if rapid.Bool().Draw(t, "worktree") {
			p.worktrees = append(p.worktrees, task.Ref())
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "plans") {
		p.plans = append(p.plans, drawnPlan(t, i))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "decisions") {
		p.decisions = append(p.decisions, DesignItem{fmt.Sprintf("C-00%d", i+1), "Which store?"})
	}
	if rapid.Bool().Draw(t, "verified") {
		p.handoff = HandoffFact{Stages: []StageFact{{Number: 1, Title: "One", Done: true}}, WholeTask: rapid.Bool().Draw(t, "whole task")}
	}
	if p.open {
		p.responses = []string{"clarification.md"}
	}
	p.templates = []TemplateFact{{".github/pull_request_template.md", "repository"}}
	p.next = rapid.SampledFrom([]string{"", "implementation", "pending-routing-decision"}).Draw(t, "next phase")
	p.providers = slices.Clone(twoProviders)
	if n := rapid.IntRange(1, 3).Draw(t, "providers"); n == 1 {
		p.providers = p.providers[:1]
	} else if n == 3 {
		p.providers = append(p.providers, ProviderFact{ID: "kimi", Name: "Kimi", Offered: true, DefaultModel: "k3", Models: []ModelFact{{"k3", "Kimi K3"}}})
	}
	return p
}

func drawnPlan(t *rapid.T, i int) PlanFact {
	plan := PlanFact{
		Path: fmt.Sprintf("reports/final-report-implementation-planning-00%d.md", i+1), DataDigest: "sha256:" + strings.Repeat("a", 64),
		CreatedAt: "2026-01-01T00:00:00Z", Approved: rapid.Bool().Draw(t, "approved"),
	}
	if rapid.Bool().Draw(t, "answered") {
		plan.Answered = []string{"C-001"}
		plan.OpenApproval = rapid.SampledFrom([][]string{nil, {"C-001"}, {"C-001", "C-002"}}).Draw(t, "blocking")
	}
	for n := range rapid.IntRange(1, 4).Draw(t, "stages") {
		s := StageFact{Number: n + 1, Title: "A stage", Done: rapid.Bool().Draw(t, "done")}
		if n > 0 && rapid.Bool().Draw(t, "waits") {
			s.DependsOn = []int{n}
		}
		plan.Stages = append(plan.Stages, s)
	}
	return plan
}

// typedTexts are answers to the text steps that do for most projects.
func typedText(step string, p *project) string {
	switch {
	case step == "task_key" || step == "related_tasks":
		if len(p.tasks) > 0 {
			return p.tasks[len(p.tasks)-1].Ref()
		}
	case step == "approved_plan" && len(p.plans) > 0:
		return p.plans[0].Path
	case strings.HasSuffix(step, "_model_text"):
		return strings.TrimSuffix(strings.TrimSuffix(step, "_model_text"), "-2") + "/nothing"
	case step == "report_language":
		return "ja"
	case step == "base_ref_text":
		return "HEAD"
	case step == "task_id":
		return "fresh-task"
	case step == "task_group":
		return "fresh"
	}
	return "notes.md"
}

// forward answers the pending screen with something that is taken, or goes back
// where nothing is; it reports whether it could do either.
func forward(t *rapid.T, m Machine, p *project, s State) (State, bool) {
	screen := s.Screen
	var tries []string
	switch screen.Kind {
	case KindGroup:
		for range 4 {
			given := map[string]string{}
			for _, q := range screen.Questions {
				if rapid.Bool().Draw(t, "answers it") {
					given[q.Step] = rapid.SampledFrom(q.Options).Draw(t, "member").Value
				}
			}
			raw, _ := json.Marshal(given)
			tries = append(tries, string(raw))
		}
		first, _ := json.Marshal(map[string]string{screen.Questions[0].Step: screen.Questions[0].Options[0].Value})
		tries = append(tries, string(first))
	case KindText:
		tries = []string{typedText(screen.Step, p), "-"}
	default:
		tries = purpose(t, s)
		if n := len(screen.Options); screen.IsMulti() && n > 1 {
			i := rapid.IntRange(0, n-2).Draw(t, "pair")
			tries = append(tries, "="+screen.Options[i].Value+",="+screen.Options[i+1].Value)
		}
		for _, i := range rapid.Permutation(numbersUpTo(len(screen.Options))).Draw(t, "order") {
			o := screen.Options[i]
			if o.Value != "abort" && o.Value != "edit" {
				tries = append(tries, "="+o.Value)
			}
		}
		tries = append(tries, "abort", "edit")
	}
	for _, answer := range tries {
		next, err := m.Answer(s, answer, s.Screen.Token)
		var r *Refusal
		if err != nil && !errors.As(err, &r) {
			t.Fatalf("step %s, answer %q: %v", screen.Step, answer, err)
		}
		if err == nil {
			return next.State, true
		}
		if same(next.State, s) == "" {
			continue
		}
		t.Fatalf("step %s: refused answer %q moved the state", screen.Step, answer)
	}
	back, err := m.Back(s)
	return back, err == nil
}

// purpose gives what a person who wants to get on picks on a toggled screen:
// two choices, then done. Without it a walk may toggle and turn pages for ever.
func purpose(t *rapid.T, s State) []string {
	if _, toggles := s.Screen.option(doneValue); !toggles || rapid.IntRange(0, 3).Draw(t, "idle") == 0 {
		return nil
	}
	if len(s.PickerSelected[s.Screen.Step]) > 1 {
		return []string{doneValue}
	}
	for _, o := range s.Screen.Options {
		if !strings.HasPrefix(o.Label, tick) && !isNavigation(o.Value) && o.Value != Custom {
			return []string{o.Value}
		}
	}
	return nil
}

func numbersUpTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// same says how two states differ as documents, "" if they do not.
func same(a, b State) string {
	left, _ := a.MarshalStable()
	right, _ := b.MarshalStable()
	if string(left) == string(right) {
		return ""
	}
	return string(left) + "\n" + string(right)
}

// restart writes a state and reads it again, as another process does; what is
// written must be a valid document.
func restart(t *rapid.T, s State) State {
	raw, err := s.MarshalStable()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsondoc.Parse("state", raw)
	if err != nil {
		t.Fatal(err)
	}
	if found := schema.Validate(doc, "wizard-state"); len(found) > 0 {
		t.Fatalf("state is no valid document: %v\n%s", found, raw)
	}
	var out State
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if err := out.Check(); err != nil {
		t.Fatal(err)
	}
	return out
}

// wander does one of the things that people do besides answering.
func wander(t *rapid.T, m Machine, s State) State {
	var next State
	var err error
	switch rapid.IntRange(0, 9).Draw(t, "move") {
	case 0:
		next, err = m.Back(s)
	case 1:
		v := m.view(&s)
		answered := v.answered()
		if len(answered) == 0 {
			return s
		}
		next, err = m.Goto(s, rapid.SampledFrom(answered).Draw(t, "goto").id)
	case 2:
		h := rapid.SampledFrom(Hosts()).Draw(t, "host")
		next, err = m.Declare(s, h.ID, rapid.SampledFrom([][]string{{}, h.SemanticFunctions}).Draw(t, "functions"))
	default:
		return s
	}
	var r *Refusal
	switch {
	case errors.As(err, &r):
		return s
	case err != nil:
		t.Fatal(err)
	}
	return next
}

// Behaviour 40, and 32: every reached state can be finished, through restarts,
// and what comes out is what okstra-dispatch plan takes.
func TestARandomWalkNeverEndsInADeadEnd(t *testing.T) {
	finished, aborted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawnProject(t)
		m := Machine{p}
		h := rapid.SampledFrom(Hosts()).Draw(t, "first host")
		s := NewState("/srv/shop", "shop")
		s.HostRuntime, s.AvailableFunctions = h.ID, rapid.SampledFrom([][]string{{}, h.SemanticFunctions}).Draw(t, "declared")
		s.HostEntryMode = rapid.SampledFrom([]string{CurrentSession, External}).Draw(t, "entry")
		s, err := m.Refresh(s)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 400 {
			if s = restart(t, s); s.Screen.Ended() {
				break
			}
			if _, err := m.RunInputs(s); err == nil {
				t.Fatal("run inputs without a confirmation")
			}
			switch {
			case step < 60:
				s = wander(t, m, s)
			case step%50 == 0:
				s = withoutPlan(m, s)
			}
			var ok bool
			if s, ok = forward(t, m, p, s); !ok {
				t.Fatalf("nothing leads on from step %s: %+v", s.Screen.Step, s.Screen)
			}
			checkScreen(t, s)
		}
		switch s.Outcome {
		case OutcomeProceed:
			finished++
			checkInputs(t, m, s)
		case OutcomeAborted:
			aborted++
		default:
			t.Fatalf("still at step %s: %v", s.Screen.Step, s.Answers)
		}
	})
	if finished == 0 {
		t.Error("no walk came to its end")
	}
	t.Logf("%d walks finished, %d were aborted", finished, aborted)
}

// checkScreen holds a screen to its limits.
func checkScreen(t *rapid.T, s State) {
	h, err := FindHost(s.HostRuntime)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.Screen.Members() {
		if n := len([]rune(q.Label)); n > 200 {
			t.Fatalf("%s: question of %d characters", q.Step, n)
		}
		if n := len([]rune(q.Header)); n > 12 {
			t.Fatalf("%s: header of %d characters", q.Step, n)
		}
		if n := len(q.Options); s.Screen.IsNative() && q.Kind == KindPick && (n < h.Limits.MinOptions || n > h.Limits.Options) {
			t.Fatalf("%s: %d options for %s", q.Step, n, h.ID)
		}
	}
	if want := fmt.Sprintf("%s@%d", s.Screen.Step, s.Revision); s.Screen.Token != want {
		t.Fatalf("token %q, want %q", s.Screen.Token, want)
	}
}

// withoutPlan gives up a walk that goes round and round because no plan there
// is can be approved: the way out is another type of run.
func withoutPlan(m Machine, s State) State {
	next, err := m.Goto(s, "task_type")
	if err != nil {
		return s
	}
	result, err := m.Answer(next, "error-analysis", "")
	if err != nil {
		return s
	}
	return result.State
}

func checkInputs(t *rapid.T, m Machine, s State) {
	doc, err := m.RunInputs(s)
	if err != nil {
		t.Fatalf("no run inputs of a confirmed state: %v", err)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsondoc.Parse("inputs", raw)
	if err != nil {
		t.Fatal(err)
	}
	if found := schema.Validate(parsed, "run-inputs"); len(found) > 0 {
		t.Fatalf("%v\n%s", found, raw)
	}
	in := doc.Inputs
	for _, w := range in.Workers {
		if in.Models[w] == "" {
			t.Fatalf("worker %s has no model: %v", w, in.Models)
		}
	}
	if in.Critic != "" && !slices.ContainsFunc(in.Workers, func(w string) bool { return in.Models[w] == in.Critic }) {
		t.Fatalf("critic %s runs what no worker runs: %v", in.Critic, in.Models)
	}
	if (in.BaseRef == "") != (in.BaseCommit == "") || (in.ApprovedPlanPath == "") != (in.PlanDigest == "") {
		t.Fatalf("half a ref or half a plan: %+v", in)
	}
	if implements := in.TaskType == "implementation"; implements != (in.Executor != "") || implements != (in.Models["implementer"] != "") {
		t.Fatalf("executor %q, models %v in %s", in.Executor, in.Models, in.TaskType)
	}
}
