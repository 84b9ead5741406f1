package validate

import (
	"slices"

	"okstra/lib/finding"
)

// Rule is one thing that a run must keep. Checks tells when there is a
// finding, Why what goes wrong without the rule; Fails and Passes are examples
// for people. A rule holds for the task types in Only, else for all that are
// not in Except.
type Rule struct {
	Code   string
	Level  finding.Level
	Title  string
	Checks string
	Why    string
	Fails  string
	Passes string
	Only   []string
	Except []string
	// About is the heading that the rule stands under in docs/rules.md. Rules
	// fills it in.
	About string

	check func(*judge)
	last  bool // to be judged when all others are
}

// Applies says whether the rule holds for runs of a task type. For a run whose
// type is not known only rules for all types hold.
func (r Rule) Applies(taskType string) bool {
	if len(r.Only) > 0 {
		return slices.Contains(r.Only, taskType)
	}
	return !slices.Contains(r.Except, taskType)
}

// Scope names the task types that the rule holds for, as people read it.
func (r Rule) Scope() string {
	switch {
	case len(r.Only) > 0:
		return join(r.Only, "and")
	case len(r.Except) > 0:
		return "all but " + join(r.Except, "and")
	}
	return "all"
}

// table is the rules about one kind of artifact.
type table struct {
	about       string
	rules       []Rule
	checkpoints bool // they can be judged while a run goes on
	roster      bool // they go through the workers or their dispatches
}

// documents is the table of the rules about documents as such.
const documents = "Documents"

// tables lists every rule, in the order of docs/rules.md.
func tables() []table {
	return []table{
		{documents, docRules, true, false},
		{"Run manifest", manifestRules, false, false},
		{"Progress checkpoints", progressRules, true, true},
		{"Activity contract", activityRules, true, false},
		{"Worker results", resultRules, false, true},
		{"Team state", teamRules, false, true},
		{"Dispatches", dispatchRules, false, true},
		{"Write policy and audit", policyRules, false, true},
		{"Usage", usageRules, false, true},
		{"Convergence", convRules, false, true},
		{"Plan", planRules, false, true},
		{"Report data", reportRules, false, false},
		{"Translations", translationRules, false, false},
		{"Stages", stageRules, false, false},
		{"Hand-off", handoffRules, false, false},
	}
}

// Rules lists every rule with the heading it stands under.
func Rules() []Rule {
	var all []Rule
	for _, t := range tables() {
		for _, r := range t.rules {
			r.About = t.about
			all = append(all, r)
		}
	}
	return all
}

// FindRule looks a rule up by its code.
func FindRule(code string) (Rule, bool) {
	for _, r := range Rules() {
		if r.Code == code {
			return r, true
		}
	}
	return Rule{}, false
}

// Task types by the names that the tables use.
const (
	discovery    = "requirements-discovery"
	planning     = "implementation-planning"
	building     = "implementation"
	verification = "final-verification"
	handoff      = "release-handoff"
)

var (
	onlyPlanning     = []string{planning}
	onlyBuilding     = []string{building}
	onlyVerification = []string{verification}
	onlyHandoff      = []string{handoff}
	notHandoff       = []string{handoff}
)
