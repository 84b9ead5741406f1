package converge

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/converge/grouping"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// panel is a roster of analysis workers w1, w2, … of the given providers; each
// has the model of its provider.
func panel(providers ...string) []Worker {
	var out []Worker
	for i, p := range providers {
		out = append(out, Worker{
			WorkerID: fmt.Sprintf("w%d", i+1), Audience: run.AudienceAnalysis, Role: run.RoleAnalyser,
			ParticipantRef: fmt.Sprintf("participant:w%d", i+1), SourceRoleExecutionRef: fmt.Sprintf("re-%04d", i+1), Provider: &p, Model: &p,
		})
	}
	return out
}

// claimed is a group that the workers found, with evidence at a.go:10.
func claimed(n int, by ...string) Group {
	return Group{
		GroupID: grouping.ID("G", n), Claim: fmt.Sprintf("claim %d", n), Tickets: []string{},
		Origin: Origin{by[0], "a.go:10"}, DiscoveredBy: by, SourceItems: []grouping.ItemRef{},
	}
}

var agreementTask = run.Task{TaskKey: "shop:pay:t", ProjectID: "shop", TaskGroup: "pay", TaskID: "t", TaskType: "error-analysis", RunSeq: "001"}

func inputOf(workers []Worker, adversarial bool, groups ...Group) Input {
	return Input{
		SchemaVersion: Version, Kind: InputKind, ArtifactID: "convergence-input-error-analysis-001", Task: agreementTask, RunManifestPath: "m.json",
		Config:  Config{Enabled: true, MaxRounds: 2, VerificationMode: FullReanalysis, Adversarial: adversarial},
		Workers: workers, Groups: groups,
	}
}

const someDigest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// voted answers the round that is due. verdict gives the block of a worker on
// a group, "" for none.
func voted(t interface {
	Helper()
	Fatalf(string, ...any)
}, s State, verdict func(worker, group string) string,
) State {
	t.Helper()
	round := s.Next.Round
	packets, err := Queue(s, round, QueueOptions{})
	if err != nil {
		t.Fatalf("queue: %v", err)
	}
	var answers []Answer
	for _, p := range packets {
		var text strings.Builder
		fmt.Fprintf(&text, "# Reverify\nRound: %d\nWorker: %s\n", round, p.WorkerID)
		for _, g := range p.Groups {
			if block := verdict(p.WorkerID, g.GroupID); block != "" {
				fmt.Fprintf(&text, "\n## %s\n%s\n", g.GroupID, block)
			}
		}
		answers = append(answers, Answer{p.WorkerID + ".md", []byte(text.String())})
	}
	next, _, err := Apply(s, round, answers, true)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return next
}

// Blocks of verdict files.
const (
	sayAgree      = "Verdict: AGREE\nEvidence: a.go:10"
	sayElsewhere  = "Verdict: AGREE\nEvidence: b.go:7"
	saySupplement = "Verdict: SUPPLEMENT\nEvidence: b.go:7\nReason: more"
	sayDisagree   = "Verdict: DISAGREE\nBasis: refuted\nEvidence: b.go:7\nReason: no"
)

