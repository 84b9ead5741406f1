package dispatch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// nobodys takes every artifact for the job's own.
func nobodys(string) bool { return false }

func TestInspectArtifacts(t *testing.T) {
	start := time.Now().Add(-time.Hour)
	dir := t.TempDir()
	write := func(name, text string, at time.Time) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("good.md", "# fine", start.Add(time.Second))
	write("empty.md", " \n", start.Add(time.Second))
	write("stale.md", "# old", start.Add(-time.Minute))
	write("same-tick.md", "# fine", start.Add(-5*time.Millisecond))
	write("latin1.md", "caf\xe9", start.Add(time.Second))
	write("report.json", `{"kind":"okstra-final-report"}`, start.Add(time.Second))
	write("cut.json", `{"kind":"okstra-final-rep`, start.Add(time.Second))
	if err := os.Symlink("good.md", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want promised
		get  ArtifactState
	}{
		{"good", promised{path: "good.md"}, ArtifactGood},
		{"missing", promised{path: "none.md"}, ArtifactMissing},
		{"empty", promised{path: "empty.md"}, ArtifactEmpty},
		{"older than the start", promised{path: "stale.md"}, ArtifactStale},
		{"written within the kernel's tick", promised{path: "same-tick.md"}, ArtifactGood},
		{"not UTF-8", promised{path: "latin1.md"}, ArtifactInvalid},
		{"a link", promised{path: "link.md"}, ArtifactInvalid},
		{"a folder", promised{path: "."}, ArtifactInvalid},
		{"a document", promised{path: "report.json", kind: "okstra-final-report"}, ArtifactGood},
		{"a cut document", promised{path: "cut.json", kind: "okstra-final-report"}, ArtifactInvalid},
		{"a document of another kind", promised{path: "report.json", kind: "okstra-job"}, ArtifactInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, record, _ := inspect(dir, tt.want, begun{time: start}); got != tt.get {
				t.Errorf("inspect(%+v) = %s (%+v), want %s", tt.want, got, record, tt.get)
			}
		})
	}
	state, decides, _, record := inspectAll(dir, []promised{{path: "good.md"}, {path: "cut.json", kind: "okstra-final-report"}}, begun{time: start}, nobodys)
	if state != ArtifactInvalid || decides != "cut.json" || record.Path != "good.md" || record.Digest == "" {
		t.Errorf("a second artifact that is broken gives %s of %s with record %+v", state, decides, record)
	}
	others := func(path string) bool { return path == "good.md" || path == "stale.md" }
	if state, decides, _, record := inspectAll(dir, []promised{{path: "good.md"}}, begun{time: start}, others); state != ArtifactMissing || decides != "good.md" || record.Present {
		t.Errorf("an artifact that a peer wrote gives %s of %s with record %+v", state, decides, record)
	}
	if state, _, _, record := inspectAll(dir, []promised{{path: "stale.md"}}, begun{time: start}, others); state != ArtifactStale || !record.Present {
		t.Errorf("an old artifact that the job left alone gives %s with record %+v", state, record)
	}
	if state, _, _, record := inspectAll(dir, nil, begun{time: start}, nobodys); state != ArtifactNone || record != nil {
		t.Errorf("nothing promised gives %s, %+v", state, record)
	}
}

