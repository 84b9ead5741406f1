package stream

import (
	"encoding/json"

	"okstra/lib/run"
)

// Summary is what the stream has told so far.
type Summary struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"` // as the CLI reports it

	// Terminal is the name of the last event that ended the run, "" if none
	// did; Good tells that it ended well.
	Terminal string `json:"terminal"`
	Good     bool   `json:"good"`
	// Cancelled tells that the run ended because something was not allowed
	// or was called off, whatever else the event says.
	Cancelled bool   `json:"cancelled"`
	Message   string `json:"message"` // of the last error that was no harmless one
	APIStatus *int   `json:"apiStatus"`
	Denials   int    `json:"denials"`

	// Usage is what was used so far, nil when the stream says nothing, and
	// RawUsage the provider's own last usage object.
	Usage    *run.Usage      `json:"usage"`
	RawUsage json.RawMessage `json:"rawUsage,omitempty"`

	Events   int    `json:"events"`
	BadLines int    `json:"badLines"`
	Retries  int    `json:"retries"`
	InARow   int    `json:"inARow"` // retries since the last other event
	Last     string `json:"last"`   // a short text of the last event, for a progress line
}
