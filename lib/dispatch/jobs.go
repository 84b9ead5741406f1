package dispatch

import (
	"fmt"
	"strconv"
	"strings"

	"okstra/lib/provider"
	"okstra/lib/run"
)

// DefaultLimits are the limits of a job that names none of its own.
var DefaultLimits = run.Limits{WallSeconds: 3600, IdleSeconds: 900, StartupSeconds: 120, OutputBytes: 4 << 30, GraceSeconds: 5}

// DefaultAttempts is how often a job may be tried.
const DefaultAttempts = 2

// Purposes of assignments that planning knows by themselves. Those with a
// round or a language are formed by purposeRound and "translator-".
const (
	PurposeAnalysis     = "analysis"
	PurposeImplementer  = "implementer"
	PurposeVerifier     = "verifier"
	PurposeCritic       = "critic"
	PurposeCriticGap    = "critic-gap"
	PurposeReportWriter = "report-writer"
)

// isPrimary tells whether a purpose is what its worker is in the run for: its
// end is the worker's status in the roster. Re-verifications and critics are
// further work of a worker whose status stands.
func isPrimary(purpose string) bool {
	switch purposeKind(purpose) {
	case PurposeAnalysis, PurposeImplementer, PurposeVerifier, PurposeReportWriter, "translator":
		return true
	}
	return false
}

// isAnnounced tells whether a dispatch of this purpose has progress lines of
// its own; the others are announced by the round or phase they belong to.
func isAnnounced(purpose string) bool {
	return purpose == PurposeAnalysis || purpose == PurposeImplementer || purpose == PurposeVerifier
}

// phaseOf is the phase under which an error row of a purpose stands.
func phaseOf(purpose string) string {
	switch purposeKind(purpose) {
	case "reverify", PurposeCritic, PurposeCriticGap:
		return "phase-5.5-convergence"
	case "plan-verify":
		return "phase-5.5.9-plan-verify"
	case PurposeReportWriter, "translator":
		return "phase-6-synthesis"
	}
	return "phase-4-dispatch"
}

// jobMaker makes the job lines of one run.
type jobMaker struct {
	manifest run.Manifest
	folder   run.Folder
	cat      *provider.Catalogue
	worktree string   // of the stage, "" for a run on the project root
	planned  []string // paths of the stage, for its implementer
	replay   string
}

// make gives the job line of one role execution for a purpose. resultPath "" is
// the usual place of that purpose.
func (m jobMaker) make(row run.RoleExecution, purpose, resultPath string) (run.Job, error) {
	p, err := m.cat.Provider(row.Provider)
	if err != nil {
		return run.Job{}, err
	}
	if row.Model == nil || row.ModelExecutionValue == nil {
		return run.Job{}, fmt.Errorf("worker %q has no model", row.WorkerID)
	}
	ref := run.AssignmentRef(purpose, row.WorkerID)
	job := run.Job{
		SchemaVersion: "1.0", Kind: "okstra-job", JobID: m.manifest.RunID + "/" + ref,
		RunManifestPath: m.folder.RunManifest(), ProjectRoot: m.manifest.ProjectRoot,
		AssignmentRef: ref, RoleExecutionRef: row.RoleExecutionRef, WorkerID: row.WorkerID, Role: row.Role,
		Provider: row.Provider, Model: *row.Model, ModelExecutionValue: *row.ModelExecutionValue,
		PromptPath: m.folder.Prompt(row.WorkerID, purpose), ResultPath: resultPath,
		ErrorsSidecarPath: m.folder.WorkerErrors(row.WorkerID, 1),
		PlannedPaths:      []string{}, GeneratedPaths: []string{}, ScratchRoots: []string{}, AuxiliaryRoots: []string{},
		MaxBoundaryPrecision: p.MaxBoundaryPrecision, Boundary: p.Boundaries,
		Limits: DefaultLimits, MaxAttempts: DefaultAttempts, OnDirtyTree: "keep", Replay: m.replay,
	}
	m.outputs(&job, purpose)
	if row.Role == run.RoleImplementer || row.Role == run.RoleVerifier {
		job.WorktreePath = m.worktree
	}
	if row.Role == run.RoleImplementer {
		job.PlannedPaths = m.planned
	}
	return job, nil
}

