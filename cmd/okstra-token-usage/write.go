package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"okstra/lib/atomicfile"
	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/render"
	"okstra/lib/run"
	"okstra/lib/usage"
)

// lock keeps other writers from the team state and, where there is one, from
// the report, until unlock is called.
func lock(ctx context.Context, names ...string) (unlock func(), err error) {
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
			return nil, cli.BadInput(fmt.Errorf("%s: %w", name, plainCause(err)))
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

// commit replaces all files or none: everything is prepared before the first
// is renamed.
func (c *collector) commit(name string, doc jsondoc.Doc, report string, summary usage.Summary) error {
	state, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	if err != nil {
		return err
	}
	files := []*atomicfile.Pending{}
	defer func() {
		for _, p := range files {
			p.Abort()
		}
	}()
	add := func(path string, content []byte) error {
		p, err := atomicfile.Create(path, 0o644)
		if err != nil {
			return err
		}
		files = append(files, p)
		_, err = p.Write(content)
		return err
	}
	if report != "" {
		if err := c.report(report, summary, add); err != nil {
			return err
		}
	}
	if err := add(name, state); err != nil {
		return err
	}
	return atomicfile.CommitAll(files...)
}

// report fills the report's data in and renders its Markdown anew.
func (c *collector) report(path string, summary usage.Summary, add func(string, []byte) error) error {
	var head struct {
		Header run.Task `json:"header"`
	}
	doc, err := run.Load(path, "okstra-final-report", &head)
	if err != nil {
		return cli.BadInput(err)
	}
	if head.Header.RunID() != c.state.RunID {
		return cli.Refused(fmt.Errorf("report %s belongs to run %s (expected %s)", path, head.Header.RunID(), c.state.RunID))
	}
	markdown, ok := strings.CutSuffix(path, ".data.json")
	if !ok {
		return cli.BadInput(fmt.Errorf("report %q (expected a name that ends in .data.json)", path))
	}
	if doc, err = doc.Set("/usageSummary", summary); err != nil {
		return err
	}
	data, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	if err != nil {
		return err
	}
	if doc, err = jsondoc.Parse(path, data); err != nil {
		return err
	}
	text, err := render.Markdown(doc)
	if err != nil {
		return err
	}
	return errors.Join(add(path, data), add(markdown+".md", text))
}
