package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compareUnchanged finds texts that nobody translated. A short one may be the
// same in both languages, and so may a long one in the same script.
func compareUnchanged(p *pair) []Result {
	if p.source.whole != p.target.whole || p.scripts[0] == p.scripts[1] || len(words(p.source.bare)) <= 3 {
		return nil
	}
	return said("equal to the source")
}

// words is the runs of letters and marks of a text.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// The digits inside of these are the business of other checks.
var (
	angled     = regexp.MustCompile(`<[^<>\s][^<>]*>`)
	percentage = regexp.MustCompile(`%\d+\$?`)
)

// withoutCodes blanks what holds digits and is no number: ids, addresses, tags
// and placeholders.
func withoutCodes(t parts) string {
	s := t.bare
	blank := slices.Clone(t.ids)
	for _, other := range []struct {
		sign string
		re   *regexp.Regexp
	}{{"://", urlToken}, {"<", angled}, {"%", percentage}} {
		if strings.Contains(s, other.sign) {
			for _, at := range other.re.FindAllStringIndex(s, -1) {
				blank = append(blank, [2]int{at[0], at[1]})
			}
		}
	}
	return without(s, blank)
}

// compareNumbers compares runs of digits, whatever the digits' script. The
// marks between thousands are the language's own business.
func compareNumbers(p *pair) []Result {
	return differ(numbers(p.source), numbers(p.target))
}

func numbers(t parts) []string {
	if !strings.ContainsFunc(t.bare, isDigit) {
		return nil
	}
	s := t.bare
	if hasDigit(s) {
		s = withoutCodes(t)
	}
	var found []string
	var run []byte
	for _, r := range s {
		if isDigit(r) {
			run = append(run, '0'+digitValue(r))
		} else if run != nil {
			found = append(found, string(run))
			run = nil
		}
	}
	if run != nil {
		found = append(found, string(run))
	}
	return found
}

// isDigit is unicode.IsDigit with a quick answer for the scripts that have no
// digits of their own and most of the letters.
func isDigit(r rune) bool {
	switch {
	case r < 0x80:
		return r >= '0' && r <= '9'
	case r < 0x0660, r >= 0x1b60 && r < 0xa620, r >= 0xac00 && r < 0xff10:
		return false
	}
	return unicode.IsDigit(r)
}

// digitValue is the value of a decimal digit of any script: Unicode keeps the
// ten of a script together, from zero on.
func digitValue(r rune) byte {
	if r <= '9' {
		return byte(r - '0')
	}
	value := byte(0)
	for value < 9 && isDigit(r-1) {
		r--
		value++
	}
	return value
}

// endMarks maps the marks that end a sentence to what they have in common.
var endMarks = map[rune]string{
	'.': "full stop", '。': "full stop", '．': "full stop", '।': "full stop", '۔': "full stop", '።': "full stop", '։': "full stop",
	'?': "question mark", '？': "question mark", '؟': "question mark", '\u037e': "question mark", '՞': "question mark",
	'!': "exclamation mark", '！': "exclamation mark",
	':': "colon", '：': "colon", '፡': "colon",
	';': "semicolon", '；': "semicolon", '؛': "semicolon",
	'…': "ellipsis",
}

// closing is what may stand behind the mark that ends a sentence.
const closing = " \t\n\r\"'”’»›)]）］」』】*_`~" + stand

// noFullStop are the languages that do not end a sentence with a mark.
var noFullStop = []string{"th", "lo", "km", "my", "bo"}

// compareEnds compares the mark at the end by what it means.
func compareEnds(p *pair) []Result {
	base, _ := p.options.Target.Base()
	source, target := endMark(p.source.bare), endMark(p.target.bare)
	if base.String() == "el" && strings.HasSuffix(strings.TrimRight(p.target.bare, closing), ";") {
		target = "question mark"
	}
	if source == target || source == "full stop" && target == "" && slices.Contains(noFullStop, base.String()) {
		return nil
	}
	var r Result
	if source != "" {
		r.Missing = []string{source}
	}
	if target != "" {
		r.Extra = []string{target}
	}
	r.Message = "at the end: " + saying(r.Missing, r.Extra)
	return []Result{r}
}

