package render

import (
	"fmt"
	"slices"
	"strings"
)

// classes is the classifications in the order in which they are counted, the
// best agreed first. A class that is not among them comes last.
var classes = []string{"full-consensus", "partial-consensus", "contested", "worker-unique"}

// stances is the positions a worker can have on a finding, and how a count of
// them reads. A supplement is an agreement.
var stances = []struct{ stance, one, many string }{
	{"source", "source", "sources"},
	{"agree", "agrees", "agree"},
	{"supplement", "agrees with a supplement", "agree with a supplement"},
	{"disagree", "disagrees", "disagree"},
	{"no-result", "gave no result", "gave no result"},
}

// findings is part 1: the findings that are agreed on and those that are not,
// each with the votes it got. Dissent is shown in both.
func findings(root node) []section {
	agreed, differing := root.get("consensus").list(), root.get("differences").list()
	sections := []section{{number: "1", title: "Findings", level: 2, body: overview(agreed, differing)}}
	sections = append(sections, section{number: "1.1", title: "Consensus", level: 3, body: []block{crossTable("Findings the workers agree on", agreed)}})
	sections = append(sections, positionsOf(agreed)...)
	sections = append(sections, section{number: "1.2", title: "Differences", level: 3, body: []block{crossTable("Findings without agreement", differing)}})
	return append(sections, positionsOf(differing)...)
}

// overview counts the findings by class.
func overview(agreed, differing []node) []block {
	total := len(agreed) + len(differing)
	if total == 0 {
		return nil
	}
	all := slices.Concat(agreed, differing)
	counts := countBy(all, func(n node) string { return n.get("classification").text() }, classes)
	unsettled := 0
	for _, n := range all {
		if n.get("settled").v == false {
			unsettled++
		}
	}
	var parts []span
	parts = append(parts, span{kind: label, text: plural(total, "finding", "findings") + ": "})
	for i, c := range counts {
		if i > 0 {
			parts = append(parts, span{kind: label, text: ", "})
		}
		parts = append(parts, span{kind: label, text: fmt.Sprint(c.n) + " "}, span{kind: token, text: c.name})
	}
	if unsettled > 0 {
		parts = append(parts, span{kind: label, text: fmt.Sprintf("; not settled: %d", unsettled)})
	}
	parts = append(parts, span{kind: label, text: "."})
	return []block{paragraph(parts), classChart(counts), voteChart(all)}
}

type count struct {
	name string
	n    int
}

// countBy counts nodes by a property, in the order given; properties that are
// not in it follow in the order of their first appearance.
func countBy(nodes []node, property func(node) string, order []string) []count {
	n := make(map[string]int)
	names := slices.Clone(order)
	for _, e := range nodes {
		name := property(e)
		if n[name]++; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var counts []count
	for _, name := range names {
		if n[name] > 0 {
			counts = append(counts, count{name, n[name]})
		}
	}
	return counts
}

func crossTable(caption string, rows []node) block {
	return rowsOf(caption, rows,
		field{"Id", "id", asID},
		field{"Group", "groupId", asPlain},
		field{"Claim", "claim", asProse},
		field{"Class", "classification", asToken},
		field{"Settled", "settled", asYesNo},
		field{"Votes", "positions", votes},
		field{"Tickets", "tickets", asRefs},
		field{"Evidence", "evidenceRefs", asRefs},
	)
}

// votes shows how many of the workers that were asked agree, and then every
// kind of position with its number. Sources are no votes.
func votes(positions node) cell {
	counts := countBy(positions.list(), func(n node) string { return n.get("stance").text() }, nil)
	n := make(map[string]int)
	for _, c := range counts {
		n[c.name] = c.n
	}
	asked := n["agree"] + n["supplement"] + n["disagree"] + n["no-result"]
	var lines cell
	if asked > 0 {
		lines = append(lines, labels(fmt.Sprintf("%d/%d agree", n["agree"]+n["supplement"], asked)))
	}
	var parts []string
	for _, s := range stances {
		if n[s.stance] > 0 {
			parts = append(parts, plural(n[s.stance], s.one, s.many))
		}
	}
	if len(parts) > 0 {
		lines = append(lines, labels(strings.Join(parts, ", ")))
	}
	return lines
}

// positionsOf lists who holds what about each finding on which more was said
// than that its sources found it.
func positionsOf(rows []node) []section {
	var sections []section
	for _, row := range rows {
		positions := row.get("positions").list()
		if !slices.ContainsFunc(positions, func(p node) bool { return p.get("stance").text() != "source" || p.get("note").text() != "" }) {
			continue
		}
		sections = append(sections, section{
			title: "Positions on " + row.get("id").text(), level: 4,
			body: []block{rowsOf("Positions on "+row.get("id").text(), positions,
				field{"Worker", "workerId", asPlain},
				field{"Stance", "stance", asToken},
				field{"Note", "note", asProse},
			)},
		})
	}
	return sections
}

func classChart(counts []count) chart {
	c := chart{title: "Findings by class"}
	for _, k := range counts {
		c.bars = append(c.bars, bar{label: k.name, parts: []part{{class: k.name, value: float64(k.n)}}, shown: fmt.Sprint(k.n)})
	}
	return c
}

func voteChart(rows []node) chart {
	c := chart{title: "Positions by finding"}
	for _, row := range rows {
		b := bar{label: row.get("id").text()}
		var shown []string
		for _, s := range stances {
			n := 0
			for _, p := range row.get("positions").list() {
				if p.get("stance").text() == s.stance {
					n++
				}
			}
			if n > 0 {
				b.parts = append(b.parts, part{class: s.stance, value: float64(n)})
				shown = append(shown, fmt.Sprint(n, " ", s.stance))
			}
		}
		b.shown = strings.Join(shown, ", ")
		c.bars = append(c.bars, b)
	}
	return c
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
