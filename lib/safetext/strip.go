// Package safetext makes text from outside safe to show: on a terminal, in a
// log, in a report. What a person sees is what the text says; nothing in it
// moves the cursor, changes colours, reorders letters or hides between them.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line gives s as one line: terminal escape sequences, control characters,
// bidirectional controls and invisible characters are gone, each line break
// and tab is a space, and bytes that are no UTF-8 are U+FFFD. Joiners inside
// words and emoji stay. Line of its own result is that result.
func Line(s string) string { return strip(s, ' ', ' ') }

// Block is Line for a text of several lines: line breaks become \n and tabs
// stay.
func Block(s string) string { return strip(s, '\n', '\t') }

func strip(s string, newline, tab rune) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if printable(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		if n := escapeLen(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\n"): // the \n stands for both
		case r == '\n', r == '\r', r == '\u0085', r == '\u2028', r == '\u2029', r == '\v', r == '\f':
			b.WriteRune(newline)
		case r == '\t':
			b.WriteRune(tab)
		case !hidden(r):
			b.WriteRune(r) // U+FFFD for a byte that is no UTF-8
		}
	}
	return b.String()
}

// plain reports whether s is printable ASCII, which most text is.
func plain(s string) bool {
	for i := range len(s) {
		if !printable(s[i]) {
			return false
		}
	}
	return true
}

func printable(c byte) bool { return c >= ' ' && c <= '~' }

// hidden reports whether a character shows nothing of its own but changes
// what is shown around it. The joiners are needed to write Persian, Indic
// scripts and emoji, and the prepended marks are visible.
func hidden(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return false
	case unicode.Is(unicode.Cc, r):
		return true
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return r == '\u180e' || r == '\u034f'
}