// What an earlier attempt left does not become new by the time that it gave to
// it, nor does a file that nobody could read keep us.
func TestHostileArtifacts(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"dated.md", "sparse.md"} {
		if err := os.WriteFile(path(name), []byte("# fine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now().Add(time.Minute)
	if err := os.Chtimes(path("dated.md"), start, start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got, record, _ := inspect(dir, promised{path: "dated.md"}, begun{time: start}); got != ArtifactStale || record.NewerThanStart {
		t.Errorf("a file with a time in the future is %s, %+v; want %s", got, record, ArtifactStale)
	}
	if err := os.Truncate(path("sparse.md"), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	if got, record, _ := inspect(dir, promised{path: "sparse.md"}, begun{time: time.Now().Add(-time.Hour)}); got != ArtifactInvalid || record.Bytes != 1<<40 {
		t.Errorf("a file of a terabyte is %s, %+v; want %s", got, record, ArtifactInvalid)
	}
	if err := syscall.Mkfifo(path("pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := inspect(dir, promised{path: "pipe.md"}, begun{time: start}); got != ArtifactInvalid {
		t.Errorf("a pipe is %s, want %s", got, ArtifactInvalid)
	}
}

func TestNamedCause(t *testing.T) {
	number := func(n int) *int { return &n }
	for _, tt := range []struct {
		name    string
		status  *int
		message string
		row     string
		want    string
	}{
		{"claude's session in use", nil, "Error: Session ID 1 is already in use.", "", CauseSessionInUse},
		{"HTTP 429", number(429), "", "", CauseRateLimit},
		{"HTTP 401", number(401), "", "", CauseAuth},
		{"HTTP 500 is no named cause", number(500), "internal error", "", ""},
		{"words of a rate limit", nil, "quota exceeded for this model", "", CauseRateLimit},
		{"words of a login", nil, "Please run /login", "", CauseAuth},
		{"words of a rate limit in JSON", nil, `{"type":"error","error":{"type":"rate_limit_error"}}`, "", CauseRateLimit},
		{"a login at the end of a sentence", nil, "Invalid API key \u00b7 Please run /login.", "", CauseAuth},
		{"an error of the API", nil, `API Error: {"type":"authentication_error"}`, "", CauseAuth},
		{"a file is no login", nil, "FAIL src/login.go:12: nil pointer", "", ""},
		{"a test is no login", nil, "--- FAIL: TestAuthentication (0.00s)\nFAIL shop/authentication", "", ""},
		{"a route is no login", nil, "GET /login 500", "", ""},
		{"a package is no rate limit", nil, "FAIL\tshop/ratelimit\t0.1s", "", ""},
		{"a port is no session", nil, "listen: port 8080 is already in use", "", ""},
		{"the row comes before the status", number(429), "", "sandbox-broken", "sandbox-broken"},
		{"nothing", nil, "something else", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := namedCause(tt.status, tt.message, func() string { return tt.row }); got != tt.want {
				t.Errorf("namedCause(%q) = %q, want %q", tt.message, got, tt.want)
			}
		})
	}
}

// A file of an earlier run is set aside and never taken for one of this run.
func TestOldErrorsSidecarIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a-worker-errors.json")
	for i, text := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := setAside(path, nil); err != nil {
			t.Fatal(err)
		}
		old, err := os.ReadFile(path + []string{".old-1", ".old-2"}[i])
		if err != nil || string(old) != text {
			t.Errorf("set aside: %q, %v; want %q", old, err, text)
		}
	}
	if err := setAside(path, nil); err != nil {
		t.Errorf("nothing to set aside: %v", err)
	}
	if got := errorsSidecarOf("r/a-worker-errors.json", 3); got != "r/a-worker-errors.attempt-3.json" {
		t.Errorf("sidecar of attempt 3: %q", got)
	}
}

// What lay there before the start and was not touched is stale whatever the
// clock says; what was made since the clock was set back is not.
func TestTheClockDoesNotDecideAloneWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	left, made := promised{path: "left.md"}, promised{path: "made.md"}
	write(left.path)
	lay := layIn(dir, []promised{left, made})
	write(made.path)
	early := begun{time: time.Now().Add(-time.Hour), lay: lay}
	if got, _, _ := inspect(dir, left, early); got != ArtifactStale {
		t.Errorf("what lay there before is %s, want %s", got, ArtifactStale)
	}
	if got, _, _ := inspect(dir, made, early); got != ArtifactGood {
		t.Errorf("what was made since is %s, want %s", got, ArtifactGood)
	}
}

// Report 43: after a rate limit all starts of the provider wait together, and
// longer each time; after an authentication failure there is none (report 38).
func TestReport38StopsOfAProvider(t *testing.T) {
	s := newStops(30 * time.Second)
	at := time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)
	s.learn("codex", CauseRateLimit, at, at.Add(time.Second))
	s.learn("codex", CauseRateLimit, at, at.Add(2*time.Second)) // was on its way already
	if got := s.pause("codex", at.Add(time.Second)); got != 30*time.Second {
		t.Errorf("first pause %v, want 30s", got)
	}
	later := at.Add(40 * time.Second)
	for i, want := range []time.Duration{60, 120, 240, 480, 600, 600} {
		s.learn("codex", CauseRateLimit, later, later)
		if got := s.pause("codex", later); got != want*time.Second {
			t.Errorf("pause %d is %v, want %v", i+2, got, want*time.Second)
		}
		later = later.Add(20 * time.Minute)
	}
	if got := s.pause("claude", later); got > 0 {
		t.Errorf("another provider waits %v", got)
	}
	s.learn("codex", CauseOK, later, later)
	s.learn("codex", CauseRateLimit, later, later)
	if got := s.pause("codex", later); got != 30*time.Second {
		t.Errorf("after a success the pause is %v, want 30s again", got)
	}
	s.learn("claude", CauseAuth, later, later)
	if !s.stopped("claude") || s.stopped("codex") {
		t.Error("an authentication failure must stop its provider, and no other")
	}
}

