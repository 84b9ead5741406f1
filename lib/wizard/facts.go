package wizard

// Facts tells what the steps need to know about the project. Each method is
// called only when a step on the way needs it; lib/wizard/facts reads them
// from disk once per call of the program.
type Facts interface {
	Tasks() []TaskFact                   // newest run first
	NextPhase(group, task string) string // what the newest report proposes, or ""
	Providers() ProviderFacts            // installed ones
	Refs() RefFacts
	Plans(group, task string) []PlanFact // newest first
	Handoff(group, task string) HandoffFact
	Clarifications(group, task, taskType string) ClarificationFact
	Templates() []TemplateFact
	File(path string) (FileFact, error)  // a readable text file that a person named
	Commit(ref string) (string, error)   // the commit that a ref names now
	Plan(path string) (PlanFact, error)  // a plan that a person named
	Language(tag string) (string, error) // canonical form of a language tag
	SavedLanguage() string               // the project's saved report language, or ""
	Defaults(role string) (string, bool) // saved "provider/model" of a role
}

// TaskFact is one task of the project. Times are RFC 3339, "" when unknown.
type TaskFact struct {
	Group, ID    string
	Title        string
	WorkCategory string
	BriefPath    string
	LastType     string
	LastAt       string
	HasWorktree  bool
}

// Ref names the task as a person does.
func (t TaskFact) Ref() string { return t.Group + "/" + t.ID }

// ProviderFacts are the installed providers, in the order in which they are
// offered; Default lists the ids of the default roster.
type ProviderFacts struct {
	Installed []ProviderFact
	Default   []string
}

// ProviderFact is one installed provider and its selectable models.
type ProviderFact struct {
	ID, Name     string
	CanWrite     bool
	DefaultModel string
	Models       []ModelFact
	// Resolve finds the canonical id of a model by the catalogue's order.
	Resolve func(model string) (string, error)
}

// ModelFact is one selectable model.
type ModelFact struct{ ID, Name string }

// RefFacts are the refs to start from; Head is "" outside a git repository.
type RefFacts struct {
	Head          string // full commit
	DefaultBranch string
}

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

// StageFact is one stage of a plan.
type StageFact struct {
	Number    int
	Title     string
	DependsOn []int
	Done      bool // its carry exists
	Verified  bool
}

// HandoffFact tells what may be handed off.
type HandoffFact struct {
	Stages    []StageFact // verified, accepted, not yet taken
	WholeTask bool
}

// ClarificationFact tells what the latest report still asks.
type ClarificationFact struct {
	Open  bool
	Files []string // found response files, newest first
}

// TemplateFact is a pull request template and where it was found.
type TemplateFact struct{ Path, Origin string }

// FileFact is a file that a person named: Path as documents hold it, Shown
// with its links resolved.
type FileFact struct{ Path, Shown string }
