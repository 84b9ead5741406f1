package converge

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/converge/agreement"
	"okstra/lib/converge/grouping"
)

// Stances of a worker on a finding.
const (
	StanceSource     = "source"
	StanceAgree      = "agree"
	StanceSupplement = "supplement"
	StanceDisagree   = "disagree"
	StanceNoResult   = "no-result"
)

// Summary is a final state as rows for the report.
type Summary struct {
	SchemaVersion string        `json:"schemaVersion"`
	Kind          string        `json:"kind"`
	Evidence      []EvidenceRow `json:"evidence"`
	Consensus     []CrossRow    `json:"consensus"`
	Differences   []CrossRow    `json:"differences"`
}

// EvidenceRow is a place that a claim quotes.
type EvidenceRow struct {
	ID      string   `json:"id"`
	Ref     string   `json:"ref"`
	Summary string   `json:"summary"`
	Tickets []string `json:"tickets"`
}

// CrossRow is a finding with what each worker had to say to it.
type CrossRow struct {
	ID             string     `json:"id"`
	GroupID        string     `json:"groupId"`
	Classification Label      `json:"classification"`
	Settled        bool       `json:"settled"`
	Claim          string     `json:"claim"`
	Positions      []Position `json:"positions"`
	Tickets        []string   `json:"tickets"`
	EvidenceRefs   []string   `json:"evidenceRefs"`
}

// Position is where one worker stands.
type Position struct {
	WorkerID string `json:"workerId"`
	Stance   string `json:"stance"`
	Note     string `json:"note,omitempty"`
}

// Summarise makes the rows of a final state, in order of the groups.
// Rule: docs/converge.md, "Summary".
func Summarise(s State) (Summary, error) {
	if !s.Final() {
		return Summary{}, wrongOrder("the state is not final, it waits for %s", s.waitsFor())
	}
	b, _ := s.replay()
	silent, known := s.missingCodes(), make(map[string]string)
	out := Summary{SchemaVersion: Version, Kind: SummaryKind, Evidence: []EvidenceRow{}, Consensus: []CrossRow{}, Differences: []CrossRow{}}
	for i, f := range s.Findings {
		c := b.groups[i]
		row := CrossRow{
			GroupID: f.GroupID, Classification: f.Classification, Settled: f.Settled, Claim: c.Claim,
			Positions: b.positions(c, silent), Tickets: f.Tickets, EvidenceRefs: out.evidence(c, known),
		}
		list, letter := &out.Differences, "D"
		if f.Section == Consensus {
			list, letter = &out.Consensus, "L"
		}
		row.ID = grouping.ID(letter, len(*list)+1)
		*list = append(*list, row)
	}
	return out, nil
}

// evidence adds the places of a claim; equal places with equal tickets share a
// row. known gives the row's id by both.
func (s *Summary) evidence(c *claim, known map[string]string) []string {
	refs := []string{}
	for _, place := range grouping.SplitEvidence(c.Origin.Evidence) {
		key := place + "\x00" + strings.Join(c.Tickets, "\x00")
		id, there := known[key]
		if !there {
			id = grouping.ID("E", len(s.Evidence)+1)
			known[key] = id
			s.Evidence = append(s.Evidence, EvidenceRow{id, place, c.Claim, c.Tickets})
		}
		refs = append(refs, id)
	}
	return refs
}

// positions lists sources first, then everybody who was asked. silent is why
// votes are missing.
func (b *board) positions(c *claim, silent map[question]string) []Position {
	var out []Position
	for _, w := range c.DiscoveredBy {
		p := Position{WorkerID: w, Stance: StanceSource}
		if _, voter := b.seats[w]; !voter {
			if i := slices.IndexFunc(b.workers, func(x Worker) bool { return x.WorkerID == w }); i >= 0 {
				p.Note = "provenance only; a " + b.workers[i].Role + " never votes"
			}
		}
		out = append(out, p)
	}
	if c.sources >= 2 {
		return out
	}
	for w, vote := range b.standing(c) {
		p := Position{WorkerID: w.WorkerID}
		if vote == nil {
			p.Stance, p.Note = StanceNoResult, silent[question{c.GroupID, p.WorkerID}]
		} else {
			p.Stance, p.Note = votedAs[vote.Verdict].stance, b.said(c, vote)
		}
		out = append(out, p)
	}
	return out
}

// votedAs is what a vote makes of its worker, and what it is called once another
// vote stands in its place; an AGREE leaves nothing to tell.
var votedAs = map[string]struct{ stance, before string }{
	grouping.Agree:      {StanceAgree, ""},
	grouping.Supplement: {StanceSupplement, "supplement"},
	grouping.Disagree:   {StanceDisagree, "dissent"},
}

// said is the reason of a vote that stands, and behind it what its worker had
// to say in earlier rounds: dissent that was withdrawn stays in sight.
func (b *board) said(c *claim, stands *Verdict) string {
	var parts []string
	if stands.Reason != "" {
		parts = append(parts, stands.Reason)
	}
	for round, v := range b.given(c) {
		before := votedAs[v.Verdict].before
		again := v.Verdict == stands.Verdict && v.Reason == stands.Reason
		if v.WorkerID != stands.WorkerID || v == stands || before == "" || again {
			continue
		}
		if (v.Verdict == grouping.Disagree) != (stands.Verdict == grouping.Disagree) {
			before = "withdrawn " + before
		}
		parts = append(parts, fmt.Sprintf("%s of round %d: %s", before, round, v.Reason))
	}
	return strings.Join(parts, "; ")
}

// question is one group put to one worker.
type question struct{ group, worker string }

// missingCodes says why votes are missing, the last reason where there are
// several. A question that was never asked has none.
func (s State) missingCodes() map[question]string {
	codes := make(map[question]string)
	for _, r := range s.Rounds {
		for _, m := range r.Missing {
			codes[question{m.GroupID, m.WorkerID}] = m.Code
		}
	}
	return codes
}

// Markdown is the summary as two tables for people, with the share of voters
// that confirm each finding and its interval.
func Markdown(s State, sum Summary) string {
	var b strings.Builder
	findings := map[string]Finding{}
	for _, f := range s.Findings {
		findings[f.GroupID] = f
	}
	for _, part := range []struct {
		title string
		rows  []CrossRow
	}{{"Consensus", sum.Consensus}, {"Differences", sum.Differences}} {
		fmt.Fprintf(&b, "## %s\n\n", part.title)
		if len(part.rows) == 0 {
			b.WriteString("None.\n\n")
			continue
		}
		b.WriteString("| id | group | classification | settled | claim | confirmed | 95 % interval | positions | flags |\n|---|---|---|---|---|---|---|---|---|\n")
		for _, row := range part.rows {
			f := findings[row.GroupID]
			share, interval := confirmed(f)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", row.ID, row.GroupID, row.Classification,
				yesNo(row.Settled), cell(row.Claim), share, interval, cell(stances(row.Positions)), strings.Join(f.Flags, ", "))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// confirmed is k of n voters and the Wilson interval; a finding on which
// nobody voted has neither.
func confirmed(f Finding) (share, interval string) {
	n := f.Agree + f.Disagree
	if n == 0 {
		return "–", "–"
	}
	w := agreement.Wilson(f.Agree, n)
	return fmt.Sprintf("%d/%d", f.Agree, n), fmt.Sprintf("%.2f–%.2f", w.Low, w.High)
}

func stances(positions []Position) string {
	var parts []string
	for _, p := range positions {
		text := p.WorkerID + ": " + p.Stance
		if p.Note != "" {
			text += " (" + p.Note + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// cell makes a text fit for a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;").Replace(s)
}
