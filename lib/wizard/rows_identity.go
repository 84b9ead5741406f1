package wizard

import (
	"slices"
	"strings"

	"okstra/lib/run"
)

// identityRows ask which task the run is for and what kind of run it is.
var identityRows = []row{
	{
		id: "task_pick", facts: []string{"tasks"}, typed: "task_key",
		options: func(v view) []Option {
			var options []Option
			for _, t := range v.facts.Tasks().Tasks {
				options = append(options, Option{Value: t.Ref(), Label: t.Ref(), Description: join(" · ", t.Title, t.LastType, day(t.LastAt))})
			}
			return append(options, Option{Value: newTask, Label: v.say.Text("task_pick=new")})
		},
		leftOut: func(v view) int { return v.facts.Tasks().LeftOut },
		offers:  func(v view, value string) bool { return value == newTask || isTask(v, value) },
		label: func(v view, value string) string {
			if value == newTask {
				return v.say.Text("task_pick=new")
			}
			return value
		},
		pin: pinTask,
		input: func(v view, r row, in *inputs) {
			in.IsNewTask = v.newTask()
			in.TaskGroup, in.TaskID = v.names()
			setProject(v, r, in)
		},
	},
	{
		id: "task_key", text: true, when: "task_pick is typed", reads: []string{"task_pick"}, facts: []string{"tasks"},
		shown: whenCustom("task_pick"),
		check: func(v view, a string) error {
			if isTask(v, a) {
				return nil
			}
			return Refuse("unknown-task", "task_key: no task %q (expected group/task of this project)", a)
		},
		pin:   pinTask,
		input: setProject,
	},
	{
		id: "task_group_pick", when: "a new task", reads: []string{"task_pick"}, facts: []string{"tasks"}, typed: "task_group",
		shown:   view.newTask,
		options: func(v view) []Option { return asOptions(v.facts.Groups()) },
	},
	{
		id: "task_group", text: true, when: "task_group_pick is typed", reads: []string{"task_group_pick"},
		shown: whenCustom("task_group_pick"),
		check: func(_ view, a string) error { return segment("task_group", a) },
	},
	{
		id: "task_id", text: true, when: "a new task", reads: []string{"task_pick", "task_group_pick", "task_group"}, facts: []string{"tasks"},
		shown: view.newTask,
		check: func(v view, a string) error {
			if err := segment("task_id", a); err != nil {
				return err
			}
			if ref := v.facts.Taken(v.group(), a); ref != "" {
				return Refuse("task-exists", "task_id: task %q is there already (expected an id that is free in group %q)", ref, v.group())
			}
			return nil
		},
	},
	{
		id: "task_type", reads: taskReads, facts: []string{"runs", "hand-off"},
		options: taskTypes,
		check: func(v view, a string) error {
			group, id, ok := v.existing()
			if a != "release-handoff" || !ok {
				return nil
			}
			if h := v.facts.Handoff(group, id); len(h.Stages) == 0 && !h.WholeTask {
				return Refuse("nothing-to-hand-off", "task_type: nothing of task %q can be handed off (expected a stage that is verified, accepted and not yet taken)", v.taskRef())
			}
			return nil
		},
		input: func(v view, r row, in *inputs) { in.TaskType = v.get(r.id) },
	},
	{
		id: "work_category", when: "a new task", reads: []string{"task_pick"}, shown: view.newTask,
		options: plain("work_category", run.WorkCategories...),
		input:   func(v view, r row, in *inputs) { in.WorkCategory = v.get(r.id) },
	},
}

// taskTypes puts the type that the newest report proposes first. A new task
// has nothing yet that could be implemented, verified or handed off.
func taskTypes(v view) []Option {
	types := slices.Clone(run.TaskTypes)
	if v.newTask() {
		types = slices.DeleteFunc(types, func(t string) bool { return slices.Contains(planTypes, t) })
	} else if group, id, ok := v.existing(); ok {
		if next := v.facts.NextPhase(group, id); slices.Contains(types, next) {
			rest := slices.DeleteFunc(types, func(t string) bool { return t == next })
			types = append([]string{next}, rest...)
		}
	}
	return plain("task_type", types...)(v)
}

func isTask(v view, ref string) bool {
	group, id, ok := cutRef(ref)
	if !ok {
		return false
	}
	_, ok = v.facts.Task(group, id)
	return ok
}

// pinTask keeps the project that an existing task says it belongs to.
func pinTask(v view, ref string) []string {
	if group, id, ok := cutRef(ref); ok {
		if t, ok := v.facts.Task(group, id); ok && run.CheckSegment(t.ProjectID) == nil {
			return []string{t.ProjectID}
		}
	}
	return nil
}

func setProject(v view, r row, in *inputs) {
	if pinned := v.pinned(r); len(pinned) == 1 {
		in.ProjectID = pinned[0]
	}
}

func segment(step, answer string) error {
	err := run.CheckSegment(answer)
	if err == nil {
		return nil
	}
	r := Refuse("bad-segment", "%s: %v", step, err)
	if clean := CleanSegment(answer); clean != "" {
		r.Message += `; "` + clean + `" would do`
		r.Candidates = []string{clean}
	}
	return r
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
