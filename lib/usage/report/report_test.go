package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/schema"
)

func TestTextLinesUp(t *testing.T) {
	want := `project /w/jobs  2026-08-10 .. 2026-09-09  runs 5  covered 3  unavailable 2
TASK TYPE                RUNS  COVERED      TOKENS    BILLABLE      COST     CPU    WALL
implementation              3        2     900,000     310,000    $2.41+  2h30m   1h26m
implementation-planning     2        1     158,700      72,700    $0.36   1h40m   1h30m
total                       5        3   1,058,700     382,700    $2.77+  4h10m   2h56m
unavailable: usage-summary-missing 1, no-available-usage 1
no price: gpt-7-x  (cost shown with + is a lower bound)
`
	if got := textOf(t, sample(t).report(window)); got != want {
		t.Errorf("text =\n%s\nwant\n%s", got, want)
	}
}

func TestTheDocumentFitsItsSchema(t *testing.T) {
	p := sample(t)
	for _, o := range []Options{window, by("provider", "model"), by("day"), by(), {By: []string{"group"}}} {
		raw, err := jsondoc.Marshal(p.report(o))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse("report", raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range schema.Validate(doc, "okstra-usage-report") {
			t.Errorf("by %v: %s: %s", o.By, f.Pointer, f.Message)
		}
	}
}

// What one run lacks is told and changes no total. Each row is a project that
// has, besides one covered run, a run with something wrong.
func TestBehaviour36WhatIsNotCoveredIsToldByReason(t *testing.T) {
	const name, other = "error-analysis", "team-state-error-analysis-001.json"
	for _, tt := range []struct {
		name string
		add  func(project)
		want string
	}{
		{"a manifest without a team state", func(p project) {
			p.write("x", name, "manifests", "run-manifest-error-analysis-001.json", object{"createdAt": "2026-09-05T00:00:00Z", "teamStatePath": "nowhere.json"})
		}, "team-state-missing 1"},
		{"a team state that is no JSON", func(p project) { p.write("x", name, "state", other, `{"a":`) }, "team-state-unreadable 1"},
		{"a team state that is a list", func(p project) { p.write("x", name, "state", other, `[]`) }, "team-state-unreadable 1"},
		{"another kind", func(p project) { p.write("x", name, "state", other, `{"kind":"okstra-job"}`) }, "team-state-unreadable 1"},
		{"a newer major version", func(p project) {
			p.state("x", name, "001", 5, used(1, 1, 1, 1, 1), func(d object) { d["schemaVersion"] = "3.0" })
		}, "team-state-unreadable 1"},
		{"no usage of phase 7", func(p project) { p.state("x", name, "001", 5, nil) }, "usage-summary-missing 1"},
		{"a summary that is no object", func(p project) { p.state("x", name, "001", 5, 7) }, "usage-summary-invalid 1"},
		{"a total that is no whole number", func(p project) {
			p.state("x", name, "001", 5, used(1, 1, 1, 1, 1, func(d object) { d["grandTotalTokens"] = 1.5 }))
		}, "usage-summary-invalid 1"},
		{"a total below 0", func(p project) { p.state("x", name, "001", 5, used(-1, 1, 1, 1, 1)) }, "usage-summary-invalid 1"},
		{"a total missing though somebody was measured", func(p project) {
			p.state("x", name, "001", 5, used(1, 1, 1, 1, 1, func(d object) { d["grandTotalTokens"] = nil }))
		}, "usage-summary-invalid 1"},
		{"nobody measured", func(p project) { p.state("x", name, "001", 5, used(1, 1, 1, 1, 1, nobody)) }, "no-available-usage 1"},
		{"a total that nobody stands behind", func(p project) {
			p.state("x", name, "001", 5, used(1, 1, 1, 1, 1, nobody, func(d object) { d["grandTotalTokens"] = 0 }))
		}, "no-available-usage 1"},
		{"no time at all", func(p project) {
			p.state("x", name, "001", 5, used(1, 1, 1, 1, 1), func(d object) { d["startedAt"] = "" })
		}, "run-time-unknown 1"},
		{"still running", func(p project) {
			p.write("x", name, "manifests", "run-manifest-error-analysis-001.json", object{"status": "running", "teamStatePath": ""})
			p.state("x", name, "001", 5, nil, func(d object) { d["endedAt"] = "" })
		}, "run-in-progress 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t)
			p.state("a", "implementation", "001", 1, used(10, 5, 0.5, 7, 9))
			tt.add(p)
			r := p.report(window)
			if got := textOf(t, r); !strings.Contains(got, "\nunavailable: "+tt.want+"\n") {
				t.Errorf("want %q in\n%s", tt.want, got)
			}
			f := r.Totals
			if f.Runs != 2 || f.Covered != 1 || *f.Tokens != 10 || *f.Billable != 5 || usd(t, f.CostUSD) != "0.5" || !f.CostComplete || *f.CPU != 7 || *f.Wall != 9 {
				t.Errorf("totals = %s", fmt.Sprint(f.fields()))
			}
			for _, g := range r.Groups {
				if *g.Key[0].Value == name && (g.Covered != 0 || g.Tokens != nil || g.CostUSD != nil || g.CPU != nil || g.Wall != nil || g.CostComplete) {
					t.Errorf("a group without a covered run: %v", g.fields())
				}
			}
		})
	}
}

