package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/progress"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// Logs are the events and the errors log of a run, for what its lead enters
// there. Warn is told what a person should know and stops nothing.
type Logs struct {
	Manifest run.Manifest
	Warn     func(text string)
}

// Progress appends a checkpoint line of the lead to the events log. The line "complete" also ends the run: its manifest is completed, and
// the window in which its evidence counts is closed.
func (l Logs) Progress(ctx context.Context, text string, now time.Time) error {
	m := l.Manifest
	line, err := progress.Parse(text)
	if err == nil && !utf8.ValidString(text) {
		err = fmt.Errorf("progress line %q: bytes that are not UTF-8", text)
	}
	if err != nil {
		return &PlanError{Status: 2, Problems: []error{err}}
	}
	if err := appendEvent(ctx, l.Warn, m.ProjectRoot, m, run.EventRow{At: run.Stamp(now), Kind: "progress", Line: line.String()}); err != nil {
		return err
	}
	if line.Phase != "complete" {
		return nil
	}
	if err := endTeamState(ctx, m, run.Stamp(now)); err != nil {
		return err
	}
	return SetManifestStatus(ctx, m.ProjectRoot, m, "completed")
}

func endTeamState(ctx context.Context, m run.Manifest, at string) error {
	path := run.Abs(m.ProjectRoot, m.TeamStatePath)
	return atomicfile.Update(ctx, path, 0o644, func(old []byte) ([]byte, error) {
		doc, err := jsondoc.Parse(path, old)
		if err != nil {
			return nil, err
		}
		doc, err = doc.Set("/endedAt", at)
		return doc.Raw, err
	})
}

// Activity appends an activity event. What the run knows is filled in:
// its id, the time, the contract and, where the event has none, the next id. An
// id of its own must be that one: ids have neither a gap nor a repeat, and no
// time is before the one above it, however many writers there are.
func (l Logs) Activity(ctx context.Context, raw []byte, now time.Time) error {
	m := l.Manifest
	doc, err := jsondoc.Parse("--event", raw)
	if err != nil {
		return err
	}
	return appendFunc(ctx, l.Warn, run.Abs(m.ProjectRoot, m.EventsLogPath), func() ([][]byte, error) {
		id, last, err := nextActivity(m)
		if err != nil {
			return nil, err
		}
		doc, err = withDefaults(doc, [][2]string{{"runId", m.RunID}, {"at", max(run.Stamp(now), last)}, {"contract", "activity-contract-v1"}, {"id", id}})
		if err != nil {
			return nil, err
		}
		line, err := checkedLine(m, doc, "event", func(p *problems) { checkActivity(p, m, doc, id, last, run.Stamp(now)) })
		return [][]byte{line}, err
	})
}

// withDefaults sets the keys that doc lacks.
func withDefaults(doc jsondoc.Doc, defaults [][2]string) (_ jsondoc.Doc, err error) {
	if raw := bytes.TrimSpace(doc.Raw); !bytes.HasPrefix(raw, []byte("{")) {
		return doc, &PlanError{Status: 2, Problems: []error{fmt.Errorf("%s: %s (expected an object)", doc.Name, oneLine(string(raw)))}}
	}
	for _, d := range defaults {
		if _, ok := doc.Lookup("/" + d[0]); ok {
			continue
		}
		if doc, err = doc.Set("/"+d[0], d[1]); err != nil {
			return doc, &PlanError{Status: 2, Problems: []error{err}}
		}
	}
	return doc, nil
}

// activityKinds are the kinds of activity events.
var activityKinds = []string{"worker-dispatch", "worker-collect", "verification", "self-fix", "user-decision"}

// checkActivity holds an event against the run and its place in the log: id is
// the next one, last the time of the event before. A time that is still to come
// would be that of every event behind it. A checkpoint line is none, whatever its
// kind says: only Logs.Progress knows its grammar, and what it ends.
func checkActivity(p *problems, m run.Manifest, doc jsondoc.Doc, id, last, now string) {
	var event run.EventRow
	if doc.Decode(&event) != nil {
		return // the schema has said so
	}
	if event.Kind == "progress" {
		p.add("/kind", "%q (expected one of %s; a checkpoint line is given as it is, -- \"PROGRESS: ...\")", event.Kind, strings.Join(activityKinds, ", "))
	}
	if _, ok := doc.Lookup("/line"); ok && event.Kind != "progress" {
		p.add("/line", "a checkpoint line (expected none in an event of kind %s)", event.Kind)
	}
	checkAssignment(p, m, event.AssignmentRef, event.Role)
	if latest := max(now, last); event.At > latest {
		p.add("/at", "%q is still to come (expected %q or earlier)", event.At, latest)
	}
	if event.ID != id {
		p.add("/id", "%q (expected %q, the next one)", event.ID, id)
	}
	if event.At < last {
		p.add("/at", "%q is before the event above it (expected %q or later)", event.At, last)
	}
	if _, ok := doc.Lookup("/workerId"); ok {
		p.add("/workerId", "events of the lead carry none (expected the worker in assignmentRef)")
	}
}

