package converge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/sarif"
)

// Layouts of a SARIF log: a run for each worker, or one run for viewers that
// read no other.
const (
	LayoutPerWorker = "per-worker"
	LayoutSingle    = "single"
)

// language is SARIF's default. It is written out, as the newline sequences
// are, because a reader in Go that is in wide use takes what is not there for
// empty, and then finds the log invalid.
const language = "en-US"

// fingerprintKey names the fingerprint that recognises a claim in another run
// of the task, where groups are numbered anew and lines have moved.
const fingerprintKey = "okstraGroup/v1"

// SARIF writes the findings of a final state as a SARIF log. A run holds what
// its worker found, also where that is nothing; results of one group share
// their correlationGuid. Rejected findings are there, suppressed.
// Rule: docs/converge.md, "SARIF".
func SARIF(s State, layout string) (sarif.Log, error) {
	if !s.Final() {
		return sarif.Log{}, wrongOrder("the state is not final, it waits for %s", s.waitsFor())
	}
	b, _ := s.replay()
	l := &sarifLog{state: s, board: b, silent: s.missingCodes(), name: path.Join("okstra", s.Task.ProjectID, s.Task.TaskGroup, s.Task.TaskID, s.Task.TaskType)}
	var runs []sarif.Run
	if layout != LayoutSingle {
		runs = l.perWorker()
	}
	if len(runs) == 0 { // nobody analysed, or one run is wanted
		runs = []sarif.Run{l.single()}
	}
	return sarif.NewLog(runs...), nil
}

type sarifLog struct {
	state  State
	board  *board
	silent map[question]string
	name   string // of the task's runs of this type
}

// perWorker makes a run for each analysis worker, and for whoever else found
// something.
func (l *sarifLog) perWorker() []sarif.Run {
	var runs []sarif.Run
	for _, w := range l.state.Workers {
		run := l.run(sarif.Driver{Name: w.WorkerID, FullName: fullName(w)}, w.WorkerID)
		run.Properties = map[string]any{"audience": w.Audience, "provider": w.Provider, "model": w.Model}
		for i, f := range l.state.Findings {
			if c := l.board.groups[i]; slices.Contains(c.DiscoveredBy, w.WorkerID) {
				run.Results = append(run.Results, l.result(f, c, w.WorkerID))
			}
		}
		if audienceRank(w.Audience) == 0 || len(run.Results) > 0 {
			runs = append(runs, l.finish(run, l.lostVotes(w.WorkerID)))
		}
	}
	slices.SortFunc(runs, func(a, b sarif.Run) int { return cmp.Compare(a.Tool.Driver.Name, b.Tool.Driver.Name) })
	return runs
}

// single makes one run with a result for each group, in the words of its
// origin.
func (l *sarifLog) single() sarif.Run {
	run := l.run(sarif.Driver{Name: "okstra-converge"}, "")
	for i, f := range l.state.Findings {
		c := l.board.groups[i]
		run.Results = append(run.Results, l.result(f, c, c.Origin.WorkerID))
	}
	return l.finish(run, l.lostVotes(""))
}

func fullName(w Worker) string {
	parts := []string{w.WorkerID}
	for _, p := range []*string{w.Provider, w.Model} {
		if p != nil && *p != "" {
			parts = append(parts, *p)
		}
	}
	return strings.Join(parts, " ")
}

// run begins a run. Its id is category and run: hosts refuse two runs of one
// category in a file, and replace an older run of the same category.
func (l *sarifLog) run(driver sarif.Driver, worker string) sarif.Run {
	id := path.Join(l.name, worker, l.state.Task.RunSeq)
	driver.Language = language
	return sarif.Run{
		Tool:              sarif.Tool{Driver: driver},
		AutomationDetails: &sarif.AutomationDetails{ID: id, GUID: sarif.GUID(id)},
		ColumnKind:        "unicodeCodePoints", Language: language, NewlineSequences: []string{"\r\n", "\n"},
	}
}

// finish adds the rules that the results name, and what the run lacks: an
// empty list of results must not be read as a clean one.
func (l *sarifLog) finish(r sarif.Run, lost []sarif.Notification) sarif.Run {
	for _, label := range Labels {
		if slices.ContainsFunc(r.Results, func(res sarif.Result) bool { return res.RuleID == string(label) }) {
			r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, ruleOf(label))
		}
	}
	r.Invocations = []sarif.Invocation{{ExecutionSuccessful: len(lost) == 0, ToolExecutionNotifications: lost}}
	return r
}