func TestBehaviour36AModelWithoutAPriceKeepsItsTokens(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(10, 5, 0.5, 7, 9))
	p.state("a", "implementation", "002", 1, used(20, 6, nil, 8, 10, unmatched("gpt-7-x")))
	f := p.report(window).Totals
	if *f.Tokens != 30 || *f.CPU != 15 || usd(t, f.CostUSD) != "0.5" || f.CostComplete || !slices.Equal(f.Unmatched, []string{"gpt-7-x"}) {
		t.Errorf("totals = %v", f.fields())
	}
}

func TestAGenuineZeroIsCovered(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(0, 0, 0, 0, 0))
	if f := p.report(window).Totals; f.Covered != 1 || f.Tokens == nil || *f.Tokens != 0 || !f.CostComplete {
		t.Errorf("totals = %v", f.fields())
	}
}

// A total to which somebody's part is missing never reads as the whole.
func TestAnUnmeasuredParticipantMakesTotalsLowerBounds(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1000, 500, 0.5, 7, 9, worker(object{"role": "analyser", "workerId": "a", "provider": "grok", "model": nil, "source": "unavailable", "durationMs": 41_000})))
	r := p.report(by("provider"))
	want := `project /w/jobs  2026-08-10 .. 2026-09-09  runs 1  covered 1  unavailable 0
PROVIDER  RUNS  COVERED      TOKENS    BILLABLE      COST     CPU    WALL
codex        1        1       1,000         500    $0.50     7ms      --
grok         1        0          --          --       --     41s      --
total        1        1       1,000+        500+   $0.50+    7ms     9ms
not measured: 1 participant of covered runs  (figures shown with + are lower bounds)
`
	if got := textOf(t, r); got != want {
		t.Errorf("text =\n%s\nwant\n%s", got, want)
	}
	if r.Totals.Unmeasured != 1 || r.Groups[0].Unmeasured != 0 {
		t.Errorf("unmeasured = %d, in codex %d", r.Totals.Unmeasured, r.Groups[0].Unmeasured)
	}
}

// Nor does one to which a part of somebody's part is missing.
func TestAParticipantMeasuredInPartMakesTotalsLowerBounds(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1000, 500, 0.5, 7, 9, worker(object{
		"role": "analyser", "workerId": "a", "provider": "grok", "model": "grok-4.7", "source": "grok-updates", "reason": "one of two sessions left no transcript",
		"totalTokens": 0, "billableEquivalentTokens": 0, "costUsd": 0, "durationMs": 41_000,
	})))
	want := `project /w/jobs  2026-08-10 .. 2026-09-09  runs 1  covered 1  unavailable 0
PROVIDER  RUNS  COVERED      TOKENS    BILLABLE      COST     CPU    WALL
codex        1        1       1,000         500    $0.50     7ms      --
grok         1        1           0+          0+   $0.00+    41s      --
total        1        1       1,000+        500+   $0.50+    7ms     9ms
not measured: 1 participant of covered runs  (figures shown with + are lower bounds)
`
	if got := textOf(t, p.report(by("provider"))); got != want {
		t.Errorf("text =\n%s\nwant\n%s", got, want)
	}
}

