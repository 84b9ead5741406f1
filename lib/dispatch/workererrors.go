package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// foldErrors takes the worker's own account of failed tools into the errors
// log, once: it is called when the attempt is closed.
func (b *book) foldErrors(ctx context.Context, a *attempt) error {
	name := errorsSidecarOf(a.t.job.ErrorsSidecarPath, a.n)
	if name == "" || b.manifest == nil {
		return nil
	}
	own, err := readErrorsSidecar(a.files.abs(name))
	if err != nil {
		// What a worker wrote wrong must not stop our own records.
		b.warn(fmt.Sprintf("%s: not folded into the errors log: %v", name, err))
		return nil
	}
	if own == nil {
		return nil
	}
	if own.WorkerID != a.t.job.WorkerID {
		b.warn(fmt.Sprintf("%s: /workerId: %q (expected %q); its rows are booked to the worker that left it", name, own.WorkerID, a.t.job.WorkerID))
	}
	return b.writeError(ctx, errorRows(*own, a.t.job, a.n, phaseOf(purposeOf(a.t.job)), a.files.Log)...)
}

// readErrorsSidecar reads an errors sidecar; a missing one is nil.
func readErrorsSidecar(path string) (*run.WorkerErrors, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var own run.WorkerErrors
	if err := schema.Decode(doc, "okstra-worker-errors", &own); err != nil {
		return nil, err
	}
	return &own, nil
}

// errorRows makes rows of the errors log from a worker's own account.
func errorRows(own run.WorkerErrors, job run.Job, attempt int, phase, logPath string) []run.ErrorRow {
	rows := make([]run.ErrorRow, len(own.Errors))
	for i, e := range own.Errors {
		rows[i] = run.ErrorRow{
			At: e.At, ErrorType: "tool-failure", Phase: phase, Source: "sidecar", AssignmentRef: job.AssignmentRef, Role: job.Role, Attempt: attempt,
			Command: oneLine(orText(e.Command, e.Tool)), ExitCode: e.ExitCode, Message: oneLine(e.Message), LogPath: logPath,
		}
	}
	return rows
}
