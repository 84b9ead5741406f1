package wizard

import (
	"fmt"
	"strings"

	"okstra/lib/run"
)

// reportLanguage is the language that reports are written in.
const reportLanguage = "en"

// inputs collects the fields of the run inputs from the rows.
type inputs = run.InputFields

// RunInputs is the document that a state with the outcome "proceed" stands
// for. Nothing in it depends on the clock or on the order of questions.
func (m Machine) RunInputs(s State) (run.Inputs, error) {
	if s.Outcome != OutcomeProceed {
		return run.Inputs{}, refuse("not-confirmed", "the run is not confirmed (the pending step is %q)", s.Screen.Step)
	}
	v := m.view(&s)
	in := inputs{
		ProjectRoot: s.ProjectRoot, ProjectID: s.ProjectID,
		Host:           run.Host{Runtime: s.HostRuntime, EntryMode: s.HostEntryMode},
		ReportLanguage: reportLanguage,
		PlanApplyItems: []string{}, Stages: []run.StageChoice{}, HandoffStages: []run.StageChoice{},
		AnalysisTargets: []string{}, DesignPrep: []run.DesignDecision{}, Workers: []string{}, RelatedTasks: []string{},
	}
	for _, r := range v.answered() {
		if r.input != nil {
			r.input(v, &in, v.get(r.id))
		}
	}
	in.TaskKey = run.NewTask(in.ProjectID, in.TaskGroup, in.TaskID, "", "").TaskKey
	in.Workers = append(in.Workers, v.workers()...)
	in.Translations = v.translations()
	in.Critic = v.critic()
	models, err := v.models()
	if err != nil {
		return run.Inputs{}, refuse("unknown-model", "%v", err)
	}
	in.Models = models
	return run.Inputs{SchemaVersion: "1.0", Kind: "okstra-run-inputs", Ready: true, Inputs: in}, nil
}

// Line is one line of the confirmation.
type Line struct {
	Step   string `json:"step"`
	Name   string `json:"name"`
	Answer string `json:"answer"`
}

// Confirmation lists the answers in table order.
func (m Machine) Confirmation(s State) []Line {
	v := m.view(&s)
	lines := []Line{}
	for _, r := range v.answered() {
		if v.told(r) {
			lines = append(lines, Line{r.id, v.name(r), v.shownAnswer(r, v.get(r.id))})
		}
	}
	return lines
}

// confirmation is the text that stands before the last question: the answers,
// then who takes part.
func (v view) confirmation() string {
	var text strings.Builder
	for _, r := range v.answered() {
		if v.told(r) {
			text.WriteString(fmt.Sprintf("%s: %s\n", v.name(r), v.shownAnswer(r, v.get(r.id))))
		}
	}
	for _, r := range v.roles() {
		text.WriteString(fmt.Sprintf("%s: %s\n", r.name, v.model(r.name, r.step)))
	}
	if c := v.critic(); c != "" {
		text.WriteString(fmt.Sprintf("critic: %s\n", c))
	}
	return text.String()
}

// answered are the rows that are shown and have an answer.
func (v view) answered() []row {
	var out []row
	for _, r := range rows(v) {
		if v.has(r.id) && r.isShown(v) {
			out = append(out, r)
		}
	}
	return out
}

// name is the short name of a row.
func (v view) name(r row) string { return v.phrase(r, "name") }

// phrase is a text of the row, with the row's arguments.
func (v view) phrase(r row, part string) string {
	args := make([]any, len(r.args))
	for i, a := range r.args {
		args[i] = a
	}
	return v.say.Text(r.key()+"."+part, args...)
}

// shownAnswer is an answer as a person reads it: the labels of the options.
func (v view) shownAnswer(r row, answer string) string {
	if r.text {
		return orNone(v, answer)
	}
	s := v.screen(r)
	var labels []string
	for _, value := range splitAnswer(r, answer) {
		label := value
		if o, ok := s.option(value); ok {
			label = o.Label
		}
		labels = append(labels, label)
	}
	return orNone(v, join(", ", labels...))
}

// screen is the plain screen of a row, before a host is thought of.
func (v view) screen(r row) Screen {
	s := Screen{Step: r.id, Header: v.phrase(r, "header"), Label: v.phrase(r, "label")}
	if r.detail != nil {
		s.Detail = r.detail(v)
	}
	if r.text {
		s.Kind, s.Optional = KindText, new(r.empty)
		return s
	}
	s.Kind, s.Multi, s.Options = KindPick, new(r.multi), r.choices(v)
	return s
}

// told says whether a row stands in the confirmation: its own question does
// not, and a typed answer stands once, under its text.
func (v view) told(r row) bool {
	return r.id != "confirm" && r.id != "edit_pick" && v.get(r.id) != Custom
}
