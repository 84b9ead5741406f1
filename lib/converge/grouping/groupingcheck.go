package grouping

import (
	"cmp"
	"slices"
	"strings"

	"okstra/lib/run"
)

// audiences are the three that a roster knows.
var audiences = []string{run.AudienceAnalysis, run.AudienceReportWriter, run.AudienceLead}

// sections reports a missing part of the file.
func (p *groupingParser) sections() {
	if p.seen[inRoster] == 0 {
		p.fault(1, CodeSyntax, "no section \"## Roster\"")
	} else if len(p.file.Roster) == 0 {
		p.fault(p.seen[inRoster], CodeSyntax, "roster is empty (expected \"- worker-id: audience (role)\")")
	}
	switch groups := p.seen[inGroups]; {
	case groups == 0:
		p.fault(1, CodeSyntax, "no section \"## Groups\"")
	case len(p.file.Groups) == 0 && p.none == 0:
		p.fault(groups, CodeSyntax, "no group (expected \"### G-001 claim\" or \"(none)\")")
	case len(p.file.Groups) > 0 && p.none > 0:
		p.fault(p.none, CodeSyntax, "\"(none)\" beside groups (expected one or the other)")
	}
}

// roster reports repeated workers and unknown audiences.
func (p *groupingParser) roster() {
	first := make(map[string]int)
	for _, s := range p.file.Roster {
		if line, again := first[s.WorkerID]; again {
			p.fault(s.Line, "worker-duplicate", "worker %q stands in the roster twice (first in line %d)", s.WorkerID, line)
		} else {
			first[s.WorkerID] = s.Line
		}
		if !contains(audiences, s.Audience) {
			p.fault(s.Line, "audience-unknown", "audience %q of worker %q (expected %s)", s.Audience, s.WorkerID, strings.Join(audiences, ", "))
		}
	}
}

// ids reports repeated group ids and gaps between them.
func (p *groupingParser) ids() {
	type numbered struct{ n, line int }
	var ids []numbered
	first := make(map[int]int)
	for _, g := range p.file.Groups {
		n := idNumber("G", g.ID)
		if n == 0 {
			continue
		}
		if line, again := first[n]; again {
			p.fault(g.Line, "group-id", "group %s is there twice (first in line %d)", g.ID, line)
			continue
		}
		first[n] = g.Line
		ids = append(ids, numbered{n, g.Line})
	}
	slices.SortFunc(ids, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	expected := 1
	for _, id := range ids {
		if id.n != expected {
			p.fault(id.line, "group-id", "group %s follows a gap (expected %s)", ID("G", id.n), ID("G", expected))
		}
		expected = id.n + 1
	}
}

// references checks the workers and items that groups name.
func (p *groupingParser) references() {
	known := make(map[string]bool)
	for _, s := range p.file.Roster {
		known[s.WorkerID] = true
	}
	used := make(map[ItemRef]string)
	for _, g := range p.file.Groups {
		p.workers(g, known)
		p.itemsMatch(g)
		for _, ref := range g.SourceItems {
			if other, again := used[ref]; again {
				p.fault(g.LineOf(labelItems), "item-reused", "item %s of group %s belongs to group %s already", ref, g.ID, other)
			}
			used[ref] = g.ID
		}
	}
}

func (p *groupingParser) workers(g Group, known map[string]bool) {
	check := func(label, worker string) {
		if !known[worker] {
			p.fault(g.LineOf(label), "worker-unknown", "%s of group %s names %q, who is not in the roster", label, g.ID, worker)
		}
	}
	if g.lines[labelOrigin] != 0 {
		check(labelOrigin, g.Origin)
	}
	seen := make(map[string]bool)
	for _, w := range g.DiscoveredBy {
		check(labelDiscovered, w)
		if seen[w] {
			p.fault(g.LineOf(labelDiscovered), "worker-duplicate", "%s of group %s names %q twice", labelDiscovered, g.ID, w)
		}
		seen[w] = true
	}
	if g.lines[labelDiscovered] != 0 && len(g.DiscoveredBy) == 0 {
		p.fault(g.LineOf(labelDiscovered), CodeSyntax, "%s of group %s names nobody", labelDiscovered, g.ID)
	}
	if g.lines[labelOrigin] != 0 && g.lines[labelDiscovered] != 0 && !seen[g.Origin] {
		p.fault(g.LineOf(labelOrigin), "origin-not-discoverer", "origin %q of group %s is not among its discoverers (%s)", g.Origin, g.ID, strings.Join(g.DiscoveredBy, ", "))
	}
}

// itemsMatch compares the discoverers with the workers of the source items.
func (p *groupingParser) itemsMatch(g Group) {
	if g.lines[labelDiscovered] == 0 || g.lines[labelItems] == 0 {
		return
	}
	with := make(map[string]bool)
	for _, ref := range g.SourceItems {
		if !with[ref.WorkerID] && !contains(g.DiscoveredBy, ref.WorkerID) {
			p.fault(g.LineOf(labelItems), "item-no-discoverer", "item %s of group %s is by a worker that is not among its discoverers", ref, g.ID)
		}
		with[ref.WorkerID] = true
	}
	seen := make(map[string]bool)
	for _, w := range g.DiscoveredBy {
		if !with[w] && !seen[w] {
			p.fault(g.LineOf(labelDiscovered), "discoverer-no-item", "discoverer %q of group %s has no source item", w, g.ID)
		}
		seen[w] = true
	}
}
