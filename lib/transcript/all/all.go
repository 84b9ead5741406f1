// Package all names the reader of every provider.
package all

import (
	"bytes"
	"path/filepath"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
	"okstra/lib/transcript/codex"
	"okstra/lib/transcript/kimicode"
)

// Readers are all readers, in the order in which providers are listed.
func Readers() []*transcript.Reader {
	return []*transcript.Reader{&claude.Reader, &codex.Reader, &kimicode.Reader}
}

// Names are the providers that have a reader.
func Names() []string {
	var names []string
	for _, r := range Readers() {
		names = append(names, r.Provider)
	}
	return names
}

// Reader is the reader of a provider, nil when it has none.
func Reader(provider string) *transcript.Reader {
	for _, r := range Readers() {
		if r.Provider == provider {
			return r
		}
	}
	return nil
}

// Detect says which provider wrote a file, by its name and, where that leaves it
// open, by its first bytes. It is nil for a file that is no transcript.
func Detect(path string, head []byte) *transcript.Reader {
	base := filepath.Base(path)
	switch {
	case strings.HasPrefix(base, "rollout-") && transcript.HasSuffix(base, ".jsonl"):
		return &codex.Reader
	case kimicode.IsWire(path):
		return &kimicode.Reader
	case !transcript.HasSuffix(base, ".jsonl"):
		return nil
	case bytes.Contains(head, []byte(`"session_meta"`)):
		return &codex.Reader
	}
	return &claude.Reader
}
