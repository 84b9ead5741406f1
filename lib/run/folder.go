package run

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Folder knows where each artifact of one run lies. Root is the absolute
// project root; every method gives a path relative to it, with slashes.
type Folder struct {
	Root string
	Task Task
}

// TaskDir is the folder of the task.
func (f Folder) TaskDir() string {
	return path.Join(".okstra/tasks", f.Task.TaskGroup, f.Task.TaskID)
}

// Dir is the run folder: all runs of one task type of the task.
func (f Folder) Dir() string { return path.Join(f.TaskDir(), "runs", f.Task.TaskType) }

// Abs joins a path of a document to the project root.
func (f Folder) Abs(p string) string { return Abs(f.Root, p) }

func (f Folder) in(dir, format string, args ...any) string {
	return path.Join(f.Dir(), dir, fmt.Sprintf(format, args...))
}

func (f Folder) TaskManifest() string     { return path.Join(f.TaskDir(), "task-manifest.json") }
func (f Folder) Consumers() string        { return path.Join(f.TaskDir(), "consumers.jsonl") }
func (f Folder) RunManifest() string      { return f.in("manifests", "run-manifest-%s.json", f.x()) }
func (f Folder) RunInputs() string        { return f.in("manifests", "run-inputs-%s.json", f.x()) }
func (f Folder) ActiveRunContext() string { return f.in("state", "active-run-context-%s.json", f.x()) }
func (f Folder) TeamState() string        { return f.in("state", "team-state-%s.json", f.x()) }
func (f Folder) Grouping() string         { return f.in("state", "grouping-%s.md", f.x()) }
func (f Folder) ConvergenceInput() string { return f.in("state", "convergence-input-%s.json", f.x()) }
func (f Folder) Convergence() string      { return f.in("state", "convergence-%s.json", f.x()) }
func (f Folder) PlanBody() string         { return f.in("state", "plan-body-%s.json", f.x()) }
func (f Folder) ReportData() string       { return f.in("reports", "final-report-%s.data.json", f.x()) }
func (f Folder) Report() string           { return f.in("reports", "final-report-%s.md", f.x()) }
func (f Folder) Journal() string          { return f.in("logs", "dispatch-%s.jsonl", f.x()) }
func (f Folder) ErrorsLog() string        { return f.in("logs", "errors.jsonl") }
func (f Folder) EventsLog() string        { return f.in("logs", "events.jsonl") }
func (f Folder) x() string                { return f.Task.Suffix() }

// AuditSnapshot is the baseline of an audit round.
func (f Folder) AuditSnapshot(round int) string {
	return f.in("state", "audit-%s-r%d.json", f.x(), round)
}

// Carry is the persisted result of a stage.
func (f Folder) Carry(stage int) string { return f.in("carry", "stage-%d.json", stage) }

// Translation is the translation sidecar of the report for a language.
func (f Folder) Translation(lang string) string {
	return f.in("reports", "final-report-%s.translation.%s.json", f.x(), lang)
}

// Prompt is the prompt of the first attempt of an assignment.
func (f Folder) Prompt(workerID, purpose string) string {
	return f.in("prompts", "%s-%s-%s.md", workerID, purpose, f.x())
}

// Result is a worker's result.
func (f Folder) Result(workerID string) string {
	return f.in("worker-results", "%s-worker-%s.md", workerID, f.x())
}

// Verdicts is the verdict file of a worker for a purpose such as
// "reverify-r1" or "plan-verify-r2". The round about a critic's candidates is
// numbered on: its files are of "reverify-r<round>" too.
func (f Folder) Verdicts(workerID, purpose string) string {
	return f.in("worker-results", "%s-%s-%s.md", workerID, purpose, f.x())
}

// Critic is a critic's file.
func (f Folder) Critic(workerID string) string { return f.Verdicts(workerID, "critic") }

// Translator is a translator's answer for a language.
func (f Folder) Translator(workerID, lang string) string {
	return f.Verdicts(workerID, "translator-"+lang)
}

// WorkerErrors is the file for a worker's own tool failures. From the second
// attempt on each attempt has a file of its own, so that the first survives.
func (f Folder) WorkerErrors(workerID string, attempt int) string {
	if attempt > 1 {
		return f.in("worker-results", "%s-worker-errors.attempt-%d.json", workerID, attempt)
	}
	return f.in("worker-results", "%s-worker-errors.json", workerID)
}

// AuditOf is the audit file of a worker result: only the first "-worker-" of
// the name is replaced, because a result name may hold it twice.
func AuditOf(resultPath string) string {
	dir, name := path.Split(resultPath)
	return dir + strings.Replace(name, "-worker-", "-worker-audit-", 1)
}

// PromptOfAttempt is the prompt given to attempt n: the first prompt, or its
// copy from the second attempt on.
func PromptOfAttempt(firstPrompt string, n int) string {
	if n <= 1 {
		return firstPrompt
	}
	stem := strings.TrimSuffix(firstPrompt, path.Ext(firstPrompt))
	return fmt.Sprintf("%s.attempt-%d%s", stem, n, path.Ext(firstPrompt))
}

// AttemptPath is the sidecar of attempt n; all of them lie beside the first
// prompt.
func AttemptPath(firstPrompt string, n int) string {
	return fmt.Sprintf("%s.attempt-%d.json", firstPrompt, n)
}

// StatusPath is the status file of the process that was given a prompt.
func StatusPath(prompt string) string { return prompt + ".status.json" }

// LogPath is the readable account of that process.
func LogPath(prompt string) string { return prompt + ".log" }

// StdoutPath is what that process printed.
func StdoutPath(prompt string) string { return prompt + ".stdout" }

// StderrPath is what that process printed to standard error.
func StderrPath(prompt string) string { return prompt + ".stderr" }

// Abs joins a path of a document to the project root; an absolute path stays.
func Abs(root, p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(root, filepath.FromSlash(p))
}

// Rel is p as documents hold it: relative to the project root with slashes,
// or absolute when it lies outside.
func Rel(root, p string) string {
	rel, err := filepath.Rel(root, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(p)
	}
	return filepath.ToSlash(rel)
}

// Within tells whether path is dir or lies below it. Both are clean.
func Within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// RootAbove is the folder above the ".okstra" folder that holds p, or "" when
// p lies in none. p must be absolute.
func RootAbove(p string) string {
	for dir := filepath.Clean(p); ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".okstra" {
			return filepath.Dir(dir)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
