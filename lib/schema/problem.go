package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// Codes of the findings that come from here.
const (
	CodeKind       = "doc-kind"        // kind missing, unknown, or not the one due
	CodeVersion    = "doc-version"     // a version that there is no schema for
	CodeSchema     = "doc-schema"      // the schema is broken at a pointer
	CodeUnknownKey = "doc-unknown-key" // a key that the schema does not name
)

// problem is a finding before it has a name and a position. message is empty
// where what was found says it all.
type problem struct {
	code     string
	tokens   []string
	keyword  string
	message  string
	found    string
	expected string
	rank     int
	warning  bool
}

// Ranks of problems at one pointer: the lowest is told, for a value of the
// wrong type breaks every other rule as well.
const (
	rankType = iota
	rankValue
	rankForm
)

// tidy sorts problems by place, keyword and text, and keeps one per pointer.
// The order of what the schema library reports differs from run to run.
func tidy(problems []problem) []problem {
	slices.SortFunc(problems, func(a, b problem) int {
		return cmp.Or(
			compareTokens(a.tokens, b.tokens),
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.keyword, b.keyword),
			cmp.Compare(a.message, b.message),
			cmp.Compare(a.expected, b.expected),
		)
	})
	return slices.CompactFunc(problems, func(a, b problem) bool { return slices.Equal(a.tokens, b.tokens) })
}

// compareTokens orders places in a document: parents first, array elements by
// number, keys bytewise.
func compareTokens(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		if isIndex(x) && isIndex(y) {
			return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
		}
		return cmp.Compare(x, y)
	})
}

func isIndex(token string) bool {
	return token != "" && strings.Trim(token, "0123456789") == "" && (token == "0" || token[0] != '0')
}

// findings gives problems their name, position and level. base is where the
// value that was examined stands in the document.
func findings(doc jsondoc.Doc, base []string, problems []problem) []finding.Finding {
	list := make([]finding.Finding, 0, len(problems))
	for _, p := range problems {
		f := finding.Finding{
			Level: finding.Error, Code: p.code, Artifact: doc.Name,
			Pointer: jsondoc.Pointer(append(slices.Clone(base), p.tokens...)...),
			Message: p.message, Found: p.found, Expected: p.expected,
		}
		if p.warning {
			f.Level = finding.Warning
		}
		if f.Message == "" {
			f.Message = p.found
		}
		f.Line, f.Column = nearest(doc, f.Pointer)
		list = append(list, f)
	}
	return list
}

// nearest is the position of the value at a pointer, or of the nearest value
// around it that is there: a missing key has its object's.
func nearest(doc jsondoc.Doc, pointer string) (line, col int) {
	for {
		if line, col = doc.Position(pointer); line > 0 || pointer == "" {
			return line, col
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
}

// describeValue tells a value in a few words: scalars as they stand in JSON,
// containers by kind.
func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return finding.Quote(v)
	case json.Number:
		return finding.Shorten(v.String())
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return fmt.Sprintf("an object with %s", finding.Count(len(v), "key"))
	default:
		return finding.Shorten(fmt.Sprint(v))
	}
}

// plain is describeValue with texts as they are, without quotes.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return finding.Shorten(s)
	}
	return describeValue(v)
}

// alternatives joins what would have done: "a", "a or b", "one of a, b, c".
func alternatives(texts []string) string {
	switch len(texts) {
	case 0:
		return "nothing"
	case 1:
		return texts[0]
	case 2:
		return texts[0] + " or " + texts[1]
	default:
		return "one of " + strings.Join(texts, ", ")
	}
}
