package grouping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func item(worker, id string, evidence, tickets []string) Item {
	return Item{WorkerID: worker, ItemID: id, Section: 1, Title: "title of " + worker + "#" + id, Evidence: evidence, Tickets: tickets}
}

// TestDraftMergesOnlyWhatQuotesTheSame places and names the same tickets, of
// different workers.
func TestDraftMergesOnlyWhatQuotesTheSame(t *testing.T) {
	at := func(s ...string) []string { return s }
	for _, tt := range []struct {
		name  string
		items []Item
		want  []string // source items of each group
	}{
		{"same place, same tickets", []Item{item("a", "F-001", at("x.go:1"), at("P-1")), item("b", "F-001", at("x.go:1"), at("P-1"))}, at("a#F-001 b#F-001")},
		{"same place with another note", []Item{item("a", "F-001", at("x.go:1 here"), nil), item("b", "F-001", at("x.go:1 there"), nil)}, at("a#F-001 b#F-001")},
		{"same places in another order", []Item{item("a", "F-001", at("x.go:1", "y.go:2"), nil), item("b", "F-001", at("y.go:2", "x.go:1"), nil)}, at("a#F-001 b#F-001")},
		{"disjoint tickets", []Item{item("a", "F-001", at("x.go:1"), at("P-1")), item("b", "F-001", at("x.go:1"), at("P-2"))}, at("a#F-001", "b#F-001")},
		{"one has a ticket, the other none", []Item{item("a", "F-001", at("x.go:1"), at("P-1")), item("b", "F-001", at("x.go:1"), nil)}, at("a#F-001", "b#F-001")},
		{"another line", []Item{item("a", "F-001", at("x.go:1"), nil), item("b", "F-001", at("x.go:2"), nil)}, at("a#F-001", "b#F-001")},
		{"a part of the range", []Item{item("a", "F-001", at("x.go:1-9"), nil), item("b", "F-001", at("x.go:2"), nil)}, at("a#F-001", "b#F-001")},
		{"two of one worker", []Item{item("a", "F-001", at("x.go:1"), nil), item("a", "F-002", at("x.go:1"), nil)}, at("a#F-001", "a#F-002")},
		{"no place is like no other", []Item{item("a", "F-001", nil, nil), item("b", "F-001", nil, nil)}, at("a#F-001", "b#F-001")},
		{"by worker, then by number", []Item{item("b", "F-001", nil, nil), item("a", "F-1000", nil, nil), item("a", "F-999", nil, nil)}, at("a#F-999", "a#F-1000", "b#F-001")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Draft(tt.items, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, g := range f.Groups {
				refs := make([]string, len(g.SourceItems))
				for j, r := range g.SourceItems {
					refs[j] = r.String()
				}
				got = append(got, strings.Join(refs, " "))
				if g.ID != ID("G", i+1) || g.Origin != g.SourceItems[0].WorkerID {
					t.Errorf("group %d: %+v", i, g)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestT10SectionSixIsNeverDrafted.
func TestT10SectionSixIsNeverDrafted(t *testing.T) {
	outside := item("a", "F-002", []string{"x.go:1"}, nil)
	outside.Section = OutOfScope
	f, err := Draft([]Item{item("a", "F-001", []string{"x.go:1"}, nil), outside}, nil)
	if err != nil || len(f.Groups) != 1 || f.Groups[0].SourceItems[0].ItemID != "F-001" {
		t.Errorf("%+v %v", f.Groups, err)
	}
}

// TestDraftRefusesWhatNoGroupingCouldHold.
func TestDraftRefusesWhatNoGroupingCouldHold(t *testing.T) {
	for name, items := range map[string][]Item{
		"an item twice":         {item("a", "F-001", nil, nil), item("a", "F-001", nil, nil)},
		"a ticket with a comma": {item("a", "F-001", nil, []string{"P-1, P-2"})},
		"a ticket that is none": {item("a", "F-001", nil, []string{"N/A"})},
		"an empty ticket":       {item("a", "F-001", nil, []string{""})},
	} {
		if f, err := Draft(items, nil); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestADraftIsAGroupingInAnyOrderOfItems: whatever the items, the draft has no
// fault but missing evidence, and neither the order of the lines nor that of
// the roster shows.
func TestADraftIsAGroupingInAnyOrderOfItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []Item
		for _, w := range []string{"a", "b", "c"} {
			for n := range rapid.IntRange(0, 4).Draw(t, "items") {
				it := item(w, ID("F", n+1), nil, nil)
				it.Title = rapid.StringMatching(`[ -~]{1,20}`).Draw(t, "title") + "x"
				it.Evidence = []string{fmt.Sprintf("x.go:%d%s", rapid.IntRange(1, 3).Draw(t, "line"), rapid.SampledFrom([]string{"", " note", "\nnote"}).Draw(t, "note"))}
				it.Tickets = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"P-1", "P-2"}), rapid.ID[string]).Draw(t, "tickets")
				items = append(items, it)
			}
		}
		roster := []Seat{{WorkerID: "a", Audience: "analysis"}, {WorkerID: "b", Audience: "analysis"}, {WorkerID: "c", Audience: "analysis"}, {WorkerID: "lead", Audience: "lead"}}
		f, err := Draft(items, roster)
		if err != nil {
			t.Fatal(err)
		}
		text := Format(f)
		again, err := Draft(rapid.Permutation(items).Draw(t, "order"), rapid.Permutation(roster).Draw(t, "roster"))
		if err != nil || string(Format(again)) != string(text) {
			t.Fatalf("%v\n%s", err, cmp.Diff(string(text), string(Format(again))))
		}
		parsed, faults := Parse("g.md", text)
		if len(faults) > 0 {
			t.Fatalf("%v\n%s", faults, text)
		}
		if string(Format(parsed)) != string(text) {
			t.Fatalf("%s", cmp.Diff(string(text), string(Format(parsed))))
		}
	})
}

// TestADraftNamesSomebody: a grouping must have a roster. Of an empty stream the
// draft is empty.
func TestADraftNamesSomebody(t *testing.T) {
	if f, err := Draft(nil, []Seat{}); !errors.Is(err, ErrNobody) {
		t.Errorf("with a roster of nobody: %+v, %v", f, err)
	}
	if f, err := Draft(nil, nil); err != nil || len(f.Groups)+len(f.Roster) != 0 {
		t.Errorf("of nothing: %+v, %v", f, err)
	}
	if _, err := Draft(nil, []Seat{{WorkerID: "a", Audience: "analysis"}}); err != nil {
		t.Errorf("no items in a run that has a roster: %v", err)
	}
}
