package wizard

import (
	"fmt"
	"slices"
	"strings"
)

// Confirmation is what stands before the last question: the decisions in the
// order of the table, what will happen, and what to mind.
type Confirmation struct {
	Lines    []Line   `json:"lines"`
	Then     []string `json:"then"`
	Warnings []string `json:"warnings"`
}

// Line is one decision. Step is the row that it was taken in.
type Line struct {
	Step   string `json:"step"`
	Name   string `json:"name"`
	Answer string `json:"answer"`
}

// Text is the confirmation as people read it.
func (c Confirmation) Text() string {
	var b strings.Builder
	for _, l := range c.Lines {
		fmt.Fprintf(&b, "%s: %s\n", l.Name, l.Answer)
	}
	for _, text := range append(c.Then, c.Warnings...) {
		fmt.Fprintln(&b, text)
	}
	return b.String()
}

// Confirmation sums up the answers so far.
func (m Machine) Confirmation(s State) Confirmation { return m.view(&s).confirmation() }

func (v view) confirmation() Confirmation {
	c := Confirmation{Lines: []Line{}, Then: []string{}, Warnings: []string{}}
	for _, r := range v.answered() {
		tell, ok := tellers[r.id]
		switch {
		case ok:
		case r.ends() || r.id != r.key() && !strings.HasPrefix(r.id, designPrefix) && !strings.HasPrefix(r.id, notePrefix):
			continue // the models stand with those who run them
		default:
			tell = tellAnswer
		}
		if name, text := tell(v, r); text != "" {
			c.Lines = append(c.Lines, Line{r.id, name, oneEcho(text)})
		}
		if r.id == "workers" || r.id == "defaults_or_custom" {
			c.Lines = append(c.Lines, v.teamLines(r)...)
		}
	}
	c.Then = append(c.Then, v.then()...)
	c.Warnings = append(c.Warnings, v.warnings()...)
	return c
}

// teller gives the line of a row: its name and what was decided, "" for a row
// that another one tells of.
type teller func(v view, r row) (name, text string)

func tellAnswer(v view, r row) (string, string) {
	if v.get(r.id) == Custom {
		return "", "" // the text behind it tells
	}
	if v.is(r.id, skip) || v.is(r.id, none) {
		return v.name(r), v.say.Text("none")
	}
	return v.name(r), v.shownAnswer(r, v.get(r.id))
}

func untold(view, row) (string, string) { return "", "" }

// tellers are the rows whose line says more, or other things, than the answer.
var tellers = map[string]teller{
	"task_pick":            tellTask,
	"task_key":             untold,
	"task_group_pick":      untold,
	"task_group":           untold,
	"task_id":              tellTask,
	"task_type":            func(v view, r row) (string, string) { return v.name(r), v.get(r.id) },
	"brief_keep":           tellFile,
	"brief_path":           tellFile,
	"base_ref_pick":        tellBase,
	"base_ref_text":        tellBase,
	"approved_plan_pick":   tellPlan,
	"approved_plan":        tellPlan,
	"approve_plan_confirm": untold,
	"stage_pick":           tellStages,
	"handoff_stage_pick": func(v view, r row) (string, string) {
		return v.name(r), strings.Join(r.split(v.get(r.id)), ", ")
	},
	"executor":             func(v view, r row) (string, string) { return v.name(r), v.model(executorRole) },
	"defaults_or_custom":   untold,
	"workers":              untold,
	"critic_pick":          tellCritic,
	criticModelStep:        untold,
	"report_language_pick": tellReport,
	"report_language":      tellReport,
	"clarification_pick":   tellFile,
	"clarification":        tellFile,
	"pr_template_pick":     tellFile,
	"pr_template":          tellFile,
}

func tellTask(v view, r row) (string, string) {
	if r.id == "task_pick" && v.newTask() {
		return "", "" // task_id tells, when it is known
	}
	group, id := v.names()
	project := v.state.ProjectID
	if pick, ok := find(identityRows, r.id); ok && pick.pin != nil {
		if pinned := v.pinned(pick); len(pinned) == 1 {
			project = pinned[0]
		}
	}
	if group == "" {
		return "", ""
	}
	key := "confirm.existing"
	if v.newTask() {
		key = "confirm.new"
	}
	return v.say.Text("task_pick.name"), v.say.Text(key, strings.Join([]string{project, group, id}, " / "))
}

