package check

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"okstra/lib/finding"
)

// Unit is one check.
type Unit struct {
	Name  string
	Level finding.Level
	About string // what it compares, for people

	compare func(*pair) []Result
}

// Result is one fault. Missing holds what the source has and the translation
// lacks, Extra the reverse.
type Result struct {
	Check          string
	Level          finding.Level
	Missing, Extra []string
	Message        string
}

// Units lists every check in the order in which its results come.
func Units() []Unit { return slices.Clone(units) }

var units = []Unit{
	{"code-span", finding.Error, "code spans, byte for byte, in any order", compareCodeSpans},
	{"code-fence", finding.Error, "fenced code, byte for byte, in any order", compareFences},
	{"placeholder", finding.Error, "{{x}} {name} ${x} <NAME> %s %(x)s %1 and the caller's own patterns", comparePlaceholders},
	{"link", finding.Error, "destinations of links, images and autolinks", compareLinks},
	{"url", finding.Error, "bare URLs", compareURLs},
	{"id", finding.Error, "ids, ticket keys, path:line and commit hashes", compareIDs},
	{"tag", finding.Error, "HTML and XML tags and their nesting", compareTags},
	{"structure", finding.Error, "<br> and pipes, lines, headings and list markers", compareStructure},
	{"newline", finding.Error, "newlines at both ends", compareNewlines},
	{"control", finding.Error, "control characters", compareControls},
	{"icu", finding.Error, "ICU MessageFormat: arguments, keywords, branches", compareICU},
	{"unchanged", finding.Warning, "a text left as it was", compareUnchanged},
	{"number", finding.Warning, "runs of digits", compareNumbers},
	{"end-punctuation", finding.Warning, "the mark at the end", compareEnds},
	{"double-word", finding.Warning, "a word twice in a row", compareDoubleWords},
	{"length", finding.Warning, "length", compareLength},
	{"bidi", finding.Warning, "zero-width and bidirectional controls", compareBidi},
	{"bracket", finding.Warning, "brackets that do not pair", compareBrackets},
	{"glossary", finding.Warning, "the caller's terms", compareGlossary},
}

// Known says whether there is a check of that name.
func Known(name string) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Name == name })
}

// Names lists the names of all checks.
func Names() []string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.Name
	}
	return names
}

// Options says what the checks compare besides the two texts.
type Options struct {
	Source, Target language.Tag
	Placeholders   []*regexp.Regexp // further placeholders
	Glossary       []Term
	Waived         []string // names of checks that are switched off
}

// Term is a word with its translation; an empty one means that the word stays.
type Term struct{ Source, Target string }

// Checker compares texts of one pair of languages. It may be used by several
// goroutines at once.
type Checker struct {
	options Options
	units   []Unit
	scripts [2]string // of source and target
}

// New makes a checker.
func New(o Options) *Checker {
	c := &Checker{options: o}
	for _, u := range units {
		if !slices.Contains(o.Waived, u.Name) {
			c.units = append(c.units, u)
		}
	}
	for i, tag := range []language.Tag{o.Source, o.Target} {
		script, _ := tag.Script()
		c.scripts[i] = script.String()
	}
	return c
}

// Compare gives the faults of one translation, in the order of Units.
func (c *Checker) Compare(source, target string) []Result {
	p := newPair(c, source, target)
	var results []Result
	for _, u := range c.units {
		for _, r := range u.compare(p) {
			r.Check, r.Level = u.Name, u.Level
			results = append(results, r)
		}
	}
	return results
}

// differ is a result for two lists whose order does not matter, nil when they
// hold the same.
func differ(source, target []string) []Result {
	missing, extra := difference(source, target), difference(target, source)
	if missing == nil && extra == nil {
		return nil
	}
	return []Result{{Missing: missing, Extra: extra, Message: saying(missing, extra)}}
}

// difference is what a has more often than b, in a's order.
func difference(a, b []string) []string {
	if len(a) == 0 || slices.Equal(a, b) {
		return nil
	}
	count := make(map[string]int, len(b))
	for _, s := range b {
		count[s]++
	}
	var more []string
	for _, s := range a {
		if count[s]--; count[s] < 0 {
			more = append(more, s)
		}
	}
	return more
}

// saying puts missing and extra into words.
func saying(missing, extra []string) string {
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "missing "+strings.Join(missing, " "))
	}
	if len(extra) > 0 {
		parts = append(parts, "extra "+strings.Join(extra, " "))
	}
	return strings.Join(parts, ", ")
}

// said is a result that is only a sentence.
func said(message string) []Result { return []Result{{Message: message}} }
