package converge

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFlags: each tells what a reader of the label should know, and none
// changes it.
func TestFlags(t *testing.T) {
	const own, other = "main.go:1", "other.go:7"
	for _, tt := range []struct {
		name               string
		by                 []string
		providers          []string // of w1 to w4
		evidence           map[string]string
		origin, captured   string
		want               []string
		sameModelsAsFamily bool
	}{
		{name: "one vote", by: []string{"w1"}, evidence: map[string]string{"w2": other}, want: []string{SingleVerifier}},
		{name: "two votes", by: []string{"w1"}, evidence: map[string]string{"w2": other, "w3": own}, want: []string{}},
		{name: "nobody looked anywhere else", by: []string{"w1"}, evidence: map[string]string{"w2": own, "w3": own}, want: []string{EvidenceOverlap}},
		{name: "a line inside the claim's range is the claim's", by: []string{"w1"}, origin: "main.go:1-9", evidence: map[string]string{"w2": "main.go:3", "w3": "main.go:4-9"}, want: []string{EvidenceOverlap}},
		{name: "a range that reaches beyond it is not", by: []string{"w1"}, origin: "main.go:1-9", evidence: map[string]string{"w2": "main.go:3-10", "w3": own}, want: []string{}},
		{name: "captured evidence is the claim's too", by: []string{"w1"}, captured: "seen at " + other, evidence: map[string]string{"w2": other, "w3": own}, want: []string{EvidenceOverlap}},
		{name: "text beside a location is not compared", by: []string{"w1"}, evidence: map[string]string{"w2": own + " as the claim says", "w3": "I ran it"}, want: []string{EvidenceOverlap}},
		{name: "source and voter of one provider", by: []string{"w1"}, providers: []string{"p", "p", "q", "q"}, evidence: map[string]string{"w2": other}, want: []string{SingleVerifier, SameProvider}},
		{name: "and of one model", by: []string{"w1"}, providers: []string{"p", "p", "q", "q"}, sameModelsAsFamily: true, evidence: map[string]string{"w2": other}, want: []string{SingleVerifier, SameProvider, SameModel}},
		{name: "one other provider is enough", by: []string{"w1"}, providers: []string{"p", "p", "q", "q"}, evidence: map[string]string{"w2": other, "w3": other}, want: []string{}},
		{name: "an unknown provider matches nobody", by: []string{"w1"}, providers: []string{"", "", "", ""}, evidence: map[string]string{"w2": other, "w3": other}, want: []string{}},
		{name: "two sources of one provider", by: []string{"w1", "w2"}, providers: []string{"p", "p", "q", "q"}, want: []string{SameProvider}},
		{name: "nobody voted", by: []string{"w1"}, want: []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := found(1, tt.by...)
			if tt.origin != "" {
				g.Origin.Evidence = tt.origin
			}
			if tt.captured != "" {
				g.CapturedEvidence = &tt.captured
			}
			in := input(4, false, g)
			for i, p := range tt.providers {
				in.Workers[i].Provider = new(p)
				if tt.sameModelsAsFamily {
					in.Workers[i].Model = new("model-" + p)
				}
			}
			s := seeded(t, in)
			if s.Next.Action == ActQueue {
				var answers []Answer
				for w, evidence := range tt.evidence {
					answers = append(answers, Answer{w, []byte("Round: 1\nWorker: " + w + "\n## G-001\nVerdict: AGREE\nEvidence: " + evidence + "\n")})
				}
				s = mustApply(t, s, 1, answers)
			}
			for s.Next.Action == ActQueue {
				s = mustApply(t, s, s.Next.Round, nil)
			}
			if diff := cmp.Diff(tt.want, finalized(t, s).Findings[0].Flags); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUnanimityOnASharedPremiseIsFlaggedNotRaised: a fast unanimous panel that
// quotes nothing of its own gets a flag and no better label.
func TestUnanimityOnASharedPremiseIsFlaggedNotRaised(t *testing.T) {
	say := func(string) string { return "Verdict: AGREE\nEvidence: main.go:1\n" }
	s := voted(t, seeded(t, input(3, true, found(1, "w1"))), func(worker, _ string) string { return say(worker) })
	f := finalized(t, s).Findings[0]
	if f.Classification != FullConsensus || !slices.Contains(f.Flags, EvidenceOverlap) {
		t.Errorf("%s %v", f.Classification, f.Flags)
	}
}

// TestSummaryRows: sections, ids in order of groups, positions of everybody,
// evidence that is shared, and why a vote is missing.
func TestSummaryRows(t *testing.T) {
	a, b, c := found(1, "w1", "w2"), found(2, "w2", "lead"), found(3, "w1")
	b.Origin.Evidence = "main.go:1; pool.go:4-9 with a note"
	c.Origin.Evidence = a.Origin.Evidence
	s := seeded(t, input(3, true, a, b, c))
	s = answered(t, s, 1, map[string]ballot{"w1": {"G-002": "S"}, "w2": {"G-003": "D"}})
	s = finalized(t, answered(t, s, 2, map[string]ballot{"w3": {"G-002": "A", "G-003": ""}}))
	sum, err := Summarise(s)
	if err != nil {
		t.Fatal(err)
	}
	wantEvidence := []EvidenceRow{
		{"E-001", "main.go:1", "claim 1", []string{}},
		{"E-002", "pool.go:4-9 with a note", "claim 2", []string{}},
	}
	if diff := cmp.Diff(wantEvidence, sum.Evidence); diff != "" {
		t.Error(diff)
	}
	wantConsensus := []CrossRow{
		{"L-001", "G-001", FullConsensus, true, "claim 1", []Position{{"w1", StanceSource, ""}, {"w2", StanceSource, ""}}, []string{}, []string{"E-001"}},
		{"L-002", "G-002", FullConsensus, true, "claim 2", []Position{
			{"lead", StanceSource, "provenance only; a leader never votes"},
			{"w2", StanceSource, ""},
			{"w1", StanceSupplement, "w1 thinks so"},
			{"w3", StanceAgree, ""},
		}, []string{}, []string{"E-001", "E-002"}},
	}
	if diff := cmp.Diff(wantConsensus, sum.Consensus); diff != "" {
		t.Error(diff)
	}
	wantDifferences := []CrossRow{{"D-001", "G-003", Contested, true, "claim 3", []Position{
		{"w1", StanceSource, ""}, {"w2", StanceDisagree, "w2 thinks so"}, {"w3", StanceNoResult, CodeGroupMissing},
	}, []string{}, []string{"E-001"}}}
	if diff := cmp.Diff(wantDifferences, sum.Differences); diff != "" {
		t.Error(diff)
	}
}

// TestTheSummaryTableShowsEachShareWithItsOwnNumber of voters (reported of a
// council that averaged over unequal numbers), and a claim cannot break it.
func TestTheSummaryTableShowsEachShareWithItsOwnNumber(t *testing.T) {
	a := found(1, "w1")
	a.Claim = "a | b\n<b>"
	s := answered(t, seeded(t, input(4, false, a, found(2, "w1", "w2"))), 1, map[string]ballot{"w2": {"G-001": "A"}, "w3": {"G-001": "A"}, "w4": {"G-001": "A"}})
	s = finalized(t, s)
	sum, err := Summarise(s)
	if err != nil {
		t.Fatal(err)
	}
	text := Markdown(s, sum)
	for _, want := range []string{"| 3/3 | 0.44–1.00 |", `a \| b &lt;b>`, "| G-002 | full-consensus | yes | claim 2 | – | – |", "## Differences\n\nNone.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestExplainDerivesTheLabelFromTheVotes in words, for a group that is done.
func TestExplainDerivesTheLabelFromTheVotes(t *testing.T) {
	s := longRun(t)
	text, ok := Explain(s, "G-003")
	want := `G-003: claim 3
  w2: source
  w1: agree
  w3: disagree (w3 thinks so)
s = 1 sources, A = 1 agree, D = 1 disagree, M = 0 missing; the burden of proof is on the claim
R1 does not hold: s ≥ 2
R2 does not hold: A = 0 and D = 0
R3 does not hold: D = 0 and M = 0
R4 does not hold: D = 0
R5 does not hold: A ≥ 1 and 2S > T
S = 1 of T = 2
R6 holds: otherwise, so contested (no-majority)
were all missing voters to disagree: contested, section difference; to agree: contested, section difference
section difference, settled
`
	if diff := cmp.Diff(want, text); diff != "" || !ok {
		t.Error(diff)
	}
	if _, ok := Explain(s, "G-004"); ok {
		t.Error("a group that is not there is explained")
	}
}

// TestExplainAgreesWithTheFinding for every group of a run.
func TestExplainAgreesWithTheFinding(t *testing.T) {
	s := longRun(t)
	for _, f := range s.Findings {
		text, ok := Explain(s, f.GroupID)
		if !ok || !strings.Contains(text, string(f.Classification)+" ("+f.Reason+")") || !strings.Contains(text, "section "+string(f.Section)) {
			t.Errorf("%s is %s (%s):\n%s", f.GroupID, f.Classification, f.Reason, text)
		}
	}
}

// TestExplainOfAQueuedGroup derives what the votes so far would give, and says
// that they are not all.
func TestExplainOfAQueuedGroup(t *testing.T) {
	s := answered(t, seeded(t, input(3, false, found(1, "w1"))), 1, map[string]ballot{"w2": {"G-001": "A"}})
	text, ok := Explain(s, "G-001")
	for _, want := range []string{"R4 holds: D = 0, so partial-consensus (agree-some-missing)", "w3: no-result (verdict-file-missing)", "G-001 is in the queue"} {
		if !ok || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestAMissingVoteIsNeverAgreement: with one of three verifiers down the other
// two must carry the claim alone; with two or three down nothing is decided,
// and the finding says so, so that a person is asked (reported of a panel that
// ended unanimous because its dissenters had timed out).
func TestAMissingVoteIsNeverAgreement(t *testing.T) {
	for _, tt := range []struct {
		name        string
		adversarial bool
		votes       ballot // worker → word
		label       Label
		section     Section
		settled     bool
	}{
		{"all there", false, ballot{"w2": "A", "w3": "A", "w4": "A"}, FullConsensus, Consensus, true},
		{"one down, two agree", false, ballot{"w2": "A", "w3": "A"}, PartialConsensus, Consensus, true},
		{"one down, two agree, the claim bears the burden", true, ballot{"w2": "A", "w3": "A"}, PartialConsensus, Consensus, true},
		{"one down, two differ", true, ballot{"w2": "A", "w3": "D"}, Contested, Difference, false},
		{"two down, one agrees", false, ballot{"w2": "A"}, PartialConsensus, Difference, false},
		{"two down, one disagrees", true, ballot{"w2": "D"}, Contested, Difference, false},
		{"all down", false, ballot{}, WorkerUnique, Difference, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			final := played(t, input(4, tt.adversarial, found(1, "w1")), func(worker, _ string, _ int) string { return tt.votes[worker] })
			f := final.Findings[0]
			if f.Classification != tt.label || f.Section != tt.section || f.Settled != tt.settled || f.Missing != 3-len(tt.votes) {
				t.Errorf("%s, %s, settled %v, %d missing", f.Classification, f.Section, f.Settled, f.Missing)
			}
			if open := final.Unsettled(); (len(open) == 0) != tt.settled {
				t.Errorf("unsettled: %v", open)
			}
		})
	}
}

// TestWhatSeveralFoundIsOneFinding with all of them as its sources (reported of
// reviews in which each reviewer's copy of a finding was fixed on its own).
func TestWhatSeveralFoundIsOneFinding(t *testing.T) {
	final := finalized(t, seeded(t, input(3, true, found(1, "w1", "w2", "w3"))))
	sum, err := Summarise(final)
	if err != nil || len(final.Findings) != 1 || final.Findings[0].Sources != 3 || len(sum.Consensus) != 1 || len(sum.Consensus[0].Positions) != 3 {
		t.Errorf("%+v %v", sum, err)
	}
}

// TestWhatAWorkerTookBackStaysInEveryReport: dissent that was withdrawn and a
// supplement behind which an AGREE stands are told in rows, table, SARIF and
// derivation; so is the dissent of a worker that gave another reason later.
func TestWhatAWorkerTookBackStaysInEveryReport(t *testing.T) {
	s := seeded(t, input(4, true, found(1, "w1")))
	s = answered(t, s, 1, map[string]ballot{"w2": {"G-001": "D"}, "w3": {"G-001": "S"}, "w4": {"G-001": "D"}})
	again := Answer{"w4-r2.md", []byte("Round: 2\nWorker: w4\n## G-001\nVerdict: DISAGREE\nBasis: refuted\nEvidence: b.go:1\nReason: another one\n")}
	s = finalized(t, mustApply(t, s, 2, []Answer{file(2, "w2", ballot{"G-001": "A"}), file(2, "w3", ballot{"G-001": "A"}), again}))
	sum, err := Summarise(s)
	if err != nil {
		t.Fatal(err)
	}
	want := []Position{
		{"w1", StanceSource, ""},
		{"w2", StanceAgree, "withdrawn dissent of round 1: w2 thinks so"},
		{"w3", StanceAgree, "supplement of round 1: w3 thinks so"},
		{"w4", StanceDisagree, "another one; dissent of round 1: w4 thinks so"},
	}
	if diff := cmp.Diff(want, append(sum.Consensus, sum.Differences...)[0].Positions); diff != "" {
		t.Error(diff)
	}
	derived, _ := Explain(s, "G-001")
	log, err := SARIF(s, LayoutSingle)
	if err != nil {
		t.Fatal(err)
	}
	properties := log.Runs[0].Results[0].Properties
	dissent, supplements := properties["dissent"].([]Dissent), properties["supplements"].([]Supplemented)
	if len(dissent) != 3 || !dissent[0].Withdrawn || dissent[1].Withdrawn || len(supplements) != 1 {
		t.Errorf("SARIF has dissent %+v and supplements %+v", dissent, supplements)
	}
	for name, text := range map[string]string{"table": Markdown(s, sum), "explain": derived} {
		for _, p := range want[1:] {
			if !strings.Contains(text, p.WorkerID+": "+p.Stance+" ("+p.Note+")") {
				t.Errorf("%s lacks %q:\n%s", name, p.Note, text)
			}
		}
	}
}
