package check

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Code is a piece of a text that a translator must keep: a code span, a
// placeholder, an address, a tag, or what stands around the text of a link.
type Code struct {
	Start, End int // bytes of the text
	Kind       CodeKind
}

// CodeKind says whether a code stands alone or belongs to another one.
type CodeKind int

// A link's text stands between an Open code and the Close code that follows.
// Codes of other kinds may stand between, further links do not.
const (
	Alone CodeKind = iota
	Open
	Close
)

// pairedLink is an inline link or image without a title: a title is text, and
// no code could then stand around the whole.
var pairedLink = regexp.MustCompile(`(!?\[)[^\[\]\n]+(\]\([^\s()<>]+\))`)

// Codes lists the codes of a text in order, without overlap. It finds what the
// checks compare, so what a translation tool protects is what must not change.
// Of codes that overlap, the kind that is looked for first wins: code, links,
// addresses, tags, placeholders.
func Codes(s string) []Code {
	p := takeApart(s, parsable(s))
	var found codeList
	for _, at := range p.codes {
		found.add(Code{at[0], at[1], Alone})
	}
	found.settle()
	if strings.Contains(p.bare, "](") {
		for _, m := range pairedLink.FindAllStringSubmatchIndex(p.bare, -1) {
			found.add(Code{m[2], m[3], Open}, Code{m[4], m[5], Close})
		}
		found.settle()
	}
	paired := pairedTags(p.bare)
	if strings.Contains(p.bare, "<") {
		for _, m := range autolink.FindAllStringIndex(p.bare, -1) {
			found.add(Code{m[0], m[1], Alone})
		}
		found.settle()
	}
	if strings.Contains(p.bare, "://") {
		for _, m := range urlToken.FindAllStringIndex(p.bare, -1) {
			found.add(Code{m[0], m[0] + len(strings.TrimRight(p.bare[m[0]:m[1]], urlEnds)), Alone})
		}
		found.settle()
	}
	if strings.Contains(p.bare, "<") {
		for _, m := range tagToken.FindAllStringSubmatchIndex(p.bare, -1) {
			if name := p.bare[m[4]:m[5]]; htmlNames[strings.ToLower(name)] || paired[name] {
				found.add(Code{m[0], m[1], Alone})
			}
		}
		found.settle()
	}
	message, err := parseICU(s)
	icu := err == nil && message.complex()
	for _, at := range placeholders(p.bare, icu, paired) {
		found.add(Code{at[0], at[1], Alone})
	}
	found.settle()
	return found.codes
}

// codeList collects codes: those of one kind, which do not overlap each other,
// are added and then settled among those of the kinds before.
type codeList struct {
	codes []Code // in order
	more  []Code
}

// add takes codes that belong together, unless one overlaps a settled code.
func (l *codeList) add(together ...Code) {
	for _, c := range together {
		i := sort.Search(len(l.codes), func(i int) bool { return l.codes[i].End > c.Start })
		if i < len(l.codes) && l.codes[i].Start < c.End {
			return
		}
	}
	l.more = append(l.more, together...)
}

func (l *codeList) settle() {
	if len(l.more) > 0 {
		l.codes = append(l.codes, l.more...)
		l.more = l.more[:0]
		slices.SortFunc(l.codes, func(a, b Code) int { return cmp.Compare(a.Start, b.Start) })
	}
}

var autolink = regexp.MustCompile(`<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>`)
