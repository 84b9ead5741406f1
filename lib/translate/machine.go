package translate

import (
	"regexp"
	"strings"
	"unicode"
)

// A string that is one of these and nothing else has nothing to translate.
// They are tried on cores without white space only.
var machineTokens = []*regexp.Regexp{
	// a URL, bare or in angle brackets
	regexp.MustCompile(`^<?[A-Za-z][A-Za-z0-9+.-]*://\S+$`),
	regexp.MustCompile(`^<?mailto:\S+$`),
	// an id: C-001, scope-a#F-001, PAY-12
	regexp.MustCompile(`^([a-z0-9._-]+#)?[A-Z][A-Z0-9]*-\d+$`),
	// a path that begins like one, or ends like a folder, or has two slashes
	regexp.MustCompile(`^(\.{0,2}|~)/[\w@+.,=/-]*(:\d+(-\d+)?)?$`),
	regexp.MustCompile(`^[\w@+.-]+(/[\w@+.-]+)*/$`),
	regexp.MustCompile(`^[\w@+.-]+(/[\w@+.-]+){2,}(:\d+(-\d+)?)?$`),
	// a file name with its suffix, in a folder or not
	regexp.MustCompile(`^([\w@+.-]+/)*[\w@+-][\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,7}(:\d+(-\d+)?)?$`),
}

// translatable says whether a string holds anything for a translator: its core
// has a letter and is more than one machine token.
func translatable(s string) bool {
	_, core, _ := Split(s)
	if !hasLetter(core) || isCodeSpan(core) {
		return false
	}
	if strings.ContainsFunc(core, unicode.IsSpace) {
		return true
	}
	for _, token := range machineTokens {
		if token.MatchString(core) {
			return false
		}
	}
	return true
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			return true
		}
	}
	return strings.ContainsFunc(s, unicode.IsLetter)
}

// isCodeSpan says whether s is exactly one Markdown code span.
func isCodeSpan(s string) bool {
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	if ticks == 0 || len(s) < 2*ticks+1 {
		return false
	}
	for rest := s[ticks:]; ; {
		i := strings.IndexByte(rest, '`')
		if i < 0 {
			return false
		}
		rest = rest[i:]
		run := len(rest) - len(strings.TrimLeft(rest, "`"))
		rest = rest[run:]
		if run == ticks {
			return rest == ""
		}
	}
}
