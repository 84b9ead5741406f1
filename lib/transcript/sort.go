package transcript

import (
	"cmp"
	"slices"
)

// SortEvents puts the events of a fold into printing order: by file, which is by
// path, then by line. Events of one line keep their order.
func SortEvents(events []Event) {
	slices.SortStableFunc(events, func(a, b Event) int {
		if c := cmp.Compare(a.File, b.File); c != 0 {
			return c
		}
		return cmp.Compare(a.Source.Line, b.Source.Line)
	})
}
