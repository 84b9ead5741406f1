package validate

import (
	"errors"
	"time"

	"okstra/lib/finding"
	"okstra/lib/progress"
)

// checkpoint is a progress line of the lead, with where it stands: at a value
// of a row, or at a line of a transcript.
type checkpoint struct {
	progress.Line
	raw   string
	bad   error // the line claims to be one and is not
	value node
	file  *artifact // of a transcript
	line  int
}

// spot reports a progress line.
func (j *judge) spot(c checkpoint, expected, format string, args ...any) {
	f := finding.Finding{Message: sprintf(format, args...), Found: shorten(c.raw), Expected: expected, Anchor: c.raw}
	if c.value.src != nil {
		f.Artifact, f.Pointer = c.value.src.artifact.path, c.value.pointer
		f.Line, f.Column = c.value.src.place(c.value.pointer)
	} else {
		f.Artifact, f.Line = c.file.path, c.line
	}
	j.add(f)
}

// evidence is what the lead has said about the course of the run.
type evidence struct {
	lines []checkpoint
}

// window is the span of time in which lines belong to the run. It has no end
// while the run goes on.
type window struct{ since, until time.Time }

func (w window) holds(at time.Time) bool {
	return !at.Before(w.since) && (w.until.IsZero() || !at.After(w.until))
}

func (s *subject) window() window {
	team := s.team.root()
	return window{moment(team.get("startedAt")), moment(team.get("endedAt"))}
}

func moment(n node) time.Time {
	t, err := time.Parse(time.RFC3339, n.text())
	if err != nil {
		return time.Time{}
	}
	return t
}

// gatherEvidence takes the progress lines of the run's window from the events
// log.
func gatherEvidence(s *subject, _ Options) evidence {
	var e evidence
	if s.events == nil {
		return e
	}
	w := s.window()
	for _, row := range s.events.rows {
		n := row.node()
		if n.get("kind").text() != "progress" || !w.holds(moment(n.get("at"))) {
			continue
		}
		raw := n.get("line").text()
		line, err := progress.Parse(raw)
		if errors.Is(err, progress.ErrNoProgress) {
			continue
		}
		e.lines = append(e.lines, checkpoint{Line: line, raw: raw, bad: err, value: n.get("line")})
	}
	return e
}
