package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"okstra/lib/cli"
	"okstra/lib/evidence"
	"okstra/lib/jsonl"
	"okstra/lib/progress"
	"okstra/lib/run"
	"okstra/lib/usage"
)

func phasesFlags(f *cli.Flags) cli.Body {
	s := scanFlags{home: f.String("home", ""), since: f.Time("since"), until: f.Time("until")}
	f.Time("now")
	file := f.Input("team-state")
	return func(_ context.Context, std cli.IO) error {
		c := &collector{std: std, scan: s}
		if err := c.read(file); err != nil {
			return err
		}
		since, until, err := c.window()
		if err != nil {
			return err
		}
		return std.Document(c.timeline(since, until))
	}
}

// timeline reads what the lead said about the course of the run: in the events
// log, where it has a progress line of the run, else in its own transcript.
func (c *collector) timeline(since, until time.Time) usage.Timeline {
	window := evidence.Window{Since: since, Until: until}
	logged, inLog := c.logged(window)
	if inLog {
		return usage.NewTimeline(usage.LeadEvents, logged)
	}
	return usage.NewTimeline(usage.LeadTranscript, c.spoken(window))
}

// logged are the progress lines of the events log, and whether it has any of
// this run, inside the window or not.
func (c *collector) logged(window evidence.Window) (markers []usage.Marker, any bool) {
	if c.state.RunManifestPath == "" {
		return nil, false
	}
	var manifest run.Manifest
	if _, err := run.Load(run.Abs(c.root, c.state.RunManifestPath), "okstra-run-manifest", &manifest); err != nil {
		c.std.Warnf("events log not read: %v", err)
		return nil, false
	}
	rows, faults, err := jsonl.ReadFile(run.Abs(c.root, manifest.EventsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, err)
	}
	for _, fault := range faults {
		c.std.Warnf("events log: %v", fault)
	}
	for _, row := range rows {
		m, ok := c.marker(row)
		any = any || ok
		if ok && window.Holds(m.At) {
			markers = append(markers, m)
		}
	}
	return markers, any
}

// spoken are the progress lines that the lead itself wrote in its session.
func (c *collector) spoken(window evidence.Window) []usage.Marker {
	provider := cmp.Or(c.state.Lead.Provider, hostProviders[c.state.HostRuntime])
	var markers []usage.Marker
	for _, path := range evidence.Find(c.scan.homes(c.std), provider, c.state.Lead.SessionID) {
		said, err := readEvidence(path, provider)
		if err != nil {
			c.std.Warnf("lead's transcript: %v", err)
		}
		for _, m := range said {
			if line, err := progress.Parse(m.Text); err == nil && window.Holds(m.At) {
				markers = append(markers, usage.Marker{At: m.At, Line: line})
			}
		}
	}
	return markers
}

// hostProviders are the hosts whose sessions are known by another name than
// their provider's.
var hostProviders = map[string]string{"claude-code": "claude", "claude": "claude", "codex": "codex"}

func readEvidence(path, provider string) ([]evidence.Marker, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return evidence.Read(bufio.NewReaderSize(file, 1<<16), path, provider)
}

// marker reads a row of the log; rows of other runs and other kinds are none.
func (c *collector) marker(row jsonl.Row) (usage.Marker, bool) {
	var e run.EventRow
	if row.Raw == nil || json.Unmarshal(row.Raw, &e) != nil || e.Kind != "progress" || e.RunID != c.state.RunID {
		return usage.Marker{}, false
	}
	at, err := time.Parse(time.RFC3339, e.At)
	if err != nil {
		return usage.Marker{}, false
	}
	line, err := progress.Parse(e.Line)
	return usage.Marker{At: at, Line: line}, err == nil
}
