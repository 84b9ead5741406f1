package facts

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

const manifestName = "task-manifest.json"

func (p *Project) tasksDir() string { return filepath.Join(p.Root, ".okstra", "tasks") }

func (p *Project) taskDir(group, id string) string { return filepath.Join(p.tasksDir(), group, id) }

// Tasks lists the tasks of the project, the one with the newest run first.
// There may be thousands, each with files to read, so several are read at a
// time.
func (p *Project) Tasks() wizard.TaskList {
	if p.list != nil {
		return *p.list
	}
	named, leftOut := p.named()
	found := make([]*wizard.TaskFact, len(named))
	workers := min(2*runtime.GOMAXPROCS(0), len(named))
	var readers sync.WaitGroup
	for first := range workers {
		readers.Go(func() {
			r := taskReader{p: p, buf: make([]byte, 0, 16<<10)}
			for i := first; i < len(named); i += workers {
				found[i] = r.task(named[i].group, named[i].id)
			}
		})
	}
	readers.Wait()
	p.list = &wizard.TaskList{LeftOut: leftOut}
	for _, t := range found {
		if t != nil {
			p.list.Tasks = append(p.list.Tasks, *t)
		}
	}
	slices.SortStableFunc(p.list.Tasks, func(a, b wizard.TaskFact) int { return cmp.Compare(b.LastAt, a.LastAt) })
	return *p.list
}

// taskName is a folder that holds a task.
type taskName struct{ group, id string }

// named lists the folders that may be tasks, in the order of their names, and
// counts those whose names no answer could hold.
func (p *Project) named() (names []taskName, leftOut int) {
	for _, group := range p.entries(p.tasksDir()) {
		if !group.IsDir() {
			continue
		}
		for _, task := range p.entries(filepath.Join(p.tasksDir(), group.Name())) {
			switch {
			case !task.IsDir():
			case run.CheckSegment(group.Name()) != nil || run.CheckSegment(task.Name()) != nil:
				if p.hasManifest(group.Name(), task.Name()) {
					leftOut++
				}
			default:
				names = append(names, taskName{group.Name(), task.Name()})
			}
		}
	}
	return names, leftOut
}

func (p *Project) hasManifest(group, id string) bool {
	info, err := os.Lstat(filepath.Join(p.taskDir(group, id), manifestName))
	return err == nil && info.Mode().IsRegular()
}

// Task is one task of the project.
func (p *Project) Task(group, id string) (wizard.TaskFact, bool) {
	if run.CheckSegment(group) != nil || run.CheckSegment(id) != nil {
		return wizard.TaskFact{}, false
	}
	ref := group + "/" + id
	t, known := p.one[ref]
	if !known {
		if isFolder(filepath.Join(p.tasksDir(), group)) && isFolder(p.taskDir(group, id)) {
			t = p.readTask(group, id)
		}
		if p.one == nil {
			p.one = map[string]*wizard.TaskFact{}
		}
		p.one[ref] = t
	}
	if t == nil {
		return wizard.TaskFact{}, false
	}
	return *t, true
}

// isFolder does not count a link to a folder as one: it may lead anywhere.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// taskManifest is what the wizard reads of a task manifest.
type taskManifest struct {
	Kind string `json:"kind"`
}

// readTask reads one task, nil if it is none. Unlike the list it reads the
// manifest strictly: the task may become the one that a run is for.
func (p *Project) readTask(group, id string) *wizard.TaskFact {
	var m taskManifest
	if !p.read(filepath.Join(p.taskDir(group, id), manifestName), &m) {
		return nil
	}
	r := taskReader{p: p, buf: make([]byte, 0, 16<<10)}
	return r.task(group, id)
}

// HasOther says whether there is a task but the one named. It stops at the
// first.
func (p *Project) HasOther(group, id string) bool {
	for _, g := range p.entries(p.tasksDir()) {
		if g.IsDir() && run.CheckSegment(g.Name()) == nil && p.someTask(g.Name(), func(name string) bool { return g.Name() != group || name != id }) {
			return true
		}
	}
	return false
}

// someTask says whether a group has a task that is wanted. A group may be
// large, so it is read in pieces.
func (p *Project) someTask(group string, wanted func(id string) bool) bool {
	dir, err := os.Open(filepath.Join(p.tasksDir(), group))
	if err != nil {
		p.warnf("left out: %v", plainError(group, err))
		return false
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(16)
		for _, t := range entries {
			if t.IsDir() && wanted(t.Name()) && run.CheckSegment(t.Name()) == nil && p.hasManifest(group, t.Name()) {
				return true
			}
		}
		if err != nil {
			return false // the end, or what cannot be read
		}
	}
}

// Groups are the groups that have a task, sorted.
func (p *Project) Groups() []string {
	var groups []string
	for _, g := range p.entries(p.tasksDir()) {
		if g.IsDir() && run.CheckSegment(g.Name()) == nil && p.someTask(g.Name(), func(string) bool { return true }) {
			groups = append(groups, g.Name())
		}
	}
	return groups
}

// Taken is what is there already under the name of a task, in whatever case:
// on some file systems the two would be one folder.
func (p *Project) Taken(group, id string) string {
	for _, g := range p.entries(p.tasksDir()) {
		if !strings.EqualFold(g.Name(), group) {
			continue
		}
		for _, t := range p.entries(filepath.Join(p.tasksDir(), g.Name())) {
			if strings.EqualFold(t.Name(), id) {
				return g.Name() + "/" + t.Name()
			}
		}
	}
	return ""
}

// ProjectID is the identity that the project's tasks bear, "" if there is none
// yet: that of the first whose manifest says one that can be used.
func (p *Project) ProjectID() string {
	names, _ := p.named()
	for _, n := range names {
		if t, ok := p.Task(n.group, n.id); ok && run.CheckSegment(t.ProjectID) == nil {
			return t.ProjectID
		}
	}
	return ""
}

// HasWorktree says whether a worktree is registered for a task.
func (p *Project) HasWorktree(projectID, group, id string) bool {
	if p.registry == nil {
		p.registry = map[string]bool{}
		if p.OkstraHome == "" {
			return false
		}
		places, err := gitrepo.Worktrees{Home: p.OkstraHome}.Registry()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.warnf("left out: %v", err)
		}
		for key := range places {
			p.registry[key] = true
		}
	}
	return p.registry[run.NewTask(projectID, group, id, "", "").TaskKey]
}
