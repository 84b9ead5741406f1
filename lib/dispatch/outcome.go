package dispatch

import "okstra/lib/dispatch/proc"

// Outcomes of an attempt.
const (
	OutcomeCompleted       = "completed"
	OutcomeFailed          = "failed"
	OutcomeTimeout         = "timeout"
	OutcomeLost            = "lost"
	OutcomeNotStarted      = "not-started"
	OutcomeCancelled       = "cancelled"
	OutcomeKillUnverified  = "kill-unverified"
	OutcomePolicyViolation = "policy-violation"
)

// Causes that code refers to. A provider row may add causes of its own.
const (
	CauseOK              = "ok"
	CauseBudget          = "budget"
	CauseInterrupted     = "interrupted"
	CauseAuthStopped     = "provider-auth-stopped"
	CauseLost            = "lost"
	CauseSignal          = "signal"
	CauseDiskFull        = "disk-full"
	CauseAuth            = "auth"
	CauseRateLimit       = "rate-limit"
	CauseSessionInUse    = "session-in-use"
	CauseProviderError   = "provider-error"
	CauseExitNonzero     = "exit-nonzero"
	CauseStreamCut       = "stream-cut"
	CausePermission      = "permission-denied"
	CauseArtifactMissing = "artifact-missing"
	CauseEmptyResult     = "empty-result"
	CauseArtifactStale   = "artifact-stale"
	CauseArtifactInvalid = "artifact-invalid"
	CauseWrongDirectory  = "wrong-directory"
	CauseAuditError      = "audit-error"
	causeUntrustedDir    = "untrusted-directory"
)

// Facts is all the evidence about one attempt that the outcome depends on.
type Facts struct {
	Unkillable bool   // descendants are alive after KILL
	NotRun     string // why it was never started by decision, "" if it was
	StartError string // why it could not be started
	Lost       bool   // its owner is gone and recorded no end
	Limit      string // the limit of ours that fired
	Stopped    bool   // the user stopped it
	Signal     string // by which it ended, WIFSIGNALED
	ExitCode   int    // where no signal did

	Provider bool // a provider row says how to read it
	Stream   bool // and it prints events
	Terminal bool // an event ended the run
	Good     bool // and said it ended well
	HTTPErr  bool // the stream names an HTTP error status

	DiskFull bool   // the file system of our raw output or of the CLI's home
	Named    string // cause that stream, stderr or session file name

	Artifact  ArtifactState
	Denied    bool // tool calls were refused, or the run was called off
	Elsewhere bool // ran in another directory than asked
}

// ArtifactState is what became of the artifact that a job promised.
type ArtifactState string

// ArtifactNone means that nothing was promised.
const (
	ArtifactNone    ArtifactState = ""
	ArtifactGood    ArtifactState = "good"
	ArtifactMissing ArtifactState = "missing"
	ArtifactEmpty   ArtifactState = "empty"
	ArtifactStale   ArtifactState = "stale"
	ArtifactInvalid ArtifactState = "invalid"
)

// noGoodEnd tells that nothing proves the work was done. Only then are words
// such as "rate limit" in the output taken for the reason: in the output of a
// job that did its work they prove nothing.
func (f Facts) noGoodEnd() bool {
	return f.Signal != "" || f.ExitCode != 0 || f.Artifact == ArtifactMissing ||
		(f.Stream && !(f.Terminal && f.Good))
}

// Row is one row of the outcome table. Cause gives the cause when the row
// matches, else "". Causes lists what Cause can give; a word in angle brackets
// stands for a cause that the evidence names.
type Row struct {
	Evidence string
	Outcome  string
	Causes   []string
	Cause    func(Facts) string
}

// when is a cause that depends on one condition.
func when(cause string, holds func(Facts) bool) func(Facts) string {
	return func(f Facts) string {
		if holds(f) {
			return cause
		}
		return ""
	}
}

