package run

import "encoding/json"

// Limits of one process. OutputBytes is the cap of its stdout and stderr.
type Limits struct {
	WallSeconds    int   `json:"wallSeconds"`
	IdleSeconds    int   `json:"idleSeconds"`
	StartupSeconds int   `json:"startupSeconds"`
	OutputBytes    int64 `json:"outputBytes"`
	GraceSeconds   int   `json:"graceSeconds"`
}

// Job is a job line: everything that is needed to run one assignment.
type Job struct {
	SchemaVersion        string            `json:"schemaVersion"`
	Kind                 string            `json:"kind"`
	JobID                string            `json:"jobId"`
	RunManifestPath      string            `json:"runManifestPath"`
	ProjectRoot          string            `json:"projectRoot"`
	AssignmentRef        string            `json:"assignmentRef"`
	RoleExecutionRef     string            `json:"roleExecutionRef"`
	WorkerID             string            `json:"workerId"`
	Role                 string            `json:"role"`
	Provider             string            `json:"provider"`
	Model                string            `json:"model"`
	ModelExecutionValue  string            `json:"modelExecutionValue"`
	PromptPath           string            `json:"promptPath"`
	PromptDigest         string            `json:"promptDigest"`
	ResultPath           string            `json:"resultPath"`
	AuditPath            string            `json:"auditPath"`
	ErrorsSidecarPath    string            `json:"errorsSidecarPath"`
	WorktreePath         string            `json:"worktreePath"`
	PlannedPaths         []string          `json:"plannedPaths"`
	GeneratedPaths       []string          `json:"generatedPaths"`
	ScratchRoots         []string          `json:"scratchRoots"`
	AuxiliaryRoots       []string          `json:"auxiliaryRoots"`
	MaxBoundaryPrecision string            `json:"maxBoundaryPrecision"`
	WritePolicy          *WritePolicy      `json:"writePolicy"`
	WritePolicyDigest    string            `json:"writePolicyDigest"`
	WriteEnforcement     *WriteEnforcement `json:"writeEnforcement"`
	Boundary             []string          `json:"boundary"`
	Limits               Limits            `json:"limits"`
	MaxAttempts          int               `json:"maxAttempts"`
	OnDirtyTree          string            `json:"onDirtyTree"`
	// Replay is a folder of recordings that stands in for the CLI, "" for
	// the real one. Rule: docs/replay.md.
	Replay string `json:"replay,omitempty"`
}

