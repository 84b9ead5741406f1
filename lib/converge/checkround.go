package converge

import (
	"fmt"
	"maps"
	"slices"

	"okstra/lib/converge/grouping"
)

// round checks that a round asked what was due, that each question has one
// answer, a vote or a missing one, and that nobody else voted. It gives the
// claims that the votes carry.
func (k *checker) round(i int, b *board, queue []*claim) []*claim {
	r := &k.s.Rounds[i]
	at := fmt.Sprintf("/rounds/%d", i)
	asked := b.asked(queue)
	k.asked(at+"/asked", r.Asked, asked)
	if len(k.faults) > 0 {
		return queue
	}
	k.answers(at, r, b, queue)
	if len(k.faults) > 0 {
		return queue
	}
	carried := b.play(r, queue)
	k.sameIDs(at+"/resolved", r.Resolved, resolvedIn(queue, i))
	k.sameIDs(at+"/carried", r.Carried, ids(carried))
	return carried
}

// asked compares who was asked what.
func (k *checker) asked(at string, found, expected map[string][]string) {
	for _, worker := range slices.Sorted(maps.Keys(expected)) {
		if groups, there := found[worker]; there {
			k.sameIDs(at+"/"+worker, groups, expected[worker])
		} else {
			k.broken(at, "worker %q is not asked (expected questions about %s)", worker, enumerate(expected[worker]))
		}
	}
	for _, worker := range slices.Sorted(maps.Keys(found)) {
		if _, due := expected[worker]; !due {
			k.broken(at+"/"+worker, "worker %q is asked about %s (expected no question)", worker, enumerate(found[worker]))
		}
	}
}

// sheet is the questions of a round, struck out as they are answered.
type sheet struct {
	k     *checker
	b     *board
	open  [][]bool // by voter and group
	files []bool   // by voter: it gave a file
	left  int
}

func (k *checker) answers(at string, r *Round, b *board, queue []*claim) {
	s := &sheet{k: k, b: b, open: make([][]bool, len(b.voters)), files: make([]bool, len(b.voters))}
	for c, v := range b.questions(queue) {
		if s.open[v] == nil {
			s.open[v] = make([]bool, len(b.groups))
		}
		s.open[v][c.index] = true
		s.left++
	}
	s.readFiles(at, r)
	s.readVerdicts(at, r)
	s.readMissing(at, r)
	if s.left > 0 {
		k.broken(at, "%d questions of round %d have neither a vote nor a missing one", s.left, r.Round)
	}
}

// readFiles checks the recorded files: one for each worker, of workers that
// were asked, in order.
func (s *sheet) readFiles(at string, r *Round) {
	for j, f := range r.Files {
		v, voter := s.b.seats[f.WorkerID]
		if !voter || s.open[v] == nil {
			s.k.broken(fmt.Sprintf("%s/files/%d", at, j), "worker %q was asked nothing", f.WorkerID)
			continue
		}
		if j > 0 && r.Files[j-1].WorkerID >= f.WorkerID {
			s.k.broken(fmt.Sprintf("%s/files/%d", at, j), "worker %q is out of order, or has two files", f.WorkerID)
		}
		s.files[v] = true
	}
}

func (s *sheet) readVerdicts(at string, r *Round) {
	last := line{-1, ""}
	for j := range r.Verdicts {
		vote := &r.Verdicts[j]
		pointer := func() string { return fmt.Sprintf("%s/verdicts/%d", at, j) }
		v, ok := s.strike(pointer, r.Round, vote.GroupID, vote.WorkerID, &last)
		if !ok {
			continue
		}
		switch worker := s.b.voter(v); {
		case !s.files[v]:
			s.k.broken(pointer(), "worker %q votes without a file", vote.WorkerID)
		case vote.SourceRoleExecutionRef != worker.SourceRoleExecutionRef:
			s.k.broken(pointer()+"/sourceRoleExecutionRef", "%q (expected %q)", vote.SourceRoleExecutionRef, worker.SourceRoleExecutionRef)
		}
		if code := s.k.s.voteFault(r.Kind, vote); code != "" {
			s.k.broken(pointer(), "the vote of %q on %s does not count: %s", vote.WorkerID, vote.GroupID, code)
		}
	}
}

// voteFault is the code for which a vote would have been lost when it was
// read, "" for a vote that counts.
func (s *State) voteFault(kind string, v *Verdict) string {
	vote := grouping.Vote{Verdict: v.Verdict, Evidence: v.Evidence, Reason: v.Reason}
	if v.DisagreeBasis != nil {
		vote.Basis = *v.DisagreeBasis
	}
	return s.roundForm(kind).Code(vote)
}

func (s *sheet) readMissing(at string, r *Round) {
	last := line{-1, ""}
	for j, m := range r.Missing {
		pointer := func() string { return fmt.Sprintf("%s/missing/%d", at, j) }
		v, ok := s.strike(pointer, r.Round, m.GroupID, m.WorkerID, &last)
		if !ok {
			continue
		}
		if !IsMissingCode(m.Code, s.files[v]) {
			s.k.broken(pointer()+"/code", "%q is no reason for a vote that is missing while worker %q gave %s", m.Code, m.WorkerID, givenFile(s.files[v]))
		}
	}
}

// IsMissingCode says whether a code is a reason for a missing vote of somebody
// who gave a file, or gave none.
func IsMissingCode(code string, filed bool) bool {
	if !filed {
		return code == CodeFileMissing
	}
	return code == CodeGroupMissing || slices.Contains(grouping.BlockCodes, code)
}

func givenFile(there bool) string {
	if there {
		return "a file"
	}
	return "no file"
}

// line is the place of an answer in the order of groups, then workers.
type line struct {
	group  int32
	worker string
}

// strike takes a question off the sheet and gives its voter. A fault at the
// pointer means that there is no such question, or that its answer stands out
// of order; ok is false then.
func (s *sheet) strike(pointer func() string, round int, group, worker string, last *line) (voter int32, ok bool) {
	c := s.b.claim(group)
	v, seated := s.b.seats[worker]
	if c == nil || !seated || s.open[v] == nil || !s.open[v][c.index] {
		s.k.broken(pointer(), "worker %q was not asked about %s in round %d, or answers twice", worker, group, round)
		return 0, false
	}
	here := line{c.index, worker}
	if here.group < last.group || here.group == last.group && here.worker < last.worker {
		s.k.broken(pointer(), "the answer of worker %q on %s stands out of order (expected groups, then workers)", worker, group)
		return 0, false
	}
	*last = here
	s.open[v][c.index] = false
	s.left--
	return v, true
}
