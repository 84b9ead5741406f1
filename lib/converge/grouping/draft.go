package grouping

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Draft proposes a grouping to start from: a group for each item, in order of
// worker and item. Items of different workers are merged only where they quote
// the same locations and name the same tickets; whether two texts mean the
// same is for the lead to say. The roster is the one given, by audience and
// name, or the workers of the items where it is nil. The order of the items and
// of the roster changes nothing. A given roster of nobody is ErrNobody; of no items
// at all the draft is one of nobody and nothing.
func Draft(items []Item, roster []Seat) (File, error) {
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.WorkerID, b.WorkerID), cmp.Compare(Number(a.ItemID), Number(b.ItemID)))
	})
	if err := checkDraft(items); err != nil {
		return File{}, err
	}
	f := File{Title: "Grouping", Roster: slices.Clone(roster)}
	slices.SortStableFunc(f.Roster, func(a, b Seat) int {
		return cmp.Or(slices.Index(audiences, a.Audience)-slices.Index(audiences, b.Audience), cmp.Compare(a.WorkerID, b.WorkerID))
	})
	at := make(map[string]int) // what is quoted and named → index of its group
	for _, item := range items {
		if item.Section == OutOfScope {
			continue
		}
		key, mergeable := sameness(item)
		g, known := at[key]
		if mergeable && known && !contains(f.Groups[g].DiscoveredBy, item.WorkerID) {
			f.Groups[g].DiscoveredBy = append(f.Groups[g].DiscoveredBy, item.WorkerID)
			f.Groups[g].SourceItems = append(f.Groups[g].SourceItems, item.Ref())
			continue
		}
		if mergeable && !known {
			at[key] = len(f.Groups)
		}
		f.Groups = append(f.Groups, draftGroup(len(f.Groups)+1, item))
	}
	if roster == nil {
		f.Roster = rosterOf(items)
	}
	if len(f.Roster) == 0 && roster != nil {
		return File{}, ErrNobody
	}
	return f, nil
}

// ErrNobody says that a draft would have an empty roster although somebody says who
// is in it.
var ErrNobody = errors.New("nobody for the roster")

func draftGroup(n int, item Item) Group {
	evidence := make([]string, len(item.Evidence))
	for i, e := range item.Evidence {
		evidence[i] = oneLine(e)
	}
	return Group{
		ID: ID("G", n), Claim: oneLine(item.Title), Tickets: sorted(item.Tickets), Origin: item.WorkerID,
		OriginEvidence: strings.Join(evidence, "; "),
		DiscoveredBy:   []string{item.WorkerID}, SourceItems: []ItemRef{item.Ref()},
	}
}

// sameness is the key under which items are merged. An item that quotes no
// location is like no other.
func sameness(item Item) (key string, mergeable bool) {
	var places []string
	for _, e := range item.Evidence {
		for l := range Locations(e) {
			places = append(places, l.String())
		}
	}
	key = strings.Join(sorted(places), "\n") + "\x00" + strings.Join(sorted(item.Tickets), "\n")
	return key, len(places) > 0
}

// checkDraft refuses items that a grouping could not hold.
func checkDraft(items []Item) error {
	for i, item := range items {
		if i > 0 && items[i-1].Ref() == item.Ref() {
			return fmt.Errorf("item %s is there twice", item.Ref())
		}
		for _, t := range item.Tickets {
			if t == "" || strings.ContainsAny(t, ",\r\n") || t != strings.TrimSpace(t) || placeholders[strings.ToLower(t)] {
				return fmt.Errorf("item %s: %q is no ticket", item.Ref(), t)
			}
		}
	}
	return nil
}

func rosterOf(items []Item) []Seat {
	var roster []Seat
	for i, item := range items {
		if i == 0 || items[i-1].WorkerID != item.WorkerID {
			roster = append(roster, Seat{WorkerID: item.WorkerID, Audience: "analysis"})
		}
	}
	return roster
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}
