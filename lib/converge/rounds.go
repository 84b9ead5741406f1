package converge

import (
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
)

// TransitionError is a step that is not due. Nothing was changed by it.
type TransitionError struct{ Code, Message string }

func (e *TransitionError) Error() string { return e.Code + ": " + e.Message }

// ExitStatus is that of a refusal on input that was understood.
func (e *TransitionError) ExitStatus() int { return 1 }

func wrongOrder(format string, args ...any) error {
	return &TransitionError{"wrong-order", fmt.Sprintf(format, args...)}
}

// due says why a command is not what the state waits for, or nil.
func (s State) due(action string, round int) error {
	switch {
	case s.Next.Action != action:
		return wrongOrder("the state waits for %s", s.waitsFor())
	case action == ActQueue && s.Next.Round != round:
		return wrongOrder("round %d is not due, the state waits for %s", round, s.waitsFor())
	}
	return nil
}

func (s State) waitsFor() string {
	switch s.Next.Action {
	case ActQueue:
		return fmt.Sprintf("round %d", s.Next.Round)
	case ActDone:
		return "nothing: it is final"
	}
	return s.Next.Action
}

// Seed classifies what needs no vote and queues the rest. inputDigest is the
// canonical digest of the input document.
func Seed(in Input, inputDigest string) State {
	s := State{
		SchemaVersion: Version, Kind: StateKind, InputDigest: inputDigest,
		Task: in.Task, RunManifestPath: in.RunManifestPath,
		Config: in.Config, Workers: in.Workers, Groups: in.Groups, Status: Running,
	}
	b := newBoard(s.Config, s.Workers, s.Groups)
	carried := b.settle(b.groups, 0)
	s.Rounds = []Round{{
		Kind: SeedRound, Asked: map[string][]string{}, Files: []FileRecord{}, Verdicts: []Verdict{}, Missing: []MissingVote{},
		Resolved: resolvedIn(b.groups, 0), Carried: ids(carried),
	}}
	s.advance(b, carried)
	return s
}

// disabledReason says why there is no loop, "" when there is one.
func (s *State) disabledReason(b *board) string {
	switch {
	case !s.Config.Enabled:
		return DisabledByConfig
	case len(b.voters) < 2:
		return InsufficientAnalysers
	}
	return ""
}

// advance derives everything that follows from the rounds so far.
func (s *State) advance(b *board, queue []*claim) {
	if reason := s.disabledReason(b); reason != "" {
		s.close(b, Disabled, reason)
		return
	}
	s.Queue, s.Findings = ids(queue), b.classified(without(b.groups, queue))
	round := len(s.Rounds)
	s.Next = Next{Action: ActFinalize}
	if len(queue) > 0 && round <= s.Config.MaxRounds {
		s.Next = Next{Action: ActQueue, Round: round, Kind: Reverify}
	}
}

// close classifies all groups and ends the loop.
func (s *State) close(b *board, status, reason string) {
	s.Status, s.StopReason = status, &reason
	s.Next, s.Queue = Next{Action: ActDone}, []string{}
	s.Findings = b.classified(b.groups)
}

func without(all, some []*claim) []*claim {
	out := make([]*claim, 0, len(all)-len(some))
	for _, c := range all {
		if len(some) > 0 && some[0] == c {
			some = some[1:]
			continue
		}
		out = append(out, c)
	}
	return out
}

// replay lays the state out with all votes that were counted, and gives the
// claims that are still open. Votes that nobody may give are left out: Check
// reports them.
func (s *State) replay() (*board, []*claim) {
	b := newBoard(s.Config, s.Workers, s.Groups)
	queue := b.settle(b.groups, 0)
	if s.disabledReason(b) != "" {
		return b, nil
	}
	for i := range s.Rounds {
		if r := &s.Rounds[i]; r.Round > 0 {
			queue = b.play(r, queue)
		}
	}
	return b, queue
}

func (b *board) play(r *Round, queue []*claim) []*claim {
	for i := range r.Verdicts {
		b.record(r.Round, &r.Verdicts[i])
	}
	return b.settle(queue, r.Round)
}

// Finalize classifies what the rounds left open.
func Finalize(s State) (State, error) {
	if err := s.due(ActFinalize, 0); err != nil {
		return s, err
	}
	b, queue := s.replay()
	voted := slices.ContainsFunc(s.Rounds, func(r Round) bool { return len(r.Verdicts) > 0 })
	switch {
	case len(queue) == 0:
		s.close(b, Converged, QueueEmpty)
	case voted:
		s.close(b, Exhausted, MaxRounds)
	default:
		s.close(b, Aborted, AbortedNonResult)
	}
	return s, nil
}

// Unsettled lists the findings whose missing votes could still move them.
func (s State) Unsettled() []string {
	var out []string
	for _, f := range s.Findings {
		if !f.Settled {
			out = append(out, f.GroupID)
		}
	}
	return out
}

// roundForm is how verdict files of a round are read.
func (s State) roundForm(kind string) grouping.Form {
	return grouping.Form{Adversarial: s.Config.Adversarial || kind == CriticGap}
}
