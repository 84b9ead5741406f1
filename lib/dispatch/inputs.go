package dispatch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// PlanError lists everything that is wrong with run inputs or job lines. The
// status of a refusal is 1, of what cannot be read or is malformed 2.
type PlanError struct {
	Problems []error
	Status   int
}

func (e *PlanError) Error() string { return errors.Join(e.Problems...).Error() }

// ExitStatus is Status, 1 unless it was set.
func (e *PlanError) ExitStatus() int {
	if e.Status == 0 {
		return 1
	}
	return e.Status
}

// Unwrap gives the problems one by one, so that each is told on its own line.
func (e *PlanError) Unwrap() []error {
	list := make([]error, len(e.Problems))
	for i, problem := range e.Problems {
		list[i] = planProblem{problem, e.ExitStatus()}
	}
	return list
}

// planProblem is one problem with the status of all.
type planProblem struct {
	error
	status int
}

func (p planProblem) ExitStatus() int { return p.status }
func (p planProblem) Unwrap() error   { return p.error }

// problems collects faults.
type problems struct {
	where string
	list  []error
}

func (p *problems) add(pointer, format string, args ...any) {
	p.list = append(p.list, fmt.Errorf("%s: %s: %w", p.where, pointer, fmt.Errorf(format, args...)))
}

func (p *problems) check(pointer string, err error) {
	if err != nil {
		p.list = append(p.list, fmt.Errorf("%s: %s: %w", p.where, pointer, err))
	}
}

func (p *problems) err(status int) error {
	if len(p.list) == 0 {
		return nil
	}
	if !slices.ContainsFunc(p.list, func(err error) bool { return !isRefusal(err) }) {
		status = 1 // everything was understood, and is refused
	}
	return &PlanError{Problems: p.list, Status: status}
}

// isRefusal tells whether an error is about a name that the catalogue does not
// have, or a job that is not of its run.
func isRefusal(err error) bool {
	var model *provider.UnknownModelError
	var id *provider.UnknownProviderError
	var foreign *ForeignJobError
	return errors.As(err, &model) || errors.As(err, &id) || errors.As(err, &foreign)
}

// resolved is a worker of the run with its model.
type resolved struct {
	workerID string
	provider *provider.Provider
	model    provider.Model
}

// takenWorkerIDs may not be used for a worker: they name roles.
var takenWorkerIDs = []string{"lead", run.RoleImplementer, run.RoleReportWriter, run.RoleTranslator}

// checkInputs validates the fields against each other and against the file
// system. All faults are reported.
func checkInputs(name string, in run.InputFields, cat *provider.Catalogue) (map[string]resolved, error) {
	p := &problems{where: name}
	checkIdentity(p, in)
	models := checkWorkers(p, in, cat)
	checkPaths(p, in)
	if err := p.err(2); err != nil {
		return nil, err
	}
	return models, nil
}

func checkIdentity(p *problems, in run.InputFields) {
	p.check("/inputs", run.NewTask(in.ProjectID, in.TaskGroup, in.TaskID, in.TaskType, "001").Check())
	if want := in.ProjectID + ":" + in.TaskGroup + ":" + in.TaskID; in.TaskKey != want {
		p.add("/inputs/taskKey", "%q (expected %q)", in.TaskKey, want)
	}
	info, err := os.Stat(in.ProjectRoot)
	switch real, linkErr := filepath.EvalSymlinks(in.ProjectRoot); {
	case !filepath.IsAbs(in.ProjectRoot):
		p.add("/inputs/projectRoot", "%q (expected an absolute path)", in.ProjectRoot)
	case err != nil || !info.IsDir():
		p.add("/inputs/projectRoot", "%q is no folder", in.ProjectRoot)
	case linkErr == nil && real != in.ProjectRoot:
		p.add("/inputs/projectRoot", "%q leads through a symbolic link (expected %q)", in.ProjectRoot, real)
	}
}

