package collect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
)

func TestStatusFilesOfOtherToolsAreReadWithTolerance(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"ours", `{"state":"timeout","startedAt":"2026-09-08T10:00:00Z","endedAt":"2026-09-08T10:01:00Z"}`, "timeout 2026-09-08T10:00:00Z 2026-09-08T10:01:00Z"},
		{"other names", `{"cliExecutionStatus":"exited","startedAt":"a","finishedAt":"b","rc":0}`, "exited a b"},
		{"another word for the state, and an end", `{"status":"completed","startedAt":"a","endedAt":"b"}`, "exited a b"},
		{"another word and an exit code", `{"status":"done","rc":3}`, "exited  "},
		{"started without an end", `{"startedAt":"a"}`, "started a "},
		{"the first name that says something", `{"state":"","status":"failed"}`, "failed  "},
		{"members of other types", `{"state":7,"status":"exited","startedAt":{},"exitCode":"0"}`, "exited  "},
		{"an exit code of another type is none", `{"startedAt":"a","exitCode":"137"}`, "started a "},
		{"nor is half of one", `{"startedAt":"a","rc":1.5}`, "started a "},
		{"nothing", `{}`, "  "},
		{"no object", `[]`, "none"},
	} {
		got := "none"
		if s, err := tolerant([]byte(tt.text)); err == nil {
			got = s.State + " " + s.StartedAt + " " + s.EndedAt
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Whatever a status file holds, what is read of it is a state that blocks know.
func FuzzTolerant(f *testing.F) {
	f.Add([]byte(`{"state":"exited","usage":{"input_tokens":5}}`))
	f.Add([]byte(`{"status":null,"rc":1e9,"startedAt":"x"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := tolerant(raw)
		if err != nil && !cmp.Equal(*s, run.Status{}) {
			t.Fatalf("%v, and yet %+v", err, s)
		}
		switch s.State {
		case "", "not-started", "started", "exited", "timeout", "failed":
		default:
			t.Errorf("state %q", s.State)
		}
	})
}