// checkAssignment wants an assignment to be of a worker of the run, in the role
// that it has there. A row that names none is about the run.
func checkAssignment(p *problems, m run.Manifest, ref, role string) {
	worker := run.LedgerRow{AssignmentRef: ref}.WorkerKey()
	if worker == "" {
		return
	}
	i := slices.IndexFunc(m.RoleExecutions, func(r run.RoleExecution) bool { return r.WorkerID == worker })
	switch {
	case i < 0:
		p.add("/assignmentRef", "%q: %q is no worker of the run", ref, worker)
	case role != "" && role != m.RoleExecutions[i].Role:
		p.add("/role", "%q (expected %q, as which %q is in the run)", role, m.RoleExecutions[i].Role, worker)
	}
}

// nextActivity is the id after the last activity event of the run, and the
// time of that event, "" without one.
func nextActivity(m run.Manifest) (id, last string, _ error) {
	rows, _, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.EventsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	highest := 0
	for _, row := range rows {
		var event run.EventRow
		if jsondoc.Unmarshal(row.Raw, &event) != nil || event.RunID != m.RunID {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(event.ID, "A-%d", &n); err == nil {
			highest, last = max(highest, n), max(last, event.At)
		}
	}
	return fmt.Sprintf("A-%03d", highest+1), last, nil
}

// Error appends a row to the errors log, after its schema was checked. What the run knows is filled in.
func (l Logs) Error(ctx context.Context, doc jsondoc.Doc, now time.Time) error {
	m := l.Manifest
	doc, err := withDefaults(doc, [][2]string{{"runId", m.RunID}, {"at", run.Stamp(now)}, {"source", "observed"}})
	if err != nil {
		return err
	}
	line, err := checkedLine(m, doc, "error", func(p *problems) {
		var row run.ErrorRow
		if jsondoc.Unmarshal(doc.Raw, &row) == nil {
			checkAssignment(p, m, row.AssignmentRef, row.Role)
		}
	})
	if err != nil {
		return err
	}
	return appendRows(ctx, l.Warn, run.Abs(m.ProjectRoot, m.ErrorsLogPath), line)
}

// checkedLine is the line of a row that fits its schema, belongs to the run and
// has none of the faults that more finds.
func checkedLine(m run.Manifest, doc jsondoc.Doc, kind string, more func(*problems)) ([]byte, error) {
	p := &problems{where: doc.Name}
	var faults *schema.Error
	switch err := schema.Check(doc, kind); {
	case errors.As(err, &faults):
		p.list = append(p.list, faults.Unwrap()...)
	case err != nil:
		return nil, err
	default:
		var head struct {
			RunID string `json:"runId"`
		}
		if err := doc.Decode(&head); err != nil {
			return nil, err
		}
		if head.RunID != m.RunID {
			p.add("/runId", "%q (expected %q)", head.RunID, m.RunID)
		}
		more(p) // of what the schema refuses it would tell the same again
	}
	if err := p.err(2); err != nil {
		return nil, err
	}
	line, err := jsondoc.MarshalLine(jsonRaw(doc.Raw))
	if err == nil && len(line) > jsonl.MaxLine {
		err = &PlanError{Status: 2, Problems: []error{fmt.Errorf("%s: a row of %d bytes, which no reader takes (expected at most %d)", doc.Name, len(line), jsonl.MaxLine)}}
	}
	return line, err
}

// Fold takes errors sidecars into the errors log, each row once; without
// names, all that lie among the run's worker results. It gives the number of
// rows that were new.
func (l Logs) Fold(ctx context.Context, files []string) (int, error) {
	m := l.Manifest
	p := &problems{where: "errors fold"}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			p.list = append(p.list, err)
		}
	}
	if len(files) == 0 {
		dir := filepath.Join(run.Abs(m.ProjectRoot, m.Folder().Dir()), "worker-results")
		found, err := filepath.Glob(globSafe(dir) + "/*-worker-errors*.json")
		if err != nil {
			return 0, err
		}
		files = found
	}
	known, err := foldedRows(m)
	if err != nil {
		return 0, err
	}
	var fresh []run.ErrorRow
	for _, file := range files {
		rows, err := foldable(m, file)
		if err != nil {
			p.list = append(p.list, err)
			continue
		}
		fresh = append(fresh, known.add(rows)...)
	}
	if err := p.err(2); err != nil {
		return 0, err
	}
	b := &book{root: m.ProjectRoot, manifest: &m, warn: l.Warn}
	return len(fresh), b.writeError(ctx, fresh...)
}

