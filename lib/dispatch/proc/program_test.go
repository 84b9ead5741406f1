package proc

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFileThatASearchPassesOverIsToldApartFromAMissingCommand(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(second, "tool"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(first, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	search := first + ":" + second
	t.Setenv("PATH", search)
	for _, tt := range []struct{ name, reason string }{
		{"tool", ReasonExecFailed},
		{"folder", ReasonCommandMissing},
		{"none", ReasonCommandMissing},
	} {
		if path, err := FindProgram(tt.name, "/", []string{"PATH=" + search}); err == nil || err.Reason != tt.reason || path != "" {
			t.Errorf("FindProgram(%q) = %q, %v, want reason %s", tt.name, path, err, tt.reason)
		}
	}
}
