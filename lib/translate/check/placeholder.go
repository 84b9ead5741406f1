package check

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// comparePlaceholders compares what a program fills in or a reader replaces.
//
// A %1 only counts when the source has one: in Turkish a percentage is written
// %80, and that is no placeholder.
func comparePlaceholders(p *pair) []Result {
	source, target := p.placeholderTexts(p.source), p.placeholderTexts(p.target)
	if !hasPositional(source) {
		target = withoutPositional(target)
	}
	return differ(source, target)
}

func (p *pair) placeholderTexts(t parts) []string {
	var found []string
	for _, at := range placeholders(t.bare, p.icu != nil, p.paired) {
		found = append(found, t.bare[at[0]:at[1]])
	}
	for _, pattern := range p.options.Placeholders {
		for _, m := range pattern.FindAllString(t.whole, -1) {
			if m != "" {
				found = append(found, m)
			}
		}
	}
	return found
}

// placeholders says where the placeholders of a bare text are. icu tells that
// single braces have another meaning, paired which names are tags.
func placeholders(s string, icu bool, paired map[string]bool) [][2]int {
	var found [][2]int
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "{$%<")
		if next < 0 {
			break
		}
		i += next
		size := 0
		switch s[i] {
		case '{':
			size = braces(s[i:], icu)
		case '$':
			if strings.HasPrefix(s[i:], "${") {
				size = upTo(s[i:], "}")
			}
		case '%':
			if strings.HasPrefix(s[i:], "%%") {
				i += 2
				continue
			}
			size = printf(s[i:])
		case '<':
			size = angle(s[i:], paired)
		}
		if size == 0 {
			i++
			continue
		}
		found = append(found, [2]int{i, i + size})
		i += size
	}
	return found
}

// maxPlaceholder bounds the bytes of a placeholder whose inside is free, so that
// an opening that never closes costs no more than that.
const maxPlaceholder = 256

// upTo is the length of s up to and with end, 0 when end does not come soon on
// the same line.
func upTo(s, end string) int {
	line, _, _ := strings.Cut(s[:min(len(s), maxPlaceholder)], "\n")
	i := strings.Index(line, end)
	if i < 0 {
		return 0
	}
	return i + len(end)
}

// braces is the length of {{anything}} or {name} at the start of s. In an ICU
// message the single braces belong to its arguments and branches.
func braces(s string, icu bool) int {
	if strings.HasPrefix(s, "{{") {
		return upTo(s, "}}")
	}
	if icu {
		return 0
	}
	return named(s, '}')
}

// named is the length of a bracketed name at the start of s: a letter, digit
// or underscore, then anything without spaces, quotes and brackets.
func named(s string, end byte) int {
	for i, r := range s[1:] {
		switch {
		case r == rune(end):
			if i == 0 {
				return 0
			}
			return 1 + i + 1
		case i == 0 && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			return 0
		case unicode.IsSpace(r), strings.ContainsRune("{}<>\"'`", r), r == utf8.RuneError:
			return 0
		}
	}
	return 0
}

// angle is the length of <NAME> at the start of s when it is no tag and no
// address.
func angle(s string, paired map[string]bool) int {
	size := named(s, '>')
	if size == 0 {
		return 0
	}
	name := s[1 : size-1]
	if strings.ContainsAny(name, ":/@=") || htmlNames[strings.ToLower(name)] || paired[name] {
		return 0
	}
	return size
}

// printf is the length of a format verb at the start of s: %s, %-5.2f, %1$s,
// %(name)s, or a bare %1. There is no space flag: "100 % sure" is prose.
func printf(s string) int {
	i := 1
	if i < len(s) && s[i] == '(' {
		if i = upTo(s, ")"); i == 0 {
			return 0
		}
	}
	digits := span(s, i, "0123456789")
	if digits > i && digits < len(s) && s[digits] == '$' {
		i = digits + 1
	}
	i = span(s, i, "-+#0'")
	i = span(s, i, "0123456789*")
	if i < len(s) && s[i] == '.' {
		i = span(s, i+1, "0123456789*")
	}
	i = span(s, i, "hlLqjzt")
	if i < len(s) && strings.IndexByte("diouxXeEfFgGcsSpqvt@", s[i]) >= 0 {
		return i + 1
	}
	// l and its kin may have eaten a letter that is none: %t, %q, %z.
	if i > 1 && i <= len(s) && strings.IndexByte("tq", s[i-1]) >= 0 {
		return i
	}
	if len(s) > 1 && s[1] >= '1' && s[1] <= '9' && digits <= 3 && (digits == len(s) || !wordByte(s, digits)) {
		return digits
	}
	return 0
}

// span is the first index from i on whose byte is not in set.
func span(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

func positional(s string) bool {
	return len(s) > 1 && s[0] == '%' && strings.Trim(s[1:], "0123456789") == ""
}

func hasPositional(list []string) bool {
	return slices.ContainsFunc(list, positional)
}

func withoutPositional(list []string) []string {
	var rest []string
	for _, s := range list {
		if !positional(s) {
			rest = append(rest, s)
		}
	}
	return rest
}