// tellFile tells where a file really is.
func tellFile(v view, r row) (string, string) {
	if v.get(r.id) == Custom || v.is(r.id, "replace") {
		return "", ""
	}
	if pinned := v.pinned(r); len(pinned) == 1 {
		return v.phrase(r, "name"), pinned[0]
	}
	return tellAnswer(v, r)
}

func tellBase(v view, r row) (string, string) {
	if v.get(r.id) == Custom {
		return "", ""
	}
	text := v.get(r.id)
	if pinned := v.pinned(r); len(pinned) == 1 {
		text += " (" + short(pinned[0]) + ")"
	}
	return v.name(r), text
}

func tellPlan(v view, r row) (string, string) {
	path := v.get(r.id)
	if path == Custom {
		return "", ""
	}
	key := "confirm.plan.approved"
	switch v.get("approve_plan_confirm") {
	case "yes":
		key = "confirm.plan.now"
	case "yes_apply":
		approval, _ := find(planRows, "approve_plan_confirm")
		if items := v.pinned(approval); len(items) > 1 {
			return v.name(r), v.say.Text("confirm.plan.fold", base(path), list(items[1:], v.say.Text("and")))
		}
	}
	if needsApproval(v) && !v.has("approve_plan_confirm") {
		key = "confirm.plan.open"
	}
	return v.name(r), v.say.Text(key, base(path))
}

// tellStages tells that every stage is a run of its own.
func tellStages(v view, r row) (string, string) {
	chosen := r.split(v.get(r.id))
	text := strings.Join(chosen, ", ")
	if len(chosen) > 1 || text == all {
		text = v.say.Text("confirm.stages", text)
	}
	return v.name(r), text
}

func tellCritic(v view, r row) (string, string) {
	return v.name(r), v.orNone(v.critic())
}

func tellReport(v view, r row) (string, string) {
	if v.get(r.id) == Custom {
		return "", ""
	}
	writer := v.orNone(v.model(writerRole))
	for _, lang := range v.translations() {
		writer = v.say.Text("confirm.translated", writer, lang, v.orNone(v.model(translatorRole)))
	}
	return v.say.Text("confirm.report"), writer
}

// teamLines tell who the workers are. They stand where the workers are chosen
// last.
func (v view) teamLines(r row) []Line {
	workers := v.workers()
	if len(workers) == 0 || r.id == "defaults_or_custom" && v.has("workers") {
		return nil
	}
	var lines []Line
	if slices.Contains(v.roles(), leadRole) {
		lines = append(lines, Line{leadRole.step, v.say.Text("confirm.lead"), v.orNone(v.model(leadRole))})
	}
	var models []string
	for _, w := range workers {
		model := v.orNone(v.model(workerRole(w)))
		if w != providerOf(w) {
			model = v.say.Text("workers=second", model)
		}
		models = append(models, model)
	}
	key := "confirm.verifiers"
	if v.analyses() {
		key = "confirm.analysers"
	}
	return append(lines, Line{r.id, v.say.Text(key), strings.Join(models, ", ")})
}

// then tells what will happen beyond the decisions themselves.
func (v view) then() []string {
	var out []string
	if group, id := v.names(); v.newTask() && id != "" {
		out = append(out, v.say.Text("then.folder", ".okstra/tasks/"+group+"/"+id))
	}
	if v.among("pr_template_scope", "project", "global") {
		out = append(out, v.say.Text("then.template="+v.get("pr_template_scope")))
	}
	return out
}

// warnings tell what weakens the run.
func (v view) warnings() []string {
	var out []string
	providers := map[string]bool{}
	for _, w := range v.workers() {
		providers[providerOf(w)] = true
	}
	if v.implements() && v.has("executor") {
		providers[v.get("executor")] = true
	}
	if len(v.workers()) > 0 && len(providers) == 1 {
		for only := range providers {
			out = append(out, v.say.Text("warn.alone", providerName(v, only)))
		}
	}
	if v.is("clarification_pick", skip) {
		out = append(out, v.say.Text("warn.clarification"))
	}
	return out
}
