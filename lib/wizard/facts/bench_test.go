package facts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"okstra/lib/run"
)

// tenThousand makes a project of 10,000 tasks, each second one with a run.
func tenThousand(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	f := &fixture{t: &testing.T{}, root: root}
	for i := range 10_000 {
		ref := fmt.Sprintf("g%02d/task-%05d", i%20, i)
		f.task(filepath.Dir(ref), filepath.Base(ref), fmt.Sprintf("Title of task %d", i))
		if i%2 == 0 {
			f.ran(ref, "error-analysis", "001", fmt.Sprintf("2026-%02d-%02dT00:00:00Z", 1+i%12, 1+i%28))
		}
	}
	return root
}

// The whole list: what a screen of tasks costs.
func BenchmarkTasksTenThousand(b *testing.B) {
	root := tenThousand(b)
	for b.Loop() {
		p := &Project{Root: root}
		if n := len(p.Tasks().Tasks); n != 10_000 {
			b.Fatal(n)
		}
	}
}

// The same with what comes to hand: one file after the other, whole documents.
func BenchmarkTasksTenThousandPlainly(b *testing.B) {
	root := tenThousand(b)
	for b.Loop() {
		manifests, err := filepath.Glob(filepath.Join(root, ".okstra/tasks/*/*/task-manifest.json"))
		if err != nil || len(manifests) != 10_000 {
			b.Fatal(len(manifests), err)
		}
		for _, name := range manifests {
			var m run.TaskManifest
			raw, err := os.ReadFile(name)
			if err != nil || json.Unmarshal(raw, &m) != nil {
				b.Fatal(err)
			}
			runs, err := filepath.Glob(filepath.Join(filepath.Dir(name), "runs/*/manifests/run-manifest-*.json"))
			if err != nil {
				b.Fatal(err)
			}
			for _, one := range runs {
				if _, err := os.ReadFile(one); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// Any other step of the walk looks at one task, and whether there is another.
func BenchmarkOneTaskOfTenThousand(b *testing.B) {
	root := tenThousand(b)
	for b.Loop() {
		p := &Project{Root: root}
		if _, ok := p.Task("g07", "task-00007"); !ok || !p.HasOther("g07", "task-00007") {
			b.Fatal("a task is missing")
		}
	}
}
