package wizard

import (
	"slices"
)

const (
	reportLanguage = "en" // what reports are written in
	maxDirective   = 16 << 10
)

// extraRows ask for what may be said beyond the task itself.
var extraRows = []row{
	{
		id: "report_language_pick", when: "not release-handoff", group: "extras", typed: "report_language",
		reads: []string{"task_type"}, facts: []string{"defaults"}, shown: view.notHandoff,
		options: languageOptions,
		check: func(v view, a string) error {
			if a == none || a == Custom {
				return nil
			}
			return languageCheck(v, "report_language_pick", a)
		},
	},
	{
		id: "report_language", text: true, when: "report_language_pick is typed", reads: []string{"report_language_pick"},
		shown: whenCustom("report_language_pick"),
		check: func(v view, a string) error { return languageCheck(v, "report_language", a) },
	},
	{
		id: "directive_pick", group: "extras", typed: "directive",
		options: plain("directive_pick", skip),
	},
	{
		id: "directive", text: true, empty: true, when: "directive_pick is typed", reads: []string{"directive_pick"},
		shown: whenCustom("directive_pick"),
		check: func(_ view, a string) error {
			if len(a) > maxDirective {
				return Refuse("too-long", "directive: %d bytes (expected %d or less)", len(a), maxDirective)
			}
			return nil
		},
		input: func(v view, r row, in *inputs) { in.Directive = v.get(r.id) },
	},
	{
		id: "related_tasks_pick", when: "there are other tasks", multi: true, alone: []string{skip}, typed: "related_tasks",
		reads: taskReads, facts: []string{"tasks"},
		shown: func(v view) bool {
			group, id, _ := v.existing()
			return v.facts.HasOther(group, id)
		},
		options: func(v view) []Option {
			options := plain("related_tasks_pick", skip)(v)
			own := v.taskRef()
			for _, t := range v.facts.Tasks().Tasks {
				if t.Ref() != own {
					options = append(options, Option{Value: t.Ref(), Label: t.Ref(), Description: t.Title})
				}
			}
			return options
		},
		leftOut: func(v view) int { return v.facts.Tasks().LeftOut },
		offers:  func(v view, value string) bool { return value == skip || otherTask(v, value) },
		label: func(v view, value string) string {
			if value == skip {
				return v.say.Text("related_tasks_pick=skip")
			}
			return value
		},
		input: func(v view, r row, in *inputs) {
			if v.get(r.id) != Custom {
				in.RelatedTasks = append(in.RelatedTasks, v.list(r.id)...)
			}
		},
	},
	{
		id: "related_tasks", text: true, empty: true, when: "related_tasks_pick is typed",
		reads: append([]string{"related_tasks_pick"}, taskReads...), facts: []string{"tasks"},
		shown: whenCustom("related_tasks_pick"),
		check: func(v view, a string) error {
			for _, name := range splitList(a) {
				if !otherTask(v, name) {
					return Refuse("unknown-task", "related_tasks: no other task %q (expected group/task of this project)", name)
				}
			}
			return nil
		},
		input: func(v view, r row, in *inputs) { in.RelatedTasks = append(in.RelatedTasks, v.list(r.id)...) },
	},
	{
		id: "clarification_pick", when: "the newest report has open or answered items", typed: "clarification",
		reads: taskReads, facts: []string{"clarifications"},
		shown: func(v view) bool { return clarification(v).Open },
		options: func(v view) []Option {
			return append(asOptions(clarification(v).Files), plain("clarification_pick", skip)(v)...)
		},
		check: func(v view, a string) error {
			if a == skip || a == Custom {
				return nil
			}
			return fileCheck(v, "clarification_pick", a)
		},
		pin: func(v view, a string) []string {
			if a == skip || a == Custom {
				return nil
			}
			return pinFile(v, a)
		},
		input: func(v view, r row, in *inputs) { setFile(v, r, &in.ClarificationResponsePath) },
	},
	{
		id: "clarification", text: true, empty: true, when: "clarification_pick is typed", reads: []string{"clarification_pick"}, facts: []string{"files"},
		shown: whenCustom("clarification_pick"),
		check: func(v view, a string) error { return fileCheck(v, "clarification", a) },
		pin:   pinFile,
		input: func(v view, r row, in *inputs) { setFile(v, r, &in.ClarificationResponsePath) },
	},
}

// languageOptions offers a language that is saved for the project, and Korean.
func languageOptions(v view) []Option {
	tags := []string{none}
	for _, tag := range []string{v.facts.SavedLanguage(), "ko"} {
		if tag != "" && tag != reportLanguage && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	options := asOptions(tags)
	for i, o := range options {
		options[i].Label = v.say.Or("report_language_pick="+o.Value, o.Value)
	}
	return options
}

func languageCheck(v view, step, answer string) error {
	tag, err := v.facts.Language(answer)
	switch {
	case err != nil:
		return Refuse("bad-language", "%s: %v", step, err)
	case tag == reportLanguage:
		return Refuse("bad-language", "%s: the report is written in %q already (expected another language)", step, tag)
	}
	return nil
}

// otherTask says whether ref names a task that is not the run's own.
func otherTask(v view, ref string) bool { return ref != v.taskRef() && isTask(v, ref) }

func clarification(v view) ClarificationFact {
	group, id, ok := v.existing()
	if !ok {
		return ClarificationFact{}
	}
	return v.facts.Clarifications(group, id)
}

// handoffRows ask for the pull request template.
var handoffRows = []row{
	{
		id: "pr_template_pick", when: "release-handoff", reads: []string{"task_type"}, facts: []string{"templates"}, typed: "pr_template",
		shown: ofType("release-handoff"),
		options: func(v view) []Option {
			var options []Option
			for _, t := range v.facts.Templates() {
				options = append(options, Option{Value: t.Path, Label: t.Path, Description: v.say.Text("template=" + t.Origin)})
			}
			return append(options, plain("pr_template_pick", none)(v)...)
		},
		check: func(v view, a string) error {
			if a == none || a == Custom {
				return nil
			}
			return fileCheck(v, "pr_template_pick", a)
		},
		pin: func(v view, a string) []string {
			if a == none || a == Custom {
				return nil
			}
			return pinFile(v, a)
		},
		input: func(v view, r row, in *inputs) {
			if setFile(v, r, &in.PrTemplatePath); in.PrTemplatePath != "" {
				in.PrTemplateScope = "once"
			}
		},
	},
	{
		id: "pr_template", text: true, when: "pr_template_pick is typed", reads: []string{"pr_template_pick"}, facts: []string{"files"},
		shown: whenCustom("pr_template_pick"),
		check: func(v view, a string) error { return fileCheck(v, "pr_template", a) },
		pin:   pinFile,
		input: func(v view, r row, in *inputs) { setFile(v, r, &in.PrTemplatePath) },
	},
	{
		id: "pr_template_scope", when: "pr_template_pick is typed", reads: []string{"pr_template_pick", "pr_template"},
		shown:   whenCustom("pr_template_pick"),
		options: plain("pr_template_scope", "once", "project", "global"),
		input:   func(v view, r row, in *inputs) { in.PrTemplateScope = v.get(r.id) },
	},
}
