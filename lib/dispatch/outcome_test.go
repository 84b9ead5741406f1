package dispatch

import (
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/dispatch/proc"
)

// good is what a job looks like that did its work.
func good(change func(*Facts)) Facts {
	f := Facts{Provider: true, Stream: true, Terminal: true, Good: true, Artifact: ArtifactGood}
	change(&f)
	return f
}

// Every row of the outcome table, with the evidence that leads to it and, where
// it could be mistaken for another row, evidence of that one too.
func TestOutcomeTable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		facts   Facts
		outcome string
		cause   string
	}{
		{"1 descendants alive after KILL, over everything", good(func(f *Facts) { f.Unkillable = true; f.Limit = proc.LimitWall }), OutcomeKillUnverified, OutcomeKillUnverified},
		{"2 budget", Facts{NotRun: CauseBudget}, OutcomeCancelled, CauseBudget},
		{"2 interrupted before the start", Facts{NotRun: CauseInterrupted}, OutcomeCancelled, CauseInterrupted},
		{"2 provider stopped after an authentication failure", Facts{NotRun: CauseAuthStopped}, OutcomeCancelled, CauseAuthStopped},
		{"3 command missing", Facts{StartError: proc.ReasonCommandMissing}, OutcomeNotStarted, proc.ReasonCommandMissing},
		{"3 boundary failed", Facts{StartError: proc.ReasonBoundaryFailed}, OutcomeNotStarted, proc.ReasonBoundaryFailed},
		{"4 lost", Facts{Lost: true}, OutcomeLost, CauseLost},
		{"5 a limit with a clean exit and a good end (report 10)", good(func(f *Facts) { f.Limit = proc.LimitWall }), OutcomeTimeout, proc.LimitWall},
		{"5 idle", Facts{Limit: proc.LimitIdle, Signal: "SIGTERM"}, OutcomeTimeout, proc.LimitIdle},
		{"5 start-up", Facts{Limit: proc.LimitStartup}, OutcomeTimeout, proc.LimitStartup},
		{"5 output", Facts{Limit: proc.LimitOutput}, OutcomeTimeout, proc.LimitOutput},
		{"6 stopped by the user", Facts{Stopped: true, Signal: "SIGTERM"}, OutcomeCancelled, CauseInterrupted},
		{"7 a signal", good(func(f *Facts) { f.Signal = "SIGSEGV" }), OutcomeFailed, CauseSignal},
		{"8 disk full", good(func(f *Facts) { f.DiskFull = true; f.Terminal = false }), OutcomeFailed, CauseDiskFull},
		{"8 a full disk after a good end proves nothing", good(func(f *Facts) { f.DiskFull = true }), OutcomeCompleted, CauseOK},
		{"9 authentication", good(func(f *Facts) { f.Named = CauseAuth; f.ExitCode = 1 }), OutcomeFailed, CauseAuth},
		{"9 rate limit, gemini's exit status 173 is no signal", good(func(f *Facts) { f.Named = CauseRateLimit; f.ExitCode = 173; f.Terminal = false }), OutcomeFailed, CauseRateLimit},
		{"9 session in use, nothing on stdout", good(func(f *Facts) { f.Named = CauseSessionInUse; f.ExitCode = 1; f.Terminal = false }), OutcomeFailed, CauseSessionInUse},
		{"9 codex's broken sandbox: exit 0, good end, no work", good(func(f *Facts) { f.Named = "sandbox-broken"; f.Artifact = ArtifactMissing }), OutcomeFailed, "sandbox-broken"},
		{"9 the same words after a good end prove nothing", good(func(f *Facts) { f.Named = CauseRateLimit }), OutcomeCompleted, CauseOK},
		{"9 without a provider nothing is read into the output", Facts{Named: CauseAuth, ExitCode: 1}, OutcomeFailed, CauseExitNonzero},
		{"10 claude: subtype success with is_error", good(func(f *Facts) { f.Good = false; f.ExitCode = 1; f.HTTPErr = true }), OutcomeFailed, CauseProviderError},
		{"10 another HTTP status without a terminal event", good(func(f *Facts) { f.Terminal = false; f.HTTPErr = true; f.ExitCode = 1 }), OutcomeFailed, CauseProviderError},
		{"11 exit status", good(func(f *Facts) { f.ExitCode = 3 }), OutcomeFailed, CauseExitNonzero},
		{"12 stream cut, exit 0 (report 16)", good(func(f *Facts) { f.Terminal = false }), OutcomeFailed, CauseStreamCut},
		{"12 a CLI without a stream has no terminal event to miss", Facts{Provider: true, Artifact: ArtifactGood}, OutcomeCompleted, CauseOK},
		{"13 refused tool calls and no artifact", good(func(f *Facts) { f.Denied = true; f.Artifact = ArtifactMissing }), OutcomeFailed, CausePermission},
		{"14 missing (report 12)", good(func(f *Facts) { f.Artifact = ArtifactMissing }), OutcomeFailed, CauseArtifactMissing},
		{"14 empty (reports 11 and 13)", good(func(f *Facts) { f.Artifact = ArtifactEmpty }), OutcomeFailed, CauseEmptyResult},
		{"14 stale", good(func(f *Facts) { f.Artifact = ArtifactStale }), OutcomeFailed, CauseArtifactStale},
		{"14 unreadable as promised (report 14)", good(func(f *Facts) { f.Artifact = ArtifactInvalid }), OutcomeFailed, CauseArtifactInvalid},
		{"15 another directory (report 24)", good(func(f *Facts) { f.Elsewhere = true }), OutcomeFailed, CauseWrongDirectory},
		{"16 completed", good(func(*Facts) {}), OutcomeCompleted, CauseOK},
		{"16 refused tool calls beside a good artifact", good(func(f *Facts) { f.Denied = true }), OutcomeCompleted, CauseOK},
		{"16 a wrapped command", Facts{}, OutcomeCompleted, CauseOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Decide(tt.facts); got.Outcome != tt.outcome || got.Cause != tt.cause {
				t.Errorf("Decide(%+v) = %s/%s, want %s/%s", tt.facts, got.Outcome, got.Cause, tt.outcome, tt.cause)
			}
		})
	}
}

