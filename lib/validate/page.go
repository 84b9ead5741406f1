package validate

import (
	"strings"

	"okstra/lib/digest"
)

// RulesDigest names the rule table: two programs with the same digest judge by
// the same rules.
func RulesDigest() (string, error) {
	type row struct{ Code, Level, Scope, Checks string }
	var rows []row
	for _, r := range Rules() {
		rows = append(rows, row{r.Code, string(r.Level), r.Scope(), r.Checks})
	}
	return digest.Value(rows)
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
