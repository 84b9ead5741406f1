package provider

import (
	"encoding/json"
	"math/big"
	"path/filepath"
	"slices"
)

// Kind is the document kind of a provider row.
const Kind = "okstra-provider"

// Replay is the id of the built-in provider that plays recordings back.
const Replay = "replay"

// The boundaries that a row may tolerate, and the keys of its variants.
const (
	BoundaryOverlay  = "overlay"
	BoundaryLandlock = "landlock"
	BoundaryNone     = "none"
)

// The ways in which a CLI is given its prompt.
const (
	PromptStdin   = "stdin"   // the prompt file is its standard input
	PromptPointer = "pointer" // an argument names the prompt file
)

// TempOutside is the value of TempDir for a CLI that refuses to work when its
// temporary directory or its home lies under the system's temporary directory.
const TempOutside = "outside-tmp"

// Provider is a provider row. The JSON key order is the order of the fields,
// so that a row printed by us reads like one written by hand.
// Rule: docs/providers.md, "A row".
type Provider struct {
	SchemaVersion        string             `json:"schemaVersion"`
	Kind                 string             `json:"kind"`
	ID                   string             `json:"id"`
	DisplayName          string             `json:"displayName"`
	Command              string             `json:"command"`
	VersionArgs          []string           `json:"versionArgs"`
	Verified             *string            `json:"verified"` // the version that was tried; nil: none was
	Argv                 []string           `json:"argv"`
	Prompt               string             `json:"prompt"`
	Cwd                  string             `json:"cwd"`
	Variants             map[string]Variant `json:"variants"`
	Boundaries           []string           `json:"boundaries"`
	MaxBoundaryPrecision string             `json:"maxBoundaryPrecision"`
	Env                  Env                `json:"env"`
	TempDir              string             `json:"tempDir"`
	WritableHome         []string           `json:"writableHome"`
	SandboxDirs          []string           `json:"sandboxDirs,omitempty"` // that its own sandbox makes at the top of the tree
	Session              *Session           `json:"session"`
	ProgressPaths        []string           `json:"progressPaths"`
	Stream               *Stream            `json:"stream"`
	Login                *Login             `json:"login,omitempty"`
	Causes               []Cause            `json:"causes"`
	Models               []Model            `json:"models"`
	DefaultModel         string             `json:"defaultModel"`
}

// Env is what the CLI sees of the environment. A name in Pass may end in "*".
// AsRoot is set in addition when the process sees itself as uid 0.
type Env struct {
	Pass   []string          `json:"pass"`
	Set    map[string]string `json:"set"`
	AsRoot map[string]string `json:"asRoot,omitempty"`
}

// Session tells where the session id comes from: minted before the start and
// given as {sessionId}, or found at Pointer of the stream's event Event. A
// provider without a session has none.
type Session struct {
	Mint    bool   `json:"mint"`
	From    string `json:"from"` // "minted", "stream" or "recording"
	Event   string `json:"event,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// Stream tells how the standard output is read. Format is "jsonl", or "text"
// for a CLI that prints no events. An event is named by its type, or by type
// and subtype with a slash between them.
type Stream struct {
	Format       string   `json:"format"`
	TypePointer  string   `json:"typePointer"`
	Good         []string `json:"good"`
	Bad          []string `json:"bad"`
	Harmless     []string `json:"harmless"`
	UsagePointer string   `json:"usagePointer"`
	Denials      *string  `json:"denials"` // pointer to the permission denials
	Retry        []string `json:"retry"`
}

// Login tells how far it can be seen from outside whether a CLI is logged in:
// one of the files is there, or one of the variables is set. It proves that
// credentials exist, not that they still hold.
type Login struct {
	Files []string `json:"files"`
	Env   []string `json:"env"`
}

// Cause names why a run failed when all texts of Match are found, each in the
// place that is its key: "stderr", "stdout" or "sessionFile".
type Cause struct {
	Match map[string]string `json:"match"`
	Cause string            `json:"cause"`
}

// Model is a model row. Pricing is nil for a model without a public rate. A
// row that is not selectable stays resolvable: past runs need its price.
type Model struct {
	ID             string   `json:"id"`
	DisplayName    string   `json:"displayName"`
	ExecutionValue string   `json:"executionValue"`
	Aliases        []string `json:"aliases"`
	Pricing        *Pricing `json:"pricing"`
	Selectable     bool     `json:"selectable"`
}

// Pricing is the list price of input, cached input and output in USD per
// million tokens, in the digits of the catalogue.
type Pricing [3]json.Number

// Name is how the provider is shown to people.
func (p *Provider) Name() string {
	if p.DisplayName != "" {
		return p.DisplayName
	}
	return p.ID
}

// VerifiedVersion is the version of the CLI that the row was tried with, or
// "" when it was tried with none.
func (p *Provider) VerifiedVersion() string {
	if p.Verified == nil {
		return ""
	}
	return *p.Verified
}

// Tolerates tells whether the CLI works inside a boundary.
func (p *Provider) Tolerates(boundary string) bool { return slices.Contains(p.Boundaries, boundary) }

// OwnSandbox tells that the CLI starts a sandbox of its own: its row says so by
// asking for other arguments inside Landlock, where no such sandbox can start,
// than inside an overlay, where it can.
func (p *Provider) OwnSandbox() bool {
	inOverlay, inLandlock := p.Variants[BoundaryOverlay], p.Variants[BoundaryLandlock]
	return !slices.Equal(inOverlay.apply(p.Argv), inLandlock.apply(p.Argv))
}

// MintsSession tells whether the caller makes the session id.
func (p *Provider) MintsSession() bool { return p.Session != nil && p.Session.Mint }

// HasStream tells whether the CLI prints events.
func (p *Provider) HasStream() bool { return p.Stream != nil && p.Stream.Format == "jsonl" }

// CauseOf names why a run failed by the first cause whose texts are all found,
// or "". The caller looks the texts up, so that a large session file is only
// opened for a row that asks for it.
func (p *Provider) CauseOf(contains func(place, text string) bool) string {
	for _, c := range p.Causes {
		if c.matches(contains) {
			return c.Cause
		}
	}
	return ""
}

func (c Cause) matches(contains func(place, text string) bool) bool {
	for _, place := range causePlaces {
		if text, asked := c.Match[place]; asked && !contains(place, text) {
			return false
		}
	}
	return true
}

// rat is a rate as an exact number.
func rat(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(n.String())
	return r
}

// Input is the exact price of a million input tokens.
func (p Pricing) Input() *big.Rat { return rat(p[0]) }

// Cached is the exact price of a million input tokens read from a cache.
func (p Pricing) Cached() *big.Rat { return rat(p[1]) }

// Output is the exact price of a million output tokens.
func (p Pricing) Output() *big.Rat { return rat(p[2]) }

// TempDirFor gives the folder under which the CLI's temporary directory is to
// be made: systemTemp, or a folder of the home when the CLI refuses to work
// under the system's.
func (p *Provider) TempDirFor(systemTemp, home string) string {
	if p.TempDir != TempOutside || home == "" {
		return systemTemp
	}
	return filepath.Join(home, ".cache", "okstra", "tmp")
}
