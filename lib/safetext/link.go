package safetext

import (
	"html"
	"strings"
)

// Prose removes what does not show and white space at both ends. A tab is a
// space: between words it says no more, and Markdown gives it meanings.
func Prose(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(Block(s), "\t", " "))
}

// SafeLink says whether a destination may be linked to: http, https, mailto or
// relative to the page. An address that begins with two slashes has no scheme
// and still leaves the page, so it is none of these.
func SafeLink(destination string) bool {
	d := strings.ToLower(html.UnescapeString(destination))
	if strings.ContainsFunc(d, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) || strings.HasPrefix(d, "//") {
		return false
	}
	before, _, _ := strings.Cut(d, "?")
	before, _, _ = strings.Cut(before, "#")
	before, _, _ = strings.Cut(before, "/")
	scheme, _, found := strings.Cut(before, ":")
	return !found || scheme == "http" || scheme == "https" || scheme == "mailto"
}