func TestAgreementOfAState(t *testing.T) {
	s := Seed(inputOf(panel("claude", "claude", "codex", "kimi"), false,
		claimed(1, "w1", "w2"), claimed(2, "w1"), claimed(3, "w3"), claimed(4, "w4")), someDigest)
	says := map[string]map[string]string{
		"G-002": {"w2": sayAgree, "w3": sayAgree, "w4": sayAgree},
		"G-003": {"w1": sayElsewhere, "w2": sayDisagree},
		"G-004": {},
	}
	s = voted(t, s, func(w, g string) string { return says[g][w] })
	got := Agree(s, LevelNominal)
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("units", got.Units, 2)
	check("raters", got.Raters, 4)
	check("decided at seed", got.DecidedAtSeed, 1)
	check("without votes", got.WithoutVotes, 1)
	// w2 shares with the source w1 of G-002 and with the voter w1 of G-003.
	check("votes", got.Votes, VoteCounts{Given: 5, SharedProvider: 3, SharedModel: 3})
	check("consensus", got.Sections.Consensus, SectionCount{Findings: 2, Settled: 2})
	check("difference", got.Sections.Difference, SectionCount{Findings: 2, Settled: 0})
	check("unsettled", got.Sections.Unsettled, []string{"G-003", "G-004"})
	check("overlap", []int{got.EvidenceOverlap.Groups, got.EvidenceOverlap.Confirmed}, []int{1, 2})
	check("overlap share", got.EvidenceOverlap.Share.Fraction(), "1/2")
	check("share of G-003", got.Groups[2].Share.Fraction(), "1/2")
	check("flags of G-002", got.Groups[1].Flags, []string{EvidenceOverlap})
	check("share of G-004", string(got.Groups[3].Wilson.Reason), "no-votes")
	check("pairs", len(got.CohenKappa), 6)
	check("nominal", got.KrippendorffAlpha.Nominal.Fraction(), "0")
	check("ordinal of words", string(got.KrippendorffAlpha.Ordinal.Reason), "values-not-numeric")
	check("ordinal", Agree(s, LevelOrdinal).KrippendorffAlpha.Ordinal.Reason == "", true)
}

// TestAgreementDoesNotDependOnOrderAndRepeatsTheFindings: the figures of a
// final state carry the labels, sections and flags of its findings, whatever
// order roster and groups came in, and fit their schema.
func TestAgreementDoesNotDependOnOrderAndRepeatsTheFindings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := panel(rapid.SliceOfN(rapid.SampledFrom([]string{"claude", "codex", "kimi"}), 2, 5).Draw(t, "providers")...)
		var groups []Group
		for n := range rapid.IntRange(1, 6).Draw(t, "groups") {
			by := rapid.SliceOfNDistinct(rapid.IntRange(1, len(workers)), 1, 2, func(i int) int { return i }).Draw(t, "by")
			var names []string
			for _, i := range by {
				names = append(names, fmt.Sprintf("w%d", i))
			}
			groups = append(groups, claimed(n+1, names...))
		}
		in := inputOf(workers, rapid.Bool().Draw(t, "adversarial"), groups...)
		s := Seed(in, someDigest)
		given := map[string]string{}
		for _, w := range workers {
			for _, g := range groups {
				given[w.WorkerID+g.GroupID] = rapid.SampledFrom([]string{"", sayAgree, sayElsewhere, saySupplement, sayDisagree}).Draw(t, "vote")
			}
		}
		if s.Next.Action == ActQueue {
			s = voted(t, s, func(w, g string) string { return given[w+g] })
		}
		level := rapid.SampledFrom([]string{LevelNominal, LevelOrdinal}).Draw(t, "level")
		first, err := jsondoc.Marshal(Agree(s, level))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse("agreement.json", first)
		if err != nil {
			t.Fatal(err)
		}
		if found := schema.Validate(doc, "okstra-agreement"); len(found) > 0 {
			t.Fatalf("schema: %v\n%s", found, first)
		}
		turned := s
		turned.Workers = rapid.Permutation(s.Workers).Draw(t, "roster")
		second, err := jsondoc.Marshal(Agree(turned, level))
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("another order of the roster: %v\n%s\n%s", err, first, second)
		}
		for s.Next.Action == ActQueue {
			s = voted(t, s, func(string, string) string { return "" })
		}
		if s.Next.Action == ActFinalize {
			if s, err = Finalize(s); err != nil {
				t.Fatal(err)
			}
		}
		for i, g := range Agree(s, level).Groups {
			f := s.Findings[i]
			if g.GroupID != f.GroupID || g.Classification != f.Classification || g.Section != f.Section || g.Settled != f.Settled || g.Agree != f.Agree || g.Votes != f.Agree+f.Disagree || !reflect.DeepEqual(g.Flags, f.Flags) {
				t.Fatalf("group %+v, finding %+v", g, f)
			}
		}
	})
}
