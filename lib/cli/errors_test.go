package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
)

type located struct{}

func (located) Error() string   { return "report.json:3:1: wrong" }
func (located) ExitStatus() int { return StatusBadInput }

func TestStatusIsAPropertyOfTheError(t *testing.T) {
	plain := errors.New("plain")
	_, syntax := jsondoc.Parse("x.json", []byte("{"))
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, 0},
		{"unmarked", plain, 3},
		{"refused", Refused(plain), 1},
		{"bad input", BadInput(plain), 2},
		{"usage", Usagef("no"), 2},
		{"busy", Busy(plain), 75},
		{"verdict", Verdict(1), 1},
		{"wrapped", fmt.Errorf("verdict file %q: %w", "v.md", BadInput(plain)), 2},
		{"outermost mark", Refused(BadInput(plain)), 1},
		{"hint", WithHint(Refused(plain), "do this"), 1},
		{"joined, worst wins", errors.Join(Refused(plain), Busy(plain), BadInput(plain)), 75},
		{"joined, unmarked counts", errors.Join(Refused(plain), plain), 3},
		{"joined, all refused", errors.Join(Refused(plain), Refused(plain)), 1},
		{"wrapped join", fmt.Errorf("batch: %w", errors.Join(Refused(plain), BadInput(plain))), 2},
		{"two wrapped, the marked one speaks", fmt.Errorf("%w: %w", plain, BadInput(plain)), 2},
		{"two wrapped, none marked", fmt.Errorf("%w: %w", plain, fs.ErrNotExist), 3},
		{"type with a status", fmt.Errorf("read: %w", located{}), 2},
		{"broken JSON", syntax, 2},
		{"lock", fmt.Errorf("state.json: %w", atomicfile.ErrBusy), 75},
		{"marks of nothing", errors.Join(Refused(nil), BadInput(nil), Busy(nil), WithHint(nil, "x"), Verdict(0)), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Status(tt.err); got != tt.want {
				t.Errorf("Status(%v) = %d, want %d", tt.err, got, tt.want)
			}
		})
	}
}

func TestJoiningNeverMakesAStatusBetter(t *testing.T) {
	statuses := []int{0, 1, 2, 3, 75, 130, 143}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOf(rapid.SampledFrom(statuses)).Draw(t, "statuses")
		var errs []error
		worst := 0
		for _, status := range drawn {
			errs = append(errs, mark(verdictOrNil(status), status))
			if severity(status) > severity(worst) {
				worst = status
			}
		}
		if got := Status(errors.Join(errs...)); got != worst {
			t.Fatalf("Status of joined %v = %d, want %d", drawn, got, worst)
		}
	})
}

func verdictOrNil(status int) error {
	if status == 0 {
		return nil
	}
	return errors.New("x")
}

func TestMessagesAreOneLinePerError(t *testing.T) {
	plain := errors.New("disk on fire")
	for _, tt := range []struct {
		name string
		err  error
		want []message
	}{
		{"one", plain, []message{{text: "disk on fire"}}},
		{"joined", errors.Join(plain, Refused(errors.New("no"))), []message{{text: "disk on fire"}, {text: "no"}}},
		{"several lines", errors.New("a:1: x\na:2: y\n"), []message{{text: "a:1: x"}, {text: "a:2: y"}}},
		{"verdict", Verdict(1), nil},
		{"cancelled", fmt.Errorf("lock: %w", context.Canceled), nil},
		{"cause", Interruption{syscall.SIGINT}, nil},
		{"usage", Usagef("unknown flag %s", "--x"), []message{{text: "unknown flag --x; try 'okstra-x --help'"}}},
		{"usage, wrapped", fmt.Errorf("plan: %w", Usagef("no")), []message{{text: "plan: no; try 'okstra-x --help'"}}},
		{
			"hint after its line",
			errors.Join(WithHint(fmt.Errorf("a: %w", WithHint(plain, "inner")), "outer"), errors.New("b")),
			[]message{{text: "a: disk on fire"}, {text: "outer", hint: true}, {text: "inner", hint: true}, {text: "b"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := messages(tt.err, "okstra-x --help")
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(message{})); diff != "" {
				t.Errorf("messages(%q) (-want +got):\n%s", tt.err, diff)
			}
		})
	}
}

func TestFileErrorNamesTheFileAndTheCauseOnly(t *testing.T) {
	err := fileError("a\x1b[31m.json", &fs.PathError{Op: "open", Path: "/elsewhere", Err: syscall.ENOENT})
	if got, want := err.Error(), "a.json: no such file or directory"; got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}