func TestGroups(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(100, 50, 1, 7, 9, func(d object) {
		d["grandTotalTokens"], d["grandBillableEquivalentTokens"], d["costUsd"] = 160, 80, 1.5
		d["unattributed"] = object{"tokens": 60, "billableEquivalentTokens": 30, "costUsd": 0.5}
	}))
	p.state("b", "error-analysis", "001", 2, nil)
	p.state("b", "error-analysis", "002", 2, used(5, 5, nil, 1, 1, unmatched("gpt-7-x"), func(d object) {
		d["roles"].([]object)[0]["model"] = "gpt-7-x"
	}))
	for _, tt := range []struct {
		by   []string
		want string
	}{
		{nil, `{} 3 2 165 1.5 false [gpt-7-x]`},
		{[]string{"task-type"}, `{"taskType":"error-analysis"} 2 1 5 null false [gpt-7-x]
{"taskType":"implementation"} 1 1 160 1.5 true []`},
		{[]string{"group"}, `{"group":"pay"} 3 2 165 1.5 false [gpt-7-x]`},
		{[]string{"day"}, `{"day":"2026-09-01"} 1 1 160 1.5 true []
{"day":"2026-09-02"} 2 1 5 null false [gpt-7-x]`},
		{[]string{"provider"}, `{"provider":"claude"} 3 2 60 0.5 true []
{"provider":"codex"} 3 2 105 1 false [gpt-7-x]`},
		{[]string{"model"}, `{"model":null} 1 1 60 0.5 true []
{"model":"claude-opus-4-8"} 2 2 0 0 true []
{"model":"gpt-5.6-sol"} 2 1 100 1 true []
{"model":"gpt-7-x"} 1 1 5 null false [gpt-7-x]
{"model":"opus"} 1 0 -- null false []`},
		{[]string{"day", "provider"}, `{"day":"2026-09-01","provider":"claude"} 1 1 60 0.5 true []
{"day":"2026-09-01","provider":"codex"} 1 1 100 1 true []
{"day":"2026-09-02","provider":"claude"} 2 1 0 0 true []
{"day":"2026-09-02","provider":"codex"} 2 1 5 null false [gpt-7-x]`},
	} {
		var lines []string
		for _, g := range p.report(by(tt.by...)).Groups {
			key, err := g.Key.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s %d %d %s %s %v %v", key, g.Runs, g.Covered, count(g.Tokens), usd(t, g.CostUSD), g.CostComplete, g.Unmatched))
		}
		if got := strings.Join(lines, "\n"); got != tt.want {
			t.Errorf("by %v:\n%s\nwant\n%s", tt.by, got, tt.want)
		}
	}
}

func TestWindowGoesByTheStartOfARun(t *testing.T) {
	p := newProject(t)
	for day := 1; day <= 4; day++ {
		p.state("a", "implementation", fmt.Sprintf("%03d", day), day, used(1, 1, 1, 1, 1))
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 9, day, hour, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name         string
		since, until time.Time
		want         int
	}{
		{"open", time.Time{}, time.Time{}, 4},
		{"both bounds belong to it", at(2, 10), at(3, 10), 2},
		{"open behind", at(3, 0), time.Time{}, 2},
		{"open before", time.Time{}, at(1, 12), 1},
		{"nothing in it is no fault", at(8, 0), at(9, 0), 0},
	} {
		r := p.report(Options{Since: tt.since, Until: tt.until})
		if r.Coverage.Total != tt.want {
			t.Errorf("%s: %d runs, want %d", tt.name, r.Coverage.Total, tt.want)
		}
	}
}

