package grouping

import (
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Location is a place in a file that evidence points to, with lines from 1.
type Location struct {
	Path        string
	First, Last int
}

// String is "path:line" or "path:first-last".
func (l Location) String() string {
	if l.First == l.Last {
		return fmt.Sprintf("%s:%d", l.Path, l.First)
	}
	return fmt.Sprintf("%s:%d-%d", l.Path, l.First, l.Last)
}

// Within says whether every line of l is one of m.
func (l Location) Within(m Location) bool {
	return l.Path == m.Path && m.First <= l.First && l.Last <= m.Last
}

// Locations finds the places that a text quotes, in order. Text beside them is
// ignored. A time of day and a line of a URL are no places; a drive belongs to
// its path. The scan is by hand: a state of 100,000 groups has half a million of
// these texts.
func Locations(text string) iter.Seq[Location] {
	return func(yield func(Location) bool) {
		for from := 0; ; {
			l, _, end := nextLocation(text, from)
			if end < 0 || l.Path != "" && !yield(l) {
				return
			}
			from = end
		}
	}
}

// hasLocation says whether a text quotes a place.
func hasLocation(text string) bool {
	for range Locations(text) {
		return true
	}
	return false
}

// nextLocation looks for "path:line" or "path:first-last", perhaps with a
// column that is not kept, from byte from on. end is -1 where there is no
// further candidate; a candidate that is no place has an empty path.
func nextLocation(text string, from int) (l Location, start, end int) {
	for {
		at := strings.IndexByte(text[from:], ':')
		if at < 0 {
			return l, 0, -1
		}
		colon := from + at
		first, end := digits(text, colon+1)
		if first < 0 {
			from = colon + 1
			continue
		}
		last := first
		if end < len(text) && text[end] == '-' {
			if n, after := digits(text, end+1); n >= 0 {
				last, end = n, after
			}
		}
		if end < len(text) && text[end] == ':' {
			if n, after := digits(text, end+1); n >= 0 {
				end = after
			}
		}
		start := pathStart(text, colon)
		name := text[start:colon]
		if first >= 1 && last >= first && isPath(name) && !(end < len(text) && isLetter(rune(text[end]))) {
			l = Location{Path: path.Clean(name), First: first, Last: last}
		}
		return l, start, end
	}
}

// pathStart is where the path in front of a colon begins: at the colon itself
// where there is none.
func pathStart(text string, colon int) int {
	start := colon
	for start > 0 && inPath(text[start-1]) {
		start--
	}
	switch {
	case start == 0 || start == colon || text[start-1] != ':':
		return start
	case inURL(text[:start]):
		return colon
	case hasDrive(text[:start]) && (text[start] == '/' || text[start] == '\\'):
		return start - len("C:")
	}
	return start
}

// inURL says whether the word at the end of a text has begun as a URL.
func inURL(text string) bool {
	word := text[1+strings.LastIndexAny(text, " \t\r\n<>\"'`"):]
	return strings.Contains(word, "://")
}

// hasDrive says whether a text ends with a drive, as "C:", that is no end of a
// longer word.
func hasDrive(text string) bool {
	n := len(text) - len("C:")
	if n < 0 {
		return false
	}
	letter := text[n] | 0x20
	return letter >= 'a' && letter <= 'z' && (n == 0 || !inPath(text[n-1]) && text[n-1] != ':')
}

// digits reads a number; it is -1 where there is none, and where no file has
// so many lines.
func digits(text string, from int) (n, end int) {
	const most = 9
	end = from
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		if end < from+most {
			n = 10*n + int(text[end]-'0')
		}
		end++
	}
	if end == from || end > from+most {
		return -1, end
	}
	return n, end
}

func inPath(b byte) bool {
	return b > ' ' && b != 0x7f && strings.IndexByte(":;,()[]<>\"'`", b) < 0
}

// QuotePath writes a path so that a location can hold it: bytes that no path of
// a location has, and those that are no UTF-8, are percent-encoded, as in a
// URI, and so is a percent sign that would read as the beginning of such a code.
// UnquotePath gives the path back.
func QuotePath(name string) string {
	var b strings.Builder
	for i, c := range name {
		_, n := utf8.DecodeRuneInString(name[i:])
		_, code := encoded(name[i:])
		if code || c == utf8.RuneError && n == 1 || n == 1 && !inPath(name[i]) {
			fmt.Fprintf(&b, "%%%02X", name[i])
		} else {
			b.WriteString(name[i : i+n])
		}
	}
	return b.String()
}

// UnquotePath is the file that the path of a location names. A percent sign
// without two hexadecimal digits behind it stands for itself.
func UnquotePath(name string) string {
	if strings.IndexByte(name, '%') < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c, code := encoded(name[i:])
		if code {
			i += len("XX")
		} else {
			c = name[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// encoded is the byte that a text begins with as a code "%XX"; false where it
// begins with none.
func encoded(text string) (byte, bool) {
	if len(text) < len("%XX") || text[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[1:len("%XX")], 16, 8)
	return byte(n), err == nil
}

func isPath(name string) bool {
	return name != "" && !strings.HasPrefix(name, "//") && strings.ContainsFunc(name, isLetter)
}

func isLetter(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
}

// beginsWithLocation says whether evidence has the form "<location> [text]".
func beginsWithLocation(evidence string) bool {
	evidence = strings.TrimLeft(evidence, "`")
	l, start, end := nextLocation(evidence, 0)
	return end >= 0 && start == 0 && l.Path != ""
}

// SplitEvidence splits evidence that lists several locations with "; "
// between them. Where a part has none, the semicolon belongs to the text and
// the whole stays one.
func SplitEvidence(evidence string) []string {
	parts := strings.Split(evidence, "; ")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if !hasLocation(part) {
			return []string{evidence}
		}
	}
	return parts
}
