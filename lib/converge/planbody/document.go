package planbody

import (
	"encoding/json"

	"okstra/lib/converge"
	"okstra/lib/run"
)

// Kind and version of the state.
const (
	Kind    = converge.PlanBodyKind
	Version = converge.Version
)

// Gate says whether a plan may be put before the user.
type Gate string

// The gates, lowest first.
const (
	Blocked           Gate = "blocked-by-disagreement"
	Aborted           Gate = "aborted-non-result"
	PassedWithDissent Gate = "passed-with-dissent"
	Passed            Gate = "passed"
)

// Open says whether the user may be asked to approve.
func (g Gate) Open() bool { return g == Passed || g == PassedWithDissent }

// Config is the effective configuration.
type Config struct {
	Enabled     bool `json:"enabled"`
	MaxRounds   int  `json:"maxRounds"`
	Adversarial bool `json:"adversarial"`
}

// Voter is an analysis worker with its own role execution.
type Voter struct {
	WorkerID               string `json:"workerId"`
	SourceRoleExecutionRef string `json:"sourceRoleExecutionRef"`
}

// Item is a part of the plan that is judged by itself. Ref points to it in the
// report's data; Part is how it stands there, and what voters are shown is made
// of that. Digest is that of Part, so that a vote names the text it was given on.
// A state may do without parts; then voters are shown where to look.
type Item struct {
	ItemID string          `json:"itemId"`
	Ref    string          `json:"ref"`
	Digest string          `json:"digest"`
	Part   json.RawMessage `json:"part,omitempty"`
}

// Verdict is one vote on the text that the item had then.
type Verdict struct {
	ItemID   string  `json:"itemId"`
	WorkerID string  `json:"workerId"`
	Digest   string  `json:"digest"`
	Verdict  string  `json:"verdict"`
	Letter   *string `json:"letter"`
	Evidence string  `json:"evidence"`
	Reason   string  `json:"reason"`
}

// Missing is a vote that was asked for and not given.
type Missing struct {
	ItemID   string `json:"itemId"`
	WorkerID string `json:"workerId"`
	Code     string `json:"code"`
}

// SelfFix is a change of the plan after a round. Items lists every item whose
// text changed, those that were Added or Removed among them.
type SelfFix struct {
	Note    string   `json:"note"`
	Items   []string `json:"items"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Round is what was asked and answered in one round, the gate after it, and
// the change that followed.
type Round struct {
	Round    int                   `json:"round"`
	Asked    map[string][]string   `json:"asked"`
	Files    []converge.FileRecord `json:"files"`
	Verdicts []Verdict             `json:"verdicts"`
	Missing  []Missing             `json:"missing"`
	SelfFix  *SelfFix              `json:"selfFix"`
	Gate     *Gate                 `json:"gate"`
}

// State is a plan-body verification. Next and the gates follow from the rest.
// Gate is nil before the first round.
type State struct {
	SchemaVersion   string        `json:"schemaVersion"`
	Kind            string        `json:"kind"`
	Task            run.Task      `json:"task"`
	RunManifestPath string        `json:"runManifestPath,omitempty"`
	Config          Config        `json:"config"`
	Voters          []Voter       `json:"voters"`
	Items           []Item        `json:"items"`
	Next            converge.Next `json:"next"`
	Rounds          []Round       `json:"rounds"`
	Gate            *Gate         `json:"gate"`
}
