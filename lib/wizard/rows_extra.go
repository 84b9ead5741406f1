package wizard

import (
	"slices"
	"strings"
)

const maxDirective = 16 << 10

var extraRows = []row{
	criticRow,
	{
		id: "report_language_pick", group: "extras", custom: true, reads: []string{"task_type"}, shown: notHandoff,
		options: func(v view) []Option {
			tags := []string{"none"}
			for _, tag := range []string{v.facts.SavedLanguage(), "ko"} {
				if tag != "" && tag != reportLanguage && !slices.Contains(tags, tag) {
					tags = append(tags, tag)
				}
			}
			options := asOptions(tags)
			for i, o := range options {
				if key := "report_language_pick=" + o.Value; v.say.Has(key) {
					options[i].Label = v.say.Text(key)
				}
			}
			return options
		},
	},
	{
		id: "report_language", text: true, reads: []string{"report_language_pick"}, shown: whenCustom("report_language_pick"),
		check: func(v view, a string) error {
			tag, err := v.facts.Language(a)
			switch {
			case err != nil:
				return refuse("bad-language", "report_language: %v", err)
			case tag == reportLanguage:
				return refuse("bad-language", "report_language: the report is written in %q already", tag)
			}
			return nil
		},
	},
	{
		id: "directive_pick", group: "extras", custom: true,
		options: plain("directive_pick", skip),
	},
	{
		id: "directive", text: true, reads: []string{"directive_pick"}, shown: whenCustom("directive_pick"),
		check: func(_ view, a string) error {
			if len(a) > maxDirective {
				return refuse("too-long", "directive: %d bytes (expected %d or less)", len(a), maxDirective)
			}
			return nil
		},
		input: func(_ view, in *inputs, a string) { in.Directive = a },
	},
	{
		id: "related_tasks_pick", multi: true, min: 1, alone: []string{skip}, custom: true, reads: append([]string{"tasks"}, taskReads...),
		shown: func(v view) bool { return len(otherTasks(v)) > 0 },
		options: func(v view) []Option {
			options := plain("related_tasks_pick", skip)(v)
			for _, t := range otherTasks(v) {
				options = append(options, Option{Value: t.Ref(), Label: t.Ref(), Description: t.Title})
			}
			return options
		},
		input: func(v view, in *inputs, a string) {
			if a != Custom {
				in.RelatedTasks = v.list("related_tasks_pick")
			}
		},
	},
	{
		id: "related_tasks", text: true, reads: append([]string{"related_tasks_pick", "tasks"}, taskReads...), shown: whenCustom("related_tasks_pick"),
		check: func(v view, a string) error {
			for name := range strings.SplitSeq(a, ",") {
				name = strings.TrimSpace(name)
				if !slices.ContainsFunc(otherTasks(v), func(t TaskFact) bool { return t.Ref() == name }) {
					return refuse("unknown-task", "related_tasks: no other task %q (expected group/task of this project)", name)
				}
			}
			return nil
		},
		input: func(v view, in *inputs, _ string) { in.RelatedTasks = v.list("related_tasks") },
	},
	{
		id: "clarification_pick", custom: true, reads: slices.Concat([]string{"task_type", "tasks", "clarifications"}, taskReads),
		shown: func(v view) bool { return clarification(v).Open },
		options: func(v view) []Option {
			return append(asOptions(clarification(v).Files), plain("clarification_pick", skip)(v)...)
		},
		input: func(v view, in *inputs, a string) {
			if a != skip && a != Custom {
				in.ClarificationResponsePath = filePath(v, a)
			}
		},
	},
	{
		id: "clarification", text: true, reads: []string{"clarification_pick"}, shown: whenCustom("clarification_pick"),
		check: func(v view, a string) error { return fileCheck(v, "clarification", a) },
		input: func(v view, in *inputs, a string) { in.ClarificationResponsePath = filePath(v, a) },
	},
}

// translations are the languages the report is translated to.
func (v view) translations() []string {
	a := v.typed("report_language_pick", "report_language")
	if a == "" || a == "none" {
		return []string{}
	}
	if tag, err := v.facts.Language(a); err == nil {
		a = tag
	}
	return []string{a}
}

func otherTasks(v view) []TaskFact {
	group, id := v.names()
	return slices.DeleteFunc(slices.Clone(v.facts.Tasks()), func(t TaskFact) bool { return t.Group == group && t.ID == id })
}

func clarification(v view) ClarificationFact {
	t, ok := v.task()
	if !ok || !v.has("task_type") {
		return ClarificationFact{}
	}
	return v.facts.Clarifications(t.Group, t.ID, v.get("task_type"))
}

var handoffRows = []row{
	{
		id: "pr_template_pick", custom: true, reads: []string{"task_type", "templates"}, shown: ofType("release-handoff"),
		options: func(v view) []Option {
			var options []Option
			for _, t := range v.facts.Templates() {
				options = append(options, Option{Value: t.Path, Label: t.Path, Description: t.Origin})
			}
			return append(options, plain("pr_template_pick", "none")(v)...)
		},
		input: func(v view, in *inputs, a string) {
			if a != "none" && a != Custom {
				in.PrTemplatePath, in.PrTemplateScope = filePath(v, a), "once"
			}
		},
	},
	{
		id: "pr_template", text: true, reads: []string{"pr_template_pick"}, shown: whenCustom("pr_template_pick"),
		check: func(v view, a string) error { return fileCheck(v, "pr_template", a) },
		input: func(v view, in *inputs, a string) { in.PrTemplatePath = filePath(v, a) },
	},
	{
		id: "pr_template_scope", reads: []string{"pr_template_pick", "pr_template"}, shown: whenCustom("pr_template_pick"),
		options: plain("pr_template_scope", "once", "project", "global"),
		input:   func(_ view, in *inputs, a string) { in.PrTemplateScope = a },
	},
}

// endRows is a function because the confirmation looks at every other row.
func endRows() []row {
	return []row{
		{
			id: "confirm", reads: []string{"*"},
			options: plain("confirm", "proceed", "edit", "abort"),
			detail:  func(v view) string { return v.confirmation() },
		},
		{
			id: "edit_pick", reads: []string{"*"}, shown: func(v view) bool { return v.is("confirm", "edit") },
			options: func(v view) []Option {
				var options []Option
				for _, r := range v.answered() {
					options = append(options, Option{Value: r.id, Label: v.name(r), Description: v.shownAnswer(r, v.get(r.id))})
				}
				return options
			},
		},
	}
}
