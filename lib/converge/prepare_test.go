package converge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/run"
)

// roster is a grouping without groups; its first seat stands in line 2.
func roster(seats ...string) string {
	return "## Roster\n- " + strings.Join(seats, "\n- ") + "\n## Groups\n(none)\n"
}

func seat(role, audience, worker, ref string) run.RoleExecution {
	r := run.RoleExecution{
		Role: role, WorkerID: worker, ParticipantRef: run.ParticipantRef(worker), RoleExecutionRef: ref,
		SourceRoleExecutionRef: new("re-0001"), Provider: "p", Model: new("m"),
	}
	if audience != "" {
		r.Audience = &audience
	}
	return r
}

func prepare(t *testing.T, taskType, text string, rows ...run.RoleExecution) (Input, []string) {
	t.Helper()
	f, faults := grouping.Parse("g.md", []byte(text))
	m := run.Manifest{Task: run.NewTask("shop", "pay", "t", taskType, "001"), RoleExecutions: rows}
	in, more := Prepare("g.md", f, m, "m.json", Config{}, func(worker string) map[string]int {
		return map[string]map[string]int{"w1": {"F-001": 1, "F-002": 6}, "w2": {"F-001": 2}}[worker]
	})
	var lines []string
	for _, err := range Errors(append(faults, more...)) {
		lines = append(lines, err.Error())
	}
	return in, lines
}

// TestT1TheExecutorIsNoSource: the message names audience, role and allowed
// roles, and says what to group instead.
func TestT1TheExecutorIsNoSource(t *testing.T) {
	rows := []run.RoleExecution{
		seat(run.RoleImplementer, "", "implementer", "re-0002"),
		seat(run.RoleVerifier, run.AudienceAnalysis, "v1", "re-0003"),
	}
	const hint = "; group the results of the verifiers instead"
	for _, tt := range []struct{ name, taskType, seat, want string }{
		{"executor by its role", "implementation", "implementer: analysis (implementer)", `g.md:2: role-not-allowed: worker "implementer": audience "analysis" does not allow the role "implementer" (expected verifier)` + hint},
		{"executor without a role", "implementation", "implementer: analysis", `does not allow the role "implementer" (expected verifier)` + hint},
		{"in another task type the roles are two, sorted", "error-analysis", "implementer: analysis", `(expected analyser or verifier)` + hint},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := prepare(t, tt.taskType, roster(tt.seat, "v1: analysis (verifier)"), rows...)
			if len(faults) != 1 || !strings.Contains(faults[0], tt.want) {
				t.Errorf("%q, want %q", faults, tt.want)
			}
		})
	}
}

// TestAudiencesAllowTheirRolesOnly is the table of audiences and roles.
func TestAudiencesAllowTheirRolesOnly(t *testing.T) {
	allowed := map[string]string{
		"analysis/analyser": "", "analysis/verifier": "", "report-writer/report-writer": "", "lead/leader": "",
		"implementation analysis/verifier": "", "implementation report-writer/report-writer": "", "implementation lead/leader": "",
	}
	for _, taskType := range []string{"error-analysis", "implementation"} {
		for _, audience := range []string{run.AudienceAnalysis, run.AudienceReportWriter, run.AudienceLead} {
			for _, role := range []string{run.RoleLeader, run.RoleAnalyser, run.RoleVerifier, run.RoleImplementer, run.RoleReportWriter, run.RoleTranslator} {
				key := audience + "/" + role
				if taskType == "implementation" {
					key = "implementation " + key
				}
				_, ok := allowed[key]
				_, faults := prepare(t, taskType, roster("w: "+audience), seat(role, audience, "w", "re-0002"))
				if ok != (len(faults) == 0) || !ok && !strings.Contains(faults[0], CodeRole) {
					t.Errorf("%s: %q", key, faults)
				}
			}
		}
	}
}

