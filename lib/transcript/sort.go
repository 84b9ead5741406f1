package transcript

import "slices"

// SortEvents returns the events of a fold in printing order: by file, which is
// by path, then by line. Events of one line keep their order. Events are large,
// so it is their places that are sorted, and each event moves once at most.
func SortEvents(events []Event) []Event {
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
	places := make([]place, len(events))
	sorted := true
	for i := range events {
		places[i] = place{events[i].File, events[i].Source.Line, i}
		sorted = sorted && (i == 0 || before(places[i-1], places[i]) < 0)
	}
	if sorted {
		return events
	}
	slices.SortFunc(places, before)
	out := make([]Event, len(events))
	for i, p := range places {
		out[i] = events[p.index]
	}
	return out
}
