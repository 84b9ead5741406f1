package converge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/clitest/sarifjudge"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/sarif"
)

// closed answers all rounds that are due and finalizes.
func closed(t *testing.T, s State, verdict func(worker, group string) string) State {
	t.Helper()
	for s.Next.Action == ActQueue {
		s = voted(t, s, verdict)
	}
	if s.Next.Action == ActFinalize {
		var err error
		if s, err = Finalize(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func logOf(t *testing.T, s State, layout string, judge func(testing.TB, []byte)) sarif.Log {
	t.Helper()
	log, err := SARIF(s, layout)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jsondoc.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, raw)
	return log
}

func withLead(workers []Worker) []Worker {
	lead := workers[0]
	lead.WorkerID, lead.Audience, lead.Role, lead.ParticipantRef, lead.SourceRoleExecutionRef = "lead", run.AudienceLead, run.RoleLeader, "participant:lead", "re-0099"
	return append(workers, lead)
}

// A run for each worker, the lead only where it found something; each group's
// results are tied together; differences are up for review, rejected findings
// suppressed; a vote that never came is a notification.
func TestSARIFOfAState(t *testing.T) {
	says := map[string]map[string]string{
		"G-002": {"w2": sayAgree, "w3": sayElsewhere}, "G-003": {"w1": sayDisagree, "w2": sayDisagree}, "G-004": {"w1": sayAgree},
	}
	s := Seed(inputOf(withLead(panel("claude", "codex", "kimi")), false,
		claimed(1, "w1", "w2"), claimed(2, "w1"), claimed(3, "w3"), claimed(4, "lead")), someDigest)
	s = closed(t, s, func(w, g string) string { return says[g][w] })
	log := logOf(t, s, LayoutPerWorker, sarifjudge.Log)
	var names, ids []string
	correlated := map[string][]string{}
	for _, r := range log.Runs {
		names = append(names, r.Tool.Driver.Name)
		ids = append(ids, r.AutomationDetails.ID)
		for _, res := range r.Results {
			correlated[res.CorrelationGUID] = append(correlated[res.CorrelationGUID], r.Tool.Driver.Name+" "+res.Message.Text)
		}
	}
	if want := []string{"lead", "w1", "w2", "w3"}; !slices.Equal(names, want) {
		t.Errorf("runs %v, want %v", names, want)
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != 4 {
		t.Errorf("automation ids %v", ids)
	}
	if got := correlated[sarif.GUID("okstra/shop/pay/t/error-analysis/001/G-001")]; !slices.Equal(got, []string{"w1 claim 1", "w2 claim 1"}) {
		t.Errorf("G-001 is %v", got)
	}
	lead, w3 := log.Runs[0], log.Runs[3]
	if r := lead.Results[0]; r.Kind != sarif.KindReview || r.Level != sarif.LevelNone || *r.Rank != 100 {
		t.Errorf("G-004, on which one vote is missing: %+v", r)
	}
	if r := w3.Results[0]; len(r.Suppressions) != 1 || *r.Rank != 0 || r.Suppressions[0].Justification != "rejected by everybody who was asked: w1: no; w2: no" {
		t.Errorf("G-003, which everybody rejected: %+v", r)
	}
	if call := w3.Invocations[0]; call.ExecutionSuccessful || call.ToolExecutionNotifications[0].Message.Text != "no vote of w3 on G-004: verdict-group-missing" {
		t.Errorf("w3, who gave no vote on G-004: %+v", call)
	}
	if r := log.Runs[1].Results[0]; r.Kind != sarif.KindFail || r.Level != sarif.LevelWarning || r.Rank != nil || r.Locations[0].PhysicalLocation.Region.StartLine != 10 {
		t.Errorf("G-001, found by two: %+v", r)
	}
	single := logOf(t, s, LayoutSingle, sarifjudge.Log)
	if len(single.Runs) != 1 || len(single.Runs[0].Results) != 4 || slices.Contains(ids, single.Runs[0].AutomationDetails.ID) {
		t.Errorf("one run: %+v", single)
	}
}

func TestSARIFOfNothing(t *testing.T) {
	for _, workers := range [][]Worker{panel("claude", "codex"), nil} {
		s := Seed(inputOf(workers, true), someDigest)
		s = closed(t, s, nil)
		for _, layout := range []string{LayoutPerWorker, LayoutSingle} {
			log := logOf(t, s, layout, sarifjudge.Log)
			if len(log.Runs) == 0 || len(log.Runs[0].Results) != 0 {
				t.Errorf("%d workers, %s: %+v", len(workers), layout, log)
			}
		}
	}
	if _, err := SARIF(Seed(inputOf(panel("claude", "codex"), true, claimed(1, "w1")), someDigest), LayoutSingle); err == nil {
		t.Error("a running state is written as SARIF")
	}
}

// Whatever the votes: others' judges accept the log, its runs and results have
// ids of their own, and no review has a level.
func TestSARIFOfAnyState(t *testing.T) {
	votes := []string{"", sayAgree, sayElsewhere, saySupplement, sayDisagree}
	rapid.Check(t, func(r *rapid.T) {
		workers := withLead(panel(rapid.SliceOfN(rapid.SampledFrom([]string{"claude", "codex", ""}), 1, 4).Draw(r, "providers")...))
		var groups []Group
		for n := range rapid.IntRange(0, 5).Draw(r, "groups") {
			g := claimed(n+1, rapid.SliceOfNDistinct(rapid.SampledFrom(workers), 1, 2, func(w Worker) string { return w.WorkerID }).Draw(r, "by")[0].WorkerID)
			g.Origin.Evidence = rapid.SampledFrom([]string{"a.go:1", "a%20b/ü.go:3-9; ../c:4", "/srv/x:1", "no place", "c:x:2"}).Draw(r, "evidence")
			groups = append(groups, g)
		}
		in := inputOf(workers, rapid.Bool().Draw(r, "adversarial"), groups...)
		in.Config.MaxRounds = 1
		s := closed(t, Seed(in, someDigest), func(w, g string) string { return rapid.SampledFrom(votes).Draw(r, "vote") })
		seen := map[string]bool{}
		once := func(id string) {
			if seen[id] {
				r.Fatalf("%s stands twice", id)
			}
			seen[id] = true
		}
		for _, layout := range []string{LayoutPerWorker, LayoutSingle} {
			clear(seen)
			for _, run := range logOf(t, s, layout, sarifjudge.Schema).Runs {
				once(run.AutomationDetails.ID)
				for _, res := range run.Results {
					once(res.GUID)
					if (res.Kind == sarif.KindReview) != (res.Level == sarif.LevelNone) {
						r.Fatalf("kind %s, level %s", res.Kind, res.Level)
					}
				}
			}
		}
		if t.Failed() {
			r.Fatalf("%d groups", len(groups))
		}
	})
}

// variousState has findings of every label, and a worker that found nothing.
func variousState(t *testing.T) State {
	t.Helper()
	says := map[string]map[string]string{
		"G-002": {"w2": sayAgree, "w3": sayElsewhere, "w4": sayDisagree}, "G-003": {"w1": sayDisagree, "w2": sayDisagree, "w4": sayAgree}, "G-005": {"w2": sayAgree},
	}
	s := Seed(inputOf(panel("claude", "codex", "kimi", "grok"), false,
		claimed(1, "w1", "w2"), claimed(2, "w1"), claimed(3, "w3"), claimed(4, "w1"), claimed(5, "w3")), someDigest)
	return closed(t, s, func(w, g string) string { return says[g][w] })
}

// TestReport14LevelsAndRulesStandByThemselves (reported of a tool that merges
// logs: runs by rule, empty runs lost, levels that changed and indexes that
// pointed elsewhere): a run for each worker, one that found nothing too; every
// result writes its level and names its rule by id, and nothing is referred
// to by its index.
func TestReport14LevelsAndRulesStandByThemselves(t *testing.T) {
	s := variousState(t)
	for _, layout := range []string{LayoutPerWorker, LayoutSingle} {
		log := logOf(t, s, layout, sarifjudge.Log)
		raw, err := jsondoc.Marshal(log)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		results := strings.Count(text, `"ruleId"`)
		if results != map[string]int{LayoutPerWorker: 6, LayoutSingle: 5}[layout] || strings.Count(text, `"level"`) < results || strings.Count(text, `"kind"`) < results {
			t.Errorf("%s: a result lacks its level, its kind or its rule:\n%s", layout, text)
		}
		for _, key := range []string{`"ruleIndex"`, `"index"`, `"artifacts"`} {
			if strings.Contains(text, key) {
				t.Errorf("%s: %s is written", layout, key)
			}
		}
		if layout == LayoutSingle {
			continue
		}
		if len(log.Runs) != 4 || len(log.Runs[3].Results) != 0 || strings.Count(text, `"results": []`) != 1 || strings.Count(text, `"rules": []`) != 1 {
			t.Errorf("%d runs, the last with %d results:\n%s", len(log.Runs), len(log.Runs[3].Results), text)
		}
	}
}

// TestReport15ARuleIsDescribedOnce (reported of the same tool's comparison of
// logs: rules twice over): each rule that a run's results name is described in
// it once, and no other.
func TestReport15ARuleIsDescribedOnce(t *testing.T) {
	s := variousState(t)
	for _, layout := range []string{LayoutPerWorker, LayoutSingle} {
		for _, run := range logOf(t, s, layout, sarifjudge.Schema).Runs {
			var described, named []string
			for _, rule := range run.Tool.Driver.Rules {
				described = append(described, rule.ID)
			}
			for _, res := range run.Results {
				named = append(named, res.RuleID)
			}
			slices.Sort(described)
			slices.Sort(named)
			if !slices.Equal(described, slices.Compact(named)) {
				t.Errorf("%s, %s: described %v, named %v", layout, run.Tool.Driver.Name, described, named)
			}
		}
	}
}
