package stream

// Rules tell how the stream of one provider is read. Event names are the text
// at TypePointer, or that and the "subtype" beside it joined by "/", as in
// "system/init". Pointers are JSON pointers.
type Rules struct {
	// Format is "jsonl", or "text" for a CLI that prints no events. A text
	// has no terminal event and nothing but its length is read from it.
	Format      string   `json:"format"`
	TypePointer string   `json:"typePointer"`
	Good        []string `json:"good"`     // events that end a run well, unless they say otherwise
	Bad         []string `json:"bad"`      // events that end a run badly
	Harmless    []string `json:"harmless"` // look like errors and are none
	Retry       []string `json:"retry"`    // the provider tries again by itself

	UsagePointer   string `json:"usagePointer"`   // in the event that ends the run
	DenialsPointer string `json:"denialsPointer"` // an array or a number, there too
	SessionEvent   string `json:"sessionEvent"`   // "" for none: the id is minted or unknown
	SessionPointer string `json:"sessionPointer"`
}

// Has tells whether the provider has a stream of events.
func (r Rules) Has() bool { return r.Format == "jsonl" }
