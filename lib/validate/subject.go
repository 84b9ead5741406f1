package validate

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// subject is a run with everything of it that could be read.
type subject struct {
	paths
	name   string // the manifest's path from the project root
	folder run.Folder
	task   run.Task // as the manifest says; only the parts that could be read

	artifacts []*artifact
	opened    map[opening]*artifact

	manifest, taskManifest, context, inputs *artifact
	team, input, state, planBody            *artifact
	report, reportMD                        *artifact
	events, errorsLog, journal, consumers   *artifact
	carry                                   *artifact // of the run's stage, nil without one
	translations                            []*artifact

	roster     []*member
	seats      map[string]*member // the roster by worker; the first of a name
	dispatches []*dispatched
	ends       map[string]string // how the last announced dispatch of a worker ended
	evidence   evidence

	checked []finding.Finding // what converge has found in the state, nil before it was asked
}

// opening is a file with what it is taken for. A path that two keys name for two
// kinds of document is read for each, so that none of them passes unseen for
// something that it is not.
type opening struct {
	path, kind string
	form       form
}

// load reads a run from its manifest. It never fails: what cannot be read is
// noted, and the rest of the run is looked for where it belongs.
func load(manifestPath string, opt Options) *subject {
	abs := located(manifestPath)
	s := &subject{opened: make(map[opening]*artifact)}
	s.clean, s.seen = make(map[string]bool), make(map[string]seenPath)
	s.root = run.RootAbove(abs)
	if s.root == "" {
		s.root = filepath.Dir(abs)
	}
	s.name = run.Rel(s.root, abs)
	s.manifest = &artifact{path: s.name, kind: "run-manifest", form: document}
	if s.manifest.read(abs); s.manifest.missing {
		s.manifest.missing = false
		s.manifest.fault = &readFault{code: "doc-unreadable", message: "no such file"}
	}
	s.register(s.manifest)
	s.identify()
	s.gather()
	s.evidence = gatherEvidence(s, opt)
	return s
}

// located is the absolute path of a manifest. Where it shows no .okstra folder,
// because it or the working directory goes through a symbolic link, the folder
// that the link stands for is taken; the manifest itself is never a link.
func located(manifestPath string) string {
	abs, err := filepath.Abs(manifestPath)
	if err != nil {
		return manifestPath
	}
	if run.RootAbove(abs) == "" {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil && run.RootAbove(dir) != "" {
			return filepath.Join(dir, filepath.Base(abs))
		}
	}
	return abs
}

func (s *subject) register(a *artifact) {
	s.opened[opening{a.path, a.kind, a.form}] = a
	s.artifacts = append(s.artifacts, a)
}

var (
	manifestName = regexp.MustCompile(`^run-manifest-([a-z-]+)-([0-9]{3})\.json$`)
	runDir       = regexp.MustCompile(`\.okstra/tasks/([^/]+)/([^/]+)/runs/`)
)

// identify takes the run's identity from the manifest, and what it does not
// say from where the manifest lies.
func (s *subject) identify() {
	m := s.manifest.root()
	s.recorded = m.get("projectRoot").text()
	task := m.get("task")
	s.task = run.Task{
		TaskKey: task.get("taskKey").text(), ProjectID: task.get("projectId").text(), TaskGroup: task.get("taskGroup").text(),
		TaskID: task.get("taskId").text(), TaskType: task.get("taskType").text(), RunSeq: task.get("runSeq").text(),
	}
	where := s.whereabouts()
	for _, part := range []struct {
		of   *string
		from string
	}{
		{&s.task.TaskGroup, where.TaskGroup},
		{&s.task.TaskID, where.TaskID},
		{&s.task.TaskType, where.TaskType},
		{&s.task.RunSeq, where.RunSeq},
	} {
		if *part.of == "" {
			*part.of = part.from
		}
	}
	if s.task.ProjectID == "" {
		s.identifyByTeam(where)
	}
	s.folder = run.Folder{Root: s.root, Task: s.task}
}

// identifyByTeam takes what a broken manifest does not say from the team state.
func (s *subject) identifyByTeam(where run.Task) {
	at := run.Folder{Root: s.root, Task: where}.TeamState()
	team := s.open(at, "team-state", document).root()
	if parts := strings.Split(team.get("runId").text(), ":"); len(parts) == 5 {
		s.task = run.NewTask(parts[0], parts[1], parts[2], parts[3], parts[4])
	}
}

// runID is the identity of the run, by which rows of shared logs are told apart.
func (s *subject) runID() string {
	if id := s.manifest.root().get("runId").text(); id != "" {
		return id
	}
	return s.task.RunID()
}

// whereabouts is the task that the manifest's place in the tree stands for.
func (s *subject) whereabouts() run.Task {
	var t run.Task
	dir, name := path.Split(filepath.ToSlash(s.name))
	if m := manifestName.FindStringSubmatch(name); m != nil {
		t.TaskType, t.RunSeq = m[1], m[2]
	}
	if parts := runDir.FindStringSubmatch(dir); parts != nil {
		t.TaskGroup, t.TaskID = parts[1], parts[2]
	}
	return t
}

