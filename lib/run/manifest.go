package run

// Critic is the critic part of a convergence configuration.
type Critic struct {
	Enabled             bool    `json:"enabled"`
	Provider            *string `json:"provider"`
	ModelExecutionValue *string `json:"modelExecutionValue"`
}

// ConvergenceBlock is what a task manifest says about convergence. An absent
// key takes its default, which depends on the task type.
type ConvergenceBlock struct {
	Enabled          *bool          `json:"enabled,omitempty"`
	MaxRounds        *int           `json:"maxRounds,omitempty"`
	VerificationMode *string        `json:"verificationMode,omitempty"`
	Adversarial      *bool          `json:"adversarial,omitempty"`
	Critic           *Critic        `json:"critic,omitempty"`
	PlanBody         *PlanBodyBlock `json:"planBody,omitempty"`
}

// PlanBodyBlock configures plan-body verification.
type PlanBodyBlock struct {
	Enabled   *bool `json:"enabled,omitempty"`
	MaxRounds *int  `json:"maxRounds,omitempty"`
}

// ApprovedPlan records an approval that plan wrote into a plan's data.
type ApprovedPlan struct {
	Path           string `json:"path"`
	DecidedDigest  string `json:"decidedDigest"`
	RecordedDigest string `json:"recordedDigest"`
	ApprovedAt     string `json:"approvedAt"`
}

// TaskManifest is what holds for all runs of a task.
type TaskManifest struct {
	SchemaVersion string            `json:"schemaVersion"`
	Kind          string            `json:"kind"`
	TaskKey       string            `json:"taskKey"`
	ProjectID     string            `json:"projectId"`
	TaskGroup     string            `json:"taskGroup"`
	TaskID        string            `json:"taskId"`
	Title         string            `json:"title"`
	WorkCategory  string            `json:"workCategory"`
	BriefPath     string            `json:"briefPath"`
	RelatedTasks  []string          `json:"relatedTasks"`
	CreatedAt     string            `json:"createdAt"`
	ApprovedPlan  *ApprovedPlan     `json:"approvedPlan"`
	Convergence   *ConvergenceBlock `json:"convergence,omitempty"`
}

// Host names the host of the lead session.
type Host struct {
	Runtime   string `json:"runtime"`
	EntryMode string `json:"entryMode"`
}

// RoleExecution is one role that one participant plays in the run. Audience
// is nil for a role that takes no part in convergence;
// SourceRoleExecutionRef names the role execution that ordered this one and
// is nil for the leader.
type RoleExecution struct {
	Role                   string  `json:"role"`
	Audience               *string `json:"audience"`
	WorkerID               string  `json:"workerId"`
	ParticipantRef         string  `json:"participantRef"`
	RoleExecutionRef       string  `json:"roleExecutionRef"`
	SourceRoleExecutionRef *string `json:"sourceRoleExecutionRef"`
	Provider               string  `json:"provider"`
	Model                  *string `json:"model"`
	ModelExecutionValue    *string `json:"modelExecutionValue"`
}

// Manifest is the run manifest, the hub that names every other artifact.
type Manifest struct {
	SchemaVersion        string          `json:"schemaVersion"`
	Kind                 string          `json:"kind"`
	RunID                string          `json:"runId"`
	Task                 Task            `json:"task"`
	ProjectRoot          string          `json:"projectRoot"`
	CreatedAt            string          `json:"createdAt"`
	Status               string          `json:"status"`
	ReportLanguage       string          `json:"reportLanguage"`
	Translations         []string        `json:"translations"`
	Host                 Host            `json:"host"`
	TaskManifestPath     string          `json:"taskManifestPath"`
	ActiveRunContextPath string          `json:"activeRunContextPath"`
	TeamStatePath        string          `json:"teamStatePath"`
	ConvergenceInputPath *string         `json:"convergenceInputPath"`
	ConvergenceStatePath *string         `json:"convergenceStatePath"`
	PlanBodyStatePath    *string         `json:"planBodyStatePath"`
	ReportDataPath       string          `json:"reportDataPath"`
	ReportPath           string          `json:"reportPath"`
	JournalPath          string          `json:"journalPath"`
	EventsLogPath        string          `json:"eventsLogPath"`
	ErrorsLogPath        string          `json:"errorsLogPath"`
	Contracts            []string        `json:"contracts,omitempty"`
	RoleExecutions       []RoleExecution `json:"roleExecutions"`
}

// Folder is the run folder that the manifest describes.
func (m Manifest) Folder() Folder { return Folder{Root: m.ProjectRoot, Task: m.Task} }

// Context is the active run context: inputs, brief and stage of the run.
type Context struct {
	SchemaVersion   string     `json:"schemaVersion"`
	Kind            string     `json:"kind"`
	Run             ContextRun `json:"run"`
	SourceArtifacts struct {
		RunInputsPath   string `json:"runInputsPath"`
		RunManifestPath string `json:"runManifestPath"`
		BriefPath       string `json:"briefPath"`
	} `json:"sourceArtifacts"`
}

// ContextRun names the run and its stage; Stage is nil for a run that is not
// bound to one.
type ContextRun struct {
	RunID    string `json:"runId"`
	TaskType string `json:"taskType"`
	RunSeq   string `json:"runSeq"`
	Stage    *int   `json:"stage"`
}
