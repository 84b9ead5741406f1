package validate

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/run"
)

// member is a row of the roster: a worker of the run.
type member struct {
	node
	id, role, status string
	result           *artifact // nil when no result is named
	audit            *artifact // nil when there is no result
	dispatches       []*dispatched

	parsed       bool
	parsedResult grouping.Result
	faults       []finding.Finding // of the result's grammar
}

// dispatched is a row of the ledger: one attempt of one assignment.
type dispatched struct {
	node
	worker   string // the worker it belongs to, by its reference
	purpose  string
	first    bool // a row of version 1, without the references of an attempt
	attempt  int
	outcome  string
	class    string
	assigned string
	status   *artifact
	sidecar  *artifact
}

// Purposes that the lead announces with a line of their own; the others are
// announced by the line of their round.
var announced = []string{"analysis", "implementer", "verifier"}

// readRoster takes the workers from the team state. Where that cannot be read
// they are the manifest's, whose results are judged all the same.
func (s *subject) readRoster() {
	s.seats = make(map[string]*member)
	rows := s.team.root().get("workers").list()
	if !s.team.usable() {
		rows = s.manifest.root().get("roleExecutions").list()
	}
	for _, n := range rows {
		m := &member{node: n, id: n.get("workerId").text(), role: n.get("role").text(), status: n.get("status").text()}
		if m.role != run.RoleLeader {
			s.roster = append(s.roster, m)
			if s.seats[m.id] == nil {
				s.seats[m.id] = m
			}
		}
	}
}

// worker finds a member by its id.
func (s *subject) worker(id string) *member {
	if id == "" {
		return nil
	}
	return s.seats[id]
}

// readLedger reads the rows of the ledger that are objects, and the files that
// each of them names.
func (s *subject) readLedger() {
	if !s.team.usable() {
		s.readPrompts()
		return
	}
	s.ends = make(map[string]string)
	for _, n := range s.team.root().get("workerDispatches").list() {
		if !n.isObject() {
			continue
		}
		row := run.LedgerRow{WorkerID: n.get("workerId").text(), AssignmentRef: n.get("assignmentRef").text()}
		d := &dispatched{
			node: n, worker: row.WorkerKey(), assigned: row.AssignmentRef, purpose: run.Purpose(row.AssignmentRef),
			first: row.AssignmentRef == "", attempt: n.get("attempt").whole(),
			outcome: n.get("outcome").text(), class: n.get("resultClass").text(),
		}
		if m := s.worker(d.worker); m != nil {
			m.dispatches = append(m.dispatches, d)
			if d.first && m.role != run.RoleReportWriter && m.role != run.RoleTranslator {
				d.purpose = "analysis"
			}
		}
		if slices.Contains(announced, d.purpose) {
			s.ends[d.worker] = d.outcome
		}
		s.openDispatch(d)
		s.dispatches = append(s.dispatches, d)
	}
}

// readPrompts opens what lies beside the prompts of the run, for want of a
// ledger that names it.
func (s *subject) readPrompts() {
	for _, name := range s.beside("prompts", statusName) {
		s.open(name, "dispatch-status", document)
	}
	for _, name := range s.beside("prompts", attemptName) {
		s.open(name, "dispatch-attempt", document)
	}
}

var (
	statusName  = regexp.MustCompile(`\.status\.json$`)
	attemptName = regexp.MustCompile(`\.attempt-[0-9]+\.json$`)
)

// beside lists the files of this run in a folder of the run folder, by their
// names.
func (s *subject) beside(folder string, name *regexp.Regexp) []string {
	dir := path.Join(s.folder.Dir(), folder)
	entries, err := os.ReadDir(s.abs(dir))
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if strings.Contains(e.Name(), "-"+s.task.Suffix()+".") && name.MatchString(e.Name()) {
			list = append(list, path.Join(dir, e.Name()))
		}
	}
	return list
}

func (s *subject) openDispatch(d *dispatched) {
	prompt := d.get("promptPath").text()
	if prompt != "" {
		s.named(d.get("promptPath"), "", markdown, !d.first)
		d.status = s.open(run.StatusPath(prompt), "dispatch-status", document)
	}
	if d.get("attemptPath").text() == "" {
		return
	}
	d.sidecar = s.named(d.get("attemptPath"), "dispatch-attempt", document, false)
	if base := d.sidecar.root().get("baselinePath"); base.text() != "" {
		s.named(base, "mutation-snapshot", document, true)
	}
}

// readResults opens the results of the workers, their audit files and their own
// accounts of failed tools.
func (s *subject) readResults() {
	for _, m := range s.roster {
		if m.id == "" || m.role == run.RoleTranslator {
			continue
		}
		if m.get("resultPath").text() != "" {
			m.result = s.named(m.get("resultPath"), "", markdown, false)
		} else {
			m.result = s.ifThere(s.folder.Result(m.id), "", markdown)
		}
		if m.result.usable() {
			m.audit = s.open(run.AuditOf(m.result.path), "", markdown)
		}
		for n := 1; n <= max(1, len(m.dispatches)); n++ {
			s.ifThere(s.folder.WorkerErrors(m.id, n), "worker-errors", document)
		}
	}
}

// ifThere opens an artifact that nobody has to write.
func (s *subject) ifThere(name, kind string, f form) *artifact {
	a := s.open(name, kind, f)
	if a.missing {
		return nil
	}
	return a
}

// calls lists the dispatches of the lead's batches in ledger order, the first
// of each worker.
func (s *subject) calls() []*dispatched {
	var out []*dispatched
	seen := map[string]bool{"": true}
	for _, d := range s.dispatches {
		if slices.Contains(announced, d.purpose) && !seen[d.worker] {
			seen[d.worker] = true
			out = append(out, d)
		}
	}
	return out
}

// roleOf is the role that a worker is dispatched in: the row's own, else the
// roster's.
func (s *subject) roleOf(d *dispatched) string {
	if role := d.get("role").text(); role != "" {
		return role
	}
	if m := s.worker(d.worker); m != nil {
		return m.role
	}
	return ""
}

// collected says whether a worker's dispatch has come to an end.
func (s *subject) collected(worker string) bool {
	m := s.worker(worker)
	if m != nil && m.status != "" {
		return true
	}
	return s.ends[worker] != ""
}

// writerDispatched says whether the report writer was dispatched.
func (s *subject) writerDispatched() bool {
	return slices.ContainsFunc(s.dispatches, func(d *dispatched) bool {
		return strings.HasPrefix(d.purpose, run.RoleReportWriter) || d.first && s.roleOf(d) == run.RoleReportWriter
	})
}

// analysts are the workers whose findings converge.
func (s *subject) analysts() []node {
	var out []node
	for _, n := range s.manifest.root().get("roleExecutions").list() {
		if n.get("audience").text() == run.AudienceAnalysis {
			out = append(out, n)
		}
	}
	return out
}