// open reads the artifact at a path, once. A path that leaves the project is
// not opened.
func (s *subject) open(name, kind string, f form) *artifact {
	rel, err := s.rel(name)
	if a := s.opened[opening{rel, kind, f}]; a != nil {
		return a
	}
	a := &artifact{path: rel, kind: kind, form: f, refused: err != nil}
	if kind == "event" || kind == "error" {
		a.runID = s.runID()
	}
	if !a.refused {
		a.read(s.abs(rel))
	}
	s.register(a)
	return a
}

// named opens the artifact that a node names; nil when it names none.
func (s *subject) named(by node, kind string, f form, required bool) *artifact {
	if by.text() == "" {
		return nil
	}
	a := s.open(by.text(), kind, f)
	a.wanted = append(a.wanted, want{by, required})
	return a
}

// pathOr is the artifact that the manifest names under a key, else the one at
// the place where it belongs, if it lies there.
func (s *subject) pathOr(key, kind string, f form, required bool, place string) *artifact {
	by := s.manifest.root().get(key)
	if by.text() != "" {
		return s.named(by, kind, f, required)
	}
	if by.null() {
		return nil
	}
	return s.open(place, kind, f)
}

// gather reads all artifacts of the run.
func (s *subject) gather() {
	f := s.folder
	s.taskManifest = s.pathOr("taskManifestPath", "task-manifest", document, true, f.TaskManifest())
	s.context = s.pathOr("activeRunContextPath", "active-run-context", document, true, f.ActiveRunContext())
	if by := s.context.root().get("sourceArtifacts", "runInputsPath"); by.text() != "" {
		s.inputs = s.named(by, "run-inputs", document, true)
	} else {
		s.inputs = s.open(f.RunInputs(), "run-inputs", document)
	}
	s.team = s.pathOr("teamStatePath", "team-state", document, true, f.TeamState())
	s.input = s.pathOr("convergenceInputPath", "convergence-input", document, false, f.ConvergenceInput())
	s.state = s.pathOr("convergenceStatePath", "convergence", document, false, f.Convergence())
	s.planBody = s.pathOr("planBodyStatePath", "plan-body", document, false, f.PlanBody())
	s.report = s.pathOr("reportDataPath", "final-report", document, true, f.ReportData())
	s.reportMD = s.pathOr("reportPath", "", markdown, true, f.Report())
	s.journal = s.pathOr("journalPath", "", lines, false, f.Journal())
	s.events = s.pathOr("eventsLogPath", "event", lines, false, f.EventsLog())
	s.errorsLog = s.pathOr("errorsLogPath", "error", lines, false, f.ErrorsLog())
	s.consumers = s.open(f.Consumers(), "stage-consumer", lines)
	if stage, _ := s.stageOf(); stage > 0 {
		s.carry = s.open(f.Carry(stage), "stage-carry", document)
	}
	s.readRoster()
	s.readLedger()
	s.requireLogs()
	s.readResults()
	s.readTranslations()
}

// requireLogs marks the logs that the ledger shows to have been written: the
// journal has a line for each attempt that ended, the errors log a row for each
// that failed.
func (s *subject) requireLogs() {
	for _, d := range s.dispatches {
		failed := d.outcome == "failed" || d.outcome == "timeout" || d.outcome == "policy-violation"
		for _, log := range []struct {
			of  *artifact
			due bool
		}{{s.journal, d.outcome == "completed" || failed}, {s.errorsLog, failed}} {
			if log.of != nil && log.due && !d.first {
				for i := range log.of.wanted {
					log.of.wanted[i].required = true
				}
			}
		}
	}
}

func (s *subject) readTranslations() {
	for _, lang := range s.manifest.root().get("translations").list() {
		if lang.text() == "" || path.Base(lang.text()) != lang.text() {
			continue
		}
		a := s.open(s.folder.Translation(lang.text()), "translation", document)
		a.wanted = append(a.wanted, want{lang, s.translated()})
		s.translations = append(s.translations, a)
	}
}

// translated says whether a translator has said that it is done.
func (s *subject) translated() bool {
	return slices.ContainsFunc(s.roster, func(m *member) bool {
		return m.role == run.RoleTranslator && m.status == "completed"
	})
}

// over says whether the run has ended.
func (s *subject) over() bool {
	status := s.manifest.root().get("status").text()
	return s.team.root().get("endedAt").text() != "" || status == "completed" || status == "failed"
}

// decode stores a sound document in a Go value.
func decode(a *artifact, v any) bool {
	return a.sound() && jsondoc.Unmarshal(a.doc.doc.Raw, v) == nil
}

// basis are the documents that the rules about checkpoints rest on.
func (s *subject) basis() []*artifact {
	var out []*artifact
	for _, a := range []*artifact{s.manifest, s.taskManifest, s.context, s.inputs, s.team, s.state, s.planBody, s.events, s.carry} {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}
