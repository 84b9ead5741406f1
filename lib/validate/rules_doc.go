package validate

import (
	"path"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/schema"
)

var docRules = []Rule{
	{
		Code: "doc-missing", Level: finding.Error, Title: "a document of the run is not there",
		Checks: "A document that another one names, and that every run must have, does not exist; or a log that the ledger shows to have been written.",
		Why:    "What is not there cannot be proved, and every later reader fails on it.",
		Fails:  `"reportPath" names final-report-error-analysis-002.md, and there is no such file`,
		Passes: "the file lies where the run manifest says",
		check:  (*judge).missingDocuments,
	},
	{
		Code: "doc-unreadable", Level: finding.Error, Title: "a document cannot be read",
		Checks: "An artifact is a symbolic link or no regular file, may not be read, or is larger than 64 MiB (a JSON line: 16 MiB, a mutation snapshot: 4 GiB).",
		Why:    "A link could show a reader something that was never part of the run.",
		Fails:  "team-state-error-analysis-002.json is a symbolic link",
		Passes: "a regular file of ordinary size",
		check:  func(j *judge) { j.readFaults("doc-unreadable", "a regular file that may be read") },
	},
	{
		Code: "doc-syntax", Level: finding.Error, Title: "a document is not JSON",
		Checks: "Strict reading fails: bytes that are no UTF-8, a key that stands twice, data behind the end, NaN, absurd depth, a file cut short.",
		Why:    "Two readers that repair differently would see two different runs.",
		Fails:  `{"status": "running", "status": "completed"}`,
		Passes: `{"status": "completed"}`,
		check:  func(j *judge) { j.readFaults("doc-syntax", "JSON by the rules of docs/strict-reading.md") },
	},
	schemaRule(schema.CodeKind, finding.Error, "a document is of another kind",
		"`kind` is missing, unknown, or not the one due at this place.",
		"A document of another kind would be read with the wrong rules.",
		`"kind": "okstra-team-state" in the place of the run manifest`, `"kind": "okstra-run-manifest"`),
	schemaRule(schema.CodeVersion, finding.Error, "a document is too new",
		"`schemaVersion` has a newer major version than any schema known here.",
		"A newer major version may mean something else by the same words.",
		`"schemaVersion": "9.0"`, `"schemaVersion": "1.0"`),
	schemaRule(schema.CodeSchema, finding.Error, "a document breaks its schema",
		"A value has the wrong type or form, or a required key is missing; one finding for each place.",
		"Readers rely on every key that the schema requires.",
		`"runSeq": 2`, `"runSeq": "002"`),
	schemaRule(schema.CodeUnknownKey, finding.Warning, "a document has a key nobody knows",
		"The schema does not name the key, and the document's minor version is not newer than the schema's.",
		"It is most often a misspelt key, whose value nobody reads.",
		`"reportLangauge": "en"`, `"reportLanguage": "en"`),
	{
		Code: "doc-torn-line", Level: finding.Error, Title: "the last line has no end",
		Checks: "The last line of a log has no newline. While the run goes on this is a warning.",
		Why:    "The writer was cut off in the middle, so the row may be half of what it was to be.",
		Fails:  `{"runId": "shop:pay:checkout-timeouts:error-analysis:002", "at": "2026-09-08T1`,
		Passes: "every row ends with a newline",
		check:  (*judge).tornLines,
	},
	{
		Code: "doc-path", Level: finding.Error, Title: "a path leads out of the project",
		Checks: "A path in a document leaves the project, or passes through a symbolic link.",
		Why:    "Documents come from workers too; a path in them must not lead a reader astray.",
		Fails:  `"resultPath": "../../etc/passwd"`,
		Passes: `"resultPath": ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/worker-results/scope-a-worker-error-analysis-002.md"`,
		check:  (*judge).strayPaths,
	},
	{
		Code: "doc-identity", Level: finding.Error, Title: "a document belongs to another run",
		Checks: "Task key, task type, sequence number, run id, host or report language of a document differ from the run manifest's, it names another manifest, or the manifest lies where another run belongs.",
		Why:    "A copied document would be taken as proof for a run that it says nothing about.",
		Fails:  `"runSeq": "001" in the report of run 002`,
		Passes: "every document names the run that it lies in",
		check:  (*judge).identities,
	},
}

// schemaRule is a rule that lib/schema has already looked into.
func schemaRule(code string, level finding.Level, title, checks, why, fails, passes string) Rule {
	return Rule{
		Code: code, Level: level, Title: title, Checks: checks, Why: why, Fails: fails, Passes: passes,
		check: (*judge).schemaFindings,
	}
}

func (j *judge) missingDocuments() {
	for _, a := range j.documents() {
		if !a.missing {
			continue
		}
		for _, w := range a.wanted {
			if w.required {
				j.at(w.by, "a file that is there", "%s, which does not exist", w.by.show())
				break
			}
		}
	}
}

func (j *judge) readFaults(code, expected string) {
	for _, a := range j.documents() {
		faults := a.bad
		if a.fault != nil {
			faults = append([]*readFault{a.fault}, faults...)
		}
		for _, f := range faults {
			if f.code == code {
				j.add(finding.Finding{
					Artifact: a.path, Pointer: f.pointer, Line: f.line, Column: f.col,
					Message: f.message, Expected: expected, Anchor: f.pointer,
				})
			}
		}
	}
}

