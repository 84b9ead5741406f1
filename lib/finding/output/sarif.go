package output

import (
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/sarif"
)

// fingerprintKey names the fingerprints of findings and their version.
const fingerprintKey = "okstraFinding/v1"

// Fault is a document that could not be judged: the program's own report of
// trouble, beside the finding that says the same. Artifact is "" where there is
// none to point at.
type Fault struct{ Artifact, Message string }

// SARIF is the findings as one SARIF run. Rules are those that have a result;
// results name them by id, never by index. version is that of the program.
func SARIF(runs []Run, faults []Fault, version string) sarif.Log {
	out := sarif.Run{
		Tool:        sarif.Tool{Driver: sarif.Driver{Name: tool, SemanticVersion: semantic(version)}},
		ColumnKind:  "unicodeCodePoints",
		Invocations: []sarif.Invocation{{ExecutionSuccessful: len(faults) == 0}},
	}
	known := map[string]Rule{}
	used := map[string]bool{}
	for _, r := range runs {
		for _, rule := range r.Rules {
			known[rule.Code] = rule
		}
		for _, f := range r.Findings {
			used[f.Code] = true
			out.Results = append(out.Results, resultOf(r, f))
		}
	}
	for code := range used {
		out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, sarifRule(code, known[code]))
	}
	slices.SortFunc(out.Tool.Driver.Rules, func(a, b sarif.Rule) int { return strings.Compare(a.ID, b.ID) })
	for _, f := range faults {
		note := sarif.Notification{Level: sarif.LevelError, Message: sarif.Message{Text: f.Message}}
		if f.Artifact != "" {
			note.Locations = []sarif.Location{sarif.Place(f.Artifact, 0, 0)}
		}
		out.Invocations[0].ToolExecutionNotifications = append(out.Invocations[0].ToolExecutionNotifications, note)
	}
	return sarif.NewLog(out)
}

func resultOf(r Run, f finding.Finding) sarif.Result {
	at := sarif.Place(r.place(f.Artifact), f.Line, f.Column)
	if f.Pointer != "" {
		at.LogicalLocations = []sarif.LogicalLocation{{FullyQualifiedName: f.Pointer}}
	}
	return sarif.Result{
		RuleID: f.Code, Level: string(f.Level), Kind: sarif.KindFail, Message: sarif.Message{Text: f.Message},
		Locations: []sarif.Location{at}, BaselineState: f.Baseline,
		PartialFingerprints: map[string]string{fingerprintKey: strings.TrimPrefix(f.Fingerprint, "sha256:")},
	}
}

func sarifRule(code string, r Rule) sarif.Rule {
	out := sarif.Rule{ID: code}
	if r.Title != "" {
		out.ShortDescription = &sarif.Message{Text: r.Title}
	}
	if r.Help != "" {
		out.Help = &sarif.Message{Text: r.Help}
	}
	if r.Level != "" {
		out.DefaultConfiguration = &sarif.Configuration{Level: string(r.Level)}
	}
	return out
}

var semver = regexp.MustCompile(`^v?((?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// semantic is a version without the "v" in front, "" for a build that has
// none: the hash of a commit may begin with a digit and is no version.
func semantic(version string) string {
	if m := semver.FindStringSubmatch(version); m != nil {
		return m[1]
	}
	return ""
}
