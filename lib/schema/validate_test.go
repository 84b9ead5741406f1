package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// edit replaces the value at a pointer of an example.
func edit(tb testing.TB, file, pointer string, v any) jsondoc.Doc {
	tb.Helper()
	doc, err := exampleOf(tb, file).Set(pointer, v)
	if err != nil {
		tb.Fatalf("%s: %s: %v", file, pointer, err)
	}
	return doc
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		name    string
		file    string
		pointer string
		value   any
		want    string
	}{
		{"type", "run-manifest", "/task/runSeq", 2, `doc-schema /task/runSeq: 2 (expected three digits)`},
		{"pattern", "run-manifest", "/task/runSeq", "02", `doc-schema /task/runSeq: "02" (expected three digits)`},
		{"enumeration", "run-manifest", "/status", "done", `doc-schema /status: "done" (expected one of prepared, running, completed, failed)`},
		{"two values", "run-manifest", "/host/entryMode", "", `doc-schema /host/entryMode: "" (expected current-session or external)`},
		{"null among values", "run-manifest", "/roleExecutions/0/audience", "all", `doc-schema /roleExecutions/0/audience: "all" (expected one of analysis, report-writer, lead, null)`},
		{"range", "convergence-input", "/config/maxRounds", 0, `doc-schema /config/maxRounds: 0 (expected 1 to 3)`},
		{"fraction where a whole number is due", "result", "/attempt", 1.5, `doc-schema /attempt: 1.5 (expected a whole number from 0)`},
		{"bool", "convergence-input", "/config/enabled", "yes", `doc-schema /config/enabled: "yes" (expected true or false)`},
		{"object for text", "run-manifest", "/reportPath", map[string]any{}, `doc-schema /reportPath: an object with 0 keys (expected a normalised path, relative to the project root or absolute)`},
		{"path with dots", "run-manifest", "/reportPath", "a/../b", `doc-schema /reportPath: "a/../b" (expected a normalised path, relative to the project root or absolute)`},
		{"time with a zone", "run-manifest", "/createdAt", "2026-09-08T19:30:00+09:00", `doc-schema /createdAt: "2026-09-08T19:30:00+09:00" (expected a time in UTC with whole seconds, as in 2026-09-08T19:30:00Z)`},
		{"list too short", "final-report", "/executionStatus", []any{}, `doc-schema /executionStatus: a list of 0 (expected a list of at least one worker)`},
		{"neither null nor object", "run-manifest", "/planBodyStatePath", 7, `doc-schema /planBodyStatePath: 7 (expected a normalised path, relative to the project root or absolute, or null)`},
		{"alternatives, value fits none", "result", "/usage", "much", `doc-schema /usage: "much" (expected token counts or null)`},
		{"alternatives, the branch that was meant", "result", "/usage/input", -1, `doc-schema /usage/input: -1 (expected a whole number from 0)`},
		{"alternatives inside alternatives", "team-state--collected", "/usageSummary/unattributed", false, `doc-schema /usageSummary/unattributed: false (expected tokens without an owner, or null)`},
		{"condition, text branch", "final-report--implementation-planning", "/implementationPlanning/requirementCoverage/1/stages", "later", `doc-schema /implementationPlanning/requirementCoverage/1/stages: "later" (expected out-of-scope)`},
		{"condition, list branch", "final-report--implementation-planning", "/implementationPlanning/requirementCoverage/0/stages/0", 0, `doc-schema /implementationPlanning/requirementCoverage/0/stages/0: 0 (expected a stage number from 1)`},
		{"two recommended options", "final-report--implementation-planning", "/implementationPlanning/options/1/recommended", true, `doc-schema /implementationPlanning/options: a list of 2 (expected a list of at least two options, one of them recommended)`},
		{"word beside numbers", "run-inputs--wizard", "/inputs/stages", []any{2, "all"}, `doc-schema /inputs/stages: a list of 2 (expected one word alone); doc-schema /inputs/stages/0: 2 (expected all or whole-task)`},
		{"repeated item", "run-inputs", "/inputs/workers/2", "scope-a", `doc-schema /inputs/workers/2: items 0 and 2 are equal (expected a list of worker ids, each once)`},
		{"bad key of a map", "run-inputs", "/inputs/models/Big", "claude/opus", `doc-schema /inputs/models/Big: unknown key "Big" (expected worker ids with a model each)`},
		{"closed object", "write-policy", "/sourcePolicy/extra", 1, `doc-schema /sourcePolicy/extra: unknown key "extra" (expected only allowedRoot, mode, plannedPaths, protectedPaths)`},
		{"closed object inside an open one", "job", "/writeEnforcement/note", "x", `doc-schema /writeEnforcement/note: unknown key "note" (expected only attribution, auditedRoots, boundaryPrecision, mutationAudit, observationCoverage, unobservedWriteSurfaces)`},
		{"git disabled with more", "write-policy--readonly", "/gitPolicy/commitMode", "x", `doc-schema /gitPolicy: an object with 2 keys (expected the mode alone, because git is disabled)`},
		{"tokens in an unavailable block", "team-state--collected", "/workers/2/usage/totalTokens", 0, `doc-schema /workers/2/usage/totalTokens: 0 (expected no such key here)`},
		{"row of a ledger", "team-state--collected", "/workerDispatches/0/attempt", 0, `doc-schema /workerDispatches/0/attempt: 0 (expected a whole number from 1)`},
		{"unknown key", "run-manifest", "/task/colour", "red", `doc-unknown-key /task/colour: unknown key "colour"`},
		{"unknown key that looks like a known one", "run-manifest", "/report_path", "a", `doc-unknown-key /report_path: unknown key "report_path" (expected reportPath)`},
		{"number beyond floating point", "result", "/costUsd", jsonNumber("1e999"), `doc-schema /costUsd: 1e999 (expected a number that fits 64-bit floating point)`},
		{"text too long to show", "run-manifest", "/status", strings.Repeat("é", 61), `doc-schema /status: "` + strings.Repeat("é", 60) + `…" (expected one of prepared, running, completed, failed)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, _, _ := strings.Cut(tt.file, "--")
			var got []string
			for _, f := range Validate(edit(t, tt.file, tt.pointer, tt.value), name) {
				f.Artifact, f.Line = "", 0
				got = append(got, f.Code+strings.TrimPrefix(line(f), ":"))
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("\n got %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestKindAndVersionComeFirst(t *testing.T) {
	for _, tt := range []struct {
		name string
		raw  string
		kind string
		want string
	}{
		{"kind missing", `{"schemaVersion":"1.0"}`, "okstra-job", `doc-kind /kind: missing key "kind" (expected okstra-job)`},
		{"kind missing, none due", `{"schemaVersion":"1.0"}`, "", `doc-kind /kind: missing key "kind" (expected a kind that begins with "okstra-" and that has a schema)`},
		{"kind unknown", `{"kind":"okstra-poem"}`, "okstra-job", `doc-kind /kind: "okstra-poem" (expected okstra-job)`},
		{"kind unknown, none due", `{"kind":"okstra-poem"}`, "", `doc-kind /kind: "okstra-poem" (expected a kind that begins with "okstra-" and that has a schema)`},
		{"kind of an event, none due", `{"kind":"progress"}`, "", `doc-kind /kind: "progress" (expected a kind that begins with "okstra-" and that has a schema)`},
		{"name of a schema is no kind", `{"kind":"job"}`, "", `doc-kind /kind: "job" (expected a kind that begins with "okstra-" and that has a schema)`},
		{"document without kind, none due", `{"kind":"okstra-event"}`, "", `doc-kind /kind: "okstra-event" (expected a kind that begins with "okstra-" and that has a schema)`},
		{"kind is no text", `{"kind":7}`, "okstra-job", `doc-kind /kind: 7 (expected okstra-job)`},
		{"another kind", `{"schemaVersion":"9.0","kind":"okstra-result"}`, "job", `doc-kind /kind: "okstra-result" (expected okstra-job)`},
		{"no object", `[1]`, "okstra-job", `doc-kind a list of 1 (expected an object of kind okstra-job)`},
		{"no object, none due", `null`, "", `doc-kind null (expected an object with a kind that begins with "okstra-" and that has a schema)`},
		{"newer major version", `{"schemaVersion":"3.0","kind":"okstra-final-report"}`, "okstra-final-report", `doc-version /schemaVersion: "3.0" (expected "2.0")`},
		{"older major version", `{"schemaVersion":"1.0","kind":"okstra-final-report"}`, "okstra-final-report", `doc-version /schemaVersion: "1.0" (expected "2.0")`},
		{"ledger row of a newer version", `{"schemaVersion":"3.0","assignmentRef":"a:b"}`, "ledger-row", `doc-version /schemaVersion: "3.0" (expected "1.0" or "2.0")`},
		{"newer minor is still validated", `{"schemaVersion":"1.7","kind":"okstra-stage-carry","stage":0,"result":"PASS","commits":[],"later":1}`, "okstra-stage-carry", `doc-schema /stage: 0 (expected a stage number from 1)`},
		{"version missing", `{"kind":"okstra-stage-carry","stage":1,"result":"PASS","commits":[]}`, "okstra-stage-carry", `doc-schema /schemaVersion: missing key "schemaVersion" (expected "1.0")`},
		{"version is no text", `{"schemaVersion":1.0,"kind":"okstra-stage-carry","stage":1,"result":"PASS","commits":[]}`, "okstra-stage-carry", `doc-schema /schemaVersion: 1.0 (expected "1.0")`},
		{"version is no version", `{"schemaVersion":"1","kind":"okstra-stage-carry","stage":1,"result":"PASS","commits":[]}`, "okstra-stage-carry", `doc-schema /schemaVersion: "1" (expected "1.0")`},
		{"version with a leading zero", `{"schemaVersion":"01.0","kind":"okstra-stage-carry","stage":1,"result":"PASS","commits":[]}`, "okstra-stage-carry", `doc-schema /schemaVersion: "01.0" (expected "1.0")`},
		{"no object where a row is due", `"x"`, "event", `doc-schema "x" (expected a row of the events log)`},
		{"unknown name from the caller", `{}`, "okstra-poem", `doc-kind no schema for "poem" (expected one of ` + strings.Join(Kinds(), ", ") + `)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Validate(mustParse(t, tt.raw), tt.kind) {
				f.Artifact, f.Line = "", 0
				got = append(got, f.Code+strings.TrimSuffix(strings.TrimPrefix(line(f), ":"), ": "))
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("\n got %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestNewerMinorVersionKeepsUnknownKeysSilent(t *testing.T) {
	doc := edit(t, "run-manifest", "/schemaVersion", "1.1")
	doc, err := doc.Set("/task/colour", "red")
	if err != nil {
		t.Fatal(err)
	}
	if got := Validate(doc, "run-manifest"); got != nil {
		t.Errorf("findings: %v", got)
	}
}

func TestLedgerRowsOfBothGenerations(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{"workerId":"a"}`, "ledger-row-v1.0"},
		{`{"workerId":"a","schemaVersion":"2.0"}`, "ledger-row-v1.0"},
		{`{"workerId":"a","schemaVersion":{"any":"thing"}}`, "ledger-row-v1.0"},
		{`{"assignmentRef":"a:b"}`, "ledger-row-v2.0"},
		{`{"assignmentRef":"a:b","workerId":"b"}`, "ledger-row-v2.0"},
		{`{"roleExecutionRef":"re-0001","schemaVersion":7}`, "ledger-row-v2.0"},
		{`{"schemaVersion":"2.3"}`, "ledger-row-v2.0"},
		{`{}`, "ledger-row-v1.0"},
	} {
		v, err := mustParse(t, tt.raw).Value()
		if err != nil {
			t.Fatal(err)
		}
		got, problems := choose(v, "ledger-row")
		if got.file != tt.want || problems != nil {
			t.Errorf("%s: %s %v, want %s", tt.raw, got.file, problems, tt.want)
		}
	}
}

// A reader must survive a ledger that is no list or that holds odd rows, and
// a roster row without an id; Validate still looks into the rows.
func TestTeamStateReadersSurviveAnOddLedger(t *testing.T) {
	for _, ledger := range []any{nil, map[string]any{}, "x", []any{1, nil, "x", []any{}}, []any{map[string]any{"workerId": 7}}} {
		doc := edit(t, "team-state", "/workerDispatches", ledger)
		if err := Check(doc, "okstra-team-state"); err != nil {
			t.Errorf("ledger %v: %v", ledger, err)
		}
	}
	bad := edit(t, "team-state", "/workerDispatches", []any{1, map[string]any{"workerId": 7, "x": 1}})
	got := Validate(bad, "okstra-team-state")
	if len(got) != 2 || got[0].Pointer != "/workerDispatches/1/workerId" || got[1].Pointer != "/workerDispatches/1/x" || got[0].Line == 0 {
		t.Errorf("findings: %v", got)
	}
	without, err := exampleOf(t, "team-state").Delete("/workers/0/workerId")
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(without, "okstra-team-state"); err != nil {
		t.Errorf("roster row without an id: %v", err)
	}
}

func TestInputsThatAreNotReadyMayBeIncomplete(t *testing.T) {
	doc := mustParse(t, `{"schemaVersion":"1.0","kind":"okstra-run-inputs","ready":false,"inputs":{"taskType":""}}`)
	if err := Check(doc, "run-inputs"); err != nil {
		t.Error(err)
	}
}

func TestPositions(t *testing.T) {
	doc := mustParse(t, "{\n  \"schemaVersion\": \"1.0\", \"kind\": \"okstra-stage-carry\",\n  \"stage\": true,\n  \"result\": \"PASS\",\n  \"commits\": [\"5f0c0c7\",\n    \"no\"]\n}\n")
	var got []string
	for _, f := range Validate(doc, "stage-carry") {
		got = append(got, line(f))
	}
	want := []string{
		`doc:6:5: /commits/1: "no" (expected 7 to 40 lower-case hex digits)`,
		`doc:3:12: /stage: true (expected a stage number from 1)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestFindingsAreInOneOrder(t *testing.T) {
	doc := exampleOf(t, "final-report")
	for _, pointer := range []string{"/verdictCard/verdictToken", "/header", "/differences/0/positions", "/evidence/0/id", "/finalVerification/scope", "/nextSteps"} {
		var err error
		if doc, err = doc.Set(pointer, 5); err != nil {
			t.Fatal(err)
		}
	}
	want := Validate(doc, "final-report")
	for range 200 {
		if got := Validate(doc, "final-report"); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
	if !slices.IsSortedFunc(want, func(a, b finding.Finding) int {
		x, _ := jsondoc.Tokens(a.Pointer)
		y, _ := jsondoc.Tokens(b.Pointer)
		return compareTokens(x, y)
	}) {
		t.Errorf("not sorted by place: %v", want)
	}
}

func TestArrayElementsSortByNumber(t *testing.T) {
	if compareTokens([]string{"a", "2"}, []string{"a", "10"}) >= 0 || compareTokens([]string{"a"}, []string{"a", "0"}) >= 0 {
		t.Error("element 10 before 2, or a child before its parent")
	}
}

// Numbers that would keep exact arithmetic busy for minutes each, or that the
// schema library cannot even represent: such a test would not end in time.
func TestUnreasonableNumbersAreCheap(t *testing.T) {
	digits := 1 << 20
	if testing.Short() {
		digits = 1 << 17
	}
	for _, number := range []string{"1e999999999", "-1e999999999", "1e-999999999", "1E+1000000", strings.Repeat("9", digits), "0." + strings.Repeat("0", digits) + "1"} {
		for _, pointer := range []string{"/costUsd", "/exitCode", "/attempt"} {
			doc := edit(t, "result", pointer, jsonNumber(number))
			_ = Validate(doc, "result")
		}
		doc := edit(t, "mutation-snapshot", "/roots/0/rows/0/3", jsonNumber(number))
		_ = Validate(doc, "mutation-snapshot")
	}
}

func TestNestedAndRepeatedRowsStayUniqueBeyondTwenty(t *testing.T) {
	paths := make([]any, 0, 41)
	for i := range 40 {
		paths = append(paths, fmt.Sprintf("src/f%d.go", i))
	}
	doc := edit(t, "write-policy", "/sourcePolicy/plannedPaths", append(paths, "src/f7.go"))
	got := Validate(doc, "write-policy")
	if len(got) != 1 || got[0].Pointer != "/sourcePolicy/plannedPaths/40" {
		t.Errorf("findings: %v", got)
	}
}

func TestReferencesNeverLeaveTheEmbeddedSchemas(t *testing.T) {
	l := newLibrary()
	for _, url := range []string{
		"file:///etc/passwd", "https://example.org/schema", "okstra:schema/../doc.go", "okstra:schema/none", "/etc/passwd",
		"okstra:schema/common#/$defs/none", "okstra:schema/common#/$defs/digest/title", "okstra:schema/event-v1.0#/allOf/9",
	} {
		if r, err := l.rule(resolve(url, "okstra:schema/common#")); err == nil {
			t.Errorf("%s was read: %+v", url, r)
		}
	}
	for _, file := range Files() {
		raw, err := File(file)
		if err != nil {
			t.Fatal(err)
		}
		for ref := range strings.SplitSeq(string(raw), `"$ref": "`) {
			if ref, _, _ = strings.Cut(ref, `"`); ref != "{\n  " && !strings.HasPrefix(ref, "#/") && !strings.HasPrefix(ref, urlPrefix) {
				t.Errorf("%s refers to %q", file, ref)
			}
		}
	}
}

func TestValidatingAtTheSameTime(t *testing.T) {
	all := examples(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, e := range all {
				if got := Validate(e.doc, e.name); got != nil {
					t.Errorf("%s: %v", e.file, got)
				}
			}
		})
	}
	wg.Wait()
}

func mustParse(tb testing.TB, raw string) jsondoc.Doc {
	tb.Helper()
	doc, err := jsondoc.Parse("doc", []byte(raw))
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}