// TestTheManifestDecidesWhoIsWho: none or several rows, or another role than
// the roster says, leave a seat unresolved.
func TestTheManifestDecidesWhoIsWho(t *testing.T) {
	analyst := seat(run.RoleAnalyser, run.AudienceAnalysis, "w1", "re-0002")
	for _, tt := range []struct {
		name, seat, want string
		rows             []run.RoleExecution
	}{
		{"no row", "w1: analysis", `g.md:2: manifest-unresolved: worker "w1" of audience "analysis": 0 rows in the run manifest (expected one)`, nil},
		{"two rows", "w1: analysis", "2 rows in the run manifest", []run.RoleExecution{analyst, seat(run.RoleVerifier, run.AudienceAnalysis, "w1", "re-0003")}},
		{"another role", "w1: analysis (verifier)", `worker "w1" is listed as "verifier" and is "analyser" in the run manifest`, []run.RoleExecution{analyst}},
		{"another audience", "w1: lead", CodeRole, []run.RoleExecution{analyst}},
		{"the row of the audience is taken, others are not asked", "w1: analysis", "", []run.RoleExecution{seat(run.RoleImplementer, "", "w1", "re-0009"), analyst}},
		{"the role points at the row outside", "w1: analysis (implementer)", CodeRole, []run.RoleExecution{seat(run.RoleImplementer, "", "w1", "re-0009"), analyst}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, faults := prepare(t, "error-analysis", roster(tt.seat), tt.rows...)
			if tt.want == "" {
				if len(faults) > 0 || in.Workers[0].SourceRoleExecutionRef != "re-0002" {
					t.Errorf("%q, %+v", faults, in.Workers)
				}
				return
			}
			if len(faults) != 1 || !strings.Contains(faults[0], tt.want) {
				t.Errorf("%q, want %q", faults, tt.want)
			}
		})
	}
}

// TestT4OneRoleExecutionIsOneIdentity: the same worker twice is the parser's
// fault; two workers with one role execution are found over the whole roster.
func TestT4OneRoleExecutionIsOneIdentity(t *testing.T) {
	rows := []run.RoleExecution{
		seat(run.RoleAnalyser, run.AudienceAnalysis, "w1", "re-0002"),
		seat(run.RoleAnalyser, run.AudienceAnalysis, "w2", "re-0002"),
		seat(run.RoleLeader, run.AudienceLead, "lead", "re-0002"),
	}
	_, faults := prepare(t, "error-analysis", roster("w1: analysis", "w2: analysis", "lead: lead"), rows...)
	want := []string{
		`g.md:3: role-execution-duplicate: worker "w2" holds role execution "re-0002", which is "w1"'s already`,
		`g.md:4: role-execution-duplicate: worker "lead" holds role execution "re-0002", which is "w1"'s already`,
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Error(diff)
	}
	_, faults = prepare(t, "error-analysis", roster("w1: analysis", "w1: analysis"), rows...)
	if len(faults) == 0 || !strings.Contains(faults[0], `g.md:3: `) || !strings.Contains(strings.Join(faults, "\n"), `worker-duplicate: worker "w1" stands in the roster twice (first in line 2)`) {
		t.Errorf("%q", faults)
	}
}

// TestT6TheReferenceIsTheRowsOwnRoleExecution, not the field of the same name
// in the row, which says who ordered it.
func TestT6TheReferenceIsTheRowsOwnRoleExecution(t *testing.T) {
	row := seat(run.RoleAnalyser, run.AudienceAnalysis, "w1", "re-0004")
	row.SourceRoleExecutionRef = new("re-0001")
	in, faults := prepare(t, "error-analysis", roster("w1: analysis"), row)
	if len(faults) > 0 || in.Workers[0].SourceRoleExecutionRef != "re-0004" || in.Workers[0].ParticipantRef != "participant:w1" {
		t.Errorf("%q, %+v", faults, in.Workers)
	}
}

// group is a grouping of w1, w2 and a lead with one group, whose source items
// stand in line 10.
func group(items, by, origin string) string {
	return "## Roster\n- w1: analysis\n- w2: analysis\n- lead: lead\n## Groups\n### G-001 c\nTickets:\nOrigin: " + origin +
		"\nOrigin Evidence: a.go:1\nSource Items: " + items + "\nDiscovered By: " + by + "\n"
}

