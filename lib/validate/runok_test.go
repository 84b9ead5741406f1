package validate

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const okDir = "../../testdata/run-ok"

var sound struct {
	once  sync.Once
	files project
}

// runOK is a project whose runs keep their contract.
func runOK(t *testing.T) project {
	sound.once.Do(func() {
		p := taskFiles(t)
		errorAnalysis(t, p)
		for _, tell := range []func(*testing.T, project){discoveryRun, planningRun, implementationRun, verificationRun, handoffRun, improvementRun} {
			tell(t, p)
		}
		sound.files = p
	})
	return sound.files.clone()
}

func TestTheSoundProjectInTestdataIsCurrent(t *testing.T) {
	want := runOK(t)
	if os.Getenv("UPDATE_SCRIPTS") == "1" {
		if err := os.RemoveAll(filepath.Join(okDir, ".okstra")); err != nil {
			t.Fatal(err)
		}
		want.write(t, okDir)
	}
	got := readProject(t, okDir)
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Fatalf("UPDATE_SCRIPTS=1 writes it anew: %s", diff)
	}
	for _, name := range sorted(want) {
		if diff := cmp.Diff(string(want[name]), string(got[name])); diff != "" {
			t.Errorf("%s (UPDATE_SCRIPTS=1 writes it anew): %s", name, diff)
		}
	}
}

func TestTheSoundProjectPasses(t *testing.T) {
	manifests, err := Find(okDir)
	if err != nil {
		t.Fatal(err)
	}
	for result := range All(t.Context(), manifests, Options{}) {
		for _, f := range result.Findings {
			t.Errorf("%s: %s %s %s:%d:%d %s %s (expected %s)", result.Run, f.Level, f.Code, f.Artifact, f.Line, f.Column, f.Pointer, f.Message, f.Expected)
		}
	}
}

// TestASoundRunIsJudgedByEveryRule: where every document can be read, a
// statement about the run leaves no rule out that holds for it.
func TestASoundRunIsJudgedByEveryRule(t *testing.T) {
	manifests, err := Find(filepath.Join("..", "..", "testdata", "run-ok"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifests {
		got := Run(m, Options{})
		for _, r := range Rules() {
			if r.Applies(got.TaskType) && !slices.Contains(got.Judged, r.Code) {
				t.Errorf("%s: %s was not judged", got.Run, r.Code)
			}
		}
	}
}
