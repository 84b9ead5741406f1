package converge

import (
	"fmt"

	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// Kinds and version of the documents of this package.
const (
	InputKind    = "okstra-convergence-input"
	StateKind    = "okstra-convergence"
	PacketKind   = "okstra-convergence-packet"
	SummaryKind  = "okstra-convergence-summary"
	PlanBodyKind = "okstra-plan-body"
	Version      = "1.0"
)

// Modes of verification: what a verifier may read. They change prompts, never
// the arithmetic.
const (
	Lightweight    = "lightweight"
	FullReanalysis = "full-reanalysis"
)

// Config is the effective configuration of a convergence.
type Config struct {
	Enabled          bool       `json:"enabled"`
	MaxRounds        int        `json:"maxRounds"`
	VerificationMode string     `json:"verificationMode"`
	Adversarial      bool       `json:"adversarial"`
	Critic           run.Critic `json:"critic"`
}

// Worker is a participant of the roster. SourceRoleExecutionRef is the
// reference of the worker's own role execution: the identity that decides who
// is independent of whom. Provider and Model serve the flags alone.
type Worker struct {
	WorkerID               string  `json:"workerId"`
	Audience               string  `json:"audience"`
	Role                   string  `json:"role"`
	ParticipantRef         string  `json:"participantRef"`
	SourceRoleExecutionRef string  `json:"sourceRoleExecutionRef"`
	Provider               *string `json:"provider"`
	Model                  *string `json:"model"`
}

// Origin is the worker whose words a claim is in, with its evidence.
type Origin struct {
	WorkerID string `json:"workerId"`
	Evidence string `json:"evidence"`
}

// Group is a claim with everyone who found it.
type Group struct {
	GroupID          string             `json:"groupId"`
	Claim            string             `json:"claim"`
	Tickets          []string           `json:"tickets"`
	Origin           Origin             `json:"origin"`
	DiscoveredBy     []string           `json:"discoveredBy"`
	SourceItems      []grouping.ItemRef `json:"sourceItems"`
	CapturedEvidence *string            `json:"capturedEvidence"`
}

// Input is the grouped input of a convergence.
type Input struct {
	SchemaVersion   string   `json:"schemaVersion"`
	Kind            string   `json:"kind"`
	ArtifactID      string   `json:"artifactId"`
	Task            run.Task `json:"task"`
	RunManifestPath string   `json:"runManifestPath"`
	Config          Config   `json:"config"`
	Workers         []Worker `json:"workers"`
	Groups          []Group  `json:"groups"`
}

// Status of a state and the reasons why a loop stopped.
const (
	Running   = "running"
	Converged = "converged"
	Exhausted = "exhausted"
	Aborted   = "aborted"
	Disabled  = "disabled"

	QueueEmpty            = "queue-empty"
	MaxRounds             = "max-rounds"
	AbortedNonResult      = "aborted-non-result"
	DisabledByConfig      = "disabled-by-config"
	InsufficientAnalysers = "insufficient-analysers"
)

// Kinds of rounds.
const (
	SeedRound   = "seed"
	Reverify    = "reverify"
	CriticGap   = "critic-gap"
	PlanVerify  = "plan-verify"
	ActQueue    = "queue"
	ActFinalize = "finalize"
	ActDone     = "done"
)

// Next says which command a state waits for.
type Next struct {
	Action string `json:"action"`
	Round  int    `json:"round,omitempty"`
	Kind   string `json:"kind,omitempty"`
}

// String says it in words: "queue round 2 (reverify)", "finalize", "done".
func (n Next) String() string {
	if n.Action != ActQueue {
		return n.Action
	}
	return fmt.Sprintf("%s round %d (%s)", n.Action, n.Round, n.Kind)
}

// FileRecord is a verdict file that was counted, by the digest of its bytes.
type FileRecord struct {
	WorkerID string `json:"workerId"`
	SHA256   string `json:"sha256"`
}

// Verdict is one vote as it was given.
type Verdict struct {
	GroupID                string  `json:"groupId"`
	WorkerID               string  `json:"workerId"`
	SourceRoleExecutionRef string  `json:"sourceRoleExecutionRef"`
	Verdict                string  `json:"verdict"`
	DisagreeBasis          *string `json:"disagreeBasis"`
	Evidence               string  `json:"evidence"`
	Reason                 string  `json:"reason"`
}

// MissingVote is a vote that was asked for and not given, with the reason.
type MissingVote struct {
	GroupID  string `json:"groupId"`
	WorkerID string `json:"workerId"`
	Code     string `json:"code"`
}

// Round is what was asked, answered and decided in one round. Round 0 is the
// seed.
type Round struct {
	Round    int                 `json:"round"`
	Kind     string              `json:"kind"`
	Asked    map[string][]string `json:"asked"`
	Files    []FileRecord        `json:"files"`
	Verdicts []Verdict           `json:"verdicts"`
	Missing  []MissingVote       `json:"missing"`
	Resolved []string            `json:"resolved"`
	Carried  []string            `json:"carried"`
}

// Supplemented is what a confirming vote added to the claim.
type Supplemented struct {
	WorkerID string `json:"workerId"`
	Round    int    `json:"round"`
	Text     string `json:"text"`
	Evidence string `json:"evidence"`
}

// Dissent is a DISAGREE, kept when its worker changed sides later too.
type Dissent struct {
	WorkerID  string  `json:"workerId"`
	Round     int     `json:"round"`
	Text      string  `json:"text"`
	Evidence  string  `json:"evidence"`
	Basis     *string `json:"basis"`
	Withdrawn bool    `json:"withdrawn"`
}

// Finding is a classified group. ResolvedInRound is nil for a group that the
// rounds left open.
type Finding struct {
	GroupID         string         `json:"groupId"`
	Classification  Label          `json:"classification"`
	Reason          string         `json:"reason"`
	Section         Section        `json:"section"`
	Settled         bool           `json:"settled"`
	ResolvedInRound *int           `json:"resolvedInRound"`
	Sources         int            `json:"sources"`
	Eligible        int            `json:"eligible"`
	Agree           int            `json:"agree"`
	Disagree        int            `json:"disagree"`
	Missing         int            `json:"missing"`
	Flags           []string       `json:"flags"`
	Supplements     []Supplemented `json:"supplements"`
	Dissent         []Dissent      `json:"dissent"`
	Tickets         []string       `json:"tickets"`
}

// State is a convergence, running or final. Everything below Groups follows
// from Config, Workers, Groups and the votes in Rounds.
type State struct {
	SchemaVersion   string    `json:"schemaVersion"`
	Kind            string    `json:"kind"`
	InputDigest     string    `json:"inputDigest"`
	Task            run.Task  `json:"task"`
	RunManifestPath string    `json:"runManifestPath"`
	Config          Config    `json:"config"`
	Workers         []Worker  `json:"workers"`
	Groups          []Group   `json:"groups"`
	Status          string    `json:"status"`
	StopReason      *string   `json:"stopReason"`
	Next            Next      `json:"next"`
	Queue           []string  `json:"queue"`
	Rounds          []Round   `json:"rounds"`
	Findings        []Finding `json:"findings"`
}

// Final reports whether the state is classified and closed.
func (s State) Final() bool { return s.Next.Action == ActDone }