// TestItemsMustStandInAResult: also T10, items of section 6 never enter, and an
// analysis worker without a result has no item.
func TestItemsMustStandInAResult(t *testing.T) {
	rows := []run.RoleExecution{
		seat(run.RoleAnalyser, run.AudienceAnalysis, "w1", "re-0002"), seat(run.RoleAnalyser, run.AudienceAnalysis, "w2", "re-0003"),
		seat(run.RoleAnalyser, run.AudienceAnalysis, "w3", "re-0004"), seat(run.RoleLeader, run.AudienceLead, "lead", "re-0001"),
	}
	for _, tt := range []struct{ name, text, want string }{
		{"item of a result", group("w1#F-001, w2#F-001", "w1, w2", "w1"), ""},
		{"no such item", group("w1#F-009", "w1", "w1"), `g.md:10: item-unknown: group G-001: the result of "w1" has no item F-009`},
		{"section 6", group("w1#F-002", "w1", "w1"), `g.md:10: item-section-6: group G-001: item w1#F-002 stands in section 6`},
		{"no result at all", strings.Replace(group("w3#F-001", "w3", "w3"), "- w2: analysis", "- w3: analysis", 1), `g.md:10: item-unknown: group G-001: "w3" has no result that could hold item F-001`},
		{"the lead writes no result", group("lead#F-001", "lead", "lead"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, faults := prepare(t, "error-analysis", tt.text, rows...)
			if tt.want == "" {
				if len(faults) > 0 || len(in.Groups) != 1 {
					t.Errorf("%q", faults)
				}
				return
			}
			if len(faults) != 1 || !strings.Contains(faults[0], tt.want) {
				t.Errorf("%q, want %q", faults, tt.want)
			}
		})
	}
}

