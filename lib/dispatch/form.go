package dispatch

import (
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
)

// form reads an artifact by its grammar. An artifact that is not usable is one
// of which nothing may be counted, so that a worker who left it has not done
// what was promised. What else is wrong with it costs single items or votes
// only: that is a warning, "" without any, and the validator says it all.
// Rule: docs/dispatch.md, "Outcomes".
type form func(name string, text []byte) (usable bool, warning string)

// forms are the grammars of what a run's prompts ask for, by the kind of their
// purpose. A translation has its own reader, which needs its source.
var forms = map[string]form{
	PurposeAnalysis:     resultForm,
	PurposeImplementer:  resultForm,
	PurposeVerifier:     resultForm,
	PurposeReportWriter: resultForm,
	"reverify":          verdictForm(grouping.Form{}),
	PurposeCriticGap:    verdictForm(grouping.Form{}),
	"plan-verify":       verdictForm(grouping.Form{PlanBody: true}),
	PurposeCritic:       criticForm,
}

// resultForm reads a worker result, whose sections are read one by one.
func resultForm(name string, text []byte) (bool, string) {
	_, faults := grouping.ParseResult(name, text)
	return true, summed(faults)
}

// verdictForm reads a verdict file. Without its header it is nobody's and of no
// round, and may not be counted. Whether the burden of proof was on the claims
// is not known here, so that less is asked of a vote.
func verdictForm(asked grouping.Form) form {
	return func(name string, text []byte) (bool, string) {
		file, faults := grouping.ParseVerdicts(name, text, asked)
		usable := len(faults) == 0
		for _, vote := range file.Votes {
			faults = append(faults, vote.Faults...)
		}
		if usable && len(file.Votes) == 0 {
			return true, "no verdict in it"
		}
		return usable, summed(faults)
	}
}

// criticForm reads a critic's file, which may not be counted without its header.
func criticForm(name string, text []byte) (bool, string) {
	_, faults := grouping.ParseCritic(name, text)
	isHeader := func(f finding.Finding) bool { return f.Code == grouping.CodeCriticHeader }
	return !slices.ContainsFunc(faults, isHeader), summed(faults)
}

// summed tells of several faults the number and the first.
func summed(faults []finding.Finding) string {
	if len(faults) == 0 {
		return ""
	}
	first := fmt.Sprintf("line %d: %s", faults[0].Line, oneLine(faults[0].Message))
	if more := len(faults) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	return first
}
