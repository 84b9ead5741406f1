package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/progress"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// AppendProgress appends a checkpoint line of the lead to the run's events
// log. The line "complete" also ends the run: its manifest is completed, and
// the window in which its evidence counts is closed.
func AppendProgress(ctx context.Context, m run.Manifest, text string, now time.Time) error {
	line, err := progress.Parse(text)
	if err != nil {
		return &PlanError{Status: 2, Problems: []error{err}}
	}
	if err := AppendEvent(ctx, m.ProjectRoot, m, run.EventRow{At: run.Stamp(now), Kind: "progress", Line: line.String()}); err != nil {
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

// AppendActivity appends an activity event. What the run knows is filled in:
// its id, the time, the contract and, where the event has none, the next id.
func AppendActivity(ctx context.Context, m run.Manifest, raw []byte, now time.Time) error {
	doc, err := jsondoc.Parse("--event", raw)
	if err != nil {
		return err
	}
	defaults := []struct{ key, value string }{{"runId", m.RunID}, {"at", run.Stamp(now)}, {"contract", "activity-contract-v1"}}
	if _, ok := doc.Lookup("/id"); !ok {
		id, err := nextActivityID(m)
		if err != nil {
			return err
		}
		defaults = append(defaults, struct{ key, value string }{"id", id})
	}
	for _, d := range defaults {
		if _, ok := doc.Lookup("/" + d.key); ok {
			continue
		}
		if doc, err = doc.Set("/"+d.key, d.value); err != nil {
			return &PlanError{Status: 2, Problems: []error{err}}
		}
	}
	return appendChecked(ctx, m, m.EventsLogPath, doc, "event")
}

// nextActivityID is the id after the last activity event of the run.
func nextActivityID(m run.Manifest) (string, error) {
	rows, _, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.EventsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	last := 0
	for _, row := range rows {
		var event run.EventRow
		if json.Unmarshal(row.Raw, &event) != nil || event.RunID != m.RunID {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(event.ID, "A-%d", &n); err == nil {
			last = max(last, n)
		}
	}
	return fmt.Sprintf("A-%03d", last+1), nil
}

// AppendError appends a row to the run's errors log, after its schema was
// checked. What the run knows is filled in.
func AppendError(ctx context.Context, m run.Manifest, doc jsondoc.Doc, now time.Time) error {
	var err error
	for _, d := range []struct{ key, value string }{{"runId", m.RunID}, {"at", run.Stamp(now)}, {"source", "observed"}} {
		if _, ok := doc.Lookup("/" + d.key); ok {
			continue
		}
		if doc, err = doc.Set("/"+d.key, d.value); err != nil {
			return &PlanError{Status: 2, Problems: []error{err}}
		}
	}
	return appendChecked(ctx, m, m.ErrorsLogPath, doc, "error")
}

// appendChecked appends a row that fits its schema and belongs to the run.
func appendChecked(ctx context.Context, m run.Manifest, path string, doc jsondoc.Doc, kind string) error {
	p := &problems{where: doc.Name}
	for _, f := range schema.Validate(doc, kind) {
		if f.Level == finding.Error {
			p.add(orText(f.Pointer, "/"), "%s", f.Message)
		}
	}
	var head struct {
		RunID string `json:"runId"`
	}
	if json.Unmarshal(doc.Raw, &head) == nil && head.RunID != "" && head.RunID != m.RunID {
		p.add("/runId", "%q (expected %q)", head.RunID, m.RunID)
	}
	if err := p.err(2); err != nil {
		return err
	}
	line, err := jsondoc.MarshalLine(jsonRaw(doc.Raw))
	if err != nil {
		return err
	}
	return appendRows(ctx, run.Abs(m.ProjectRoot, path), line)
}

// FoldErrors takes errors sidecars into the errors log, each row once; without
// names, all that lie among the run's worker results. It gives the number of
// rows that were new.
func FoldErrors(ctx context.Context, m run.Manifest, files []string) (int, error) {
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
	p := &problems{where: "errors fold"}
	var fresh []run.ErrorRow
	for _, file := range files {
		job, attempt := sidecarOwner(m, file)
		rows, err := readWorkerErrors(file, job, attempt, phaseOf(purposeOf(job)), "")
		if err != nil {
			p.list = append(p.list, err)
			continue
		}
		for _, row := range rows {
			if key := rowKey(row); !known[key] {
				known[key] = true
				fresh = append(fresh, row)
			}
		}
	}
	if err := p.err(2); err != nil {
		return 0, err
	}
	b := &book{root: m.ProjectRoot, manifest: &m}
	return len(fresh), b.writeError(ctx, fresh...)
}

// sidecarOwner finds whose errors sidecar a file is, by its name.
func sidecarOwner(m run.Manifest, file string) (run.Job, int) {
	stem, rest, _ := strings.Cut(filepath.Base(file), "-worker-errors")
	attempt := 1
	if _, err := fmt.Sscanf(rest, ".attempt-%d.json", &attempt); err != nil {
		attempt = 1
	}
	for _, row := range m.RoleExecutions {
		if row.WorkerID == stem {
			purpose := map[string]string{
				run.RoleVerifier: PurposeVerifier, run.RoleImplementer: PurposeImplementer, run.RoleReportWriter: PurposeReportWriter,
			}[row.Role]
			return run.Job{AssignmentRef: run.AssignmentRef(orText(purpose, PurposeAnalysis), stem), Role: row.Role, WorkerID: stem}, attempt
		}
	}
	return run.Job{WorkerID: stem}, attempt
}

// rowKey is what makes two folded rows the same account.
func rowKey(r run.ErrorRow) string {
	worker := run.LedgerRow{AssignmentRef: r.AssignmentRef}.WorkerKey()
	return strings.Join([]string{r.At, worker, r.Command, r.Message}, "\x00")
}

func foldedRows(m run.Manifest) (map[string]bool, error) {
	rows, _, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.ErrorsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	known := map[string]bool{}
	for _, row := range rows {
		var r run.ErrorRow
		if json.Unmarshal(row.Raw, &r) == nil && r.RunID == m.RunID && r.Source == "sidecar" {
			known[rowKey(r)] = true
		}
	}
	return known, nil
}