// Table is the outcome table: the first row that matches decides.
func Table() []Row {
	return []Row{
		{
			"descendants alive after KILL", OutcomeKillUnverified,
			[]string{OutcomeKillUnverified},
			when(OutcomeKillUnverified, func(f Facts) bool { return f.Unkillable }),
		},
		{
			"never started, by decision", OutcomeCancelled,
			[]string{CauseBudget, CauseInterrupted, CauseAuthStopped},
			func(f Facts) string { return f.NotRun },
		},
		{
			"could not be started", OutcomeNotStarted,
			[]string{proc.ReasonCommandMissing, proc.ReasonPromptUnreadable, proc.ReasonCwdMissing, proc.ReasonExecFailed, proc.ReasonBoundaryFailed},
			func(f Facts) string { return f.StartError },
		},
		{
			"owner gone, no end recorded", OutcomeLost,
			[]string{CauseLost},
			when(CauseLost, func(f Facts) bool { return f.Lost }),
		},
		{
			"a limit of ours fired, whatever followed", OutcomeTimeout,
			[]string{proc.LimitWall, proc.LimitIdle, proc.LimitStartup, proc.LimitOutput},
			func(f Facts) string { return f.Limit },
		},
		{
			"stopped by the user", OutcomeCancelled,
			[]string{CauseInterrupted},
			when(CauseInterrupted, func(f Facts) bool { return f.Stopped }),
		},
		{
			"ended by a signal (as the kernel reports it, never exit status - 128)", OutcomeFailed,
			[]string{CauseSignal},
			when(CauseSignal, func(f Facts) bool { return f.Signal != "" }),
		},
		{
			"no good end, and the disk of the raw output or of the CLI's home is full", OutcomeFailed,
			[]string{CauseDiskFull},
			when(CauseDiskFull, func(f Facts) bool { return f.DiskFull && f.noGoodEnd() }),
		},
		{
			"no good end, and stream, stderr or session file name a known cause", OutcomeFailed,
			[]string{CauseAuth, CauseRateLimit, CauseSessionInUse, "<cause of the provider row>"},
			func(f Facts) string {
				if f.Provider && f.noGoodEnd() {
					return f.Named
				}
				return ""
			},
		},
		{
			"the terminal event says error, or the stream names an HTTP error status without a good end", OutcomeFailed,
			[]string{CauseProviderError},
			when(CauseProviderError, func(f Facts) bool {
				return f.Provider && (f.Terminal && !f.Good || f.HTTPErr && f.noGoodEnd())
			}),
		},
		{
			"exit status not 0", OutcomeFailed,
			[]string{CauseExitNonzero},
			when(CauseExitNonzero, func(f Facts) bool { return f.ExitCode != 0 }),
		},
		{
			"the stream ends without a terminal event", OutcomeFailed,
			[]string{CauseStreamCut},
			when(CauseStreamCut, func(f Facts) bool { return f.Stream && !f.Terminal }),
		},
		{
			"promised artifact missing, after refused tool calls or a cancelled stop", OutcomeFailed,
			[]string{CausePermission},
			when(CausePermission, func(f Facts) bool { return f.Artifact == ArtifactMissing && f.Denied }),
		},
		{
			"promised artifact missing, empty, older than the start, or unreadable as what was promised", OutcomeFailed,
			[]string{CauseArtifactMissing, CauseEmptyResult, CauseArtifactStale, CauseArtifactInvalid},
			func(f Facts) string {
				return map[ArtifactState]string{
					ArtifactMissing: CauseArtifactMissing, ArtifactEmpty: CauseEmptyResult,
					ArtifactStale: CauseArtifactStale, ArtifactInvalid: CauseArtifactInvalid,
				}[f.Artifact]
			},
		},
		{
			"ran in another directory than asked", OutcomeFailed,
			[]string{CauseWrongDirectory},
			when(CauseWrongDirectory, func(f Facts) bool { return f.Elsewhere }),
		},
		{
			"none of these", OutcomeCompleted,
			[]string{CauseOK},
			func(Facts) string { return CauseOK },
		},
	}
}

// Verdict is the end of an attempt in the four words that every document
// repeats.
type Verdict struct {
	Outcome, Cause, ResultClass, Mutation string
}

// Decide looks the facts up in the table. Mutation is unknown until the audit
// is heard, see Verdict.WithAudit.
func Decide(f Facts) Verdict {
	for _, row := range Table() {
		if cause := row.Cause(f); cause != "" {
			return Verdict{Outcome: row.Outcome, Cause: cause}.classed(MutationUnknown)
		}
	}
	panic("dispatch: the outcome table has no last row")
}

// What an audit says about the tree.
const (
	MutationNone         = "none"
	MutationArtifactOnly = "artifact-only"
	MutationChanged      = "changed"
	MutationViolation    = "violation"
	MutationUnknown      = "unknown"
)

// WithAudit adds what the audit found. A violation makes the outcome and keeps
// the cause; an audit that failed takes back a completion, for nothing says
// what the job did to the tree.
func (v Verdict) WithAudit(mutation string, failed bool) Verdict {
	if failed {
		mutation = MutationUnknown
	}
	switch {
	case mutation == MutationViolation:
		v.Outcome = OutcomePolicyViolation
	case failed && v.Outcome == OutcomeCompleted:
		v.Outcome, v.Cause = OutcomeFailed, CauseAuditError
	}
	return v.classed(mutation)
}

// Result classes of an attempt.
const (
	ClassCompleted        = "completed"
	ClassPolicyViolation  = "policy-violation"
	ClassFailedNoMutation = "failed-no-mutation"
	ClassFailedMutated    = "failed-mutated"
	ClassUnaudited        = "unaudited-failure"
)

func (v Verdict) classed(mutation string) Verdict {
	v.Mutation = mutation
	switch {
	case v.Outcome == OutcomeCompleted:
		v.ResultClass = ClassCompleted
	case v.Outcome == OutcomePolicyViolation:
		v.ResultClass = ClassPolicyViolation
	case mutation == MutationNone, mutation == MutationArtifactOnly:
		v.ResultClass = ClassFailedNoMutation
	case mutation == MutationChanged:
		v.ResultClass = ClassFailedMutated
	default:
		v.ResultClass = ClassUnaudited
	}
	return v
}

// WorkerStatus is the word of the roster for the last attempt of a worker.
func (v Verdict) WorkerStatus() string {
	switch v.Outcome {
	case OutcomeCompleted:
		return "completed"
	case OutcomeTimeout:
		return "timeout"
	case OutcomeNotStarted:
		return "not-run"
	}
	return "error" // a cancellation before the start has no attempt
}
