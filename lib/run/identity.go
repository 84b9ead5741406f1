package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// TaskTypes lists the seven task types in the order in which a task usually
// passes through them.
var TaskTypes = []string{
	"requirements-discovery",
	"error-analysis",
	"implementation-planning",
	"implementation",
	"final-verification",
	"release-handoff",
	"improvement-discovery",
}

// WorkCategories lists the work categories of a task.
var WorkCategories = []string{"bugfix", "feature", "refactor", "ops", "improvement"}

// Roles of a role execution.
const (
	RoleLeader       = "leader"
	RoleAnalyser     = "analyser"
	RoleVerifier     = "verifier"
	RoleImplementer  = "implementer"
	RoleReportWriter = "report-writer"
	RoleTranslator   = "translator"
)

// Audiences of a role execution; a role without one has null.
const (
	AudienceAnalysis     = "analysis"
	AudienceReportWriter = "report-writer"
	AudienceLead         = "lead"
)

var (
	segmentForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })
	workerForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })
	seqForm     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{3}$`) })
	purposeForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(analysis|implementer|verifier|critic|critic-gap|(reverify|plan-verify)-r[1-9][0-9]{0,8}` +
			`|report-writer(-([2-9]|[1-9][0-9]{1,8}))?|translator-[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)$`)
	})
)

// CheckSegment says why s cannot be a project id, task group or task id, or
// nil if it can.
func CheckSegment(s string) error {
	switch {
	case !segmentForm().MatchString(s):
		return fmt.Errorf("%q is no identifier (expected a letter or digit, then up to 63 letters, digits, '.', '_' or '-')", s)
	case strings.HasSuffix(s, "."), strings.HasSuffix(s, ".lock"):
		return fmt.Errorf("%q ends in %q (expected another ending)", s, s[strings.LastIndex(s, "."):])
	}
	return nil
}

// CheckWorkerID says why s cannot be a worker id, or nil if it can.
func CheckWorkerID(s string) error {
	switch {
	case !workerForm().MatchString(s):
		return fmt.Errorf("%q is no worker id (expected a small letter or digit, then up to 63 small letters, digits, '.', '_' or '-')", s)
	case strings.Contains(s, "-worker-"):
		return fmt.Errorf("worker id %q contains \"-worker-\"", s)
	}
	return nil
}

// CheckPurpose says why s cannot be the purpose of an assignment, or nil if it
// can. Purposes are parts of file names.
func CheckPurpose(s string) error {
	if !purposeForm().MatchString(s) {
		return fmt.Errorf("%q is no purpose (expected analysis, implementer, verifier, critic, critic-gap, reverify-r<n>, plan-verify-r<n>, report-writer, report-writer-2 and on, or translator-<language>)", s)
	}
	return nil
}

// IsTaskType says whether s is one of TaskTypes.
func IsTaskType(s string) bool {
	return slices.Contains(TaskTypes, s)
}

// Task names one run of one task, as it stands under "task" in several
// documents.
type Task struct {
	TaskKey   string `json:"taskKey"`
	ProjectID string `json:"projectId"`
	TaskGroup string `json:"taskGroup"`
	TaskID    string `json:"taskId"`
	TaskType  string `json:"taskType"`
	RunSeq    string `json:"runSeq"`
}

// NewTask fills in the task key.
func NewTask(projectID, group, id, taskType, seq string) Task {
	return Task{
		TaskKey:   projectID + ":" + group + ":" + id,
		ProjectID: projectID, TaskGroup: group, TaskID: id,
		TaskType: taskType, RunSeq: seq,
	}
}

// RunID is the identity of the run: taskKey, task type and sequence number.
func (t Task) RunID() string { return t.TaskKey + ":" + t.TaskType + ":" + t.RunSeq }

// Suffix is "<task-type>-<seq>", the part that the file names of a run share.
func (t Task) Suffix() string { return t.TaskType + "-" + t.RunSeq }

// Check says what is wrong with the parts of t, or nil.
func (t Task) Check() error {
	for _, part := range []struct{ name, value string }{
		{"projectId", t.ProjectID}, {"taskGroup", t.TaskGroup}, {"taskId", t.TaskID},
	} {
		if err := CheckSegment(part.value); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	switch {
	case !IsTaskType(t.TaskType):
		return fmt.Errorf("taskType: %q (expected one of %s)", t.TaskType, strings.Join(TaskTypes, ", "))
	case !seqForm().MatchString(t.RunSeq):
		return fmt.Errorf("runSeq: %q (expected three digits)", t.RunSeq)
	case t.TaskKey != t.ProjectID+":"+t.TaskGroup+":"+t.TaskID:
		return fmt.Errorf("taskKey: %q (expected %q)", t.TaskKey, t.ProjectID+":"+t.TaskGroup+":"+t.TaskID)
	}
	return nil
}

// AssignmentRef is the reference of a worker's assignment for a purpose.
func AssignmentRef(purpose, workerID string) string {
	return "assignment:" + purpose + ":" + workerID
}

// ParticipantRef is the reference of a participant of the run.
func ParticipantRef(workerID string) string { return "participant:" + workerID }

// RoleExecutionRef numbers a role execution of a run, counting from 1.
func RoleExecutionRef(n int) string { return fmt.Sprintf("re-%04d", n) }

// Purpose is the middle part of an assignment reference, or "" when ref has
// not that form.
func Purpose(ref string) string {
	parts := strings.Split(ref, ":")
	if len(parts) < 3 || parts[0] != "assignment" {
		return ""
	}
	return parts[len(parts)-2]
}

// AgentName is the name under which a worker goes in hosts and transcripts.
func AgentName(workerID string) string {
	if workerID == RoleReportWriter {
		return RoleReportWriter
	}
	return workerID + "-worker"
}

// Stamp formats t as documents hold times: UTC, whole seconds, "Z".
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
