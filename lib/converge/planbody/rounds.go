package planbody

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// Codes of steps that are refused.
const (
	CodeDisabled  = "plan-body-disabled" // the task wants no verification
	CodeNoVoter   = "no-voter"           // nobody could verify
	CodeNoChange  = "no-change"          // a fix that changes nothing, or nothing that the gate waits for
	CodeNobody    = "nobody-to-ask"      // every vote is given, and no text has changed
	TaskType      = "implementation-planning"
	defaultRounds = 2
)

func refused(code, format string, args ...any) error {
	return &converge.TransitionError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Effective resolves what a task manifest says to the values in force.
func Effective(block *run.ConvergenceBlock) (Config, error) {
	c := Config{Enabled: true, MaxRounds: defaultRounds}
	base, err := converge.Effective(block, TaskType)
	if err != nil {
		return Config{}, err
	}
	c.Adversarial = base.Adversarial
	if block == nil || block.PlanBody == nil {
		return c, nil
	}
	if on := block.PlanBody.Enabled; on != nil {
		c.Enabled = *on
	}
	if n := block.PlanBody.MaxRounds; n != nil {
		c.MaxRounds = *n
	}
	if c.MaxRounds < 1 {
		return Config{}, &converge.ConfigError{Code: "config-max-rounds-range", Message: fmt.Sprintf("planBody.maxRounds is %d (expected at least 1)", c.MaxRounds)}
	}
	return c, nil
}

// Seed makes the state before the first round. Voters are the analysis workers
// of the manifest, each by its own role execution; the author of the plan has
// another audience and never votes.
func Seed(m run.Manifest, manifestPath string, config Config, items []Item) (State, error) {
	s := State{
		SchemaVersion: Version, Kind: Kind, Task: m.Task, RunManifestPath: manifestPath, Config: config,
		Voters: []Voter{}, Items: items, Rounds: []Round{},
	}
	if !config.Enabled {
		return State{}, refused(CodeDisabled, "the task manifest disables planBody; there is nothing to verify")
	}
	for _, r := range m.RoleExecutions {
		if r.Audience != nil && *r.Audience == run.AudienceAnalysis {
			s.Voters = append(s.Voters, Voter{r.WorkerID, r.RoleExecutionRef})
		}
	}
	if len(s.Voters) == 0 {
		return State{}, refused(CodeNoVoter, "the run has no analysis worker: nobody could verify the plan")
	}
	slices.SortFunc(s.Voters, func(a, b Voter) int { return cmp.Compare(a.WorkerID, b.WorkerID) })
	s.advance()
	return s, nil
}

// advance derives the gate and what is next from rounds and items.
func (s *State) advance() {
	s.Gate = nil
	if len(s.Rounds) > 0 {
		s.Gate = new(gateOf(s.tally(s.Items, s.votes())))
	}
	switch round := len(s.Rounds) + 1; {
	case s.Gate != nil && s.Gate.Open(), round > s.Config.MaxRounds:
		s.Next = converge.Next{Action: converge.ActDone}
	default:
		s.Next = converge.Next{Action: converge.ActQueue, Round: round, Kind: converge.PlanVerify}
	}
}

// due says why a round cannot be asked or counted, or nil.
func (s State) due(round int) error {
	switch {
	case s.Next.Action != converge.ActQueue:
		return refused(converge.CodeWrongOrder, "the state waits for nothing: the verification is over")
	case s.Next.Round != round:
		return refused(converge.CodeWrongOrder, "round %d is not due, the state waits for round %d", round, s.Next.Round)
	case len(s.asked(s.Items, s.votes())) == 0:
		return refused(CodeNobody, "every vote is given and no text has changed; fix the plan, then ask again")
	}
	return nil
}

// Packet is what one voter is asked.
type Packet struct {
	converge.Packet

	Groups []PacketItem `json:"groups"`
}

// PacketItem is an item as a packet holds it; a plan has no origin to name.
type PacketItem struct {
	converge.PacketGroup

	Origin *string `json:"origin"`
}

// Queue makes the packets of the round that is due, sorted by worker. There is
// no claim to make anonymous: nobody is named as the author of a plan.
func Queue(s State, round int, o converge.QueueOptions) ([]Packet, error) {
	if err := s.due(round); err != nil {
		return nil, err
	}
	votes := s.votes()
	asked := s.asked(s.Items, votes)
	var out []Packet
	for _, v := range s.Voters {
		if len(asked[v.WorkerID]) > 0 && (o.Worker == "" || o.Worker == v.WorkerID) {
			out = append(out, s.packet(v, asked[v.WorkerID], votes, cmp.Or(o.OrderSeed, s.Task.Suffix())))
		}
	}
	return out, nil
}

func (s State) packet(v Voter, ids []string, votes standing, orderSeed string) Packet {
	mode := converge.Lightweight
	if s.Config.Adversarial {
		mode = converge.FullReanalysis
	}
	p := Packet{Packet: converge.Packet{
		SchemaVersion: Version, Kind: converge.PacketKind, Round: s.Next.Round, RoundKind: converge.PlanVerify, WorkerID: v.WorkerID,
		SourceRoleExecutionRef: v.SourceRoleExecutionRef, VerificationMode: mode, Adversarial: s.Config.Adversarial, OrderSeed: orderSeed,
		ResultPath: run.Folder{Task: s.Task}.Verdicts(v.WorkerID, fmt.Sprintf("plan-verify-r%d", s.Next.Round)),
	}}
	for _, id := range ids {
		p.Packet.Groups = append(p.Packet.Groups, converge.PacketGroup{
			GroupID: id, Claim: s.claim(id), Tickets: []string{}, Evidence: []string{}, Arguments: s.arguments(id, v.WorkerID, votes),
		})
	}
	p.Shuffle()
	for _, g := range p.Packet.Groups {
		p.Groups = append(p.Groups, PacketItem{PacketGroup: g})
	}
	return p
}

// arguments are what others said on the present text of an item, without names
// or verdicts.
func (s State) arguments(id, worker string, votes standing) []converge.Argument {
	distinct := map[converge.Argument]bool{}
	for _, v := range s.Voters {
		said := votes[seat{id, v.WorkerID}]
		if v.WorkerID != worker && said != nil && (said.Reason != "" || said.Evidence != "") {
			distinct[converge.Argument{Text: said.Reason, Evidence: said.Evidence}] = true
		}
	}
	out := slices.AppendSeq([]converge.Argument{}, maps.Keys(distinct))
	slices.SortFunc(out, func(x, y converge.Argument) int {
		return cmp.Or(cmp.Compare(x.Text, y.Text), cmp.Compare(x.Evidence, y.Evidence))
	})
	return out
}

// Fix records that the plan was changed after the last round. The votes on
// texts that changed are dropped. An item that has moved has changed: a step
// of another stage is another step.
func Fix(s State, items []Item, note string) (State, error) {
	last := len(s.Rounds) - 1
	switch {
	case s.Next.Action != converge.ActQueue:
		return s, refused(converge.CodeWrongOrder, "the verification is over; the plan cannot be fixed any more")
	case last < 0:
		return s, refused(converge.CodeWrongOrder, "no round has been counted yet; there is nothing to fix")
	case s.Rounds[last].SelfFix != nil:
		return s, refused(converge.CodeWrongOrder, "the plan was fixed after round %d already; the state waits for round %d", s.Rounds[last].Round, s.Next.Round)
	}
	fix := &SelfFix{Note: note}
	for i := range max(len(items), len(s.Items)) {
		id := grouping.ID("P", i+1)
		switch {
		case i >= len(s.Items):
			fix.Added = append(fix.Added, id)
		case i >= len(items):
			fix.Removed = append(fix.Removed, id)
		case items[i].Digest == s.Items[i].Digest && items[i].Ref == s.Items[i].Ref:
			continue
		}
		fix.Items = append(fix.Items, id)
	}
	if len(fix.Items) == 0 {
		return s, refused(CodeNoChange, "the plan is as it was in round %d", s.Rounds[last].Round)
	}
	mended := s
	mended.Rounds = slices.Clone(s.Rounds)
	mended.Rounds[last].SelfFix = fix
	mended.Items = items
	mended.advance()
	// A round is fixed once: a fix after which nobody can be asked would leave
	// the state without any next step.
	if mended.Next.Action == converge.ActQueue && len(mended.asked(mended.Items, mended.votes())) == 0 {
		return s, refused(CodeNoChange, "every vote on the items of the fixed plan is given, and the gate stays shut; change a text that a vote is against")
	}
	return mended, nil
}

// claim is what a voter reads of an item.
func (s State) claim(id string) string { return s.Items[grouping.Number(id)-1].text() }
