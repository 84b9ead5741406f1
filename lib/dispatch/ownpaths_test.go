package dispatch

import (
	"os"
	"path/filepath"
	"testing"

	"okstra/lib/provider"
	"okstra/lib/run"
)

// ownFixture is a project with a run and an attempt of it.
func ownFixture(t *testing.T) (o *ownPaths, m run.Manifest, p paths) {
	t.Helper()
	root := t.TempDir()
	m = run.Manifest{ProjectRoot: root, Task: run.NewTask("shop", "pay", "slow", "error-analysis", "001")}
	f := m.Folder()
	m.JournalPath, m.EventsLogPath, m.ErrorsLogPath, m.TeamStatePath = f.Journal(), f.EventsLog(), f.ErrorsLog(), f.TeamState()
	job := run.Job{ProjectRoot: root, PromptPath: f.Prompt("a", "analysis"), ResultPath: f.Result("a"), ErrorsSidecarPath: f.WorkerErrors("a", 1)}
	o = ownPathsOf([]*task{{job: job, manifest: &m}})
	return o, m, attemptPaths(root, job.PromptPath, 1)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A worker that nothing holds can write below .okstra as well. What is called
// like a file of ours, or beside one, is not ours for that.
func TestOwnPathsAreNamesNotBeginnings(t *testing.T) {
	o, m, p := ownFixture(t)
	o.attempt(p)
	if err := o.writeDocument(p.abs(p.Status), run.Status{}); err == nil {
		t.Fatal("a sidecar in a folder that is not there was written")
	}
	put(t, p.abs(p.Prompt), "# task\n")
	if err := o.writeDocument(p.abs(p.Status), run.Status{}); err != nil {
		t.Fatal(err)
	}
	locks := filepath.Join(m.ProjectRoot, ".okstra", "locks")
	prompt := p.abs(p.Prompt)
	for _, tt := range []struct {
		path, text string
		want       bool
	}{
		{p.abs(p.Log), "said", true},
		{p.abs(p.Stdout), "said", true},
		{p.abs(p.Status) + ".lock", "", true},
		{prompt, "# other task\n", false},
		{prompt + ".evil", "x", false},
		{prompt + ".attempt-7.json", "{}", false}, // no attempt of ours
		{prompt + ".log.sh", "x", false},
		{run.Abs(m.ProjectRoot, m.EventsLogPath), "{}\n", true},
		{run.Abs(m.ProjectRoot, m.TeamStatePath) + ".lock", "", true},
		{run.Abs(m.ProjectRoot, m.TeamStatePath) + ".locked", "", false},
		{filepath.Dir(run.Abs(m.ProjectRoot, m.TeamStatePath)) + "/." + filepath.Base(m.TeamStatePath) + "1234567890123456", "{", true},
		{run.Abs(m.ProjectRoot, m.Folder().RunManifest()), "{}", false},
		{run.Abs(m.ProjectRoot, m.Folder().AuditSnapshot(3)), "{}", false},
		{run.Abs(m.ProjectRoot, m.Folder().TaskManifest()), "{}", false},
		{filepath.Join(locks, "tree-12ab.lock"), "", true},
		{filepath.Join(locks, "plan.lock"), "", true},
		{filepath.Join(locks, "tree-12ac.lock"), "payload", false},
		{filepath.Join(locks, "payload"), "", false},
		{filepath.Join(m.ProjectRoot, "main.go"), "x", false},
		{filepath.Join(m.ProjectRoot, "dispatch.yml"), "x", false},
	} {
		put(t, tt.path, tt.text)
		if got := o.has(tt.path); got != tt.want {
			t.Errorf("has(%q) with %q in it = %v, want %v", tt.path, tt.text, got, tt.want)
		}
	}
	for _, gone := range []string{p.abs(p.Log), run.Abs(m.ProjectRoot, m.TeamStatePath)} {
		os.Remove(gone)
		if o.has(gone) {
			t.Errorf("%s was removed, and is told to be ours", gone)
		}
		if err := os.Symlink("/etc/hostname", gone); err != nil {
			t.Fatal(err)
		}
		if o.has(gone) {
			t.Errorf("%s is a link now, and is told to be ours", gone)
		}
	}
}

// A file that only we write is ours as we left it: another hand is seen, even
// when we write the file again afterwards.
func TestOwnPathsKnowWhatTheyWrote(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"":        func(string) error { return nil },
		"written": func(path string) error { return os.WriteFile(path, []byte("{}"), 0o644) },
		"mode":    func(path string) error { return os.Chmod(path, 0o755) },
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+"~", []byte("{}"), 0o644); err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
	} {
		o, _, p := ownFixture(t)
		path := p.abs(p.Status)
		put(t, p.abs(p.Prompt), "# task\n")
		for range 2 {
			if err := o.writeDocument(path, run.Status{}); err != nil {
				t.Fatal(err)
			}
			if !o.has(path) {
				t.Errorf("%s: what was just written is not ours", name)
			}
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if got, want := o.has(path), name == ""; got != want {
			t.Errorf("%s: has = %v, want %v", name, got, want)
		}
		if err := o.writeDocument(path, run.Status{}); err != nil {
			t.Fatal(err)
		}
		if got, want := o.has(path), name == ""; got != want {
			t.Errorf("%s and written again: has = %v, want %v", name, got, want)
		}
	}
}

// A home or temporary folder is ours, but not one that holds the project: all
// that a lost worker did would be ours.
func TestAHomeThatHoldsTheProjectIsNotOurs(t *testing.T) {
	o, m, _ := ownFixture(t)
	o.folder(filepath.Dir(m.ProjectRoot))
	o.folder(m.ProjectRoot)
	o.folder(filepath.Join(m.ProjectRoot, ".claude"))
	for path, want := range map[string]bool{"main.go": false, ".claude/projects/x.jsonl": true, ".claude": true, ".claudette": false} {
		if got := o.has(filepath.Join(m.ProjectRoot, path)); got != want {
			t.Errorf("has(%q) = %v, want %v", path, got, want)
		}
	}
}

// A dispatcher that is killed leaves temporary files of what it was about to
// write: of the first sidecar of a job that has no attempt yet, too.
func TestWhatAKilledDispatcherBeganIsOurs(t *testing.T) {
	_, m, p := ownFixture(t)
	job := run.Job{JobID: "j", ProjectRoot: m.ProjectRoot, PromptPath: p.Prompt, Provider: "nobody"}
	h := &history{manifest: m, record: &record{order: []string{"j"}, entries: map[string]*entry{"j": {job: job}}}, attempts: map[string][]*past{}}
	cat, err := provider.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	o := h.ownPaths(Host{Catalogue: cat})
	for _, name := range []string{p.Attempt, p.Status} {
		path := p.abs(name)
		temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"1234567890123456789")
		put(t, temporary, "{")
		if !o.has(temporary) {
			t.Errorf("%s is told to be a worker's", temporary)
		}
	}
	if other := attemptPaths(m.ProjectRoot, p.Prompt, 2); o.has(other.abs(other.Attempt)) {
		t.Error("a second attempt is ours where there was no first")
	}
}