// checkWorkers resolves every model, so that what is written down and what
// runs cannot differ.
func checkWorkers(p *problems, in run.InputFields, cat *provider.Catalogue) map[string]resolved {
	models := map[string]resolved{}
	seen := map[string]bool{}
	for i, id := range in.Workers {
		pointer := fmt.Sprintf("/inputs/workers/%d", i)
		p.check(pointer, run.CheckWorkerID(id))
		if seen[id] {
			p.add(pointer, "worker %q stands there twice", id)
		}
		if slices.Contains(takenWorkerIDs, id) {
			p.add(pointer, "%q is the name of a role (expected another worker id)", id)
		}
		seen[id] = true
		resolveWorker(p, models, cat, id, in.Models[id], true)
	}
	for _, id := range sortedKeys(in.Models) {
		if !seen[id] && !slices.Contains(takenWorkerIDs, id) {
			p.add("/inputs/models"+jsondoc.Pointer(id), "no worker has this id")
		}
	}
	for _, role := range rolesWithModel(in) {
		resolveWorker(p, models, cat, role, in.Models[role], false)
	}
	if lead := in.Models["lead"]; lead != "" {
		resolveWorker(p, models, cat, "lead", lead, false)
	}
	checkCritic(p, in, models)
	return models
}

// rolesWithModel are the roles other than the workers that a run of these
// inputs has.
func rolesWithModel(in run.InputFields) []string {
	var roles []string
	if in.TaskType == "implementation" {
		roles = append(roles, run.RoleImplementer)
	}
	if in.TaskType != "release-handoff" || in.Models[run.RoleReportWriter] != "" {
		roles = append(roles, run.RoleReportWriter)
	}
	if len(in.Translations) > 0 {
		roles = append(roles, run.RoleTranslator)
	}
	return roles
}

// resolveWorker looks up "provider/model". A worker without an entry must be
// a provider id, "-2" and so on for a second session aside, and takes that
// provider's default.
func resolveWorker(p *problems, models map[string]resolved, cat *provider.Catalogue, id, choice string, byID bool) {
	pointer := "/inputs/models" + jsondoc.Pointer(id)
	providerID, model, ok := strings.Cut(choice, "/")
	if choice == "" {
		if !byID {
			p.add(pointer, "is missing (expected provider/model)")
			return
		}
		providerID, ok = withoutCount(id), true
	}
	if !ok {
		p.add(pointer, "%q (expected provider/model)", choice)
		return
	}
	row, err := cat.Provider(providerID)
	if err != nil {
		p.check(pointer, err)
		return
	}
	found, err := row.Resolve(model)
	if err != nil {
		p.check(pointer, err)
		return
	}
	models[id] = resolved{workerID: id, provider: row, model: found}
}

// withoutCount takes the "-2" off a worker id that names a provider.
func withoutCount(id string) string {
	base, count, ok := cutLast(id, "-")
	if ok && count != "" && strings.Trim(count, "0123456789") == "" {
		return base
	}
	return id
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func checkCritic(p *problems, in run.InputFields, models map[string]resolved) {
	if in.Critic == "" {
		return
	}
	if _, ok := criticWorker(in, models); !ok {
		p.add("/inputs/critic", "%q (expected the provider and model of one of the workers)", in.Critic)
	}
}

// criticWorker is the worker that also acts as critic: the first one with the
// critic's provider and model.
func criticWorker(in run.InputFields, models map[string]resolved) (resolved, bool) {
	for _, id := range in.Workers {
		w, ok := models[id]
		if ok && w.provider.ID+"/"+w.model.ID == in.Critic {
			return w, true
		}
	}
	return resolved{}, false
}

func checkPaths(p *problems, in run.InputFields) {
	for _, file := range []struct{ pointer, path string }{
		{"/inputs/briefPath", in.BriefPath},
		{"/inputs/approvedPlanPath", in.ApprovedPlanPath},
		{"/inputs/clarificationResponsePath", in.ClarificationResponsePath},
		{"/inputs/prTemplatePath", in.PrTemplatePath},
	} {
		if file.path != "" {
			p.check(file.pointer, checkFile(run.Abs(in.ProjectRoot, file.path)))
		}
	}
	if (in.ApprovedPlanPath == "") != (in.PlanDigest == "") {
		p.add("/inputs/planDigest", "%q (expected a digest iff approvedPlanPath is set)", in.PlanDigest)
	}
	if (in.BaseRef == "") != (in.BaseCommit == "") {
		p.add("/inputs/baseCommit", "%q (expected a commit iff baseRef is set)", in.BaseCommit)
	}
}

// checkFile says why path is no readable regular file, or nil.
func checkFile(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%q: %w", path, errors.Unwrap(err))
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("%q is a symbolic link", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%q: %w", path, errors.Unwrap(err))
	}
	return file.Close()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
