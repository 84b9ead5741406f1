package progress

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Line
	}{
		{"PROGRESS: phase-1-intake reading task bundle", Line{"phase-1-intake", "reading task bundle"}},
		{"PROGRESS: phase-4-dispatch analyser scope-a", Line{"phase-4-dispatch", "analyser scope-a"}},
		{"PROGRESS: phase-5.5-convergence round 1", Line{"phase-5.5-convergence", "round 1"}},
		{"PROGRESS: phase-5.5.9-plan-verify round 2", Line{"phase-5.5.9-plan-verify", "round 2"}},
		{"PROGRESS: phase-batch-cleanup", Line{"phase-batch-cleanup", ""}},
		{"PROGRESS: complete", Line{"complete", ""}},
		{"PROGRESS: complete all  done ", Line{"complete", "all  done "}},
		{"PROGRESS: phase-12-a9-b- é한", Line{"phase-12-a9-b-", "é한"}},
	} {
		got, err := Parse(tt.line)
		if got != tt.want || err != nil {
			t.Errorf("Parse(%q) = %+v %v, want %+v", tt.line, got, err, tt.want)
		}
		if got.String() != tt.line {
			t.Errorf("Parse(%q).String() = %q", tt.line, got.String())
		}
	}
}

func TestParseTellsWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"PROGRESS:", "no blank behind the colon"},
		{"PROGRESS: ", "more than one blank in front of the phase, or none there"},
		{"PROGRESS:phase-1-intake", "no blank behind the colon"},
		{"PROGRESS:  phase-1-intake", "more than one blank in front of the phase"},
		{"PROGRESS:\tphase-1-intake", "no blank behind the colon"},
		{"PROGRESS: phase-1", `phase "phase-1" (expected`},
		{"PROGRESS: phase-x-intake", `phase "phase-x-intake" (expected`},
		{"PROGRESS: phase-1.-intake", `phase "phase-1.-intake" (expected`},
		{"PROGRESS: Phase-1-intake", `phase "Phase-1-intake" (expected`},
		{"PROGRESS: phase-1-Intake x", `phase "phase-1-Intake" (expected`},
		{"PROGRESS: phase-1-9 x", `phase "phase-1-9" (expected`},
		{"PROGRESS: done", `phase "done" (expected`},
		{"PROGRESS: completed", `phase "completed" (expected`},
		{"PROGRESS: phase-batch-cleanup-x", `phase "phase-batch-cleanup-x" (expected`},
		{"PROGRESS: complete ", "a blank at the end"},
		{"PROGRESS: complete  two blanks", "white space where the text begins"},
		{"PROGRESS: complete \ttab", "white space where the text begins"},
		{"PROGRESS: complete\ttab", `phase "complete\ttab" (expected`},
		{"PROGRESS: complete a\nb", "line break inside"},
		{"PROGRESS: complete\n", "line break inside"},
	} {
		got, err := Parse(tt.line)
		if got != (Line{}) || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %+v, %v, want an error with %q", tt.line, got, err, tt.want)
		}
		if errors.Is(err, ErrNoProgress) || !Claims(tt.line) {
			t.Errorf("Parse(%q): a broken line is not another line", tt.line)
		}
	}
}

func TestOtherLinesAreNoMistake(t *testing.T) {
	for _, line := range []string{"", " PROGRESS: complete", "\tPROGRESS: complete", "`PROGRESS: complete`", "progress: complete", "PROGRESS complete"} {
		if _, err := Parse(line); err != ErrNoProgress || Claims(line) {
			t.Errorf("Parse(%q) = %v, want ErrNoProgress", line, err)
		}
	}
}

func TestHasWord(t *testing.T) {
	for _, tt := range []struct {
		text, word string
		want       bool
	}{
		{"Analyser scope-a completed", "analyser", true},
		{"analyser scope-a", "scope", false},
		{"analyser\tscope-a", "SCOPE-A", true},
		{"report-writer", "report-writer", true},
		{"", "", false},
	} {
		if got := (Line{Text: tt.text}).HasWord(tt.word); got != tt.want {
			t.Errorf("%q.HasWord(%q) = %v, want %v", tt.text, tt.word, got, tt.want)
		}
	}
}

// FuzzParse: an accepted line is written back byte for byte, and a refused one
// gives no line.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"PROGRESS: phase-1-intake reading", "PROGRESS: phase-5.5.9-plan-verify round 2", "PROGRESS: complete", "PROGRESS: complete  x", "PROGRESS:", "x", "PROGRESS: phase-1-a\n", "PROGRESS: phase-1-a \xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := Parse(line)
		if err == nil && got.String() != line {
			t.Fatalf("Parse(%q).String() = %q", line, got.String())
		}
		if err != nil && got != (Line{}) {
			t.Fatalf("Parse(%q) = %+v beside %v", line, got, err)
		}
		if (err == ErrNoProgress) == Claims(line) {
			t.Fatalf("Parse(%q) = %v, Claims = %v", line, err, Claims(line))
		}
	})
}
