package facts

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

const (
	taskManifestKind = "okstra-task-manifest"
	maxManifest      = 4 << 20 // of a task or a run
)

// taskReader reads tasks for a list, one after the other. It looks for the few
// texts that a list shows; what is wrong with a document that does not give
// them is told by a second, strict look at it.
type taskReader struct {
	p   *Project
	buf []byte
}

// task reads a task, nil if it is none.
func (r *taskReader) task(group, id string) *wizard.TaskFact {
	dir := r.p.tasksDir() + "/" + group + "/" + id
	name := dir + "/" + manifestName
	m, ok := r.read(name, "kind", "projectId", "title", "briefPath")
	if !ok {
		return nil
	}
	if m["kind"] != taskManifestKind {
		r.p.warnf("left out: %s: /kind: %q (expected %q)", name, shown(m["kind"]), taskManifestKind)
		return nil
	}
	t := wizard.TaskFact{ProjectID: m["projectId"], Group: group, ID: id, Title: shown(m["title"]), BriefPath: m["briefPath"]}
	for _, taskType := range r.names(dir + "/runs") {
		if !run.IsTaskType(taskType) {
			continue
		}
		at := r.lastRun(dir + "/runs/" + taskType + "/manifests")
		if at > t.LastAt || at == t.LastAt && at != "" && taskType > t.LastType {
			t.LastAt, t.LastType = at, taskType
		}
	}
	return &t
}

// lastRun is when the newest run in a folder of manifests was planned: the one
// with the highest number.
func (r *taskReader) lastRun(manifests string) string {
	newest := ""
	for _, name := range r.names(manifests) {
		if strings.HasPrefix(name, "run-manifest-") && strings.HasSuffix(name, ".json") && name > newest {
			newest = name
		}
	}
	if newest == "" {
		return ""
	}
	m, _ := r.read(manifests+"/"+newest, "createdAt")
	return shown(m["createdAt"])
}

// read finds texts of a document; what cannot be read is a warning.
func (r *taskReader) read(name string, keys ...string) (map[string]string, bool) {
	text, err := quickRead(name, r.buf, maxManifest)
	if cap(text) > cap(r.buf) {
		r.buf = text
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil {
		if found, ok := topStrings(text, keys...); ok {
			return found, true
		}
	}
	if _, err = jsondoc.ReadFile(filepath.FromSlash(name)); err == nil {
		err = errors.New(name + ": no object (expected a document)")
	}
	r.p.warnf("left out: %v", err)
	return nil, false
}

func (r *taskReader) names(dir string) []string {
	names, err := quickNames(dir, r.buf)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.p.warnf("left out: %v", plainError(filepath.FromSlash(dir), err))
	}
	return names
}
