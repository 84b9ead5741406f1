package check

import (
	"cmp"
	"regexp"
	"slices"
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
func Codes(s string) []Code {
	p := takeApart(s)
	var codes []Code
	add := func(kind CodeKind, start, end int) {
		if !slices.ContainsFunc(codes, func(c Code) bool { return start < c.End && c.Start < end }) {
			codes = append(codes, Code{start, end, kind})
		}
	}
	for _, at := range p.codes {
		add(Alone, at[0], at[1])
	}
	if strings.Contains(p.bare, "](") {
		for _, m := range pairedLink.FindAllStringSubmatchIndex(p.bare, -1) {
			before := len(codes)
			add(Open, m[2], m[3])
			add(Close, m[4], m[5])
			if len(codes) != before+2 {
				codes = codes[:before]
			}
		}
	}
	paired := pairedTags(p.bare)
	if strings.Contains(p.bare, "<") {
		for _, m := range autolink.FindAllStringIndex(p.bare, -1) {
			add(Alone, m[0], m[1])
		}
	}
	if strings.Contains(p.bare, "://") {
		for _, m := range urlToken.FindAllStringIndex(p.bare, -1) {
			add(Alone, m[0], m[0]+len(strings.TrimRight(p.bare[m[0]:m[1]], ".,;:!?*_")))
		}
	}
	if strings.Contains(p.bare, "<") {
		for _, m := range tagToken.FindAllStringSubmatchIndex(p.bare, -1) {
			if name := p.bare[m[4]:m[5]]; htmlNames[strings.ToLower(name)] || paired[name] {
				add(Alone, m[0], m[1])
			}
		}
	}
	message, err := parseICU(s)
	icu := err == nil && message.complex()
	for _, at := range placeholders(p.bare, icu, paired) {
		add(Alone, at[0], at[1])
	}
	slices.SortFunc(codes, func(a, b Code) int { return cmp.Compare(a.Start, b.Start) })
	return codes
}

var autolink = regexp.MustCompile(`<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>`)