func TestBudget(t *testing.T) {
	limit, cost := 1.0, 0.6
	b := budget{limit: &limit}
	one, two := &attempt{}, &attempt{}
	b.running(one, &cost)
	if b.spent() {
		t.Error("0.6 of 1 counts as spent")
	}
	b.running(two, &cost)
	if !b.spent() {
		t.Error("1.2 of 1 does not count as spent")
	}
	small := 0.1
	b.ended(one, &small)
	b.ended(two, nil) // unknown at the end: what was seen stands
	if got := b.done; got != 0.7 {
		t.Errorf("spent %v, want 0.7", got)
	}
	if (&budget{}).spent() {
		t.Error("no budget counts as spent")
	}
}

func TestWorkerStatusOfOutcomes(t *testing.T) {
	for outcome, want := range map[string]string{
		OutcomeCompleted: "completed", OutcomeTimeout: "timeout", OutcomeNotStarted: "not-run", OutcomeFailed: "error",
		OutcomeLost: "error", OutcomePolicyViolation: "error", OutcomeKillUnverified: "error", OutcomeCancelled: "error",
	} {
		if got := (Verdict{Outcome: outcome}).WorkerStatus(); got != want {
			t.Errorf("status after %s is %q, want %q", outcome, got, want)
		}
	}
}

func TestErrorTypes(t *testing.T) {
	for _, tt := range []struct {
		verdict Verdict
		want    string
	}{
		{Verdict{Outcome: OutcomeTimeout, Cause: "wall"}, "timeout"},
		{Verdict{Outcome: OutcomePolicyViolation, Cause: CauseOK}, "policy-violation"},
		{Verdict{Outcome: OutcomeFailed, Cause: CauseAuditError}, "mutation-audit"},
		{Verdict{Outcome: OutcomeFailed, Cause: CauseEmptyResult}, "contract-violation"},
		{Verdict{Outcome: OutcomeFailed, Cause: CauseStreamCut}, "cli-failure"},
	} {
		if got := errorType(tt.verdict); got != tt.want {
			t.Errorf("errorType(%+v) = %q, want %q", tt.verdict, got, tt.want)
		}
	}
}

func TestWordsOfAFullDiskCountForTheOwnOutputOnly(t *testing.T) {
	for text, want := range map[string]bool{
		"thread 'main' panicked at library/std/src/io/stdio.rs:\nfailed printing to stdout: No space left on device (os error 28)\n": true,
		"--- FAIL: TestWrite: open /mnt/full/x: No space left on device\n":                                                           false,
		"Error: headless: stdout write failed: No space left on device (os error 28)\n":                                              true,
		"node:events:486\n      throw er;\n\nError: ENOSPC: no space left on device, write\n\nNode.js v22.23.5\n":                    true,
		"Error: ENOSPC: no space left on device, open '/mnt/full/x'\n    at test.js:3\n1 failing\n":                                  false,
		"": false,
	} {
		if got := lostItsOutput(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
