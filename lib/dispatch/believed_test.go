package dispatch

import (
	"testing"

	"okstra/lib/run"
)

// A worker that writes itself a better line into the journal is not believed.
func TestTheSidecarCountsNotTheJournal(t *testing.T) {
	result := func(outcome, cause, message string) run.Result {
		return run.Result{Outcome: &outcome, Cause: &cause, Message: message}
	}
	for _, tt := range []struct {
		name           string
		sidecar, final run.Result
		outcome        string
		warned         bool
	}{
		{"both say the same", result("failed", "auth", ""), result("failed", "auth", "more"), "failed", false},
		{"a better outcome", result("policy-violation", "ok", ""), result("completed", "ok", ""), "policy-violation", true},
		{"another cause", result("failed", "auth", ""), result("failed", "rate-limit", ""), "failed", true},
		{"called off, says only the journal", result("policy-violation", "ok", ""), result("cancelled", "interrupted", ""), "policy-violation", true},
		{"what is done is not called off", result("completed", "ok", ""), result("cancelled", "budget", ""), "completed", true},
		{"no outcome at all", result("completed", "ok", ""), run.Result{}, "completed", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := believed(tt.sidecar, tt.final)
			if *got.Outcome != tt.outcome || (len(got.Warnings) > 0) != tt.warned {
				t.Errorf("told is %s with %q, want %s, warned %v", *got.Outcome, got.Warnings, tt.outcome, tt.warned)
			}
		})
	}
}
