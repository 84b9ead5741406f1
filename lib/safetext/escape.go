package safetext

import (
	"strings"
	"unicode/utf8"
)

// Terminal escape sequences as ECMA-48 and xterm have them:
//
//	CSI   ESC [  or U+009B   parameters 0–?, intermediates space–/, one final @–~
//	OSC   ESC ]  or U+009D   a string up to BEL or ST (ESC \ or U+009C)
//	DCS, SOS, PM, APC        likewise, up to ST: ESC P, X, ^, _ or U+0090, 98, 9E, 9F
//	nF    ESC space–/ …      intermediates and one final 0–~
//	else  ESC and one byte   0–~
//
// A sequence that breaks off loses only its beginning: a terminal would
// swallow what follows, but a reader wants to see it.

const esc = '\x1b'

// stringIntroducers maps the 8-bit introducers of strings to their 7-bit letter.
var stringIntroducers = map[rune]byte{'\u0090': 'P', '\u0098': 'X', '\u009d': ']', '\u009e': '^', '\u009f': '_'}

// escapeLen gives the length of the escape sequence at the start of s, 0 if
// there is none.
func escapeLen(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if r == '\u009b' {
		return size + csiLen(s[size:])
	}
	if letter, ok := stringIntroducers[r]; ok {
		return size + stringLen(s[size:], letter)
	}
	if r != esc {
		return 0
	}
	if len(s) == 1 {
		return 1
	}
	switch c := s[1]; {
	case c == '[':
		return 2 + csiLen(s[2:])
	case strings.IndexByte("PX]^_", c) >= 0:
		return 2 + stringLen(s[2:], c)
	case c >= ' ' && c <= '/':
		return intermediateLen(s)
	case c >= '0' && c <= '~':
		return 2
	}
	return 1
}

// csiLen gives the length of parameters, intermediates and final byte, 0 if
// they are not complete.
func csiLen(s string) int {
	i := span(s, 0, '0', '?')
	i = span(s, i, ' ', '/')
	if i < len(s) && s[i] >= '@' && s[i] <= '~' {
		return i + 1
	}
	return 0
}

// stringLen gives the length of a string with its terminator, 0 if there is
// no terminator. The beginning of any other sequence breaks a string off, so
// that no byte is looked at for two strings.
func stringLen(s string, letter byte) int {
	for i, r := range s {
		switch {
		case r == '\a' && letter == ']':
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"):
			return i + 2
		case r == '\u009c':
			return i + len("\u009c")
		case r == esc || r >= '\u0080' && r <= '\u009f':
			return 0
		}
	}
	return 0
}

// intermediateLen gives the length of ESC, intermediates and final byte; 1 if
// they are not complete.
func intermediateLen(s string) int {
	i := span(s, 1, ' ', '/')
	if i < len(s) && s[i] >= '0' && s[i] <= '~' {
		return i + 1
	}
	return 1
}

// span gives the first index from i on whose byte is not in lo–hi.
func span(s string, i int, lo, hi byte) int {
	for i < len(s) && s[i] >= lo && s[i] <= hi {
		i++
	}
	return i
}
