package evidence

import (
	"strings"
	"time"

	"okstra/lib/progress"
)

// Marker is a line that claims to be a progress line.
type Marker struct {
	At   time.Time // zero where the transcript does not say
	Text string    // the line without its end
	Line int       // of the transcript
}

// Window is a closed span of time; a zero end is still open.
type Window struct{ Since, Until time.Time }

// Holds says whether a moment lies in the window. A moment that is not known
// lies in none.
func (w Window) Holds(at time.Time) bool {
	return !at.IsZero() && !at.Before(w.Since) && (w.Until.IsZero() || !at.After(w.Until))
}

// Lines gives the lines of a text that claim to be progress lines: in the first
// column, and not inside a code fence.
func Lines(text string) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.TrimLeft(strings.TrimSpace(line), fence[:1]) == "":
				fence = ""
			}
			continue
		}
		if fence == "" && progress.Claims(line) {
			out = append(out, line)
		}
	}
	return out
}

// fenceOf is the run of backticks or tildes that a line begins with, "" when it
// is no fence.
func fenceOf(line string) string {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		if n := len(rest) - len(strings.TrimLeft(rest, c)); n >= 3 {
			return rest[:n]
		}
	}
	return ""
}
