package transcript

import "slices"

// SortEvents puts the events of a fold into printing order: by file, which is by
// path, then by line. Events of one line keep their order. Events are large, so it
// is their places that are sorted, and each event moves once at most.
func SortEvents(events []Event) {
	type place struct {
		file, line, index int
	}
	before := func(a, b place) int {
		switch {
		case a.file != b.file:
			return a.file - b.file
		case a.line != b.line:
			return a.line - b.line
		}
		return a.index - b.index
	}
	sorted := true
	for i := 1; i < len(events) && sorted; i++ {
		a, b := &events[i-1], &events[i]
		sorted = before(place{a.File, a.Source.Line, 0}, place{b.File, b.Source.Line, 0}) <= 0
	}
	if sorted {
		return
	}
	places := make([]place, len(events))
	for i := range events {
		places[i] = place{events[i].File, events[i].Source.Line, i}
	}
	slices.SortFunc(places, before)
	// places[i].index says which event belongs at i; each cycle of moves needs
	// room for one event. A place that has its event points to itself.
	for i := range places {
		if places[i].index == i {
			continue
		}
		first, at := events[i], i
		for from := places[at].index; from != i; from = places[at].index {
			events[at], places[at].index = events[from], at
			at = from
		}
		events[at], places[at].index = first, at
	}
}