// foldable are the rows of an errors sidecar, of the worker that it names. One
// that lies where another worker of the run leaves its own is refused: its rows
// are that worker's, and may be in the log as such.
func foldable(m run.Manifest, file string) ([]run.ErrorRow, error) {
	own, err := readErrorsSidecar(file)
	if own == nil || err != nil {
		return nil, err
	}
	for _, row := range m.RoleExecutions {
		if row.WorkerID != own.WorkerID && errorsAttempt(m, row.WorkerID, file) > 0 {
			return nil, fmt.Errorf("%s: /workerId: %q (expected %q, whose file this is)", file, own.WorkerID, row.WorkerID)
		}
	}
	for _, row := range m.RoleExecutions {
		if row.WorkerID != own.WorkerID {
			continue
		}
		job := run.Job{AssignmentRef: run.AssignmentRef(ownPurpose(m, row.Role), row.WorkerID), Role: row.Role, WorkerID: row.WorkerID}
		return errorRows(*own, job, max(1, errorsAttempt(m, row.WorkerID, file)), phaseOf(purposeOf(job)), ""), nil
	}
	return nil, fmt.Errorf("%s: /workerId: %q is no worker of the run", file, own.WorkerID)
}

// ownPurpose is what a worker of a role is in the run for. The one errors file
// of a translator does not say which language it is about: it is booked to the
// first.
func ownPurpose(m run.Manifest, role string) string {
	if role == run.RoleTranslator && len(m.Translations) > 0 {
		return "translator-" + m.Translations[0]
	}
	purpose := map[string]string{
		run.RoleVerifier: PurposeVerifier, run.RoleImplementer: PurposeImplementer, run.RoleReportWriter: PurposeReportWriter,
	}[role]
	return orText(purpose, PurposeAnalysis)
}

// mostAttempts bounds the search for the attempt that an errors sidecar is of.
const mostAttempts = 99

// errorsAttempt is the attempt of a worker whose errors sidecar is file, 0 for
// any other file.
func errorsAttempt(m run.Manifest, workerID, file string) int {
	for n := 1; n <= mostAttempts; n++ {
		if run.Abs(m.ProjectRoot, m.Folder().WorkerErrors(workerID, n)) == filepath.Clean(file) {
			return n
		}
	}
	return 0
}

// rowKey is what makes two folded rows the same account.
func rowKey(r run.ErrorRow) string {
	worker := run.LedgerRow{AssignmentRef: r.AssignmentRef}.WorkerKey()
	exit := ""
	if r.ExitCode != nil {
		exit = strconv.Itoa(*r.ExitCode)
	}
	return strings.Join([]string{r.At, worker, r.Command, exit, r.Message}, "\x00")
}

// folded counts the rows of the errors log that came from sidecars. A tool may
// fail twice in a second with the same words, so a sidecar that has a row twice
// tells of two failures; told once more, it tells of no third.
type folded map[string]int

// add gives those rows of one sidecar that are not in the log, and counts them.
func (f folded) add(sidecar []run.ErrorRow) (fresh []run.ErrorRow) {
	seen := map[string]int{}
	for _, row := range sidecar {
		key := rowKey(row)
		if seen[key]++; seen[key] > f[key] {
			f[key]++
			fresh = append(fresh, row)
		}
	}
	return fresh
}

func foldedRows(m run.Manifest) (folded, error) {
	rows, _, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.ErrorsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	known := folded{}
	for _, row := range rows {
		var r run.ErrorRow
		if jsondoc.Unmarshal(row.Raw, &r) == nil && r.RunID == m.RunID && r.Source == "sidecar" {
			known[rowKey(r)]++
		}
	}
	return known, nil
}
