package usage

import (
	"slices"
	"strings"
	"time"

	"okstra/lib/progress"
)

// Timeline is when the lead passed its checkpoints. Without markers Phases is
// empty and Source says that nothing could be measured.
type Timeline struct {
	Source string  `json:"source"`
	Phases []Phase `json:"phases"`
}

// Phase is one phase; WallMsToNext is nil for the last one of a run that did
// not say that it was complete.
type Phase struct {
	Phase        string `json:"phase"`
	FirstAt      string `json:"firstAt"`
	LastAt       string `json:"lastAt"`
	MarkerCount  int    `json:"markerCount"`
	WallMsToNext *int64 `json:"wallMsToNext"`
}

// Marker is a progress line with its time.
type Marker struct {
	At   time.Time
	Line progress.Line
}

// The sources of a timeline: the events log, or the transcript of the lead's
// session.
const (
	LeadEvents     = "lead-events"
	LeadTranscript = "lead-session-jsonl"
)

// NewTimeline folds markers into phases, whatever their order. A phase's rows
// are one; the last phase ends where the lead said that the run was complete.
func NewTimeline(source string, markers []Marker) Timeline {
	t := Timeline{Source: source, Phases: []Phase{}}
	markers = slices.Clone(markers)
	slices.SortStableFunc(markers, func(a, b Marker) int { return a.At.Compare(b.At) })
	var end time.Time
	var starts []time.Time
	index := map[string]int{}
	for _, m := range markers {
		if m.Line.Phase == "complete" {
			end = m.At
			continue
		}
		if !strings.HasPrefix(m.Line.Phase, "phase-") {
			continue
		}
		i, seen := index[m.Line.Phase]
		if !seen {
			i = len(t.Phases)
			index[m.Line.Phase] = i
			t.Phases = append(t.Phases, Phase{Phase: m.Line.Phase, FirstAt: stamp(m.At)})
			starts = append(starts, m.At)
		}
		t.Phases[i].LastAt = stamp(m.At)
		t.Phases[i].MarkerCount++
	}
	for i := range t.Phases {
		next := end
		if i+1 < len(t.Phases) {
			next = starts[i+1]
		}
		if !next.IsZero() && !next.Before(starts[i]) {
			ms := next.Sub(starts[i]).Milliseconds()
			t.Phases[i].WallMsToNext = &ms
		}
	}
	if len(t.Phases) == 0 {
		t.Source = SourceUnavailable
	}
	return t
}

func (t Timeline) times() []PhaseTime {
	out := []PhaseTime{}
	for _, p := range t.Phases {
		if p.WallMsToNext != nil {
			out = append(out, PhaseTime{p.Phase, *p.WallMsToNext})
		}
	}
	return out
}
