package converge

import (
	"errors"
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
)

// Answer is a verdict file as it lies there.
type Answer struct {
	Name    string
	Content []byte
}

// Ballot is an answer that was read: its votes, the digest of its bytes, and
// the faults because of which it must not be counted.
type Ballot struct {
	grouping.VerdictFile
	Digest string
	Faults []finding.Finding
}

// ReadBallots reads answers in a form.
func ReadBallots(answers []Answer, form grouping.Form) []Ballot {
	ballots := make([]Ballot, len(answers))
	for i, a := range answers {
		file, faults := grouping.ParseVerdicts(a.Name, a.Content, form)
		ballots[i] = Ballot{file, digest.Bytes(a.Content), faults}
	}
	return ballots
}

// SameFiles says whether ballots are the files that were recorded, by digest
// and in any order.
func SameFiles(ballots []Ballot, records []FileRecord) bool {
	given, recorded := make([]string, len(ballots)), make([]string, len(records))
	for i, b := range ballots {
		given[i] = b.Digest
	}
	for i, f := range records {
		recorded[i] = f.SHA256
	}
	slices.Sort(given)
	slices.Sort(recorded)
	return slices.Equal(given, recorded)
}

// Poll takes in the verdict files of one round, of findings or of a plan: who
// was heard, and what is wrong with files that must not be counted.
type Poll struct {
	round   int
	heard   map[string]bool // workers whose file is there, a refused one too
	refused []finding.Finding
}

// NewPoll is the poll of a round before any file.
func NewPoll(round int) *Poll { return &Poll{round: round, heard: make(map[string]bool)} }

// Refuse says that a file must not be counted, and so that none is.
func (p *Poll) Refuse(name string, line int, code, format string, args ...any) {
	p.refused = append(p.refused, finding.Finding{Level: finding.Error, Code: code, Artifact: name, Line: line, Message: fmt.Sprintf(format, args...)})
}

// Hear takes the one file that a voter may give. It refuses a second one.
func (p *Poll) Hear(f *Ballot) bool {
	if p.heard[f.Worker] {
		p.Refuse(f.Name, 0, CodeWorkerDuplicate, "a second file of worker %q", f.Worker)
		return false
	}
	p.heard[f.Worker] = true
	return true
}

// Read gives each sound ballot of the round to count. asked are the workers
// that must have given a file, none where it is known that some are missing.
// The error tells of all ballots of other rounds and of all faults; a worker
// is not called silent while one of the files belongs to another round.
func (p *Poll) Read(ballots []Ballot, asked []string, count func(*Ballot)) error {
	var misplaced []error
	for i := range ballots {
		f := &ballots[i]
		p.refused = append(p.refused, f.Faults...)
		switch {
		case f.Round != 0 && f.Round < p.round:
			misplaced = append(misplaced, &TransitionError{CodeApplied, fmt.Sprintf("%s: it answers round %d, which is counted already (expected round %d)", f.Name, f.Round, p.round)})
		case f.Round > p.round:
			misplaced = append(misplaced, &TransitionError{CodeMismatch, fmt.Sprintf("%s: it answers round %d (expected %d)", f.Name, f.Round, p.round)})
		case len(f.Faults) > 0:
			p.heard[f.Worker] = true // its absence is not the fault
		default:
			count(f)
		}
	}
	for _, worker := range asked {
		if len(misplaced) == 0 && !p.heard[worker] {
			p.Refuse(fmt.Sprintf("round %d", p.round), 0, CodeFileMissing, "worker %q was asked and gave no verdict file", worker)
		}
	}
	if len(p.refused) > 0 {
		finding.Sort(p.refused)
		misplaced = append(misplaced, &RefusedFiles{p.refused})
	}
	return errors.Join(misplaced...)
}

// Silence is why a vote is missing on which its voter, whose file is f, says
// nothing; f is nil where there is no file.
func Silence(f *Ballot) string {
	if f == nil {
		return CodeFileMissing
	}
	return CodeGroupMissing
}

// Silent tells which questions of the round a voter left open.
func (p *Poll) Silent(worker string, f *Ballot, open []string) finding.Finding {
	name, text := fmt.Sprintf("round %d", p.round), "worker %q gave no verdict file; no vote on %s"
	if f != nil {
		name, text = f.Name, "worker %q gave no verdict on %s"
	}
	return finding.Finding{Level: finding.Warning, Code: Silence(f), Artifact: name, Message: fmt.Sprintf(text, worker, enumerate(open))}
}

// Lost are the faults of a vote that does not count, as warnings: they cost
// that vote alone.
func Lost(v *grouping.Vote) []finding.Finding {
	out := slices.Clone(v.Faults)
	for i := range out {
		out[i].Level = finding.Warning
	}
	return out
}
