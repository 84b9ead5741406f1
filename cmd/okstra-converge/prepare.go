package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/run"
	"okstra/lib/schema"
)

func prepareFlags(f *cli.Flags) cli.Body {
	manifest := f.String("run-manifest", "")
	input := f.InputFlag("input")
	results := f.String("results-dir", "")
	f.Required("run-manifest", "input")
	out := f.Output("output")
	return func(_ context.Context, std cli.IO) error {
		m, ref, err := loadManifest(*manifest)
		if err != nil {
			return err
		}
		config, err := configOf(m, func(block *run.ConvergenceBlock) (converge.Config, error) {
			return converge.Effective(block, m.Task.TaskType)
		})
		if err != nil {
			return err
		}
		content, err := input.Bytes(std)
		if err != nil {
			return err
		}
		file, wrong := grouping.Parse(input.Name(), content)
		look := sections{folder: m.Folder(), dir: *results}
		in, more := converge.Prepare(input.Name(), file, m, ref, config, look.of)
		if err := errors.Join(faults(append(wrong, more...)), look.err); err != nil {
			return err
		}
		return out.Document(std, in)
	}
}

// loadManifest reads a run manifest, and gives the path by which documents of
// the run refer to it.
func loadManifest(name string) (m run.Manifest, ref string, err error) {
	if m, err = run.LoadManifest(name); err != nil {
		return m, "", cli.BadInput(err)
	}
	absolute, err := filepath.Abs(name)
	return m, run.Rel(m.ProjectRoot, absolute), err
}

// configOf resolves what the task manifest of a run says about convergence to
// the values in force.
func configOf[C any](m run.Manifest, resolve func(*run.ConvergenceBlock) (C, error)) (config C, err error) {
	var task run.TaskManifest
	name := run.Abs(m.ProjectRoot, m.TaskManifestPath)
	if _, err := run.Load(name, "okstra-task-manifest", &task); err != nil {
		return config, cli.BadInput(err)
	}
	if config, err = resolve(task.Convergence); err != nil {
		return config, cli.BadInput(fmt.Errorf("%s: /convergence: %w", name, err))
	}
	return config, nil
}

// sections looks the items of results up, by their ids. A result that is not
// there is nothing to look into; one that cannot be read is an error, and so is
// one that another worker wrote: its items are not this worker's.
type sections struct {
	folder run.Folder
	dir    string // in place of the run folder's worker-results
	err    error
	known  map[string]map[string]int
}

func (s *sections) of(worker string) map[string]int {
	if found, ok := s.known[worker]; ok {
		return found
	}
	if s.known == nil {
		s.known = map[string]map[string]int{}
	}
	name := s.folder.Abs(s.folder.Result(worker))
	if s.dir != "" {
		name = filepath.Join(s.dir, path.Base(s.folder.Result(worker)))
	}
	content, err := os.ReadFile(name)
	switch {
	case err != nil:
		s.known[worker] = nil
		if !errors.Is(err, fs.ErrNotExist) {
			s.err = errors.Join(s.err, cli.BadInput(err))
		}
	default:
		r, wrong := grouping.ParseResult(name, content)
		s.err = errors.Join(s.err, faults(wrong))
		s.known[worker] = nil
		if other := r.CheckWorker(name, worker); len(other) > 0 {
			s.err = errors.Join(s.err, faults(other))
		} else {
			s.known[worker] = r.Sections()
		}
	}
	return s.known[worker]
}

func seedFlags(f *cli.Flags) cli.Body {
	out := f.Output("output")
	file := f.Input("input")
	return func(_ context.Context, std cli.IO) error {
		doc, err := file.Doc(std)
		if err != nil {
			return err
		}
		var in converge.Input
		if err := schema.Decode(doc, converge.InputKind, &in); err != nil {
			return err
		}
		sum, err := digest.JSON(doc.Raw)
		if err != nil {
			return cli.BadInput(fmt.Errorf("%s: %w", doc.Name, err))
		}
		if err := cli.BadInput(located(doc, converge.CheckInput(in))); err != nil {
			return err
		}
		state, err := keep(doc, in, converge.Seed(in, sum), func() place { return inherited })
		if err != nil {
			return err
		}
		return out.Document(std, state)
	}
}