func (j *judge) schemaFindings() {
	for _, a := range j.documents() {
		for _, f := range a.schema {
			if f.Code != j.rule.Code || a.foreign && f.Code != schema.CodeKind && f.Code != schema.CodeVersion {
				continue
			}
			if f.Anchor = f.Pointer; a.doc != nil {
				f.Anchor = a.doc.anchor(f.Pointer)
			}
			j.add(f)
		}
	}
}

func (j *judge) tornLines() {
	for _, a := range j.documents() {
		if a.torn == 0 {
			continue
		}
		f := finding.Finding{
			Artifact: a.path, Line: a.torn, Column: 1, Anchor: "torn",
			Message: "the last line has no newline", Expected: "a newline at the end of every row",
		}
		if j.going {
			f.Level = finding.Warning
		}
		j.add(f)
	}
}

// mayLieOutside are the keys of paths that name something that is no artifact
// of a run: worktrees, homes, files of the user.
var mayLieOutside = map[string]bool{
	"worktreePath": true, "briefPath": true, "approvedPlanPath": true, "prTemplatePath": true,
	"clarificationResponsePath": true, "stdoutPath": true, "stderrPath": true, "logPath": true,
}

func (j *judge) strayPaths() {
	for _, a := range j.documents() {
		if a.doc != nil {
			j.strayIn(a.doc.node())
		}
		for _, row := range a.rows {
			j.strayIn(row.node())
		}
	}
}

// strayIn looks into every text under a key that ends in "Path".
func (j *judge) strayIn(n node) {
	n.walk(func(key string, value any, at func() node) bool {
		name, isText := value.(string)
		if !isText || name == "" || !strings.HasSuffix(key, "Path") {
			return true
		}
		if _, err := j.rel(name); err != nil && !(path.IsAbs(name) && mayLieOutside[key]) {
			j.at(at(), "a path inside the project without symbolic links", "%s, which %v", at().show(), err)
		}
		return true
	})
}

func (j *judge) identities() {
	j.manifestPlace()
	task := j.task
	id := j.runID()
	for _, a := range j.documents() {
		r := a.root()
		switch a.kind {
		case "task-manifest":
			j.same(r.get("taskKey"), task.TaskKey)
		case "active-run-context":
			j.same(r.get("run", "runId"), id)
			j.same(r.get("run", "taskType"), task.TaskType)
			j.same(r.get("run", "runSeq"), task.RunSeq)
			j.sameManifest(r.get("sourceArtifacts", "runManifestPath"))
		case "run-inputs":
			j.sameParts(r.get("inputs"))
		case "team-state":
			j.same(r.get("runId"), id)
			j.same(r.get("taskType"), task.TaskType)
			j.sameManifest(r.get("runManifestPath"))
			host := j.manifest.root().get("host")
			j.same(r.get("hostRuntime"), host.get("runtime").text())
			j.same(r.get("entryMode"), host.get("entryMode").text())
		case "convergence-input", "convergence", "plan-body":
			j.sameTask(r.get("task"))
			j.sameManifest(r.get("runManifestPath"))
		case "final-report":
			if a == j.report {
				j.sameTask(r.get("header"))
				j.same(r.get("header", "reportLanguage"), j.manifest.root().get("reportLanguage").text())
			}
		case "dispatch-attempt":
			j.ofRun(r.get("jobId"))
		case "":
			for _, row := range a.rows { // the journal
				j.ofRun(row.node().get("jobId"))
			}
		}
	}
}

// manifestPlace compares what the manifest says of itself with where it lies.
func (j *judge) manifestPlace() {
	m := j.manifest.root()
	where := j.whereabouts()
	task := m.get("task")
	if where.TaskID != "" {
		j.same(task.get("taskGroup"), where.TaskGroup)
		j.same(task.get("taskId"), where.TaskID)
	}
	if where.TaskType != "" {
		j.same(task.get("taskType"), where.TaskType)
		j.same(task.get("runSeq"), where.RunSeq)
	}
	j.same(task.get("taskKey"), strings.Join([]string{task.get("projectId").text(), task.get("taskGroup").text(), task.get("taskId").text()}, ":"))
	j.same(m.get("runId"), j.task.RunID())
}

func (j *judge) sameTask(n node) {
	j.sameParts(n)
	j.same(n.get("runSeq"), j.task.RunSeq)
}

// sameParts compares the task's key and what the key is made of.
func (j *judge) sameParts(n node) {
	j.same(n.get("taskKey"), j.task.TaskKey)
	j.same(n.get("projectId"), j.task.ProjectID)
	j.same(n.get("taskGroup"), j.task.TaskGroup)
	j.same(n.get("taskId"), j.task.TaskID)
	j.same(n.get("taskType"), j.task.TaskType)
}

// sameManifest reports the path of another run's manifest.
func (j *judge) sameManifest(n node) {
	if name, err := j.rel(n.text()); n.text() != "" && err == nil && name != j.name {
		j.at(n, j.name, "%s", n.show())
	}
}

// same reports a text that is not the one that is due. What is no text, or not
// there, is for the schema.
func (j *judge) same(n node, due string) {
	if n.isText() && due != "" && n.text() != due {
		j.at(n, due, "%s", n.show())
	}
}

// ofRun reports a job of another run.
func (j *judge) ofRun(n node) {
	if n.isText() && strings.Count(n.text(), "/") > 0 && !strings.HasPrefix(n.text(), j.runID()+"/") {
		j.at(n, j.runID()+"/…", "%s", n.show())
	}
}
