package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
	"okstra/lib/usage"
)

// Lock keeps other writers from the team state and, where there is one, from
// the report, until unlock is called.
func Lock(ctx context.Context, names ...string) (unlock func(), err error) {
	var held []*atomicfile.Held
	unlock = func() {
		for _, h := range held {
			h.Unlock()
		}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		// Of a file that is not there, no lock file is to be left behind.
		if _, err := os.Stat(name); err != nil {
			unlock()
			return nil, Missing{fmt.Errorf("%s: %w", name, plain(err))}
		}
		h, err := atomicfile.Lock(ctx, name, atomicfile.LockWait)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, h)
	}
	return unlock, nil
}

// Missing is the error of a file that is to be written and cannot be looked at.
type Missing struct{ error }

// Unwrap gives the cause.
func (m Missing) Unwrap() error { return m.error }

func plain(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// Output is a file with its new content.
type Output struct {
	Path    string
	Content []byte
}

// Commit replaces all files or none: everything is prepared before the first
// is renamed, in the order given.
func Commit(outputs ...Output) error {
	var files []*atomicfile.Pending
	defer func() {
		for _, p := range files {
			p.Abort()
		}
	}()
	for _, o := range outputs {
		p, err := atomicfile.Create(o.Path, 0o644)
		if err != nil {
			return err
		}
		files = append(files, p)
		if _, err := p.Write(o.Content); err != nil {
			return err
		}
	}
	return atomicfile.CommitAll(files...)
}

// TeamState is the new team state.
func TeamState(path string, doc jsondoc.Doc) (Output, error) {
	content, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	return Output{path, content}, err
}

// A Report is a final report's data, read and found to be the run's.
type Report struct {
	path, markdown string
	doc            jsondoc.Doc
}

// OtherRun is the error of a report that belongs to another run.
type OtherRun struct{ Path, Run, Expected string }

func (o OtherRun) Error() string {
	return fmt.Sprintf("report %s belongs to run %s (expected %s)", o.Path, o.Run, o.Expected)
}

// ReadReport reads a report's data and checks that it is the run's.
func ReadReport(path, runID string) (Report, error) {
	r := Report{path: path}
	var head struct {
		Header run.Task `json:"header"`
	}
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return r, err
	}
	// The key is there to be filled, and is added where it is not.
	r.doc = doc
	if _, there := doc.Lookup("/usageSummary"); !there {
		if r.doc, err = doc.Set("/usageSummary", nil); err != nil {
			return r, err
		}
	}
	if err := schema.Decode(r.doc, "okstra-final-report", &head); err != nil {
		return r, err
	}
	if id := head.Header.RunID(); id != runID {
		return r, OtherRun{path, id, runID}
	}
	name, ok := strings.CutSuffix(path, ".data.json")
	if !ok {
		return r, fmt.Errorf("report %q (expected a name that ends in .data.json)", path)
	}
	r.markdown = name + ".md"
	return r, nil
}

// Fill gives the report's data with the summary, and its Markdown as render
// makes it of that.
func (r Report) Fill(summary usage.Summary, render func(jsondoc.Doc) ([]byte, error)) ([]Output, error) {
	doc, err := r.doc.Set("/usageSummary", summary)
	if err != nil {
		return nil, err
	}
	data, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	if err != nil {
		return nil, err
	}
	if doc, err = jsondoc.Parse(r.path, data); err != nil {
		return nil, err
	}
	text, err := render(doc)
	if err != nil {
		return nil, err
	}
	return []Output{{r.path, data}, {r.markdown, text}}, nil
}
