package converge

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// Packet is what one worker is asked in a round: only groups that it may
// judge, with claim, evidence and the arguments so far, and never with a
// verdict, a name or a count of the others.
type Packet struct {
	SchemaVersion          string        `json:"schemaVersion"`
	Kind                   string        `json:"kind"`
	Round                  int           `json:"round"`
	RoundKind              string        `json:"roundKind"`
	WorkerID               string        `json:"workerId"`
	SourceRoleExecutionRef string        `json:"sourceRoleExecutionRef"`
	VerificationMode       string        `json:"verificationMode"`
	Adversarial            bool          `json:"adversarial"`
	OrderSeed              string        `json:"orderSeed"`
	ResultPath             string        `json:"resultPath"`
	Groups                 []PacketGroup `json:"groups"`
}

// PacketGroup is a claim to judge. Origin is nil where it is kept back.
type PacketGroup struct {
	GroupID   string     `json:"groupId"`
	Claim     string     `json:"claim"`
	Tickets   []string   `json:"tickets"`
	Origin    *string    `json:"origin,omitempty"`
	Evidence  []string   `json:"evidence"`
	Arguments []Argument `json:"arguments"`
}

// Argument is what somebody said for or against a claim.
type Argument struct {
	Text     string `json:"text"`
	Evidence string `json:"evidence"`
}

// QueueOptions change the packets of a round.
type QueueOptions struct {
	Worker    string // only this one's packet
	Anonymize bool   // leave out whose claim it is
	OrderSeed string // "" stands for the run's own
}

// Queue makes the packets of the round that is due, sorted by worker.
// Rule: docs/converge.md, "Rounds".
func Queue(s State, round int, o QueueOptions) ([]Packet, error) {
	if err := s.due(ActQueue, round); err != nil {
		return nil, err
	}
	if o.OrderSeed == "" {
		o.OrderSeed = s.Task.Suffix()
	}
	b, queue := s.replay()
	asked := b.asked(queue)
	var out []Packet
	for _, worker := range slices.Sorted(maps.Keys(asked)) {
		if o.Worker == "" || o.Worker == worker {
			out = append(out, s.packet(b, worker, asked[worker], o))
		}
	}
	return out, nil
}

func (s State) packet(b *board, worker string, groups []string, o QueueOptions) Packet {
	purpose := fmt.Sprintf("reverify-r%d", s.Next.Round)
	mode, adversarial := s.Config.VerificationMode, s.Config.Adversarial
	if s.Next.Kind == CriticGap {
		mode, adversarial = FullReanalysis, true
	}
	p := Packet{
		SchemaVersion: Version, Kind: PacketKind, Round: s.Next.Round, RoundKind: s.Next.Kind, WorkerID: worker,
		SourceRoleExecutionRef: b.voter(b.seats[worker]).SourceRoleExecutionRef, VerificationMode: mode, Adversarial: adversarial,
		OrderSeed: o.OrderSeed, ResultPath: run.Folder{Task: s.Task}.Verdicts(worker, purpose), Groups: []PacketGroup{},
	}
	for _, id := range groups {
		p.Groups = append(p.Groups, b.packetGroup(b.claim(id), worker, o.Anonymize))
	}
	p.Shuffle()
	return p
}

func (b *board) packetGroup(c *claim, worker string, anonymous bool) PacketGroup {
	g := PacketGroup{GroupID: c.GroupID, Claim: c.Claim, Tickets: c.Tickets, Evidence: grouping.SplitEvidence(c.Origin.Evidence), Arguments: []Argument{}}
	if !anonymous {
		g.Origin = &c.Origin.WorkerID
	}
	if c.CapturedEvidence != nil {
		g.Evidence = append(g.Evidence, *c.CapturedEvidence)
	}
	for _, v := range b.given(c) {
		a := Argument{v.Reason, v.Evidence}
		if v.WorkerID != worker && a != (Argument{}) && !slices.Contains(g.Arguments, a) {
			g.Arguments = append(g.Arguments, a)
		}
	}
	slices.SortFunc(g.Arguments, func(x, y Argument) int {
		return cmp.Or(cmp.Compare(x.Text, y.Text), cmp.Compare(x.Evidence, y.Evidence))
	})
	return g
}

// Shuffle orders the groups by a seeded permutation of the worker's own, so
// that the effect of position cancels out over workers and repeats over runs.
// No worker's name goes into it: renaming changes no order.
func (p *Packet) Shuffle() {
	keys := make(map[string][sha256.Size]byte, len(p.Groups))
	for _, g := range p.Groups {
		keys[g.GroupID] = sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s\n%s", p.OrderSeed, p.Round, p.SourceRoleExecutionRef, g.GroupID))
	}
	slices.SortFunc(p.Groups, func(x, y PacketGroup) int {
		a, b := keys[x.GroupID], keys[y.GroupID]
		return slices.Compare(a[:], b[:])
	})
}