func endMark(s string) string {
	s = strings.TrimRight(s, closing)
	if strings.HasSuffix(s, "...") || strings.HasSuffix(s, "……") {
		return "ellipsis"
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return endMarks[r]
}

// repeating are the languages that make plurals and adverbs by saying a word
// twice.
var repeating = []string{"id", "ms", "jv", "su", "vi", "tl", "th", "hi", "ta", "te", "bn", "tr", "zu"}

// compareDoubleWords finds a word that stands twice in a row. Markup, a
// placeholder or a mark between the two parts them.
func compareDoubleWords(p *pair) []Result {
	base, _ := p.options.Target.Base()
	if slices.Contains(repeating, base.String()) {
		return nil
	}
	extra := doubled(p.target.bare)
	if len(extra) <= len(doubled(p.source.bare)) {
		return nil
	}
	return []Result{{Extra: extra, Message: "twice in a row: " + strings.Join(extra, " ")}}
}

// doubled lists the words that repeat the one before, case aside. Words are
// parted by ASCII white space, as scripts that part them do.
func doubled(s string) []string {
	var found []string
	previous := ""
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && s[end] > ' ' {
			end++
		}
		word := s[start:end]
		if word != "" {
			if len(word) == len(previous) && strings.EqualFold(word, previous) && isWord(word) {
				found = append(found, word)
			}
			previous = word
		}
		start = end + 1
	}
	return found
}

// isWord says whether a text is letters and marks only.
func isWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) < 0
}

// dense are the scripts that say in one character what takes several in
// others, with how much longer the same text is in Latin letters.
var dense = map[string]float64{"Hans": 3, "Hant": 3, "Hani": 3, "Jpan": 2.2, "Kore": 2.2}

// compareLength finds texts that are far longer or shorter than the scripts
// explain. Short texts vary too much to say anything.
func compareLength(p *pair) []Result {
	const short, ratio = 30, 3
	weigh := func(s, script string) float64 {
		factor := dense[script]
		if factor == 0 {
			factor = 1
		}
		return factor * float64(utf8.RuneCountInString(s))
	}
	source, target := weigh(p.source.bare, p.scripts[0]), weigh(p.target.bare, p.scripts[1])
	switch {
	case max(source, target) < short:
		return nil
	case target > ratio*source && target > ratio*short:
		return said("more than three times as long as the source")
	case source > ratio*target && source > ratio*short:
		return said("less than a third as long as the source")
	}
	return nil
}

// joinerScripts need the zero-width joiners to be written.
var joinerScripts = []string{"Arab", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Mong", "Khmr", "Mymr"}

// compareBidi finds characters that do not show and change how others do.
func compareBidi(p *pair) []Result {
	return surplus(p, "invisible character ", func(r rune) bool {
		if r < 0x80 || r > 0x206f && r < 0xfeff {
			return false // no such characters there
		}
		if r == '\u200c' || r == '\u200d' {
			return !slices.Contains(joinerScripts, p.scripts[1]) && !emojiNear(p.target.whole)
		}
		return unicode.Is(unicode.Cf, r) && r != '\u00ad'
	})
}

// emojiNear says whether a text has emoji, which joiners hold together.
func emojiNear(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x1f000 && r <= 0x1faff || r >= 0x2600 && r <= 0x27bf })
}

// brackets lists the pairs, a wide form beside the narrow one it stands for.
var brackets = []struct {
	kind, open, closing string
}{
	{"()", "(（", ")）"}, {"[]", "[［", "]］"}, {"{}", "{｛", "}｝"}, {"「」", "「", "」"}, {"『』", "『", "』"}, {"【】", "【", "】"},
}

// compareBrackets finds brackets that pair in the source and not here.
func compareBrackets(p *pair) []Result {
	var results []Result
	for _, b := range brackets {
		if balance(p.target.bare, b.open, b.closing) != 0 && balance(p.source.bare, b.open, b.closing) == 0 {
			results = append(results, Result{Extra: []string{b.kind}, Message: "brackets do not pair: " + b.kind})
		}
	}
	return results
}

func balance(s, open, closing string) int {
	n := 0
	for _, r := range open {
		n += strings.Count(s, string(r))
	}
	for _, r := range closing {
		n -= strings.Count(s, string(r))
	}
	return n
}

// compareGlossary looks for the caller's translation of each term that the
// source holds.
func compareGlossary(p *pair) []Result {
	var results []Result
	for _, term := range p.options.Glossary {
		want := term.Target
		if want == "" {
			want = term.Source
		}
		if holds(p.source.bare, term.Source) && !holds(p.target.bare, want) && p.source.whole != p.target.whole {
			results = append(results, Result{
				Missing: []string{want},
				Message: fmt.Sprintf("%q is to be %q", term.Source, want),
			})
		}
	}
	return results
}

// holds says whether a text has a term, in any case, as a word of its own
// where its script parts words.
func holds(s, term string) bool {
	s, term = strings.ToLower(s), strings.ToLower(term)
	for from := 0; ; {
		i := strings.Index(s[from:], term)
		if i < 0 || term == "" {
			return false
		}
		i += from
		if !wordByte(s, i-1) && !wordByte(s, i+len(term)) || !wordByte(term, 0) {
			return true
		}
		from = i + len(term)
	}
}
