package dispatch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"okstra/lib/run"
)

// A status file tells the second of the start. What lay there since earlier in
// that second must not pass for new.
func TestTheStartOfAPastAttemptIsKnownFinerThanASecond(t *testing.T) {
	dir := t.TempDir()
	p := &past{job: run.Job{ProjectRoot: dir, PromptPath: "p.md"}, n: 1, files: attemptPaths(dir, "p.md", 1)}
	sidecar := filepath.Join(dir, p.files.Attempt)
	if err := os.WriteFile(sidecar, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(sidecar)
	if err != nil {
		t.Fatal(err)
	}
	written := changeTime(info)
	second := written.Truncate(time.Second)
	for _, tt := range []struct {
		name    string
		started time.Time
		want    time.Time
	}{
		{"within the second of its sidecar", second, written},
		{"in a later second", second.Add(time.Second), second.Add(time.Second)},
		{"long before somebody wrote the sidecar again", second.Add(-time.Minute), second.Add(-time.Minute)},
	} {
		p.status = &run.Status{StartedAt: run.Stamp(tt.started)}
		if got, err := p.startedAt(); err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: started at %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
	p.status.StartedAt = "yesterday"
	if _, err := p.startedAt(); err == nil {
		t.Error("a start that is no time is taken")
	}
}
