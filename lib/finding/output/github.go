package output

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/safetext"
)

// shown is how many annotations of a level GitHub shows for one step.
const shown = 10

// commands are the workflow commands of the levels.
var commands = map[finding.Level]string{finding.Error: "error", finding.Warning: "warning", finding.Note: "notice"}

// GitHub is the findings as workflow commands, the gravest first, no more of a
// level than GitHub shows; the last one says how many are left out. Findings
// that a baseline knows are notices.
func GitHub(runs []Run) string {
	type annotation struct {
		level finding.Level
		text  string
	}
	var list []annotation
	count := map[finding.Level]int{}
	for _, r := range runs {
		for _, f := range r.Findings {
			if f.Baseline == "unchanged" {
				f.Level, f.Message = finding.Note, "known: "+f.Message
			}
			count[f.Level]++
			list = append(list, annotation{f.Level, annotate(r, f)})
		}
	}
	slices.SortStableFunc(list, func(a, b annotation) int { return a.level.Compare(b.level) })
	var b strings.Builder
	seen := map[finding.Level]int{}
	for _, a := range list {
		seen[a.level]++
		switch n := seen[a.level]; {
		case n > shown:
			continue
		case n == shown && count[a.level] > shown:
			a.text += fmt.Sprintf(" (%d more: see the log and the job summary)", count[a.level]-shown)
		}
		b.WriteString(a.text + "\n")
	}
	return b.String()
}

func annotate(r Run, f finding.Finding) string {
	fields := []string{"file=" + property(r.place(f.Artifact))}
	if f.Line > 0 {
		fields = append(fields, fmt.Sprintf("line=%d", f.Line))
	}
	if f.Column > 0 {
		fields = append(fields, fmt.Sprintf("col=%d", f.Column))
	}
	fields = append(fields, "title="+property(f.Code))
	return "::" + commands[f.Level] + " " + strings.Join(fields, ",") + "::" + data(f.Message)
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(safetext.Line(s)) }
func property(s string) string { return propertyEscapes.Replace(safetext.Line(s)) }

// Inert makes text safe to print in a GitHub job: a line of it that looks like
// a workflow command, old form or new, does nothing.
func Inert(text string) string {
	text = strings.ReplaceAll(text, "##[", "# #[")
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "::") {
			lines[i] = line[:len(line)-len(rest)] + ": :" + rest[2:]
		}
	}
	return strings.Join(lines, "")
}

// maxSummary is how much a job summary may hold; GitHub drops a larger one
// as a whole.
const maxSummary = 1 << 20

// StepSummary is all findings as a table for the job summary, and what could
// not be judged.
func StepSummary(runs []Run, faults []Fault) string {
	var b strings.Builder
	result, c := verdict(runs, len(faults))
	fmt.Fprintf(&b, "### okstra-validate: %s\n\n%d errors, %d warnings, %d notes in %d runs\n", result, c.Error, c.Warning, c.Note, len(runs))
	for i, f := range faults {
		if i == 0 {
			b.WriteString("\nNot judged:\n\n")
		}
		if i == shown {
			fmt.Fprintf(&b, "* %d more: see the log\n", len(faults)-shown)
			break
		}
		b.WriteString("* " + cell(f.Message) + "\n")
	}
	if c == (Counts{}) {
		return b.String()
	}
	b.WriteString("\n| level | rule | place | finding |\n|---|---|---|---|\n")
	left := c.Error + c.Warning + c.Note
	for _, r := range runs {
		for _, f := range r.Findings {
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", f.Level, cell(f.Code), cell(r.place(f.Artifact)+":"+place(f)), cell(Sentence(f)))
			if b.Len()+len(row) > maxSummary-200 {
				fmt.Fprintf(&b, "\n%d more: see the log\n", left)
				return b.String()
			}
			left--
			b.WriteString(row)
		}
	}
	return b.String()
}

var cellEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "]", "&#93;", `\`, "&#92;", "!", "&#33;", "@", "&#64;", "~", "&#126;")

// cell is text that Markdown takes for nothing but text.
func cell(s string) string { return cellEscapes.Replace(safetext.Line(s)) }
