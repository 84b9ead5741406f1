//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"okstra/lib/clitest/modelserver"
)

// boundaries are the kernel boundaries of okstra-dispatch.
var boundaries = []string{"overlay", "landlock", "none"}

// TestEachCLICompletes runs each CLI through the dispatcher, in each boundary:
// the model has a tool write the promised file. Claude Code is given no
// permission to run tools where no boundary holds it.
func TestEachCLICompletes(t *testing.T) {
	for _, c := range clis {
		for _, boundary := range boundaries {
			t.Run(c.id+"/"+boundary, func(t *testing.T) {
				t.Parallel()
				l := newLane(t, c, modelserver.Options{Default: "tool", Command: doesTheJob})
				r := l.dispatch(append(patient.flags(), "--boundary", boundary)...)
				if c.id == "claude" && boundary == "none" {
					l.ended(r, refused, patient)
					return
				}
				l.ended(r, done, patient)
				s := l.sidecar(r)
				if r.Boundary != boundary || s.Boundary.Kind != boundary {
					t.Errorf("boundary %s, in the sidecar %s, want %s", r.Boundary, s.Boundary.Kind, boundary)
				}
				if len(s.Audit.Changes) != 1 || s.Audit.Changes[0].Path != resultFile || s.Audit.Changes[0].Class != "artifact" {
					t.Errorf("changes %+v, want the promised file alone", s.Audit.Changes)
				}
				if len(r.Warnings) > 0 {
					t.Errorf("warnings %q, want none", r.Warnings)
				}
			})
		}
	}
}

func doesTheJob(string) string { return writeResult }

// end is how a job is expected to end.
type end struct {
	outcome  string
	cause    string // "" for the limit that the times name
	exit     *int   // nil for any
	signal   string
	mutation string // "" for none
}

// limits are those of a job.
type limits struct{ wall, idle time.Duration }

func (l limits) flags() []string {
	return []string{"--timeout", l.wall.String(), "--idle", l.idle.String()}
}

var (
	patient = limits{4 * time.Minute, 4 * time.Minute}
	short   = limits{30 * time.Second, 20 * time.Second}
	doubled = limits{75 * time.Second, 50 * time.Second}
)

// limits are those to run a job under: a CLI that gives up by itself is left
// the time it takes. One that hangs has short ones; if it did not get as far
// as the model on a busy machine, it is run again with more.
func (e end) limits() []limits {
	switch {
	case e.outcome != "timeout":
		return []limits{patient}
	case e.cause == "wall":
		return []limits{{short.wall, short.wall + time.Minute}, {doubled.wall, doubled.wall + time.Minute}}
	}
	return []limits{short, doubled}
}

// ended checks how a run ended, and what holds after every run: the tree is as
// it was, the audit says so, no process is left.
func (l *lane) ended(r result, want end, limits limits) {
	l.t.Helper()
	mutation := cmp.Or(want.mutation, "none")
	switch {
	case r.Outcome != want.outcome, want.cause != "" && r.Cause != want.cause, r.Mutation != mutation,
		want.exit != nil && (r.ExitCode == nil || *r.ExitCode != *want.exit), want.signal != "" && r.Signal != want.signal:
		l.t.Errorf("got %v\nwant %s/%s, mutation %s, exit code %v\ncalls %s", r, want.outcome, want.cause, mutation, result{ExitCode: want.exit}.code(), l.calls())
	default:
		l.t.Log(r)
	}
	if want.outcome == "timeout" && want.cause == "" {
		l.limitFits(r, limits)
	}
	verdict := map[bool]string{true: "violation", false: "clean"}[mutation == "violation"]
	if s := l.sidecar(r); s.Audit.Verdict != verdict {
		l.t.Errorf("audit %+v, want %s", s.Audit, verdict)
	}
	l.untouched()
	l.nothingLeft()
}

// limitFits checks that the times of a job tell the same limit as its cause: a
// busy machine decides which comes first.
func (l *lane) limitFits(r result, limits limits) {
	l.t.Helper()
	var s struct{ StartedAt, FirstOutputAt, LastProgressAt, EndedAt, Limit, State string }
	text, err := os.ReadFile(filepath.Join(l.project, r.StatusPath))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			l.t.Errorf("status file: %v in %+v", err, s)
		}
		return when
	}
	// Times are whole seconds.
	const slack = time.Second
	fits := map[string]func() bool{
		"wall":    func() bool { return at(s.EndedAt).Sub(at(s.StartedAt)) >= limits.wall-slack },
		"idle":    func() bool { return at(s.EndedAt).Sub(at(s.LastProgressAt)) >= limits.idle-slack },
		"startup": func() bool { return s.FirstOutputAt == "" },
	}
	if fit := fits[r.Cause]; fit == nil || !fit() || s.Limit != r.Cause || s.State != "timeout" {
		l.t.Errorf("cause %s does not fit the status file %+v", r.Cause, s)
	}
}
