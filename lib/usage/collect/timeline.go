package collect

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"okstra/lib/evidence"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/progress"
	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/usage"
)

// Timeline reads what the lead said about the course of the run: in the events
// log, where it has a progress line of the run, else in its own transcript. The
// warnings tell of what could not be read.
func (s State) Timeline(home transcript.Home, window transcript.Window) (t usage.Timeline, warnings []error) {
	l := listener{State: s, home: home, window: evidence.Window{Since: window.Since, Until: window.Until}}
	logged, inLog := l.logged()
	if inLog {
		return usage.NewTimeline(usage.LeadEvents, logged), l.warnings
	}
	return usage.NewTimeline(usage.LeadTranscript, l.spoken()), l.warnings
}

// listener collects the progress lines of one run.
type listener struct {
	State
	home     transcript.Home
	window   evidence.Window
	warnings []error
}

func (l *listener) warnf(format string, err error) {
	l.warnings = append(l.warnings, fmt.Errorf(format, err))
}

// logged are the progress lines of the events log, and whether it has any of
// this run, inside the window or not.
func (l *listener) logged() (markers []usage.Marker, any bool) {
	if l.Team.RunManifestPath == "" {
		return nil, false
	}
	manifest, err := l.manifest()
	if err != nil {
		l.warnf("events log not read: %w", err)
		return nil, false
	}
	rows, faults, err := jsonl.ReadFile(run.Abs(l.Root, manifest.EventsLogPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, err)
	}
	for _, fault := range faults {
		l.warnf("events log: %w", fault)
	}
	for _, row := range rows {
		m, ok := l.marker(row)
		any = any || ok
		if ok && l.window.Holds(m.At) {
			markers = append(markers, m)
		}
	}
	return markers, any
}

// spoken are the progress lines that the lead itself wrote in its session. A
// session that lies in two places is told once.
func (l *listener) spoken() []usage.Marker {
	provider := cmp.Or(l.Team.Lead.Provider, hostProviders[l.Team.HostRuntime])
	var markers []usage.Marker
	type saying struct {
		at   int64
		text string
	}
	told := map[saying]bool{}
	for _, path := range evidence.Find(l.home, provider, l.Team.Lead.SessionID) {
		said, err := readEvidence(path, provider)
		if err != nil {
			l.warnf("lead's transcript: %w", err)
		}
		here := map[saying]bool{}
		for _, m := range said {
			line, err := progress.Parse(m.Text)
			if err != nil || !l.window.Holds(m.At) || told[saying{m.At.UnixNano(), m.Text}] {
				continue
			}
			here[saying{m.At.UnixNano(), m.Text}] = true
			markers = append(markers, usage.Marker{At: m.At, Line: line})
		}
		maps.Copy(told, here)
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
func (l *listener) marker(row jsonl.Row) (usage.Marker, bool) {
	var e run.EventRow
	if row.Raw == nil || jsondoc.Unmarshal(row.Raw, &e) != nil || e.Kind != "progress" || e.RunID != l.Team.RunID {
		return usage.Marker{}, false
	}
	at, err := time.Parse(time.RFC3339, e.At)
	if err != nil {
		return usage.Marker{}, false
	}
	line, err := progress.Parse(e.Line)
	return usage.Marker{At: at, Line: line}, err == nil
}
