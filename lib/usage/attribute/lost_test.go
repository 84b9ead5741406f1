package attribute

import (
	"fmt"
	"testing"
	"time"

	"okstra/lib/run"
	"okstra/lib/transcript"
)

// A worker of two dispatches, of whose second no transcript is there, has the
// first one's tokens: a figure that is too low and must not look whole.
func TestADispatchWithoutATranscriptIsMissed(t *testing.T) {
	zero, one := 0, 1
	ran := func(state, from, to string, code *int) *run.Status {
		return &run.Status{State: state, StartedAt: "2026-09-08T" + from + "Z", EndedAt: "2026-09-08T" + to + "Z", ExitCode: code}
	}
	const rows = `[{"workerId":"w","sessionId":"a","promptPath":"1"},{"workerId":"w","sessionId":" b ","promptPath":"2"},{"workerId":"w","sessionId":"b","promptPath":"2"}]`
	first := ran("exited", "10:05:00", "10:06:00", &zero)
	for _, tt := range []struct {
		name   string
		second *run.Status
		extra  []session
		want   string
	}{
		{"it ran to its end", ran("exited", "10:20:00", "10:21:00", &zero), nil, "[b]"},
		{"its transcript is there", ran("exited", "10:20:00", "10:21:00", &zero), []session{{id: "b", clock: "10:20:30", tokens: 2}}, "[]"},
		{"its transcript holds nothing", ran("exited", "10:20:00", "10:21:00", &zero), []session{{id: "b", clock: "12:00:00"}}, "[]"},
		{"a session of another id was found by place and time", ran("exited", "10:20:00", "10:21:00", &zero), []session{{id: "own", clock: "10:20:30", tokens: 2}}, "[]"},
		{"it failed", ran("exited", "10:20:00", "10:21:00", &one), nil, "[]"},
		{"it was killed", ran("timeout", "10:20:00", "10:21:00", nil), nil, "[]"},
		{"nobody knows how it ended", ran("exited", "10:20:00", "10:21:00", nil), nil, "[]"},
		{"it ran outside the window", ran("exited", "11:20:00", "11:21:00", &zero), nil, "[]"},
		{"it has no status file", nil, nil, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Run{Window: transcript.Window{Since: time.Unix(0, at("10:00:00")), Until: time.Unix(0, at("11:00:00"))}}
			status := map[string]*run.Status{"1": first, "2": tt.second}
			owner := Owners(ledger(t, []string{"w"}, rows), func(p string) *run.Status { return status[p] })[0]
			var events []transcript.Event
			for i, s := range append([]session{{id: "a", tokens: 1}}, tt.extra...) {
				f, e := s.read(i)
				r.Files = append(r.Files, f)
				if e.Total() > 0 {
					events = append(events, e)
				}
			}
			if got := fmt.Sprint(r.Lost(owner, events)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
