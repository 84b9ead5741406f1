package converge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/sarif"
)

// Codes of faults of a scanner's log.
const (
	CodeScanMessage  = "sarif-message"
	CodeScanExternal = "sarif-external"
	CodeScanRuns     = "sarif-runs"
)

// Scan is a scanner's log as items: a linter or a security scanner as one of
// the workers.
type Scan struct {
	Items  []grouping.Item // Line is not set: it is where At lies in the file
	At     []string        // the pointer to the result of each item
	Left   []LeftOut       // results that are no items, by why
	Failed []string        // tools that say themselves that they failed
	Mute   []string        // tools without a list of results, not even an empty one
	Faults []finding.Finding
}

// LeftOut is how many results are no items for one reason.
type LeftOut struct {
	Why   string
	Count int
}

// The reasons for which a result is no item, in order of their report.
const (
	leftPassed     = "not failures (pass, notApplicable, informational)"
	leftSuppressed = "suppressed"
	leftAbsent     = "no longer there (baselineState absent)"
)

// ScanItems turns the results of a log into items of one worker, numbered
// through all runs in order of the file. What the scanner itself does not hold
// against the code is left out: results that passed or merely inform,
// suppressed ones, and those of an older run that are gone.
// Rule: docs/converge.md, "A scanner as a worker".
func ScanItems(log sarif.Log, workerID string) Scan {
	s := &scanner{worker: workerID, left: map[string]int{}}
	if log.Runs == nil {
		s.fault("/runs", CodeScanRuns, "no list of runs (expected one, empty where nothing ran)")
	}
	for i := range log.Runs {
		s.run(i, &log.Runs[i])
	}
	for _, why := range []string{leftPassed, leftSuppressed, leftAbsent} {
		if n := s.left[why]; n > 0 {
			s.Left = append(s.Left, LeftOut{why, n})
		}
	}
	return s.Scan
}

type scanner struct {
	Scan
	worker string
	left   map[string]int
}

func (s *scanner) run(i int, r *sarif.Run) {
	if r.External != nil && len(r.External.Results) > 0 {
		s.fault(fmt.Sprintf("/runs/%d/externalPropertyFileReferences", i), CodeScanExternal, "results of %q lie in another file (expected them in this one)", r.Tool.Driver.Name)
		return
	}
	for _, call := range r.Invocations {
		if !call.ExecutionSuccessful {
			s.Failed = append(s.Failed, r.Tool.Driver.Name)
			break
		}
	}
	if r.Results == nil {
		s.Mute = append(s.Mute, r.Tool.Driver.Name)
	}
	for j, res := range r.Results {
		s.result(fmt.Sprintf("/runs/%d/results/%d", i, j), r, res)
	}
}

func (s *scanner) fault(pointer, code, format string, args ...any) {
	s.Faults = append(s.Faults, finding.Finding{Level: finding.Error, Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (s *scanner) result(at string, r *sarif.Run, res sarif.Result) {
	switch {
	case res.Kind == sarif.KindPass || res.Kind == sarif.KindNotApplicable || res.Kind == sarif.KindInformational:
		s.left[leftPassed]++
		return
	case res.Suppressed():
		s.left[leftSuppressed]++
		return
	case res.BaselineState == sarif.BaselineAbsent:
		s.left[leftAbsent]++
		return
	}
	text := strings.TrimSpace(printable(r.Text(res), true))
	if text == "" {
		s.fault(at+"/message", CodeScanMessage, "a result without a text (message id %q, rule %q)", res.Message.ID, r.RuleOf(res).ID)
		return
	}
	rule := r.RuleOf(res)
	s.At = append(s.At, at)
	s.Items = append(s.Items, grouping.Item{
		SchemaVersion: Version, Kind: grouping.ItemKind, WorkerID: s.worker, ItemID: grouping.ID("F", len(s.Items)+1), Section: 1,
		Title: scanTitle(rule.ID, text), Text: scanText(rule, r.LevelOf(res), text), Evidence: evidenceOf(r, res), Tickets: []string{},
	})
}

// maxTitle bounds a title, which is one line of a grouping; the text of the
// item is whole.
const maxTitle = 200

// scanTitle is the rule with the first line of the message.
func scanTitle(rule, text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.Join(strings.Fields(line), " ")
	if rule = strings.Join(strings.Fields(printable(rule, false)), " "); rule != "" {
		line = rule + ": " + line
	}
	if utf8.RuneCountInString(line) > maxTitle {
		line = strings.TrimSpace(string([]rune(line)[:maxTitle-1])) + "…"
	}
	return line
}

// scanText is the whole message, and what the rule is about.
func scanText(rule sarif.Rule, level, text string) string {
	about := ""
	for _, m := range []*sarif.Message{rule.ShortDescription, rule.FullDescription} {
		if m != nil && m.Text != "" && about == "" {
			about = m.Text
		}
	}
	if about == "" {
		about = rule.Name
	}
	if rule.ID == "" {
		return fmt.Sprintf("%s\n\nLevel: %s", text, level)
	}
	line := fmt.Sprintf("%s\n\nRule: %s, level %s", text, printable(rule.ID, false), level)
	if about = strings.Join(strings.Fields(printable(about, false)), " "); about != "" {
		line += ": " + about
	}
	return line
}

// evidenceOf lists the places of a result, each once: path:line where a line
// is known, else the path, else the name of what is meant.
func evidenceOf(r *sarif.Run, res sarif.Result) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, l := range res.Locations {
		place := placeOf(r, l)
		if place != "" && !seen[place] {
			seen[place] = true
			out = append(out, place)
		}
	}
	return out
}

func placeOf(r *sarif.Run, l sarif.Location) string {
	if l.PhysicalLocation != nil {
		if file := r.File(l.PhysicalLocation.ArtifactLocation); file != "" {
			first, last := l.PhysicalLocation.Lines()
			if strings.Contains(file, "://") {
				file = strings.Join(strings.Fields(printable(file, false)), "%20")
			} else {
				file = grouping.QuotePath(file)
			}
			if first == 0 {
				return file
			}
			return grouping.Location{Path: file, First: first, Last: last}.String()
		}
	}
	for _, name := range l.LogicalLocations {
		if text := strings.Join(strings.Fields(printable(name.FullyQualifiedName, false)), " "); text != "" {
			return text
		}
	}
	return ""
}

// printable takes control characters out of a scanner's text: it will stand in
// Markdown and on terminals. Line ends stay where lines are wanted.
func printable(s string, lines bool) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' && lines:
			return c
		case unicode.IsControl(c) || c == '\u2028' || c == '\u2029':
			return ' '
		}
		return c
	}, s)
}
