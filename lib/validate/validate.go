package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/finding"
)

// Options says how a run is judged.
type Options struct {
	// Going judges a run that is still going on: what may still come is not
	// missed, and a torn last line is a warning.
	Going bool
	// Session judges the lead's checkpoints only, and the documents that they
	// rest on.
	Session bool
	// Evidence is one of Evidence, or "" to take the events log where it has a
	// row of the run and else the transcript of the lead's host.
	Evidence string
	// Transcripts finds the transcripts of a session; nil knows of none.
	Transcripts func(provider, session string) []string
	// Subjects asks for the digests of the run's artifacts.
	Subjects bool
}

// Result is what was found in a run or in a document.
type Result struct {
	// Run is the path of the run manifest from the project root, or of the
	// document as it was given.
	Run string
	// TaskType and RunSeq are "" when nobody knows them.
	TaskType, RunSeq string
	// Root is the project root; artifacts of findings are relative to it.
	Root     string
	Findings []finding.Finding
	Subjects []Subject
	// Judged are the codes of the rules that were applied to documents that
	// could be read, in the order of Rules; a rule that has found something
	// while a document was missing is among the findings only.
	Judged []string
	// Over says that the run has ended.
	Over bool
	// Unusable is a run manifest or document that could not be used at all:
	// the finding that says why, nil if there is none.
	Unusable *finding.Finding
}

// Subject is an artifact that was judged.
type Subject struct {
	Name   string
	Digest string // "sha256:…" of its bytes
}

// Violated says whether the contract is broken: whether there is a finding of
// level error.
func (r Result) Violated() bool { return r.Count(finding.Error) > 0 }

// Count is the number of findings of a level.
func (r Result) Count(level finding.Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// Run judges the run of a manifest. It does not fail: a manifest that cannot
// be used is a finding, and what lies where the run's documents belong is
// judged all the same. Rule: docs/validate.md.
func Run(manifestPath string, opt Options) Result {
	s := load(manifestPath, opt)
	out := Result{Run: s.name, TaskType: s.task.TaskType, RunSeq: s.task.RunSeq, Root: s.root, Over: s.over()}
	out.Findings, out.Judged = s.judged(opt)
	out.Unusable = unusable(out.Findings, s.name)
	if opt.Subjects {
		out.Subjects = s.subjects(opt)
	}
	return out
}

// judged applies the rules that hold for the run, and says which of them had
// something to judge.
func (s *subject) judged(opt Options) ([]finding.Finding, []string) {
	var found []finding.Finding
	late := func() {}
	ran := map[string]bool{}
	errors := 0
	apply := func(t table, r Rule) {
		s.noted()
		j := judge{subject: s, rule: r, going: opt.Going, errors: errors}
		if opt.Session {
			j.only = s.basis()
		}
		r.check(&j)
		ran[r.Code] = j.ran(t)
		found = append(found, j.out...)
		for _, f := range j.out {
			if f.Level == finding.Error {
				errors++
			}
		}
	}
	// The rules for documents come last, because others open documents of
	// other runs, about which there may be something to say.
	all := tables()
	for _, t := range append(all[1:], all[0]) {
		for _, r := range t.rules {
			switch {
			case !r.Applies(s.task.TaskType), (opt.Session || opt.Going) && !t.checkpoints:
			case opt.Going && r.Code == "doc-missing":
			case r.last:
				late = func() { apply(t, r) }
			default:
				apply(t, r)
			}
		}
	}
	late()
	var codes []string
	for _, r := range Rules() {
		if ran[r.Code] {
			codes = append(codes, r.Code)
		}
	}
	return finish(found), codes
}

// finish drops what another finding says better, sorts the rest and gives each
// its fingerprint.
func finish(found []finding.Finding) []finding.Finding {
	type place struct{ artifact, pointer string }
	better := map[place]bool{}
	whole := map[place]bool{} // payloads, about which all is said by one finding
	for _, f := range found {
		if f.Pointer != "" && f.Code != "doc-schema" && f.Level == finding.Error {
			better[place{f.Artifact, f.Pointer}] = true
		}
		if f.Code == "policy-payload" {
			whole[place{f.Artifact, f.Pointer}] = true
		}
	}
	kept := found[:0]
	for _, f := range found {
		said := better[place{f.Artifact, f.Pointer}]
		for at := f.Pointer; at != "" && !said; {
			at = at[:max(0, strings.LastIndexByte(at, '/'))]
			said = whole[place{f.Artifact, at}]
		}
		if f.Code != "doc-schema" || !said {
			kept = append(kept, f)
		}
	}
	finding.Sort(kept)
	kept = slices.Compact(kept) // of a file that was read as two kinds
	fingerprint(kept)
	return kept
}

// fingerprint names each finding by its code, its artifact and its anchor, so
// that it is recognised after unrelated edits. Equal ones are numbered.
func fingerprint(found []finding.Finding) {
	seen := map[string]int{}
	for i := range found {
		f := &found[i]
		text := f.Code + "\n" + f.Artifact + "\n" + f.Anchor
		seen[text]++
		if n := seen[text]; n > 1 {
			text += "\n" + strconv.Itoa(n)
		}
		sum := sha256.Sum256([]byte(text))
		f.Fingerprint = "sha256:" + hex.EncodeToString(sum[:])
		f.Baseline = "new"
	}
}

// unusable finds what makes a document useless as a whole.
func unusable(found []finding.Finding, name string) *finding.Finding {
	for i, f := range found {
		if f.Artifact != name || f.Line > 0 && f.Code == "doc-torn-line" {
			continue
		}
		switch f.Code {
		case "doc-unreadable", "doc-syntax", "doc-version", "doc-kind":
			return &found[i]
		}
	}
	return nil
}

// subjects lists the artifacts that were judged and are there, with the digests
// of their bytes.
func (s *subject) subjects(opt Options) []Subject {
	var out []Subject
	seen := map[string]bool{}
	judged := s.artifacts
	if opt.Session {
		judged = s.basis()
	}
	for _, a := range judged {
		if a.missing || a.refused || seen[a.path] {
			continue
		}
		seen[a.path] = true
		if sum, err := digestOf(s.abs(a.path)); err == nil {
			out = append(out, Subject{a.path, sum})
		}
	}
	return out
}
