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

// compareURLs compares bare addresses. Those that are the destination of a
// link on either side are that check's business.
func compareURLs(p *pair) []Result {
	if !strings.Contains(p.source.bare, "://") && !strings.Contains(p.target.bare, "://") {
		return nil
	}
	bare := func(s string) []string {
		var urls []string
		for _, u := range urlToken.FindAllString(s, -1) {
			u = strings.TrimRight(u, ".,;:!?*_")
			if !slices.Contains(p.source.links, u) && !slices.Contains(p.target.links, u) {
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

func compareIDs(p *pair) []Result { return differ(ids(p.source.bare), ids(p.target.bare)) }

func ids(s string) []string {
	if !hasDigit(s) {
		return nil
	}
	var found []string
	for _, at := range idToken.FindAllStringIndex(s, -1) {
		id := s[at[0]:at[1]]
		if wordByte(s, at[0]-1) || wordByte(s, at[1]) || (at[0] > 0 && (s[at[0]-1] == '-' || s[at[0]-1] == '/')) {
			continue
		}
		if !strings.ContainsAny(id, "-:") && (!hasDigit(id) || !strings.ContainsAny(id, "abcdef")) {
			continue // a number, or a word that happens to be spelled a to f
		}
		found = append(found, id)
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