// Report 15's rule holds here too: the day is the local one of the instant.
func TestTheZoneSaysWhereADayEnds(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1, 1, 1, 1, 1), func(d object) { d["startedAt"] = "2026-09-02T01:30:00Z" })
	o := by("day")
	o.Location = time.FixedZone("UTC-5", -5*3600)
	if got := *p.report(o).Groups[0].Key[0].Value; got != "2026-09-01" {
		t.Errorf("day = %s, want the local one", got)
	}
}

func TestFilters(t *testing.T) {
	p := sample(t)
	for _, tt := range []struct {
		name string
		edit func(*Options)
		want int
	}{
		{"one type", func(o *Options) { o.TaskTypes = []string{"implementation"} }, 3},
		{"two types", func(o *Options) { o.TaskTypes = []string{"implementation", "implementation-planning"} }, 5},
		{"a group", func(o *Options) { o.Group = "pay" }, 5},
		{"no such group", func(o *Options) { o.Group = "other" }, 0},
	} {
		o := window
		tt.edit(&o)
		if got := p.report(o).Coverage.Total; got != tt.want {
			t.Errorf("%s: %d runs, want %d", tt.name, got, tt.want)
		}
	}
}

func TestARunCountsOnceAsItsNewestCopy(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1, 1, 1, 1, 1))
	p.state("a", "implementation", "002", 1, used(2, 2, 2, 2, 2), func(d object) { d["runId"] = "jobs:pay:a:implementation:001" })
	path := p.state("a", "implementation", "1000", 1, used(4, 4, 4, 4, 4), func(d object) { d["runId"] = "jobs:pay:a:implementation:001" })
	if f := p.report(window).Totals; f.Runs != 1 || *f.Tokens != 4 {
		t.Errorf("totals = %v, want the run of file 1000 once", f.fields())
	}
	runs, err := ReadFiles([]string{path, path})
	if err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v, want one", len(runs), err)
	}
}

func TestRunsAreFoundByEitherFile(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1, 1, 1, 1, 1), func(d object) { delete(d, "startedAt") })
	p.write("a", "implementation", "manifests", "run-manifest-implementation-001.json", object{
		"runId": "jobs:pay:a:implementation:001", "createdAt": "2026-09-01T08:00:00Z", "teamStatePath": "",
	})
	p.state("b", "implementation", "001", 2, used(2, 2, 2, 2, 2))
	p.write("c", "implementation", "state", "notes.txt", "no run")
	if f := p.report(window).Totals; f.Covered != 2 || *f.Tokens != 3 {
		t.Errorf("totals = %v, want both runs, the first dated by its manifest", f.fields())
	}
}

func TestNamedFilesMustBeThere(t *testing.T) {
	p := newProject(t)
	good := p.state("a", "implementation", "001", 1, used(1, 1, 1, 1, 1))
	broken := p.write("b", "implementation", "state", "team-state-implementation-001.json", "{")
	_, err := ReadFiles([]string{good, filepath.Join(p.root, "gone"), p.root})
	if err == nil || !strings.Contains(err.Error(), "gone: no such file") || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("error = %v, want both files in it", err)
	}
	runs, err := ReadFiles([]string{good, broken})
	if err != nil || len(runs) != 2 || runs[1].Reason != TeamStateUnreadable || runs[1].Fault == nil {
		t.Errorf("runs = %+v, %v", runs, err)
	}
}

