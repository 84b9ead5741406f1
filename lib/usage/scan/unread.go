package scan

import (
	"os"
	"path/filepath"

	"okstra/lib/transcript"
)

// Unread counts the conversations that Antigravity keeps under a home, in
// databases of which no reader is at hand. What a run used of it stands in the
// status files of its dispatches.
func Unread(home transcript.Home) (dir string, conversations int) {
	dir = home.Below(".gemini", "antigravity-cli", "conversations")
	if dir == "" {
		return "", 0
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return dir, 0
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".db" || ext == ".pb" {
			conversations++
		}
	}
	return dir, conversations
}
