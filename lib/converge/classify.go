package converge

// Label says how far a claim is agreed upon.
type Label string

// The labels, lowest first.
const (
	Contested        Label = "contested"
	WorkerUnique     Label = "worker-unique"
	PartialConsensus Label = "partial-consensus"
	FullConsensus    Label = "full-consensus"
)

// Labels lists the labels, lowest first.
var Labels = []Label{Contested, WorkerUnique, PartialConsensus, FullConsensus}

// Section is where the report lists a finding.
type Section string

// The sections, lowest first.
const (
	Difference Section = "difference"
	Consensus  Section = "consensus"
)

// Tally is what a classification is decided over.
type Tally struct {
	Sources     int  // distinct analysis roles that found the claim
	Agree       int  // AGREE and SUPPLEMENT
	Disagree    int  // DISAGREE
	Missing     int  // voters without a vote
	Adversarial bool // the burden of proof is on the claim
}

// Support and total are weighed by the majority rule. Where the burden of
// proof is not on the claim, the claim itself weighs as much as one vote per
// source.
func (t Tally) Support() (support, total int) {
	support, total = t.Agree, t.Agree+t.Disagree
	if !t.Adversarial {
		support += t.Sources
		total += t.Sources
	}
	return support, total
}

// Rule is a row of the classification table.
type Rule struct {
	ID        string
	Condition string // as people read it
	Label     Label
	Reason    string
	holds     func(Tally) bool
}

// Table is the classification: the first rule that holds decides. It is both
// what Classify evaluates and what explain prints.
//
// s sources found the claim; of n eligible voters A agree, D disagree and M
// are missing. S and T are support and total (Tally.Support). A source's
// support is no vote: it never makes A ≥ 1, and it weighs in R5 only. A tie
// is never a majority.
//
//	s ≥ 2 ──yes──▶ R1 full-consensus
//	  no
//	A = D = 0 ──yes──▶ R2 worker-unique
//	  no
//	D = 0 ──yes──▶ M = 0 ──yes──▶ R3 full-consensus
//	  │              no ─────────▶ R4 partial-consensus
//	  no
//	A ≥ 1 and 2S > T ──yes──▶ R5 partial-consensus
//	  no ──────────────────▶ R6 contested
var Table = []Rule{
	{"R1", "s ≥ 2", FullConsensus, "two-sources", func(t Tally) bool { return t.Sources >= 2 }},
	{"R2", "A = 0 and D = 0", WorkerUnique, "no-votes", func(t Tally) bool { return t.Agree == 0 && t.Disagree == 0 }},
	{"R3", "D = 0 and M = 0", FullConsensus, "all-agree", func(t Tally) bool { return t.Disagree == 0 && t.Missing == 0 }},
	{"R4", "D = 0", PartialConsensus, "agree-some-missing", func(t Tally) bool { return t.Disagree == 0 }},
	{"R5", "A ≥ 1 and 2S > T", PartialConsensus, "majority-agrees", func(t Tally) bool {
		support, total := t.Support()
		return t.Agree >= 1 && 2*support > total
	}},
	{"R6", "otherwise", Contested, "no-majority", func(Tally) bool { return true }},
}

// rule is the row that decides a tally.
func (t Tally) rule() Rule {
	for _, r := range Table {
		if r.holds(t) {
			return r
		}
	}
	panic("converge: the table's last rule holds for every tally")
}

// Outcome is a classification with what it rests on.
type Outcome struct {
	Rule    Rule
	Worst   Label // if every missing voter disagreed
	Best    Label // if every missing voter agreed
	Section Section
	Settled bool
}

// Label is the label of the deciding rule.
func (o Outcome) Label() Label { return o.Rule.Label }

// Classify labels a tally. A missing vote never counts for a claim: the
// finding is consensus only if it stays so were every missing voter to
// disagree, and it is settled only if the missing votes cannot move it to the
// other section. Rule: docs/converge.md, "Classification".
func Classify(t Tally) Outcome {
	worst, best := t, t
	worst.Disagree, worst.Missing = t.Disagree+t.Missing, 0
	best.Agree, best.Missing = t.Agree+t.Missing, 0
	o := Outcome{Rule: t.rule(), Worst: worst.rule().Label, Best: best.rule().Label}
	o.Section = sectionOf(o.Worst)
	o.Settled = o.Section == sectionOf(o.Best)
	return o
}

func sectionOf(l Label) Section {
	if l == PartialConsensus || l == FullConsensus {
		return Consensus
	}
	return Difference
}
