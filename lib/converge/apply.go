package converge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
)

// Codes of verdict files that must not be counted, and of missing votes.
const (
	CodeFileMissing     = "verdict-file-missing"
	CodeGroupMissing    = "verdict-group-missing"
	CodeGroupUnknown    = "verdict-group-unknown"
	CodeNotAsked        = "verdict-not-asked"
	CodeSelf            = "verdict-self"
	CodeNonvoter        = "verdict-nonvoter"
	CodeWorkerUnknown   = "verdict-worker-unknown"
	CodeWorkerDuplicate = "verdict-worker-duplicate"
)

// Answer is a verdict file as it lies there.
type Answer struct {
	Name    string
	Content []byte
}

// RefusedFiles are verdict files that must not be counted. The state stands
// as it was. Each fault is one error.
type RefusedFiles struct{ Faults []finding.Finding }

func (e *RefusedFiles) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap gives one error for each fault, with its place.
func (e *RefusedFiles) Unwrap() []error { return Errors(e.Faults) }

// ExitStatus is that of malformed input.
func (e *RefusedFiles) ExitStatus() int { return 2 }

// inputError is a line about malformed input.
type inputError string

func (e inputError) Error() string { return string(e) }

// ExitStatus is that of malformed input.
func (e inputError) ExitStatus() int { return 2 }

// Errors makes an error of each finding: file, line, code and text.
func Errors(faults []finding.Finding) []error {
	out := make([]error, len(faults))
	for i, f := range faults {
		place := f.Artifact
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Line)
		}
		out[i] = inputError(fmt.Sprintf("%s: %s: %s", place, f.Code, f.Message))
	}
	return out
}

// Apply counts the verdicts of a round. A worker that was asked and gives no
// file refuses the call unless allowMissing says that it is known. A bad
// block costs its worker that vote alone; lost tells of each such vote. The
// files of the last round again are no step at all and give s itself.
// Rule: docs/converge.md, "Verdicts".
func Apply(s State, round int, answers []Answer, allowMissing bool) (next State, lost []finding.Finding, err error) {
	if s.repeats(round, answers) {
		return s, nil, nil
	}
	if last := len(s.Rounds) - 1; round <= last {
		return s, nil, &TransitionError{"round-applied", fmt.Sprintf("round %d is applied already, with other files", round)}
	}
	if err := s.due(ActQueue, round); err != nil {
		return s, nil, err
	}
	b, queue := s.replay()
	c := &count{s: &s, b: b, round: round, asked: b.asked(queue), seen: map[string]bool{}}
	if err := c.read(answers); err != nil {
		return s, nil, err
	}
	if !allowMissing {
		c.demandFiles()
	}
	if len(c.refused) > 0 {
		finding.Sort(c.refused)
		return s, nil, &RefusedFiles{c.refused}
	}
	r := c.result(s.Next.Kind)
	queue = b.play(&r, queue)
	r.Resolved, r.Carried = resolvedIn(b.groups, round), ids(queue)
	s.Rounds = append(slices.Clone(s.Rounds), r)
	s.advance(b, queue)
	return s, c.lost, nil
}

// repeats says whether the answers are those of the last round, by digest.
func (s State) repeats(round int, answers []Answer) bool {
	last := s.Rounds[len(s.Rounds)-1]
	if round == 0 || last.Round != round || s.Next.Action == ActDone || len(answers) != len(last.Files) {
		return false
	}
	given := map[string]bool{}
	for _, a := range answers {
		given[digest.Bytes(a.Content)] = true
	}
	for _, f := range last.Files {
		if !given[f.SHA256] {
			return false
		}
	}
	return len(given) == len(last.Files)
}

// count is one call of Apply.
type count struct {
	s        *State
	b        *board
	round    int
	asked    map[string][]string
	seen     map[string]bool // workers that gave a file
	files    []FileRecord
	verdicts []Verdict
	missing  []MissingVote
	lost     []finding.Finding
	refused  []finding.Finding
}

func (c *count) refuse(name string, line int, code, format string, args ...any) {
	c.refused = append(c.refused, finding.Finding{Level: finding.Error, Code: code, Artifact: name, Line: line, Message: fmt.Sprintf(format, args...)})
}

func (c *count) read(answers []Answer) error {
	for _, a := range answers {
		f, faults := grouping.ParseVerdicts(a.Name, a.Content, c.s.roundForm(c.s.Next.Kind))
		c.refused = append(c.refused, faults...)
		if f.Round != 0 && f.Round != c.round {
			return &TransitionError{"round-mismatch", fmt.Sprintf("%s: it answers round %d (expected %d)", a.Name, f.Round, c.round)}
		}
		if len(faults) == 0 && c.mayAnswer(f) {
			c.files = append(c.files, FileRecord{f.Worker, digest.Bytes(a.Content)})
			c.votes(f)
		}
	}
	return nil
}