// outputs sets the result and audit paths. Verdicts, critics and translations
// have no audit file.
func (m jobMaker) outputs(job *run.Job, purpose string) {
	switch kind := purposeKind(purpose); {
	case job.ResultPath != "":
		if isAudited(purpose) {
			job.AuditPath = run.AuditOf(job.ResultPath)
		}
	case kind == "translator":
		job.ResultPath = m.folder.Translator(job.WorkerID, strings.TrimPrefix(purpose, "translator-"))
	case kind == PurposeCritic:
		job.ResultPath = m.folder.Critic(job.WorkerID)
	case isAudited(purpose):
		job.ResultPath = m.folder.Result(job.WorkerID)
		job.AuditPath = run.AuditOf(job.ResultPath)
	default:
		job.ResultPath = m.folder.Verdicts(job.WorkerID, purpose)
	}
}

// isAudited tells whether a purpose leaves a worker result with an audit file.
func isAudited(purpose string) bool {
	switch purposeKind(purpose) {
	case PurposeAnalysis, PurposeImplementer, PurposeVerifier, PurposeReportWriter:
		return true
	}
	return false
}

// promises lists the artifacts that a job must leave, the first of which its
// sidecar records.
func promises(job run.Job, manifest *run.Manifest) []promised {
	if job.ResultPath == "" {
		return nil
	}
	list := []promised{{path: job.ResultPath}}
	if manifest != nil { // else the prompt is nobody's but the user's, and says what it likes
		list[0].form = forms[purposeKind(purposeOf(job))]
	}
	if job.Role == run.RoleReportWriter && manifest != nil {
		list = append(list, promised{path: manifest.ReportDataPath, kind: "okstra-final-report"})
	}
	return list
}

// artifactPaths lists what a job may write as artifacts in attempt n.
func artifactPaths(job run.Job, manifest *run.Manifest, n int) []string {
	list := []string{job.ResultPath}
	for _, p := range []string{job.AuditPath, errorsSidecarOf(job.ErrorsSidecarPath, n)} {
		if p != "" {
			list = append(list, p)
		}
	}
	if job.Role == run.RoleReportWriter && manifest != nil {
		list = append(list, manifest.ReportDataPath, manifest.ReportPath)
	}
	return list
}

// batches lists the batches that a run has by itself, in their order. Those of
// re-verification come from converge's queue and stand in no such list.
func batches(m run.Manifest, critic bool) []string {
	has := map[string]bool{}
	for _, row := range m.RoleExecutions {
		has[row.Role] = true
	}
	var list []string
	add := func(ok bool, names ...string) {
		if ok {
			list = append(list, names...)
		}
	}
	add(has[run.RoleImplementer], PurposeImplementer)
	add(has[run.RoleAnalyser], PurposeAnalysis)
	add(has[run.RoleVerifier], PurposeVerifier)
	add(critic, PurposeCritic)
	add(has[run.RoleReportWriter], PurposeReportWriter)
	if has[run.RoleTranslator] {
		for _, lang := range m.Translations {
			add(true, "translator-"+lang)
		}
	}
	return list
}

// roleOfBatch gives the role that a batch is for.
func roleOfBatch(batch string) string {
	switch purposeKind(batch) {
	case PurposeAnalysis:
		return run.RoleAnalyser
	case PurposeImplementer:
		return run.RoleImplementer
	case PurposeVerifier:
		return run.RoleVerifier
	case PurposeReportWriter:
		return run.RoleReportWriter
	case "translator":
		return run.RoleTranslator
	}
	return ""
}

// verdictRound is the part of a verdict file's name that tells the round: the
// gaps of a critic are a round of re-verification like any other.
func verdictRound(roundKind string, round int) string {
	if roundKind == PurposeCriticGap {
		roundKind = "reverify"
	}
	return roundKind + "-r" + strconv.Itoa(round)
}

// purposeRound is the purpose of a packet of converge's queue.
func purposeRound(roundKind string, round int) (string, error) {
	switch roundKind {
	case "reverify", "plan-verify":
		return roundKind + "-r" + strconv.Itoa(round), nil
	case PurposeCriticGap:
		return PurposeCriticGap, nil
	}
	return "", fmt.Errorf("roundKind %q (expected reverify, critic-gap or plan-verify)", roundKind)
}
