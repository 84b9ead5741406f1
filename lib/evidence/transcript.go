package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
)

// Providers are those whose transcripts can be read for markers.
var Providers = []string{"claude", "codex"}

// Read gives the markers of a transcript of a provider, in its order; a name
// that ends in .zst says that it is packed. The error is one of reading.
func Read(r io.Reader, name, provider string) ([]Marker, error) {
	if strings.HasSuffix(name, ".zst") {
		unpacked, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", name, err)
		}
		defer unpacked.Close()
		r = unpacked
	}
	rows := map[string]func(*reader, row){"claude": (*reader).claude, "codex": (*reader).codex}[provider]
	p := &reader{seen: map[string]bool{}}
	for line, err := range jsonl.Lines(r, name) {
		if err != nil {
			if _, tooLong := errors.AsType[*jsondoc.SyntaxError](err); tooLong {
				continue // no short message of its own
			}
			return p.markers(), err
		}
		var v row
		if rows == nil || json.Unmarshal(line.Raw, &v) != nil {
			continue
		}
		p.line = line.Number
		rows(p, v)
	}
	return p.markers(), nil
}

// row is what the two formats have of interest.
type row struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	UUID      string          `json:"uuid"`
	Sidechain bool            `json:"isSidechain"`
	Message   json.RawMessage `json:"message"`
	Payload   struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content []block         `json:"content"`
		Message json.RawMessage `json:"message"`
	} `json:"payload"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// reader collects markers. A Codex rollout tells each message twice, as the
// model's item and as an event for the screen; events count only where there
// are no items.
type reader struct {
	line   int
	items  []Marker
	events []Marker
	seen   map[string]bool // ids of rows
}

func (p *reader) markers() []Marker {
	if len(p.items) > 0 {
		return p.items
	}
	return p.events
}

func (p *reader) add(list *[]Marker, at, text string) {
	moment, _ := time.Parse(time.RFC3339Nano, at)
	for _, line := range Lines(text) {
		*list = append(*list, Marker{moment, line, p.line})
	}
}

// claude takes the text blocks of the lead's own replies. Sub-agents have rows
// of their own in the same file; a resumed session repeats rows by their id.
func (p *reader) claude(v row) {
	if v.Type != "assistant" || v.Sidechain || v.UUID != "" && p.seen[v.UUID] {
		return
	}
	p.seen[v.UUID] = true
	var message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(v.Message, &message) != nil {
		return
	}
	var text string
	if json.Unmarshal(message.Content, &text) == nil {
		p.add(&p.items, v.Timestamp, text)
		return
	}
	var blocks []block
	if json.Unmarshal(message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "text" {
			p.add(&p.items, v.Timestamp, b.Text)
		}
	}
}

func (p *reader) codex(v row) {
	switch {
	case v.Type == "response_item" && v.Payload.Type == "message" && v.Payload.Role == "assistant":
		for _, b := range v.Payload.Content {
			if b.Type == "output_text" {
				p.add(&p.items, v.Timestamp, b.Text)
			}
		}
	case v.Type == "event_msg" && v.Payload.Type == "agent_message":
		var text string
		if json.Unmarshal(v.Payload.Message, &text) == nil {
			p.add(&p.events, v.Timestamp, text)
		}
	}
}
