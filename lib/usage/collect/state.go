package collect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
	"okstra/lib/transcript"
)

// State is a team state that is to be filled in.
type State struct {
	Doc  jsondoc.Doc
	Team run.TeamState
	Root string // the project
}

// Read checks a team state and finds the project it belongs to.
func Read(doc jsondoc.Doc) (State, error) {
	s := State{Doc: doc}
	if err := schema.Decode(doc, "okstra-team-state", &s.Team); err != nil {
		return s, err
	}
	if s.Root = s.Team.ProjectRoot; s.Root == "" {
		if abs, err := filepath.Abs(doc.Name); err == nil {
			s.Root = run.RootAbove(abs)
		}
	}
	return s, nil
}

// Window is the run's, where the caller names no bounds: from its start, else
// from when it was planned, to its end, else until now.
func (s State) Window(given transcript.Window, now time.Time) (transcript.Window, error) {
	w := given
	var err error
	if w.Since.IsZero() {
		if w.Since, err = s.moment("startedAt", s.Team.StartedAt); err != nil {
			return w, err
		}
		if w.Since.IsZero() {
			w.Since = s.planned()
		}
	}
	if w.Until.IsZero() {
		if w.Until, err = s.moment("endedAt", s.Team.EndedAt); err != nil {
			return w, err
		}
		w.Until = cmp.Or(w.Until, now)
	}
	return w, nil
}

// planned is when the manifest was written, for a team state that does not say
// when its run started.
func (s State) planned() time.Time {
	manifest, err := s.manifest()
	if err != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, manifest.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return at
}

func (s State) manifest() (manifest run.Manifest, err error) {
	if s.Team.RunManifestPath == "" {
		return manifest, fmt.Errorf("%s: /runManifestPath: there is none", s.Doc.Name)
	}
	_, err = run.Load(run.Abs(s.Root, s.Team.RunManifestPath), "okstra-run-manifest", &manifest)
	return manifest, err
}

func (s State) moment(key, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%s: /%s: %q is no time (expected RFC 3339)", s.Doc.Name, key, text)
	}
	return t, nil
}
