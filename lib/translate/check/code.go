package check

import (
	"regexp"
	"slices"
	"strings"
)

func compareCodeSpans(p *pair) []Result { return differ(p.source.spans, p.target.spans) }

func compareFences(p *pair) []Result { return differ(p.source.fences, p.target.fences) }

func compareLinks(p *pair) []Result { return differ(p.source.links, p.target.links) }

// urlToken is an absolute address in running text. Brackets and quotes end it,
// and so does anything that is not ASCII: in Korean a particle follows at once.
var urlToken = regexp.MustCompile(`\b(?:https?|ftp|file|ssh|git|wss?)://[^\s<>"'` + "`" + `()\[\]{}|\\^\x{80}-\x{10FFFF}]+`)

// urlEnds is what at the end of an address belongs to the sentence.
const urlEnds = ".,;:!?*_"

// compareURLs compares bare addresses. Those that are the destination of a
// link on either side are that check's business.
func compareURLs(p *pair) []Result {
	if !strings.Contains(p.source.bare, "://") && !strings.Contains(p.target.bare, "://") {
		return nil
	}
	linked := make(map[string]bool)
	for _, destination := range slices.Concat(p.source.links, p.target.links) {
		linked[destination] = true
	}
	bare := func(s string) []string {
		var urls []string
		for _, u := range urlToken.FindAllString(s, -1) {
			if u = strings.TrimRight(u, urlEnds); !linked[u] {
				urls = append(urls, u)
			}
		}
		return urls
	}
	return differ(bare(p.source.bare), bare(p.target.bare))
}

// The kinds of ids, in the order in which they are tried at a place.
var idToken = regexp.MustCompile(`(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}:\d+(?:-\d+)?` + // path:line
	`|[A-Z][A-Z0-9]{0,9}-\d{2,}|[A-Z][A-Z0-9]{1,9}-\d+` + // C-001, PAY-1
	`|[0-9a-f]{7,40}`) // a commit

func compareIDs(p *pair) []Result { return differ(ids(p.source), ids(p.target)) }

func ids(t parts) []string {
	var found []string
	for _, at := range t.ids {
		found = append(found, t.bare[at[0]:at[1]])
	}
	return found
}

// idSpans says where the ids of a text are. The pattern is tried only on the
// runs of characters that ids are made of and that have a digit and a letter:
// few words of a text have both.
func idSpans(s string) [][2]int {
	var found [][2]int
	for start := 0; start < len(s); {
		end := start
		digit, letter := false, false
		for ; end < len(s) && idByte[s[end]] != 0; end++ {
			digit = digit || idByte[s[end]] == 'd'
			letter = letter || idByte[s[end]] == 'l'
		}
		if digit && letter {
			found = appendIDs(found, s, start, end)
		}
		start = end + 1
	}
	return found
}

// idByte tells the bytes that an id can have: d for digits, l for letters.
var idByte = func() (class [256]byte) {
	for c := range 256 {
		switch {
		case c >= '0' && c <= '9':
			class[c] = 'd'
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			class[c] = 'l'
		case strings.IndexByte("_@.+/:-", byte(c)) >= 0:
			class[c] = 'o'
		}
	}
	return class
}()

// appendIDs adds the ids in s[start:end].
func appendIDs(found [][2]int, s string, start, end int) [][2]int {
	for _, at := range idToken.FindAllStringIndex(s[start:end], -1) {
		from, to := start+at[0], start+at[1]
		id := s[from:to]
		if wordByte(s, from-1) || wordByte(s, to) || (from > 0 && (s[from-1] == '-' || s[from-1] == '/')) {
			continue
		}
		if !strings.ContainsAny(id, "-:") && (!hasDigit(id) || !strings.ContainsAny(id, "abcdef")) {
			continue // a number, or a word that happens to be spelled a to f
		}
		found = append(found, [2]int{from, to})
	}
	return found
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// wordByte says whether the byte at i is an ASCII letter, digit or underscore.
// Letters of other scripts follow an id without a space and end it.
func wordByte(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