// TestEveryFaultOfAGroupingIsToldAtOnce: those of the grammar, of the roster
// and of the items together, in order of lines.
func TestEveryFaultOfAGroupingIsToldAtOnce(t *testing.T) {
	text := "## Roster\n- w1: analysis\n- w2: analysis (verifier)\n- who: analysis\n## Groups\n### G-002 c\nTickets: none\nOrigin: w1\nOrigin Evidence:\nSource Items: w1#F-009\nDiscovered By: w1\n"
	_, faults := prepare(t, "error-analysis", text, seat(run.RoleAnalyser, run.AudienceAnalysis, "w1", "re-0002"), seat(run.RoleAnalyser, run.AudienceAnalysis, "w2", "re-0003"))
	var found []string
	for _, f := range faults {
		found = append(found, strings.Join(strings.SplitN(f, ": ", 3)[:2], " "))
	}
	want := []string{"g.md:6 group-id", "g.md:7 ticket-placeholder", "g.md:9 evidence-empty", "g.md:3 manifest-unresolved", "g.md:4 manifest-unresolved", "g.md:10 item-unknown"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// TestT11MaxRounds: the default is 1 for requirements discovery only, and what
// is out of range is refused, never clamped. T12: the adversarial posture
// forces the mode.
func TestT11MaxRoundsAndT12Mode(t *testing.T) {
	for _, taskType := range run.TaskTypes {
		c, err := Effective(nil, taskType)
		wantRounds, wantAdversarial := 2, false
		switch taskType {
		case "requirements-discovery":
			wantRounds, wantAdversarial = 1, true
		case "error-analysis", "implementation-planning":
			wantAdversarial = true
		}
		mode := Lightweight
		if wantAdversarial {
			mode = FullReanalysis
		}
		if want := (Config{Enabled: true, MaxRounds: wantRounds, VerificationMode: mode, Adversarial: wantAdversarial}); err != nil || c != want {
			t.Errorf("%s: %+v %v, want %+v", taskType, c, err, want)
		}
	}
	for n := -1; n <= 5; n++ {
		c, err := Effective(&run.ConvergenceBlock{MaxRounds: &n}, "implementation")
		if ok := n >= 1 && n <= 3; ok != (err == nil) || ok && c.MaxRounds != n {
			t.Errorf("maxRounds %d: %+v %v", n, c, err)
		}
		if e, is := errors.AsType[*ConfigError](err); err != nil && (!is || e.Code != "config-max-rounds-range" || !strings.Contains(err.Error(), fmt.Sprintf("%d (expected 1 to 3)", n))) {
			t.Errorf("maxRounds %d: %v", n, err)
		}
	}
	for _, tt := range []struct {
		adversarial bool
		mode, want  string
	}{{true, Lightweight, FullReanalysis}, {true, FullReanalysis, FullReanalysis}, {false, Lightweight, Lightweight}, {false, FullReanalysis, FullReanalysis}} {
		c, err := Effective(&run.ConvergenceBlock{Adversarial: &tt.adversarial, VerificationMode: &tt.mode}, "error-analysis")
		if err != nil || c.VerificationMode != tt.want || c.Adversarial != tt.adversarial {
			t.Errorf("%+v: %+v %v", tt, c, err)
		}
	}
	if _, err := Effective(&run.ConvergenceBlock{VerificationMode: new("thorough")}, "error-analysis"); err == nil {
		t.Error("an unknown mode is taken")
	}
}

// TestCheckInput names each thing that prepare-groups would not have written.
func TestCheckInput(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		damage     func(*Input)
	}{
		{"a worker twice", "/workers/1/workerId worker-duplicate", func(in *Input) { in.Workers[1].WorkerID, in.Workers[1].ParticipantRef = "w1", "participant:w1" }},
		{"a role execution twice", "/workers/4/sourceRoleExecutionRef role-execution-duplicate", func(in *Input) { in.Workers[4].SourceRoleExecutionRef = in.Workers[0].SourceRoleExecutionRef }},
		{"a role of another audience", "/workers/0/role role-not-allowed", func(in *Input) { in.Workers[0].Role = run.RoleImplementer }},
		{"another participant", "/workers/0/participantRef input-invariant", func(in *Input) { in.Workers[0].ParticipantRef = "participant:w2" }},
		{"workers out of order", "/workers/1 input-invariant", func(in *Input) { in.Workers[0], in.Workers[1] = in.Workers[1], in.Workers[0] }},
		{"a gap in the groups", "/groups/1/groupId group-id", func(in *Input) { in.Groups[1].GroupID = "G-003" }},
		{"a candidate of a critic", "/groups/1/groupId group-id", func(in *Input) { in.Groups[1].GroupID = "X-001" }},
		{"a discoverer from nowhere", "/groups/0/discoveredBy worker-unknown", func(in *Input) {
			in.Groups[0].DiscoveredBy[1] = "w9"
			in.Groups[0].SourceItems[1].WorkerID = "w9"
		}},
		{"an origin that found nothing", "/groups/0/origin/workerId origin-not-discoverer", func(in *Input) { in.Groups[0].Origin.WorkerID = "w2" }},
		{"discoverers out of order", "/groups/0/discoveredBy input-invariant", func(in *Input) { in.Groups[0].DiscoveredBy = []string{"w3", "w1"} }},
		{"a ticket twice", "/groups/0/tickets input-invariant", func(in *Input) { in.Groups[0].Tickets = []string{"A", "A"} }},
		{"an item in two groups", "/groups/1/sourceItems/0 item-reused", func(in *Input) {
			in.Groups[1].SourceItems[0] = in.Groups[0].SourceItems[0]
			in.Groups[1].DiscoveredBy, in.Groups[1].Origin.WorkerID = []string{"w1"}, "w1"
		}},
		{"an item of a stranger", "/groups/1/sourceItems/0 item-no-discoverer", func(in *Input) { in.Groups[1].SourceItems[0].WorkerID = "w3" }},
		{"items out of order", "/groups/0/sourceItems input-invariant", func(in *Input) {
			s := in.Groups[0].SourceItems
			s[0], s[1] = s[1], s[0]
		}},
		{"a discoverer without an item", "/groups/0/discoveredBy discoverer-no-item", func(in *Input) { in.Groups[0].SourceItems = in.Groups[0].SourceItems[:1] }},
		{"an artifact of another run", "/artifactId input-invariant", func(in *Input) { in.ArtifactID = "convergence-input-error-analysis-003" }},
		{"a task that is none", "/task input-invariant", func(in *Input) { in.Task.TaskKey = "shop:pay:other" }},
		{"lightweight and adversarial", "/config/verificationMode input-invariant", func(in *Input) { in.Config.VerificationMode = Lightweight }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := input(3, true, found(1, "w1", "w3"), found(2, "w2"))
			if faults := CheckInput(in); len(faults) > 0 {
				t.Fatalf("sound input: %v", faults)
			}
			tt.damage(&in)
			got := codes(CheckInput(in), func(f finding.Finding) string { return f.Pointer + " " + f.Code })
			if !strings.Contains(strings.Join(got, "\n"), tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestAGroupedInputMustShowSomething: a claim or evidence of marks without
// width is none, in an input as in the Markdown that it came from.
func TestAGroupedInputMustShowSomething(t *testing.T) {
	in := input(2, false, found(1, "w1"))
	in.Groups[0].Claim, in.Groups[0].Origin.Evidence = "\u2060", " \u200b"
	var got []string
	for _, f := range CheckInput(in) {
		got = append(got, f.Pointer+" "+f.Code)
	}
	if want := []string{"/groups/0/claim input-invariant", "/groups/0/origin/evidence evidence-empty"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
