// Package all names the reader of every provider.
package all

import (
	"slices"

	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
	"okstra/lib/transcript/codex"
	"okstra/lib/transcript/gemini"
	"okstra/lib/transcript/grok"
	"okstra/lib/transcript/kimi"
	"okstra/lib/transcript/kimicode"
)

// Readers are all readers, in the order in which providers are listed.
func Readers() []*transcript.Reader {
	return []*transcript.Reader{&claude.Reader, &codex.Reader, &grok.Reader, &kimi.Reader, &kimicode.Reader, &gemini.Reader}
}

// Names are the providers that have a reader.
func Names() []string {
	var names []string
	for _, r := range Readers() {
		if !slices.Contains(names, r.Provider) {
			names = append(names, r.Provider)
		}
	}
	return names
}

// Of are the readers of a provider, none when it leaves no transcript: a
// provider has one for each form its CLIs have written.
func Of(provider string) []*transcript.Reader {
	var list []*transcript.Reader
	for _, r := range Readers() {
		if r.Provider == provider {
			list = append(list, r)
		}
	}
	return list
}
