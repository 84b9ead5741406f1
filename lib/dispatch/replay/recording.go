package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"okstra/lib/jsondoc"
)

// Recording is what one attempt of one assignment does, step by step.
type Recording struct {
	Path  string `json:"-"` // where it was read; files it names lie beside it
	As    string `json:"as"`
	Model string `json:"model"`
	// SessionID is a fixed session id, for recordings that are played once;
	// "" takes the one of the dispatcher, or makes one.
	SessionID string `json:"sessionId"`
	Steps     []Step `json:"steps"`
}

// Step is one thing that happens. Exactly one of its keys is set, apart from
// those that belong to another one, as the comments say.
type Step struct {
	SleepMs int `json:"sleepMs"` // wait

	Stdout     json.RawMessage `json:"stdout"` // an object is printed as one line, a text as it is
	StdoutFile string          `json:"stdoutFile"`
	Stderr     string          `json:"stderr"`

	Write    string `json:"write"`    // path of a file to write, made of placeholders
	Text     string `json:"text"`     // its content
	TextFile string `json:"textFile"` // or the file that holds it
	Append   bool   `json:"append"`   // instead of replacing it
	Bytes    int    `json:"bytes"`    // of the content only the first so many, as a cut write leaves them
	Mode     string `json:"mode"`     // of the file, octal

	Remove string `json:"remove"` // path of a file to remove

	Transcript     []json.RawMessage `json:"transcript"` // lines for the CLI's session file
	TranscriptFile string            `json:"transcriptFile"`
	TranscriptPath string            `json:"transcriptPath"` // instead of the usual place

	Run []string `json:"run"` // a command, with the recording's environment

	Hang       bool `json:"hang"`       // until a limit ends it
	IgnoreTerm bool `json:"ignoreTerm"` // from here on
	Lose       bool `json:"lose"`       // kill the process that watches the recording
	Leave      int  `json:"leave"`      // start so many processes that outlive the recording

	Exit   *int   `json:"exit"`   // end with this status
	Signal string `json:"signal"` // end by this signal, as in "SIGKILL"
}

// Folder is a folder of recordings.
type Folder struct{ dir string }

// Open gives the recordings in dir.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("recordings: %q is no folder", dir)
	}
	return &Folder{dir: dir}, nil
}

// Find reads the recording of an attempt: <worker>-<purpose>.attempt-<n>.json,
// else the one for every attempt, <worker>-<purpose>.json.
func (f *Folder) Find(workerID, purpose string, attempt int) (*Recording, error) {
	stem := filepath.Join(f.dir, workerID+"-"+purpose)
	for _, path := range []string{fmt.Sprintf("%s.attempt-%d.json", stem, attempt), stem + ".json"} {
		r, err := Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return r, err
	}
	return nil, fmt.Errorf("no recording of worker %q for %q, attempt %d (expected %s.json)", workerID, purpose, attempt, stem)
}

// Read reads one recording.
func Read(path string) (*Recording, error) {
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Recording{Path: path}
	if err := doc.Decode(r); err != nil {
		return nil, err
	}
	for i, step := range r.Steps {
		if n := step.kinds(); n != 1 {
			return nil, fmt.Errorf("%s: /steps/%d: %d things at once (expected exactly one)", path, i, n)
		}
	}
	return r, nil
}

// kinds counts what a step does.
func (s Step) kinds() int {
	n := 0
	for _, set := range []bool{
		s.SleepMs > 0, s.Stdout != nil, s.StdoutFile != "", s.Stderr != "", s.Write != "", s.Remove != "",
		s.Transcript != nil, s.TranscriptFile != "", len(s.Run) > 0, s.Hang, s.IgnoreTerm, s.Lose, s.Leave > 0, s.Exit != nil, s.Signal != "",
	} {
		if set {
			n++
		}
	}
	return n
}

func (s Step) sleep() time.Duration { return time.Duration(s.SleepMs) * time.Millisecond }