func TestAuditDecidesTheResultClass(t *testing.T) {
	completed, failed := Decide(good(func(*Facts) {})), Decide(good(func(f *Facts) { f.ExitCode = 1 }))
	for _, tt := range []struct {
		name     string
		verdict  Verdict
		mutation string
		failed   bool
		want     Verdict
	}{
		{"completed", completed, MutationArtifactOnly, false, Verdict{OutcomeCompleted, CauseOK, ClassCompleted, MutationArtifactOnly}},
		{"completed with changes", completed, MutationChanged, false, Verdict{OutcomeCompleted, CauseOK, ClassCompleted, MutationChanged}},
		{"completed and violating keeps its cause", completed, MutationViolation, false, Verdict{OutcomePolicyViolation, CauseOK, ClassPolicyViolation, MutationViolation}},
		{"completed but unaudited", completed, MutationNone, true, Verdict{OutcomeFailed, CauseAuditError, ClassUnaudited, MutationUnknown}},
		{"failed and clean", failed, MutationNone, false, Verdict{OutcomeFailed, CauseExitNonzero, ClassFailedNoMutation, MutationNone}},
		{"failed with an artifact", failed, MutationArtifactOnly, false, Verdict{OutcomeFailed, CauseExitNonzero, ClassFailedNoMutation, MutationArtifactOnly}},
		{"failed with changes", failed, MutationChanged, false, Verdict{OutcomeFailed, CauseExitNonzero, ClassFailedMutated, MutationChanged}},
		{"failed and unaudited", failed, MutationNone, true, Verdict{OutcomeFailed, CauseExitNonzero, ClassUnaudited, MutationUnknown}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.verdict.WithAudit(tt.mutation, tt.failed); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A failed attempt that changed a file is never tried again; nor is one whose
// cause a second attempt would meet again.
func TestRetryAllowed(t *testing.T) {
	for _, tt := range []struct {
		name         string
		class, cause string
		counted, max int
		want         bool
	}{
		{"failed and clean", ClassFailedNoMutation, CauseStreamCut, 1, 2, true},
		{"attempts used up", ClassFailedNoMutation, CauseStreamCut, 2, 2, false},
		{"changed a file", ClassFailedMutated, CauseStreamCut, 1, 2, false},
		{"unaudited", ClassUnaudited, CauseStreamCut, 1, 2, false},
		{"violating", ClassPolicyViolation, CauseOK, 1, 2, false},
		{"completed", ClassCompleted, CauseOK, 1, 2, false},
		{"a lost attempt does not count", ClassFailedNoMutation, CauseLost, 0, 1, true},
		{"rate limit", ClassFailedNoMutation, CauseRateLimit, 1, 2, true},
		{"authentication", ClassFailedNoMutation, CauseAuth, 1, 2, false},
		{"budget", ClassFailedNoMutation, CauseBudget, 0, 2, false},
		{"interrupted", ClassFailedNoMutation, CauseInterrupted, 1, 2, false},
		{"provider stopped", ClassFailedNoMutation, CauseAuthStopped, 0, 2, false},
		{"command missing", ClassFailedNoMutation, proc.ReasonCommandMissing, 1, 2, false},
		{"prompt unreadable", ClassFailedNoMutation, proc.ReasonPromptUnreadable, 1, 2, false},
		{"untrusted directory", ClassFailedNoMutation, causeUntrustedDir, 1, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := RetryAllowed(tt.class, tt.cause, tt.counted, tt.max); got != tt.want {
				t.Errorf("RetryAllowed(%q, %q, %d, %d) = %v, want %v", tt.class, tt.cause, tt.counted, tt.max, got, tt.want)
			}
		})
	}
}

// Laws of the table: some row always decides; exit 0 is never enough where an
// artifact was promised; a limit is never talked away.
func TestOutcomeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Facts{
			Unkillable: rapid.Bool().Draw(t, "unkillable"), Limit: rapid.SampledFrom([]string{"", proc.LimitWall, proc.LimitIdle}).Draw(t, "limit"),
			Signal: rapid.SampledFrom([]string{"", "SIGKILL"}).Draw(t, "signal"), ExitCode: rapid.IntRange(0, 255).Draw(t, "exit"),
			Provider: true, Stream: rapid.Bool().Draw(t, "stream"), Terminal: rapid.Bool().Draw(t, "terminal"), Good: rapid.Bool().Draw(t, "good"),
			HTTPErr: rapid.Bool().Draw(t, "http"), DiskFull: rapid.Bool().Draw(t, "disk"), Denied: rapid.Bool().Draw(t, "denied"),
			Named:    rapid.SampledFrom([]string{"", CauseAuth, CauseRateLimit}).Draw(t, "named"),
			Artifact: rapid.SampledFrom([]ArtifactState{ArtifactGood, ArtifactMissing, ArtifactEmpty, ArtifactStale, ArtifactInvalid}).Draw(t, "artifact"),
		}
		v := Decide(f)
		if v.Outcome == OutcomeCompleted && (f.Artifact != ArtifactGood || f.ExitCode != 0 || f.Signal != "" || f.Limit != "" || f.Stream && !(f.Terminal && f.Good)) {
			t.Fatalf("%+v counts as completed", f)
		}
		if f.Limit != "" && !f.Unkillable && v.Outcome != OutcomeTimeout {
			t.Fatalf("%+v is %s, want timeout", f, v.Outcome)
		}
	})
}

// What explain prints names every cause that a row can give.
func TestTableListsItsCauses(t *testing.T) {
	for i, row := range Table() {
		if row.Evidence == "" || row.Outcome == "" || len(row.Causes) == 0 {
			t.Errorf("row %d is not explained: %+v", i+1, row)
		}
	}
}