func ruleOf(label Label) sarif.Rule {
	var by []string
	for _, r := range Table {
		if r.Label == label {
			by = append(by, r.Condition)
		}
	}
	return sarif.Rule{
		ID: string(label), ShortDescription: &sarif.Message{Text: map[Label]string{
			FullConsensus:    "Two workers found it, or everybody who was asked confirms it",
			PartialConsensus: "A majority confirms it",
			WorkerUnique:     "One worker found it and nobody judged it",
			Contested:        "No majority confirms it",
		}[label]},
		FullDescription: &sarif.Message{Text: "Classified where " + strings.Join(by, ", or ") + "; the first rule of the classification that holds decides."},
	}
}

// lostVotes tells of the votes that a worker was asked for and that are still
// missing; of everybody's for "".
func (l *sarifLog) lostVotes(worker string) []sarif.Notification {
	var out []sarif.Notification
	for _, c := range l.board.groups {
		if l.board.tally(c).Sources >= 2 {
			continue
		}
		for w, v := range l.board.standing(c) {
			code := ""
			if v == nil && (worker == "" || worker == w.WorkerID) {
				code = l.silent[question{c.GroupID, w.WorkerID}]
			}
			if code != "" {
				out = append(out, sarif.Notification{
					Level: sarif.LevelWarning, Message: sarif.Message{Text: fmt.Sprintf("no vote of %s on %s: %s", w.WorkerID, c.GroupID, code)},
				})
			}
		}
	}
	return out
}

func (l *sarifLog) result(f Finding, c *claim, worker string) sarif.Result {
	name := path.Join(l.name, l.state.Task.RunSeq, c.GroupID)
	r := sarif.Result{
		RuleID: string(f.Classification), Kind: sarif.KindReview, Level: sarif.LevelNone,
		Message: sarif.Message{Text: c.Claim}, Locations: placesOf(c),
		GUID: sarif.GUID(name + "/" + worker), CorrelationGUID: sarif.GUID(name),
		PartialFingerprints: map[string]string{fingerprintKey: fingerprint(c)},
		Properties: map[string]any{
			"groupId": c.GroupID, "classification": f.Classification, "reason": f.Reason, "section": f.Section, "settled": f.Settled,
			"sources": f.Sources, "votes": map[string]int{"agree": f.Agree, "disagree": f.Disagree, "missing": f.Missing},
			"flags": f.Flags, "tickets": f.Tickets, "discoveredBy": c.DiscoveredBy,
			"dissent": f.Dissent, "supplements": f.Supplements,
		},
	}
	if f.Section == Consensus {
		r.Kind, r.Level = sarif.KindFail, sarif.LevelWarning
	}
	if n := f.Agree + f.Disagree; n > 0 {
		r.Rank = new(100 * float64(f.Agree) / float64(n))
	}
	if f.rejected() {
		r.Suppressions = []sarif.Suppression{{Kind: "external", Status: "accepted", Justification: justification(f)}}
	}
	return r
}

// rejected says whether everybody who was asked disagreed.
func (f Finding) rejected() bool {
	return f.Agree == 0 && f.Missing == 0 && f.Disagree > 0
}

func justification(f Finding) string {
	var parts []string
	for _, d := range f.Dissent {
		if !d.Withdrawn {
			parts = append(parts, d.WorkerID+": "+d.Text)
		}
	}
	return "rejected by everybody who was asked: " + strings.Join(parts, "; ")
}

// placesOf are the places that a claim quotes, each once.
func placesOf(c *claim) []sarif.Location {
	var out []sarif.Location
	var seen []grouping.Location
	for at := range c.locations() {
		if slices.Contains(seen, at) {
			continue
		}
		seen = append(seen, at)
		place := sarif.Place(grouping.UnquotePath(at.Path), at.First, 0)
		if at.Last > at.First {
			place.PhysicalLocation.Region.EndLine = at.Last
		}
		out = append(out, place)
	}
	return out
}

// fingerprint recognises a claim by its words, its tickets and the files that
// it quotes; lines move.
func fingerprint(c *claim) string {
	parts := []string{strings.Join(strings.Fields(c.Claim), " "), strings.Join(c.Tickets, ",")}
	var files []string
	for at := range c.locations() {
		files = append(files, at.Path)
	}
	slices.Sort(files)
	parts = append(parts, slices.Compact(files)...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}
