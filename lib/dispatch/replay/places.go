package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// session is what decides where a CLI keeps its transcript.
type session struct {
	env   func(string) string
	dir   string // in which it runs
	id    string
	began time.Time
}

// home is the folder of a CLI: what its own variable says, else a folder in
// the user's home.
func (s session) home(variable, name string) string {
	if dir := s.env(variable); dir != "" {
		return dir
	}
	return filepath.Join(s.env("HOME"), name)
}

// places are where the imitated CLIs keep their transcripts.
var places = map[string]func(session) string{
	"claude": func(s session) string {
		return filepath.Join(s.home("CLAUDE_CONFIG_DIR", ".claude"), "projects", dashes(s.dir), s.id+".jsonl")
	},
	"codex": func(s session) string {
		at := s.began.UTC()
		return filepath.Join(s.home("CODEX_HOME", ".codex"), "sessions", at.Format("2006/01/02"),
			"rollout-"+at.Format("2006-01-02T15-04-05")+"-"+s.id+".jsonl")
	},
	"grok": func(s session) string {
		return filepath.Join(s.home("GROK_HOME", ".grok"), "sessions", percent(s.dir), s.id, "updates.jsonl")
	},
	"kimi": func(s session) string {
		sum := sha256.Sum256([]byte(s.dir))
		return filepath.Join(s.home("KIMI_CODE_HOME", ".kimi-code"), "sessions",
			"wd_"+filepath.Base(s.dir)+"_"+hex.EncodeToString(sum[:])[:12], "session_"+strings.TrimPrefix(s.id, "session_"), "agents", "main", "wire.jsonl")
	},
	"gemini": func(s session) string {
		return filepath.Join(s.home("GEMINI_CLI_HOME", ""), ".gemini", "tmp", filepath.Base(s.dir), "chats",
			"session-"+s.began.UTC().Format("2006-01-02T15-04")+"-"+s.id[:min(8, len(s.id))]+".jsonl")
	},
}

// companions are the small files from which a reader learns in which folder a
// session ran, where the transcript itself does not say it.
func companions(as, transcript, dir string) map[string]string {
	switch as {
	case "kimi":
		state := filepath.Join(filepath.Dir(transcript), "..", "..", "state.json")
		return map[string]string{state: fmt.Sprintf("{\"cwd\":%q}\n", dir)}
	case "gemini":
		return map[string]string{filepath.Join(filepath.Dir(transcript), "..", ".project_root"): dir}
	}
	return nil
}

// dashes is a folder's name in claude's projects: every character that is no
// letter or digit becomes a dash.
func dashes(dir string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '-'
	}, dir)
}

// percent encodes all but the unreserved characters of RFC 3986.
func percent(dir string) string {
	var b strings.Builder
	for _, c := range []byte(dir) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
