package dispatch

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"okstra/lib/jsonl"
	"okstra/lib/run"
)

// Ids of activity events have neither a gap nor a repeat, though several
// writers append at once.
func TestActivityIDsOfManyWriters(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	now := time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if err := AppendActivity(t.Context(), m, []byte(`{"kind":"verification","round":1}`), now.Add(time.Duration(-i)*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	rows, bad, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.EventsLogPath))
	if err != nil || len(bad) > 0 || len(rows) != 6 {
		t.Fatalf("%d rows, %v, %v", len(rows), bad, err)
	}
	for i, row := range rows {
		if want := fmt.Sprintf(`"id":"A-%03d"`, i+1); !strings.Contains(string(row.Raw), want) {
			t.Errorf("row %d is %s, want %s", i+1, row.Raw, want)
		}
	}
	for event, want := range map[string]string{
		`{"kind":"verification","round":2,"id":"A-001"}`:                       `"A-007", the next one`,
		`{"kind":"verification","round":2,"id":"A-999"}`:                       `"A-007", the next one`,
		`{"kind":"verification","round":2,"at":"2026-09-08T19:00:00Z"}`:        "/at",
		`{"kind":"verification","round":2,"workerId":"a"}`:                     "/workerId",
		`{"kind":"verification","round":2,"runId":"a:b:c:error-analysis:001"}`: "/runId",
	} {
		if err := AppendActivity(t.Context(), m, []byte(event), now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("AppendActivity(%s) = %v, want an error with %s", event, err, want)
		}
	}
	if err := AppendActivity(t.Context(), m, []byte(`{"kind":"verification","round":2,"id":"A-007"}`), now); err != nil {
		t.Errorf("the next id, given: %v", err)
	}
}
