package wizard

import "slices"

// view is what a row may look at: the answers, the facts, and where the
// session runs. It must not change any of them.
type view struct {
	state *State
	facts Facts
	say   Texts
}

func (v view) get(id string) string { return v.state.Answers[id] }

func (v view) has(id string) bool {
	_, ok := v.state.Answers[id]
	return ok
}

func (v view) is(id, value string) bool {
	answer, ok := v.state.Answers[id]
	return ok && answer == value
}

func (v view) among(id string, values ...string) bool {
	return v.has(id) && slices.Contains(values, v.get(id))
}

// list is the answer of a multi pick, or of a text that lists values; "skip"
// stands for none.
func (v view) list(id string) []string {
	return slices.DeleteFunc(splitList(v.get(id)), func(part string) bool { return part == skip })
}

// typed is the answer of a pick, or of its text when it was typed.
func (v view) typed(pick, text string) string {
	if a := v.get(pick); a != Custom {
		return a
	}
	return v.get(text)
}

// pinned is what an answer stood for when it was given; a state written by
// hand may not say it, and then today's facts do.
func (v view) pinned(r row) []string {
	if kept, ok := v.state.Pinned[r.id]; ok || r.pin == nil {
		return kept
	}
	return r.pin(v, v.get(r.id))
}

// newTask says whether the run begins a task.
func (v view) newTask() bool { return v.is("task_pick", newTask) }

// taskRef names the existing task of the run, "" while there is none.
func (v view) taskRef() string {
	if v.newTask() {
		return ""
	}
	return v.typed("task_pick", "task_key")
}

// taskReads are the rows behind taskRef.
var taskReads = []string{"task_pick", "task_key"}

// existing gives group and id of the existing task of the run.
func (v view) existing() (group, id string, ok bool) { return cutRef(v.taskRef()) }

// task is the existing task of the run.
func (v view) task() (TaskFact, bool) {
	group, id, ok := v.existing()
	if !ok {
		return TaskFact{}, false
	}
	return v.facts.Task(group, id)
}

// group is the group of a new task.
func (v view) group() string { return v.typed("task_group_pick", "task_group") }

// names gives the group and the id of the task, new or not; "" when unknown.
func (v view) names() (group, id string) {
	if v.newTask() {
		return v.group(), v.get("task_id")
	}
	group, id, _ = v.existing()
	return group, id
}

// Groups of task types that share steps.
var (
	planTypes  = []string{"implementation", "final-verification", "release-handoff"}
	stageTypes = []string{"implementation", "final-verification"}
	criticOf   = []string{"requirements-discovery", "error-analysis", "implementation-planning", "final-verification"}
)

// isEntry says whether the run starts from a brief.
func (v view) isEntry() bool {
	return v.among("task_type", "requirements-discovery", "error-analysis", "improvement-discovery") ||
		v.is("task_type", "implementation-planning") && v.newTask()
}

// implements says whether the run changes the source.
func (v view) implements() bool { return v.is("task_type", "implementation") }

// analyses says whether the workers are analysers.
func (v view) analyses() bool { return v.has("task_type") && !v.among("task_type", planTypes...) }

// notHandoff says whether the run has workers at all.
func (v view) notHandoff() bool { return v.has("task_type") && !v.is("task_type", "release-handoff") }

func ofType(types ...string) func(view) bool {
	return func(v view) bool { return v.among("task_type", types...) }
}

func whenCustom(pick string) func(view) bool {
	return func(v view) bool { return v.is(pick, Custom) }
}