// mayAnswer refuses files of workers that are not to be heard.
func (c *count) mayAnswer(f grouping.VerdictFile) bool {
	i := slices.IndexFunc(c.s.Workers, func(w Worker) bool { return w.WorkerID == f.Worker })
	switch {
	case i < 0:
		c.refuse(f.Name, 0, CodeWorkerUnknown, "worker %q is not in the roster", f.Worker)
	case audienceRank(c.s.Workers[i].Audience) != 0:
		c.refuse(f.Name, 0, CodeNonvoter, "worker %q has audience %q and never votes", f.Worker, c.s.Workers[i].Audience)
	case c.seen[f.Worker]:
		c.refuse(f.Name, 0, CodeWorkerDuplicate, "a second file of worker %q", f.Worker)
	default:
		c.seen[f.Worker] = true
		return true
	}
	return false
}

func (c *count) votes(f grouping.VerdictFile) {
	given := map[string]grouping.Vote{}
	for _, v := range f.Votes {
		group := c.b.claim(v.ID)
		switch {
		case group == nil:
			c.refuse(f.Name, v.Line, CodeGroupUnknown, "there is no group %q", v.ID)
		case slices.Contains(group.DiscoveredBy, f.Worker):
			c.refuse(f.Name, v.Line, CodeSelf, "worker %q judges its own group %s", f.Worker, v.ID)
		case !slices.Contains(c.asked[f.Worker], v.ID):
			c.refuse(f.Name, v.Line, CodeNotAsked, "worker %q was not asked about group %s", f.Worker, v.ID)
		default:
			given[v.ID] = v
		}
	}
	for _, id := range c.asked[f.Worker] {
		v, ok := given[id]
		switch {
		case !ok:
			c.miss(f.Name, 0, f.Worker, id, CodeGroupMissing, "worker %q gave no verdict on %s")
		case len(v.Faults) > 0:
			c.missing = append(c.missing, MissingVote{id, f.Worker, v.Faults[0].Code})
			c.lost = append(c.lost, v.Faults...)
		default:
			c.verdicts = append(c.verdicts, c.verdict(f.Worker, v))
		}
	}
}

func (c *count) miss(name string, line int, worker, group, code, text string) {
	c.missing = append(c.missing, MissingVote{group, worker, code})
	c.lost = append(c.lost, finding.Finding{Level: finding.Warning, Code: code, Artifact: name, Line: line, Message: fmt.Sprintf(text, worker, group)})
}

func (c *count) verdict(worker string, v grouping.Vote) Verdict {
	i := slices.IndexFunc(c.s.Workers, func(w Worker) bool { return w.WorkerID == worker })
	out := Verdict{
		GroupID: v.ID, WorkerID: worker, SourceRoleExecutionRef: c.s.Workers[i].SourceRoleExecutionRef,
		Verdict: v.Verdict, Evidence: v.Evidence, Reason: v.Reason,
	}
	if v.Basis != "" {
		out.DisagreeBasis = &v.Basis
	}
	return out
}

// demandFiles refuses when somebody who was asked gave no file: a vote must
// not be lost by counting too early.
func (c *count) demandFiles() {
	for _, worker := range slices.Sorted(maps.Keys(c.asked)) {
		if !c.seen[worker] {
			c.refuse("round "+fmt.Sprint(c.round), 0, CodeFileMissing, "worker %q was asked and gave no verdict file", worker)
		}
	}
}

// result is the round as it is stored: sorted, so that the order in which
// files and blocks came leaves no trace.
func (c *count) result(kind string) Round {
	for worker, groups := range c.asked {
		if c.seen[worker] {
			continue
		}
		for _, id := range groups {
			c.miss("round "+fmt.Sprint(c.round), 0, worker, id, CodeFileMissing, "worker %q gave no verdict file; no vote on %s")
		}
	}
	finding.Sort(c.lost)
	byGroup := func(g1, g2, w1, w2 string) int {
		return cmp.Or(c.b.claim(g1).index-c.b.claim(g2).index, cmp.Compare(w1, w2))
	}
	slices.SortFunc(c.files, func(x, y FileRecord) int { return cmp.Compare(x.WorkerID, y.WorkerID) })
	slices.SortFunc(c.verdicts, func(x, y Verdict) int { return byGroup(x.GroupID, y.GroupID, x.WorkerID, y.WorkerID) })
	slices.SortFunc(c.missing, func(x, y MissingVote) int { return byGroup(x.GroupID, y.GroupID, x.WorkerID, y.WorkerID) })
	return Round{
		Round: c.round, Kind: kind, Asked: c.asked,
		Files: orEmpty(c.files), Verdicts: orEmpty(c.verdicts), Missing: orEmpty(c.missing),
	}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
