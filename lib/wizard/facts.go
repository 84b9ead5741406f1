package wizard

// Facts tells what the steps need to know about the project. Each method is
// called only when a step on the way needs it; lib/wizard/facts reads them
// from disk, once per call of the program. Lists of everything are apart from
// questions about one thing, because a project may have thousands of tasks.
//
// Rule: docs/wizard.md, "Facts".
type Facts interface {
	TaskFacts
	ReportFacts
	TeamFacts

	Refs() RefFacts
	Commit(ref string) (string, error)  // the commit that a ref names now
	Templates() []TemplateFact          // pull request templates
	File(path string) (FileFact, error) // a readable text file that a person named
	Language(tag string) (string, error)
	SavedLanguage() string // the saved report language, or ""
}

// TaskFacts are about the tasks of the project.
type TaskFacts interface {
	Tasks() TaskList                        // all of them, newest run first
	Task(group, id string) (TaskFact, bool) // one of them
	HasOther(group, id string) bool         // is there a task but this one
	Groups() []string                       // sorted
	Taken(group, id string) (ref string)    // a task of that name in any case, or ""
	HasWorktree(projectID, group, id string) bool
}

// ReportFacts are about what earlier runs of a task left.
type ReportFacts interface {
	NextPhase(group, id string) string       // what the newest report proposes, or ""
	Decisions(group, id string) []DesignItem // open design items of the newest report
	Clarifications(group, id string) ClarificationFact
	Plans(group, id string) []PlanFact    // newest first
	Plan(path string) (PlanFact, error)   // the plan behind a report
	Handoff(group, id string) HandoffFact // what may be handed off
}

// TeamFacts are about who can take part.
type TeamFacts interface {
	Providers() ProviderFacts
	Model(name string) (string, error)   // canonical "provider/model" of an installed provider
	Defaults(role string) (string, bool) // saved "provider/model" of a role
}

// TaskList is every task that can be named; LeftOut counts those whose
// folders have names that cannot.
type TaskList struct {
	Tasks   []TaskFact
	LeftOut int
}

// TaskFact is one task of the project. Times are RFC 3339, "" when unknown.
type TaskFact struct {
	ProjectID string
	Group, ID string
	Title     string
	BriefPath string
	LastType  string
	LastAt    string
}

// Ref names the task as a person does.
func (t TaskFact) Ref() string { return t.Group + "/" + t.ID }

// ProviderFacts are the installed providers, in the order in which they are
// offered; Default lists the ids of the default roster, Known those of the
// whole catalogue.
type ProviderFacts struct {
	Installed []ProviderFact
	Default   []string
	Known     []string
}

// ProviderFact is one installed provider and its selectable models. One that
// is not Offered takes part only when somebody names it.
type ProviderFact struct {
	ID, Name     string
	Offered      bool
	CanWrite     bool
	DefaultModel string
	Models       []ModelFact
}

// ModelFact is one selectable model.
type ModelFact struct{ ID, Name string }

// RefFacts are the refs to start from; Head is "" outside a git repository.
type RefFacts struct {
	Head          string // full commit
	DefaultBranch string
}

// DesignItem is a decision that the newest report of a task left open.
type DesignItem struct{ ID, Statement string }

// PlanFact is an implementation plan.
type PlanFact struct {
	Path         string // the report's Markdown, as documents hold paths
	DataDigest   string
	CreatedAt    string
	Approved     bool
	OpenApproval []string // items that block the approval
	Answered     []string // items answered and not folded in
	Stages       []StageFact
}

// StageFact is one stage of a plan; it is Done when its carry exists.
type StageFact struct {
	Number    int
	Title     string
	DependsOn []int
	Done      bool
}

// HandoffFact tells what may be handed off: stages that are verified, accepted
// and not yet taken.
type HandoffFact struct {
	Stages    []StageFact
	WholeTask bool
}

// ClarificationFact tells what the newest report still asks.
type ClarificationFact struct {
	Open  bool
	Files []string // found response files, newest first
}

// TemplateFact is a pull request template and where it was found.
type TemplateFact struct{ Path, Origin string }

// FileFact is a file that a person named: Path as documents hold it, Shown
// with its links resolved.
type FileFact struct{ Path, Shown string }