// Usage counts tokens in disjoint buckets; Reasoning is a part of Output.
type Usage struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cacheRead"`
	CacheWrite5m int64 `json:"cacheWrite5m"`
	CacheWrite1h int64 `json:"cacheWrite1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

// Result is a result line. Outcome and what follows from it are nil while the
// attempt is open; Usage and CostUSD are nil when the stream said nothing.
type Result struct {
	SchemaVersion string   `json:"schemaVersion"`
	Kind          string   `json:"kind"`
	JobID         string   `json:"jobId"`
	AssignmentRef string   `json:"assignmentRef"`
	WorkerID      string   `json:"workerId"`
	Role          string   `json:"role"`
	Provider      string   `json:"provider"`
	Model         string   `json:"model"`
	Attempt       int      `json:"attempt"`
	Outcome       *string  `json:"outcome"`
	Cause         *string  `json:"cause"`
	ResultClass   *string  `json:"resultClass"`
	Mutation      *string  `json:"mutation"`
	ExitCode      *int     `json:"exitCode"`
	Signal        string   `json:"signal"`
	WallMs        int64    `json:"wallMs"`
	SessionID     string   `json:"sessionId"`
	Boundary      string   `json:"boundary"`
	Usage         *Usage   `json:"usage"`
	CostUSD       *float64 `json:"costUsd"`
	ResultPath    string   `json:"resultPath"`
	PromptPath    string   `json:"promptPath"`
	StatusPath    string   `json:"statusPath"`
	AttemptPath   string   `json:"attemptPath"`
	LogPath       string   `json:"logPath"`
	Warnings      []string `json:"warnings"`
	Message       string   `json:"message"`
}

// Process identifies a process beyond the reuse of its number.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
	BootID     string `json:"bootId,omitempty"`
}

// Status is the evidence of one process. State is one of "not-started",
// "started", "exited", "timeout" and "failed".
type Status struct {
	SchemaVersion       string          `json:"schemaVersion"`
	Kind                string          `json:"kind"`
	State               string          `json:"state"`
	Reason              string          `json:"reason"`
	Provider            string          `json:"provider"`
	Model               string          `json:"model"`
	ModelExecutionValue string          `json:"modelExecutionValue"`
	Attempt             int             `json:"attempt"`
	Owner               *Process        `json:"owner"`
	Process             *Process        `json:"process"`
	Argv                []string        `json:"argv"`
	Cwd                 string          `json:"cwd"`
	SessionID           string          `json:"sessionId"`
	StartedAt           string          `json:"startedAt"`
	FirstOutputAt       string          `json:"firstOutputAt"`
	LastProgressAt      string          `json:"lastProgressAt"`
	EndedAt             string          `json:"endedAt"`
	ExitCode            *int            `json:"exitCode"`
	Signal              string          `json:"signal"`
	Limit               string          `json:"limit"`
	LeftoverProcesses   int             `json:"leftoverProcesses"`
	KillVerified        bool            `json:"killVerified"`
	StdoutPath          string          `json:"stdoutPath"`
	StderrPath          string          `json:"stderrPath"`
	LogPath             string          `json:"logPath"`
	StdoutBytes         int64           `json:"stdoutBytes"`
	Usage               json.RawMessage `json:"usage"`
}

// Attempt is the contract and the verdict of one attempt. Audit, Artifact,
// Evidence, Outcome and what follows are nil until the attempt is closed.
type Attempt struct {
	SchemaVersion     string            `json:"schemaVersion"`
	Kind              string            `json:"kind"`
	JobID             string            `json:"jobId"`
	Attempt           int               `json:"attempt"`
	Round             int               `json:"round"`
	PromptPath        string            `json:"promptPath"`
	StatusPath        string            `json:"statusPath"`
	SessionID         string            `json:"sessionId"`
	Placement         Placement         `json:"placement"`
	WritePolicy       *WritePolicy      `json:"writePolicy"`
	WritePolicyDigest string            `json:"writePolicyDigest"`
	WriteEnforcement  *WriteEnforcement `json:"writeEnforcement"`
	Boundary          *Boundary         `json:"boundary"`
	BaselinePath      string            `json:"baselinePath"`
	Audit             *Audit            `json:"audit"`
	Artifact          *Artifact         `json:"artifact"`
	Evidence          *Evidence         `json:"evidence"`
	Outcome           *string           `json:"outcome"`
	Cause             *string           `json:"cause"`
	ResultClass       *string           `json:"resultClass"`
	Mutation          *string           `json:"mutation"`
	Warnings          []string          `json:"warnings"`
	Message           string            `json:"message"`
}

// Placement is where an attempt ran; a retry inherits it.
type Placement struct {
	Cwd          string `json:"cwd"`
	WorktreePath string `json:"worktreePath"`
	OnDirtyTree  string `json:"onDirtyTree"`
}

// Boundary is what the kernel really gave. ABI is the Landlock version in
// use, or nil. Mutations is nil where the boundary cannot tell calls apart.
type Boundary struct {
	Kind        string     `json:"kind"`
	ABI         *int       `json:"abi"`
	SelfTest    string     `json:"selfTest"`
	Requested   []string   `json:"requested"`
	LeavesOpen  []string   `json:"leavesOpen"`
	Attribution string     `json:"attribution"`
	Mutations   []Mutation `json:"mutations,omitempty"`
}

// Mutation is one path that an attempt changed under an overlay.
type Mutation struct {
	Path      string `json:"path"`
	Change    string `json:"change"`
	Class     string `json:"class"`
	CopiedOut bool   `json:"copiedOut"`
}

// Audit is the verdict about what an attempt changed.
type Audit struct {
	Verdict     string   `json:"verdict"`
	Attribution string   `json:"attribution"`
	Changes     []Change `json:"changes"`
	Violations  []Change `json:"violations"`
	Error       string   `json:"error"`
}

// Change is one difference between two snapshots.
type Change struct {
	Path    string `json:"path"`
	Surface string `json:"surface"`
	Change  string `json:"change"`
	Class   string `json:"class"`
	Detail  string `json:"detail"`
}

// Artifact tells what became of the promised artifact.
type Artifact struct {
	Path           string `json:"path"`
	Present        bool   `json:"present"`
	Bytes          int64  `json:"bytes"`
	NewerThanStart bool   `json:"newerThanStart"`
	Digest         string `json:"digest"`
}

// Evidence is what the stream of a CLI told.
type Evidence struct {
	TerminalEvent     string `json:"terminalEvent"`
	PermissionDenials int    `json:"permissionDenials"`
	BadLines          int    `json:"badLines"`
	APIErrorStatus    *int   `json:"apiErrorStatus"`
}

// WorkerErrors is a worker's own account of tools that failed.
type WorkerErrors struct {
	SchemaVersion string        `json:"schemaVersion"`
	Kind          string        `json:"kind"`
	WorkerID      string        `json:"workerId"`
	Errors        []WorkerError `json:"errors"`
}

// WorkerError is one failed tool call.
type WorkerError struct {
	At       string `json:"at"`
	Tool     string `json:"tool"`
	Command  string `json:"command"`
	ExitCode *int   `json:"exitCode"`
	Message  string `json:"message"`
}

// ErrorRow is a row of errors.jsonl.
type ErrorRow struct {
	RunID         string `json:"runId"`
	At            string `json:"at"`
	ErrorType     string `json:"errorType"`
	Phase         string `json:"phase"`
	Source        string `json:"source"`
	AssignmentRef string `json:"assignmentRef"`
	Role          string `json:"role"`
	Attempt       int    `json:"attempt"`
	Outcome       string `json:"outcome"`
	Cause         string `json:"cause"`
	Command       string `json:"command"`
	ExitCode      *int   `json:"exitCode"`
	Message       string `json:"message"`
	LogPath       string `json:"logPath"`
}

// EventRow is a row of events.jsonl: a progress line, or an activity event.
type EventRow struct {
	RunID         string `json:"runId"`
	At            string `json:"at"`
	Kind          string `json:"kind"`
	Line          string `json:"line,omitempty"`
	Contract      string `json:"contract,omitempty"`
	ID            string `json:"id,omitempty"`
	AssignmentRef string `json:"assignmentRef,omitempty"`
	Attempt       int    `json:"attempt,omitempty"`
	Role          string `json:"role,omitempty"`
	Round         int    `json:"round,omitempty"`
	Ref           string `json:"ref,omitempty"`
}

// StageCarry is the persisted result of an implementation stage.
type StageCarry struct {
	SchemaVersion string   `json:"schemaVersion"`
	Kind          string   `json:"kind"`
	Stage         int      `json:"stage"`
	Result        string   `json:"result"`
	Commits       []string `json:"commits"`
}

// StageConsumer is a row of consumers.jsonl. Stage is a number or
// "whole-task".
type StageConsumer struct {
	SchemaVersion  string      `json:"schemaVersion"`
	Kind           string      `json:"kind"`
	RunID          string      `json:"runId"`
	At             string      `json:"at"`
	Stage          StageChoice `json:"stage"`
	Status         string      `json:"status"`
	VerdictToken   *string     `json:"verdictToken"`
	ReportDataPath string      `json:"reportDataPath"`
}
