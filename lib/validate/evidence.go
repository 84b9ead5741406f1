package validate

import (
	"bytes"
	"errors"
	"slices"
	"time"

	lead "okstra/lib/evidence"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/progress"
)

// Evidence names the sources that Options.Evidence takes; "" finds one.
var Evidence = []string{"events", "claude", "codex"}

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
	f := finding.Finding{Message: sprintf(format, args...), Found: finding.Shorten(c.raw), Expected: expected, Anchor: c.raw}
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
	// transcript says that it was looked for in the lead's transcript; absent is
	// why there is none, "" where there is.
	transcript bool
	absent     string
}

func (s *subject) window() lead.Window {
	team := s.team.root()
	return lead.Window{Since: moment(team.get("startedAt")), Until: moment(team.get("endedAt"))}
}

func moment(n node) time.Time {
	t, err := time.Parse(time.RFC3339, n.text())
	if err != nil {
		return time.Time{}
	}
	return t
}

// hostProviders maps the hosts whose transcripts can be read to their providers.
var hostProviders = map[string]string{"claude-code": "claude", "claude": "claude", "codex": "codex"}

// gatherEvidence takes the progress lines of the run's window from the events
// log, where it has a row of the run, else from the lead's transcript.
func gatherEvidence(s *subject, opt Options) evidence {
	source := opt.Evidence
	if source == "" {
		source = "events"
		if s.events == nil || len(s.events.rows) == 0 {
			if p := hostProviders[s.manifest.root().get("host", "runtime").text()]; p != "" && opt.Transcripts != nil {
				source = p
			}
		}
	}
	if source == "events" {
		return evidence{lines: s.lines(s.window())}
	}
	e := s.spoken(source, opt.Transcripts)
	if opt.Evidence == "" && e.absent != "" {
		return evidence{} // the events log is what the run should have had
	}
	return e
}

// lines are the progress lines of the events log.
func (s *subject) lines(w lead.Window) []checkpoint {
	var out []checkpoint
	if s.events == nil {
		return nil
	}
	for _, row := range s.events.rows {
		n := row.node()
		if n.get("kind").text() != "progress" || !w.Holds(moment(n.get("at"))) {
			continue
		}
		if c, ok := toCheckpoint(n.get("line").text()); ok {
			c.value = n.get("line")
			out = append(out, c)
		}
	}
	return out
}

func toCheckpoint(raw string) (checkpoint, bool) {
	line, err := progress.Parse(raw)
	if errors.Is(err, progress.ErrNoProgress) {
		return checkpoint{}, false
	}
	return checkpoint{Line: line, raw: raw, bad: err}, true
}

// spoken are the lines of the lead's own transcript.
func (s *subject) spoken(provider string, transcripts func(provider, session string) []string) evidence {
	e := evidence{transcript: true}
	session := s.team.root().get("lead", "sessionId").text()
	if session == "" || transcripts == nil {
		e.absent = "the lead has no session id"
		return e
	}
	files := transcripts(provider, session)
	if len(files) == 0 {
		e.absent = "no " + provider + " transcript of session " + session
		return e
	}
	type said struct {
		checkpoint
		at time.Time
	}
	var spoken []said
	w := s.window()
	for _, name := range files {
		a := &artifact{path: name, form: lines}
		raw, err := readAll(name)
		if err != nil {
			e.absent = err.Error()
			continue
		}
		markers, err := lead.Read(bytes.NewReader(raw), name, provider)
		if err != nil {
			e.absent = err.Error()
		}
		for _, m := range markers {
			if c, ok := toCheckpoint(m.Text); ok && w.Holds(m.At) {
				c.file, c.line = a, m.Line
				spoken = append(spoken, said{c, m.At})
			}
		}
	}
	slices.SortStableFunc(spoken, func(a, b said) int { return a.at.Compare(b.at) })
	for _, l := range spoken {
		e.lines = append(e.lines, l.checkpoint)
	}
	return e
}

func readAll(name string) ([]byte, error) {
	f, err := jsondoc.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

func (j *judge) noEvidence() {
	if len(j.evidence.lines) > 0 || !j.manifest.usable() || j.going {
		return
	}
	if j.evidence.transcript {
		at := j.team.root().get("lead", "sessionId")
		why := j.evidence.absent
		if why == "" {
			why = "its transcript has no progress line in the window"
		}
		j.at(at, "a transcript with the lead's progress lines", "%s: %s", at.show(), why)
		return
	}
	by := j.manifest.root().get("eventsLogPath")
	switch {
	case j.events == nil || j.events.missing:
		j.at(by, "an events log with the lead's progress lines", "%s, which does not exist", by.show())
	case j.events.fault == nil && !j.events.refused:
		j.at(by, "progress lines of "+j.runID()+" inside the run's window", "%s, which has none", by.show())
	}
}
