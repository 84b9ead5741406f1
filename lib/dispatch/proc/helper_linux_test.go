package proc

import (
	"os"
	"testing"
)

func TestAHelperTellsAMissingCommandFromAFailedBoundary(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		want       *StartError
	}{
		{"nothing: the program runs", "", nil},
		{"the boundary could not be set up", "landlock: not supported", &StartError{ReasonBoundaryFailed, "landlock: not supported"}},
		{"the boundary stood", (&StartError{ReasonCommandMissing, "claude: not found"}).Error(), &StartError{ReasonCommandMissing, "claude: not found"}},
		{"and the program cannot be executed", (&StartError{ReasonExecFailed, "claude: format"}).Error(), &StartError{ReasonExecFailed, "claude: format"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.WriteString(tt.said); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got := readReport(r)
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("readReport of %q = %v, want %v", tt.said, got, tt.want)
			}
		})
	}
}
