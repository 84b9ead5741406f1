package safetext

import (
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/width"
)

// ellipsis stands where Cut took something away.
const ellipsis = "…"

// GraphemeCount gives the number of grapheme clusters of s: of what a person
// calls characters.
func GraphemeCount(s string) int {
	n := 0
	for clusters := graphemes.FromString(s); clusters.Next(); {
		n++
	}
	return n
}

// Width gives the number of terminal columns that s takes, s being one line
// that Line made safe: East Asian wide characters and emoji take two, marks
// that combine none.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	n := 0
	for clusters := graphemes.FromString(s); clusters.Next(); {
		n += clusterWidth(clusters.Value())
	}
	return n
}

// Cut gives as much of s as fits into columns, with an ellipsis in the last
// of them if something had to go. It never cuts a grapheme cluster.
func Cut(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	if columns <= 0 {
		return ""
	}
	end, used := 0, 0
	for clusters := graphemes.FromString(s); clusters.Next(); {
		w := clusterWidth(clusters.Value())
		if used+w > columns-1 {
			break
		}
		end, used = clusters.End(), used+w
	}
	return s[:end] + ellipsis
}

// clusterWidth adds up the characters of a cluster, two columns at most:
// terminals draw a family of joined emoji, a flag or a conjunct that wide.
func clusterWidth(cluster string) int {
	n := 0
	for _, r := range cluster {
		if r == '\ufe0f' { // asks for the emoji form of what stands in front
			n = 2
		}
		n += runeWidth(r)
	}
	return min(n, 2)
}

func runeWidth(r rune) int {
	switch {
	case r >= ' ' && r <= '~':
		return 1
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
