package wizard

import (
	"slices"
	"strings"

	"okstra/lib/run"
)

var identityRows = []row{
	{
		id: "task_pick", reads: []string{"tasks"}, custom: true,
		options: func(v view) []Option {
			var options []Option
			for _, t := range v.facts.Tasks() {
				options = append(options, Option{Value: t.Ref(), Label: t.Ref(), Description: join(" · ", t.Title, t.LastType, day(t.LastAt))})
			}
			return append(options, Option{Value: newTask, Label: v.say.Text("task_pick=new")})
		},
		check: func(v view, a string) error { return knownTask(v, "task_pick", a, newTask, Custom) },
		input: func(v view, in *inputs, _ string) {
			in.IsNewTask = v.newTask()
			in.TaskGroup, in.TaskID = v.names()
		},
	},
	{
		id: "task_key", text: true, reads: []string{"task_pick", "tasks"}, shown: whenCustom("task_pick"),
		check: func(v view, a string) error { return knownTask(v, "task_key", a) },
	},
	{
		id: "task_group_pick", reads: []string{"task_pick", "tasks"}, custom: true, shown: view.newTask,
		options: func(v view) []Option {
			var groups []string
			for _, t := range v.facts.Tasks() {
				groups = append(groups, t.Group)
			}
			slices.Sort(groups)
			return asOptions(slices.Compact(groups))
		},
	},
	{
		id: "task_group", text: true, reads: []string{"task_pick", "task_group_pick"},
		shown: func(v view) bool { return v.newTask() && v.is("task_group_pick", Custom) },
		check: func(_ view, a string) error { return segment("task_group", a) },
	},
	{
		id: "task_id", text: true, reads: []string{"task_pick", "task_group_pick", "task_group", "tasks"}, shown: view.newTask,
		check: func(v view, a string) error {
			if err := segment("task_id", a); err != nil {
				return err
			}
			group := v.typed("task_group_pick", "task_group")
			for _, t := range v.facts.Tasks() {
				if t.Group == group && strings.EqualFold(t.ID, a) {
					return refuse("task-exists", "task %q is there already (expected an id that is free in group %q)", t.Ref(), group)
				}
			}
			return nil
		},
	},
	{
		id: "task_type", reads: []string{"task_pick", "task_key", "tasks"},
		options: func(v view) []Option {
			types := slices.Clone(run.TaskTypes)
			if v.newTask() {
				types = slices.DeleteFunc(types, func(t string) bool { return slices.Contains(planTypes, t) })
			} else if next := v.nextPhase(); slices.Contains(types, next) {
				rest := slices.DeleteFunc(types, func(x string) bool { return x == next })
				types = append([]string{next}, rest...)
			}
			return plain("task_type", types...)(v)
		},
		input: func(_ view, in *inputs, a string) { in.TaskType = a },
	},
	{
		id: "work_category", reads: []string{"task_pick"}, shown: view.newTask,
		options: plain("work_category", run.WorkCategories...),
		input:   func(_ view, in *inputs, a string) { in.WorkCategory = a },
	},
}

func knownTask(v view, step, answer string, words ...string) error {
	if slices.Contains(words, answer) {
		return nil
	}
	for _, t := range v.facts.Tasks() {
		if t.Ref() == answer {
			return nil
		}
	}
	return refuse("unknown-task", "%s: no task %q (expected group/task of this project)", step, answer)
}

func segment(step, answer string) error {
	if err := run.CheckSegment(answer); err != nil {
		r := refuse("bad-segment", "%s: %v", step, err)
		if clean := CleanSegment(answer); clean != "" {
			r.Message += "; " + `"` + clean + `" would do`
			r.Candidates = []string{clean}
		}
		return r
	}
	return nil
}

// CleanSegment proposes an identifier that is close to s, or "".
func CleanSegment(s string) string {
	mapped := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, s)
	for strings.Contains(mapped, "--") {
		mapped = strings.ReplaceAll(mapped, "--", "-")
	}
	mapped = strings.Trim(mapped, "-._")
	mapped = strings.Trim(strings.TrimSuffix(mapped[:min(len(mapped), 64)], ".lock"), "-._")
	if run.CheckSegment(mapped) != nil {
		return ""
	}
	return mapped
}

// nextPhase is what the newest report of the task proposes, or "".
func (v view) nextPhase() string {
	t, ok := v.task()
	if !ok {
		return ""
	}
	return v.facts.NextPhase(t.Group, t.ID)
}
