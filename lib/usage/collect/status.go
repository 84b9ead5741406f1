package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// Statuses reads the status file of each prompt once: for two names of one file it
// gives one pointer. What cannot be read is told once.
func (s State) Statuses(warn func(error)) func(prompt string) *run.Status {
	real, known := RealPaths(), map[string]*run.Status{}
	return func(prompt string) *run.Status {
		place := real(run.Abs(s.Root, run.StatusPath(prompt)))
		status, ok := known[place]
		if !ok {
			var err error
			if status, err = s.Status(prompt); err != nil {
				warn(err)
			}
			known[place] = status
		}
		return status
	}
}

// Status reads the status file of a prompt; nil when there is none. Of one that
// cannot be read nothing is known, not even that the dispatch was not started: it
// comes empty, with the error.
func (s State) Status(prompt string) (*run.Status, error) {
	if prompt == "" {
		return nil, nil
	}
	doc, err := jsondoc.ReadFile(run.Abs(s.Root, run.StatusPath(prompt)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return &run.Status{}, err
	}
	status, err := tolerant(doc.Raw)
	if err != nil {
		return status, fmt.Errorf("%s: %w", doc.Name, err)
	}
	return status, nil
}

// tolerant reads a status file, one of another tool's too: under the names that
// are known for a member, and without what has another type.
func tolerant(raw []byte) (*run.Status, error) {
	var s run.Status
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return &s, errors.New("is no object")
	}
	word := func(names ...string) string {
		for _, name := range names {
			var text string
			if json.Unmarshal(fields[name], &text) == nil && text != "" {
				return text
			}
		}
		return ""
	}
	s.State, s.Provider, s.SessionID = word("state", "status", "cliExecutionStatus"), word("provider"), word("sessionId")
	s.Model, s.ModelExecutionValue, s.Cwd = word("model"), word("modelExecutionValue", "model"), word("cwd")
	s.StartedAt, s.EndedAt = word("startedAt"), word("endedAt", "finishedAt")
	s.Usage = fields["usage"]
	for _, name := range []string{"exitCode", "rc"} {
		var code *int
		if s.ExitCode == nil && json.Unmarshal(fields[name], &code) == nil { // of another type: not known
			s.ExitCode = code
		}
	}
	s.State = proven(s)
	return &s, nil
}

// proven is the state that a status file proves: the one that it names, if that
// is one of ours, else what its times say.
func proven(s run.Status) string {
	switch {
	case slices.Contains([]string{"not-started", "started", "exited", "timeout", "failed"}, s.State):
		return s.State
	case s.EndedAt != "" || s.ExitCode != nil:
		return "exited"
	case s.StartedAt != "":
		return "started"
	}
	return ""
}
