package all

import (
	"bytes"
	"path/filepath"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
	"okstra/lib/transcript/codex"
	"okstra/lib/transcript/gemini"
	"okstra/lib/transcript/grok"
	"okstra/lib/transcript/kimi"
	"okstra/lib/transcript/kimicode"
	"okstra/lib/transcript/rawjson"
)

// Detect says which provider wrote a file, by its name and, where that leaves it
// open, by its first bytes; by the folders that it lies in only where those say
// nothing either, for a home may lie below folders of any name. It is nil for a file
// that is no transcript.
func Detect(path string, head []byte) *transcript.Reader {
	base := filepath.Base(path)
	switch {
	case strings.HasPrefix(base, "rollout-") && transcript.HasSuffix(base, ".jsonl"):
		return &codex.Reader
	case kimicode.IsWire(path):
		return &kimicode.Reader
	case strings.HasPrefix(base, "wire.jsonl"):
		return &kimi.Reader
	case grok.IsUpdates(path):
		return &grok.Reader
	case strings.HasPrefix(base, "session-") && transcript.HasSuffix(base, ".json"):
		return &gemini.Reader
	}
	told := tells(head)
	switch {
	case !transcript.HasSuffix(base, ".jsonl"):
		if told == &gemini.Reader && transcript.HasSuffix(base, ".json") {
			return told
		}
		return nil
	case told != nil:
		return told
	case bytes.Contains(head, []byte(`"session_meta"`)):
		return &codex.Reader
	case isNear(path, "chats"):
		return &gemini.Reader
	}
	return &claude.Reader
}

// isNear reports whether a file lies in a folder of a name, or in one of that.
func isNear(path, folder string) bool {
	dir := filepath.Dir(path)
	return filepath.Base(dir) == folder || filepath.Base(filepath.Dir(dir)) == folder
}

// telling are keys of the outermost objects that only one provider writes.
var telling = map[string]*transcript.Reader{
	"projectHash": &gemini.Reader, "$set": &gemini.Reader, "$rewindTo": &gemini.Reader, "messages": &gemini.Reader,
	"parentUuid": &claude.Reader, "uuid": &claude.Reader, "leafUuid": &claude.Reader, "isSidechain": &claude.Reader,
	"isSnapshotUpdate": &claude.Reader, "requestId": &claude.Reader,
}

// tells says whose the first object is that can be only one provider's; nil when
// none is, of those that begin a file.
func tells(head []byte) *transcript.Reader {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for len(head) > 0 {
		c := rawjson.New(head)
		for c.Object() {
			for key, ok := c.Key(); ok; key, ok = c.Key() {
				if r := telling[string(key)]; r != nil {
					return r
				}
				if text, isText := c.Text(); isText && string(key) == "type" && string(text) == "gemini" {
					return &gemini.Reader
				}
			}
		}
		_, after, _ := bytes.Cut(head[min(c.Offset(), len(head)):], []byte("\n")) // a torn line
		head = after
	}
	return nil
}
