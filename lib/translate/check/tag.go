package check

import (
	"regexp"
	"slices"
	"strings"
)

// tagToken is anything that has the form of a tag; whether it is one depends
// on its name.
var tagToken = regexp.MustCompile(`<(/?)([A-Za-z](?:[A-Za-z0-9_-]|:[A-Za-z])*)((?:\s[^<>]*|/)?)>`)

// textAttribute is an attribute whose value is for people and may change.
var textAttribute = regexp.MustCompile(`\b(title|alt|aria-label|placeholder)\s*=\s*("[^"]*"|'[^']*')`)

// htmlNames are the names that make a tag without a closing partner.
var htmlNames = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`a abbr address area article aside audio b base bdi bdo blockquote body br button
		canvas caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption
		figure footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map
		mark math menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s
		samp script section select small source span strong style sub summary sup svg table tbody td template textarea
		tfoot th thead time title tr track u ul var video wbr`) {
		names[name] = true
	}
	return names
}()

var voidNames = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}

// tag is one tag of a text.
type tag struct {
	name  string
	close bool
	empty bool   // <x/>
	text  string // what is compared
}

// tags lists the tags of a text: those with an HTML name, and those whose name
// has a closing partner. <process ID> is neither.
func tags(s string, paired map[string]bool) []tag {
	if !strings.Contains(s, "<") {
		return nil
	}
	var found []tag
	for _, m := range tagToken.FindAllStringSubmatch(s, -1) {
		name := m[2]
		if !htmlNames[strings.ToLower(name)] && !paired[name] {
			continue
		}
		found = append(found, tag{
			name: strings.ToLower(name), close: m[1] != "", empty: strings.HasSuffix(m[3], "/"),
			text: textAttribute.ReplaceAllString(m[0], "$1"),
		})
	}
	return found
}

// pairedTags is the names that some text opens and closes.
func pairedTags(texts ...string) map[string]bool {
	var paired map[string]bool
	for _, s := range texts {
		if !strings.Contains(s, "</") {
			continue
		}
		open := make(map[string]bool)
		for _, m := range tagToken.FindAllStringSubmatch(s, -1) {
			if m[1] == "" {
				open[m[2]] = true
			} else if open[m[2]] {
				if paired == nil {
					paired = make(map[string]bool)
				}
				paired[m[2]] = true
			}
		}
	}
	return paired
}

// compareTags leaves <br> to compareStructure.
func compareTags(p *pair) []Result {
	source, target := tags(p.source.bare, p.paired), tags(p.target.bare, p.paired)
	texts := func(tags []tag) []string {
		var texts []string
		for _, t := range tags {
			if t.name != "br" {
				texts = append(texts, t.text)
			}
		}
		return texts
	}
	if results := differ(texts(source), texts(target)); results != nil {
		return results
	}
	if nested(source) && !nested(target) {
		return said("tags close in another order than they open")
	}
	return nil
}

// nested says whether every tag is closed in the order of opening. Tags that
// need no closing do not count.
func nested(tags []tag) bool {
	var open []string
	for _, t := range tags {
		switch {
		case t.empty || slices.Contains(voidNames, t.name):
		case !t.close:
			open = append(open, t.name)
		case len(open) == 0 || open[len(open)-1] != t.name:
			return false
		default:
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}
