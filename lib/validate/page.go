package validate

import (
	"slices"
	"strings"

	"okstra/lib/schema"
)

// Kinds lists what a single document may be judged as: the kinds of documents,
// and the names of those that have none.
func Kinds() []string { return schema.Kinds() }

// KnownKind says whether kind is one of Kinds, with or without "okstra-".
func KnownKind(kind string) bool {
	return slices.Contains(Kinds(), kind) || slices.Contains(Kinds(), "okstra-"+kind)
}

const pageHead = `# Rules

What okstra-validate looks at, rule by rule. This page is made from the rule table: ` + "`okstra-validate rules --format md`" + ` prints it, and a test holds it against the table.
How a run is judged, and what the levels mean for the exit status: [validate.md](validate.md).
`

// RulesPage is docs/rules.md.
func RulesPage() string {
	var b strings.Builder
	b.WriteString(pageHead)
	about := ""
	for _, r := range Rules() {
		if r.About != about {
			about = r.About
			b.WriteString("\n## " + about + "\n")
		}
		b.WriteString("\n### " + r.Code + "\n\n" + r.Title + ". Level: " + string(r.Level) + ". Task types: " + r.Scope() + ".\n\n")
		b.WriteString(r.Checks + " " + r.Why + "\n\n")
		b.WriteString("- fails: " + example(r.Fails) + "\n- passes: " + example(r.Passes) + "\n")
	}
	return b.String()
}

// example sets a text as code; backticks in it make the fence longer.
func example(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
