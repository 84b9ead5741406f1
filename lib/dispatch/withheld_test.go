package dispatch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"okstra/lib/run"
)

// What a job left in the place of its result is judged the same whether it lies
// in the tree or stayed inside of the overlay.
func TestAnArtifactThatStaysInTheOverlayIsJudgedAsInTheTree(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name   string
		inTree func(path string) error // what the tree has
		change run.Mutation
		want   ArtifactState
	}{
		{"a link", nil, run.Mutation{Change: "created", Class: "artifact"}, ArtifactInvalid},
		{"a link in the place of an old result", stale, run.Mutation{Change: "type", Class: "artifact"}, ArtifactInvalid},
		{"an old result removed", stale, run.Mutation{Change: "deleted", Class: "artifact"}, ArtifactMissing},
		{"a file", fresh, run.Mutation{Change: "created", Class: "artifact", CopiedOut: true}, ArtifactGood},
		{"something else", fresh, run.Mutation{Path: "other.md", Change: "created", Class: "unplanned"}, ArtifactGood},
		{"nothing", nil, run.Mutation{Path: "other.md", Change: "created", Class: "artifact"}, ArtifactMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "r.md")
			if tt.inTree != nil {
				if err := tt.inTree(path); err != nil {
					t.Fatal(err)
				}
			}
			tt.change.Path = orText(tt.change.Path, "r.md")
			start := old.Add(time.Minute)
			got, decides, _, _ := inspectAll(dir, []promised{{path: "r.md"}}, begun{time: start, kept: withheldOf(dir, []run.Mutation{tt.change})}, nobodys)
			if got != tt.want || decides != "r.md" {
				t.Errorf("the artifact is %s (%s), want %s", got, decides, tt.want)
			}
		})
	}
}

func fresh(path string) error { return os.WriteFile(path, []byte("# r\n"), 0o644) }

// stale is an artifact of long ago by its modification time.
func stale(path string) error {
	if err := fresh(path); err != nil {
		return err
	}
	old := time.Now().Add(-time.Hour)
	return os.Chtimes(path, old, old)
}
