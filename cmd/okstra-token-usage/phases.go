package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"okstra/lib/cli"
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

// timeline reads the lead's progress lines of this run from the events log.
func (c *collector) timeline(since, until time.Time) usage.Timeline {
	var manifest run.Manifest
	if _, err := run.Load(run.Abs(c.root, c.state.RunManifestPath), "okstra-run-manifest", &manifest); err != nil {
		c.std.Warnf("phases not measured: %v", err)
		return usage.NewTimeline(usage.SourceUnavailable, nil)
	}
	rows, faults, err := jsonl.ReadFile(run.Abs(c.root, manifest.EventsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, err)
	}
	for _, fault := range faults {
		c.std.Warnf("events log: %v", fault)
	}
	var markers []usage.Marker
	for _, row := range rows {
		if m, ok := c.marker(row); ok && !m.At.Before(since) && !m.At.After(until) {
			markers = append(markers, m)
		}
	}
	slices.SortStableFunc(markers, func(a, b usage.Marker) int { return a.At.Compare(b.At) })
	return usage.NewTimeline(usage.LeadEvents, markers)
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
