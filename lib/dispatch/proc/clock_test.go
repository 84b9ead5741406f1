package proc

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWentBack(t *testing.T) {
	for _, tt := range []struct {
		name               string
		passed, wall, want time.Duration
	}{
		{"nobody set it", time.Minute, time.Minute, 0},
		{"the two differ a little", time.Minute, time.Minute - 10*time.Microsecond, 0},
		{"set back by an hour", time.Minute, time.Minute - time.Hour, time.Hour},
		{"set back by less than what passed", time.Minute, 20 * time.Second, 40 * time.Second},
		{"set forward", time.Minute, time.Hour, 0},
	} {
		if got := wentBack(tt.passed, tt.wall); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAReportHasNoNegativeTime(t *testing.T) {
	wall := func(t time.Time) time.Time { return t.Round(0) }
	start := time.Now()
	end := start.Add(90 * time.Second)
	r := Report{StartedAt: start}
	if r.End(end); r.Elapsed != 90*time.Second || !wall(r.EndedAt).Equal(wall(end)) {
		t.Errorf("elapsed %v until %v, want 1m30s until %v", r.Elapsed, r.EndedAt, end)
	}
	// Without a monotonic reading the wall clock is all there is.
	r = Report{StartedAt: wall(start)}
	if r.End(wall(start).Add(-time.Hour)); r.Elapsed != 0 {
		t.Errorf("elapsed %v, want 0 and never less", r.Elapsed)
	}
}

func TestAGrowingSessionIsProgressWhateverItsTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.jsonl")
	now := time.Now()
	w := &FileWatcher{Trees: []string{dir}, Since: now, Now: time.Now}
	look := func() bool {
		now = now.Add(time.Minute)
		return w.Look(now).Progress
	}
	for _, step := range []struct {
		text string
		want bool
	}{{"old", false}, {"old", false}, {"old, and more", true}, {"old, and more", false}} {
		if err := os.WriteFile(path, []byte(step.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-3*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := look(); got != step.want {
			t.Errorf("%q is progress: %v, want %v", step.text, got, step.want)
		}
	}
}