func TestProjectIsTheFolderAround(t *testing.T) {
	p := newProject(t)
	deep := filepath.Join(p.root, "src", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Project(deep); !errors.Is(err, ErrNoProject) {
		t.Errorf("below a .okstra without tasks: %v", err)
	}
	if got, err := Project(p.root); err != nil || got != p.root {
		t.Errorf("Project(%q) = %q, %v", p.root, got, err)
	}
	p.state("a", "implementation", "001", 1, nil)
	if got, err := Project(deep); err != nil || got != p.root {
		t.Errorf("Project(%q) = %q, %v", deep, got, err)
	}
	if _, err := Project(filepath.Join(p.root, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := Project(t.TempDir()); !errors.Is(err, ErrNoProject) {
		t.Errorf("a folder in no project: %v", err)
	}
}

func TestCSVHasNothingThatATerminalObeys(t *testing.T) {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(1000, 500, 0.5, 7, 9, unmatched("gpt\x1b]0;x\x07-7")))
	var out bytes.Buffer
	if err := p.report(by("task-type")).CSV(&out); err != nil || bytes.ContainsAny(out.Bytes(), "\x1b\x07") || !strings.Contains(out.String(), "gpt-7") {
		t.Errorf("%v: %q", err, out.String())
	}
}

func TestCSVHasTheGroups(t *testing.T) {
	p := sample(t)
	p.state("=1+1", "error-analysis", "001", 1, used(7, 7, nil, 1, 1, unmatched("@x", "y")))
	r := p.report(by("task-type", "day"))
	var out bytes.Buffer
	if err := r.CSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(rows[0], ","), "taskType,day,runs,covered,totalTokens,billableEquivalentTokens,costUsd,costComplete,cpuSumMs,wallClockMs,unmatchedModels,unmeasured"; got != want {
		t.Errorf("head = %s", got)
	}
	if got, want := strings.Join(rows[1], ","), "error-analysis,2026-09-01,1,1,7,7,,false,1,1,'@x y,0"; got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
	if len(rows) != 1+len(r.Groups) {
		t.Errorf("%d rows for %d groups", len(rows), len(r.Groups))
	}
}

func TestFormsOfFigures(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	c := func(micros int64) *price.USD { v := price.USD(micros * 1000); return &v }
	for _, tt := range []struct{ got, want string }{
		{count(nil), "--"},
		{count(n(0)), "0"},
		{count(n(999)), "999"},
		{count(n(1000)), "1,000"},
		{count(n(1234567)), "1,234,567"},
		{dollars(nil), "--"},
		{dollars(c(0)), "$0.00"},
		{dollars(c(1)), "$0.000001"},
		{dollars(c(9_999)), "$0.009999"},
		{dollars(c(10_000)), "$0.01"},
		{dollars(c(363_500)), "$0.36"},
		{dollars(c(365_000)), "$0.37"},
		{dollars(c(1_234_567_890)), "$1,234.57"},
		{duration(nil), "--"},
		{duration(n(0)), "0ms"},
		{duration(n(41_000)), "41s"},
		{duration(n(90_000)), "1m30s"},
		{duration(n(3_900_000)), "1h05m"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// Money stops at its largest amount, which then is not all of it.
func TestACostBeyondAllAmountsIsNotComplete(t *testing.T) {
	var runs []Run
	for i := range 3 {
		cost := price.USD(9e18)
		runs = append(runs, Run{ID: fmt.Sprint(i), Amount: Amount{Cost: &cost, Complete: true}})
	}
	r, _ := Make(runs, Options{})
	if f := r.Totals; f.CostUSD == nil || f.CostComplete {
		t.Errorf("cost %v, complete %v", f.CostUSD, f.CostComplete)
	}
}

// However runs are divided, the parts add up to the whole.
func TestGroupsAddUpToTheTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []Run
		for i := range rapid.IntRange(0, 6).Draw(t, "runs") {
			runs = append(runs, drawRun(t, i))
		}
		words := rapid.SliceOfNDistinct(rapid.SampledFrom(Dimensions), 0, 3, rapid.ID).Draw(t, "by")
		r, outside := Make(runs, Options{By: words})
		if r.Coverage.Total+outside != len(runs) || r.Coverage.Covered+r.Coverage.Unavailable != r.Coverage.Total {
			t.Fatalf("coverage = %+v of %d runs", r.Coverage, len(runs))
		}
		var tokens, billable, cpu, cost int64
		unmeasured, complete := 0, true
		for _, g := range r.Groups {
			tokens, billable, cpu = tokens+value(g.Tokens), billable+value(g.Billable), cpu+value(g.CPU)
			cost, unmeasured = cost+value((*int64)(g.CostUSD)), unmeasured+g.Unmeasured
			complete = complete && (g.Covered == 0 || g.CostComplete)
		}
		f := r.Totals
		if tokens != value(f.Tokens) || billable != value(f.Billable) || cpu != value(f.CPU) || cost != value((*int64)(f.CostUSD)) || unmeasured != f.Unmeasured {
			t.Fatalf("groups add up to %d %d %d %d %d, totals %v", tokens, billable, cpu, cost, unmeasured, f.fields())
		}
		if complete && f.Covered > 0 && f.CostUSD != nil != f.CostComplete {
			t.Fatalf("every group's cost is complete, the total says %v", f.CostComplete)
		}
	})
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// drawRun makes a run whose parts add up to it, as a summary's do.
func drawRun(t *rapid.T, i int) Run {
	r := Run{
		ID: fmt.Sprint(i), TaskType: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "type"), Group: rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group"),
		Start: time.Unix(rapid.Int64Range(0, 4).Draw(t, "day")*86400+1, 0), Reason: rapid.SampledFrom([]Reason{"", "", "", SummaryMissing}).Draw(t, "reason"),
	}
	r.Complete = true
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		p := Part{Provider: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "provider"), Model: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"), Measured: rapid.Bool().Draw(t, "measured")}
		cpu := rapid.Int64Range(0, 9).Draw(t, "cpu")
		p.CPU = &cpu
		plus(&r.CPU, p.CPU)
		if p.Measured {
			tokens, cost := rapid.Int64Range(0, 9).Draw(t, "tokens"), price.USD(rapid.Int64Range(0, 9).Draw(t, "cost"))
			p.Tokens, p.Billable, p.Complete = &tokens, &tokens, rapid.Bool().Draw(t, "complete")
			if p.Complete || rapid.Bool().Draw(t, "priced") {
				p.Cost = &cost
			}
			plus(&r.Tokens, p.Tokens)
			plus(&r.Billable, p.Billable)
			plusUSD(&r.Cost, p.Cost)
			r.Complete = r.Complete && p.Complete
		}
		r.Parts = append(r.Parts, p)
	}
	return r
}

// Whatever stands in a team state, a run is covered with a total or has one of
// the reasons, and the report of it fits its schema.
func FuzzRead(f *testing.F) {
	f.Add(`{"kind":"okstra-team-state","usageSummary":null}`)
	f.Add(`{"usageSummary":{"grandTotalTokens":5,"costUsd":0.1,"costComplete":true,"roles":[{"source":"codex-rollout","totalTokens":5}]}}`)
	f.Add(`{"usageSummary":{"grandTotalTokens":1e3,"roles":[{"source":"unavailable"}],"unattributed":{}},"startedAt":"2026-09-01T00:00:00Z"}`)
	f.Add(`{"workers":[{"workerId":"a","usage":{"source":"grok-updates","models":{"m":1}}}],"usageSummary":{"grandTotalTokens":0,"unmatchedModels":["m",""]}}`)
	f.Add(`[{"usageSummary":{"roles":[null]}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsondoc.Parse("t", []byte(text))
		if err != nil {
			return
		}
		var r Run
		r.read(doc, true)
		if (r.Reason == "") != (r.Tokens != nil) || r.Reason != "" && !slices.Contains(Reasons, r.Reason) {
			t.Fatalf("reason %q, tokens %v", r.Reason, r.Tokens)
		}
		for _, by := range [][]string{{"task-type"}, {"provider", "model", "day"}} {
			made, _ := Make([]Run{r}, Options{By: by})
			raw, err := jsondoc.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			printed, err := jsondoc.Parse("report", raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range schema.Validate(printed, "okstra-usage-report") {
				t.Errorf("%s: %s", fault.Pointer, fault.Message)
			}
			var out bytes.Buffer
			if err := errors.Join(made.Text(&out), made.CSV(&out), Page(&out, made)); err != nil {
				t.Error(err)
			}
		}
	})
}
