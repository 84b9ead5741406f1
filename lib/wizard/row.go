package wizard

import (
	"slices"
	"strings"
)

// row is one step of the table. No step is decided anywhere else.
type row struct {
	id     string
	text   bool   // a text step; otherwise a pick
	multi  bool   // several options may be chosen
	group  string // neighbours of one group are asked together
	reads  []string
	custom bool // offers to type the answer, last
	min    int  // least number of choices of a multi pick
	alone  []string
	empty  bool // an empty text means "none"

	shown   func(v view) bool // nil: always
	options func(v view) []Option
	check   func(v view, answer string) error
	detail  func(v view) string
	texts   string   // key of the texts when it is not the id
	args    []string // arguments of the texts
	input   func(v view, in *inputs, answer string)
}

func (r row) key() string {
	if r.texts != "" {
		return r.texts
	}
	return r.id
}

// view is what a row may look at: the answers and the facts.
type view struct {
	answers map[string]string
	facts   Facts
	say     Texts
	state   *State
}

func (v view) get(id string) string { return v.answers[id] }

func (v view) has(id string) bool {
	_, ok := v.answers[id]
	return ok
}

func (v view) is(id, value string) bool { return v.answers[id] == value }

func (v view) among(id string, values ...string) bool {
	return v.has(id) && slices.Contains(values, v.answers[id])
}

// list is the answer of a multi pick or of a text that lists values.
func (v view) list(id string) []string {
	var out []string
	for part := range strings.SplitSeq(v.answers[id], ",") {
		if part = strings.TrimSpace(part); part != "" && part != skip {
			out = append(out, part)
		}
	}
	return out
}

// typed is the answer of a pick, or of its text when it was typed.
func (v view) typed(pick, text string) string {
	if a := v.get(pick); a != Custom {
		return a
	}
	return v.get(text)
}

// newTask says whether the run begins a task.
func (v view) newTask() bool { return v.is("task_pick", newTask) }

// task is the existing task of the run.
func (v view) task() (TaskFact, bool) {
	ref := v.typed("task_pick", "task_key")
	for _, t := range v.facts.Tasks() {
		if t.Ref() == ref {
			return t, true
		}
	}
	return TaskFact{}, false
}

// names gives the group and the id of the task, new or not; "" when unknown.
func (v view) names() (group, id string) {
	if v.newTask() {
		return v.typed("task_group_pick", "task_group"), v.get("task_id")
	}
	t, _ := v.task()
	return t.Group, t.ID
}

// taskReads are the rows that names looks at.
var taskReads = []string{"task_pick", "task_key", "task_group_pick", "task_group", "task_id"}

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

func (v view) analyses() bool { return v.has("task_type") && !v.among("task_type", planTypes...) }
