package dispatch

import (
	"testing"

	"okstra/lib/audit"
	"okstra/lib/run"
)

// What a CLI's own sandbox leaves behind empty when it is killed is no
// violation; anything in it, anywhere else, or of another kind is.
func TestWhatAKilledSandboxLeavesIsScratch(t *testing.T) {
	made := run.Change{Path: ".codex", Surface: "tree", Change: "created", Class: audit.ClassUnplanned, Detail: "directory"}
	with := func(edit func(*run.Change)) run.Change {
		c := made
		edit(&c)
		return c
	}
	for _, tt := range []struct {
		name    string
		changes []run.Change
		left    int // violations
	}{
		{"an empty folder", []run.Change{made}, 0},
		{"a folder with something in it", []run.Change{made, with(func(c *run.Change) { c.Path, c.Detail = ".codex/hook", "" })}, 2},
		{"another folder", []run.Change{with(func(c *run.Change) { c.Path = "codex" })}, 1},
		{"the same name further down", []run.Change{with(func(c *run.Change) { c.Path = "src/.codex" })}, 1},
		{"a file of that name", []run.Change{with(func(c *run.Change) { c.Detail = "" })}, 1},
		{"a link of that name", []run.Change{with(func(c *run.Change) { c.Detail = "link to /etc" })}, 1},
		{"a folder that was removed", []run.Change{with(func(c *run.Change) { c.Change = "deleted" })}, 1},
		{"a folder whose mode changed", []run.Change{with(func(c *run.Change) { c.Change, c.Detail = "mode", "mode 0755 to 0777" })}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := ownScratch(audit.Findings{Changes: tt.changes, Violations: tt.changes}, []string{".agents", ".codex"})
			if len(found.Violations) != tt.left || len(found.Changes) != len(tt.changes) {
				t.Errorf("%d violations of %d changes, want %d of %d", len(found.Violations), len(found.Changes), tt.left, len(tt.changes))
			}
			for _, c := range found.Changes {
				if (c.Class == audit.ClassScratch) != (tt.left == 0) {
					t.Errorf("%s is %s", c.Path, c.Class)
				}
			}
		})
	}
}
