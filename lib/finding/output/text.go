package output

import (
	"fmt"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/safetext"
)

// Text is the findings of a run, one line each, with tabs between level, code,
// artifact, place and message. Texts of artifacts are made safe to show.
func Text(r Run) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fields := []string{string(f.Level), f.Code, f.Artifact, place(f), Sentence(f)}
		for i, field := range fields {
			fields[i] = safetext.Line(field)
		}
		line := strings.Join(fields, "\t")
		if f.Baseline == "unchanged" {
			line += "\t(known)"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// place is "line:column", as much of it as is known; "-" for a file as a whole.
func place(f finding.Finding) string {
	switch {
	case f.Line == 0:
		return "-"
	case f.Column == 0:
		return fmt.Sprint(f.Line)
	}
	return fmt.Sprintf("%d:%d", f.Line, f.Column)
}

// Sentence is the pointer, the message and what was expected in one sentence.
func Sentence(f finding.Finding) string {
	s := f.Message
	if f.Pointer != "" {
		s = f.Pointer + link(f.Message) + f.Message
	}
	if f.Expected != "" {
		s += "; expected " + f.Expected
	}
	return s
}

// link joins a pointer and a message: a message that begins with a value reads
// as what the pointer is, any other stands for itself.
func link(message string) string {
	for _, value := range []string{`"`, "a ", "an ", "null", "true", "false", "missing", "another ", "other ", "-"} {
		if strings.HasPrefix(message, value) && !strings.HasPrefix(message, "missing key") {
			return " is "
		}
	}
	if message != "" && message[0] >= '0' && message[0] <= '9' {
		return " is "
	}
	return ": "
}

// Summary is the line that closes a validation, for standard error. lost is
// the number of things that were named and could not be judged.
func Summary(runs []Run, lost int) string {
	result, c := verdict(runs, lost)
	line := fmt.Sprintf("result=%s errors=%d warnings=%d notes=%d", result, c.Error, c.Warning, c.Note)
	if len(runs) != 1 {
		line += fmt.Sprintf(" runs=%d", len(runs))
	}
	if lost > 0 {
		line += fmt.Sprintf(" unjudged=%d", lost)
	}
	return line
}
