package converge

import (
	"fmt"

	"okstra/lib/converge/grouping"
)

// Codes of steps that are refused.
const (
	CodeWrongOrder = "wrong-order"    // another command is due
	CodeMismatch   = "round-mismatch" // a file of a round that is not due yet
	CodeApplied    = "round-applied"  // files of a round that was counted before
)

// TransitionError is a step that is not due. Nothing was changed by it.
type TransitionError struct{ Code, Message string }

func (e *TransitionError) Error() string { return e.Code + ": " + e.Message }

// ExitStatus is that of a refusal on input that was understood.
func (e *TransitionError) ExitStatus() int { return 1 }

func wrongOrder(format string, args ...any) error {
	return &TransitionError{CodeWrongOrder, fmt.Sprintf(format, args...)}
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
// canonical digest of the input document, which CheckInput found no fault in.
func Seed(in Input, inputDigest string) State {
	s := State{
		SchemaVersion: Version, Kind: StateKind, InputDigest: inputDigest,
		Task: in.Task, RunManifestPath: in.RunManifestPath,
		Config: in.Config, Workers: in.Workers, Groups: in.Groups, Status: Running,
	}
	b := newBoard(s.Config, s.Workers, s.Groups)
	carried := b.settle(b.leads(), 0)
	s.Rounds = []Round{{
		Kind: SeedRound, Asked: map[string][]string{}, Files: []FileRecord{}, Verdicts: []Verdict{}, Missing: []MissingVote{},
		Resolved: resolvedIn(b.leads(), 0), Carried: ids(carried),
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

// advance derives everything that follows from the rounds so far; queue holds
// the claims that they left open. A critic's candidates get one round after
// the loop over the lead's groups, whatever is left of maxRounds.
func (s *State) advance(b *board, queue []*claim) {
	if reason := s.disabledReason(b); reason != "" {
		s.close(b, Disabled, reason)
		return
	}
	s.Queue, s.Findings = ids(queue), b.findings(without(b.groups, queue), s.Findings)
	last := s.Rounds[len(s.Rounds)-1]
	switch {
	case last.Kind == CriticGap:
		s.Next = Next{Action: ActFinalize}
	case len(b.candidates()) > 0:
		s.Next = Next{Action: ActQueue, Round: last.Round + 1, Kind: CriticGap}
	case s.loopEnded(len(queue)):
		s.Next = Next{Action: ActFinalize}
	default:
		s.Next = Next{Action: ActQueue, Round: last.Round + 1, Kind: Reverify}
	}
}

// loopEnded says whether the loop over the lead's groups is over while so many
// of them are open. It ends early only when nothing is open: an end after a
// silent round would let an added vote lower a label, because that vote would
// keep the loop alive for later dissent.
func (s *State) loopEnded(open int) bool {
	return open == 0 || s.Rounds[len(s.Rounds)-1].Round >= s.Config.MaxRounds
}

// close classifies all groups and ends the loop.
func (s *State) close(b *board, status, reason string) {
	s.Status, s.StopReason = status, &reason
	s.Next, s.Queue = Next{Action: ActDone}, []string{}
	s.Findings = b.findings(b.groups, s.Findings)
}

// without leaves out some of the claims; both lists are in order of groups.
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
	queue := b.settle(b.leads(), 0)
	if s.disabledReason(b) != "" {
		return b, nil
	}
	critic := false
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if r.Kind == SeedRound {
			continue
		}
		if critic = r.Kind == CriticGap; critic {
			queue = b.candidates()
		}
		queue = b.play(r, queue)
	}
	if len(b.candidates()) > 0 && !critic {
		queue = b.candidates()
	}
	return b, queue
}

// Finalize classifies what the rounds left open.
func Finalize(s State) (State, error) {
	if err := s.due(ActFinalize, 0); err != nil {
		return s, err
	}
	b, _ := s.replay()
	status, reason := s.loopOutcome()
	s.close(b, status, reason)
	return s, nil
}

// loopOutcome is how the loop over the lead's groups ended. A critic's round
// comes after that end and does not change it.
func (s *State) loopOutcome() (status, reason string) {
	var open, voted bool
	for _, r := range s.Rounds {
		if r.Kind != CriticGap {
			open, voted = len(r.Carried) > 0, voted || len(r.Verdicts) > 0
		}
	}
	switch {
	case !open:
		return Converged, QueueEmpty
	case voted:
		return Exhausted, MaxRounds
	}
	return Aborted, AbortedNonResult
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
