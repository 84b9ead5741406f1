package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"okstra/lib/cli"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/validate"
)

func app() cli.App {
	return cli.App{
		Name: "okstra-validate", Summary: "check a run folder against its contract", Help: appHelp,
		Commands: []cli.Command{
			{Name: "run", Summary: "judge whole runs", Help: runHelp, Flags: runFlags},
			{Name: "session", Summary: "judge the checkpoints of a run", Help: sessionHelp, Flags: sessionFlags},
			{Name: "doc", Summary: "judge single documents", Help: docHelp, Flags: docFlags},
			{Name: "rules", Summary: "list the rules", Help: rulesHelp, Flags: rulesFlags},
			{Name: "explain", Summary: "explain a rule", Help: explainHelp, Flags: explainFlags},
		},
	}
}

func runFlags(f *cli.Flags) cli.Body {
	v := verdictFlags(f)
	w := watchFlags(f)
	inputs := f.OptInputs("run")
	return func(ctx context.Context, std cli.IO) error {
		manifests, lost, err := runs(std, *inputs)
		if err != nil {
			return err
		}
		p, err := v.printer(std)
		if err != nil {
			return err
		}
		p.lose(lost...)
		opt := w.options(std)
		opt.Subjects = *v.format == "intoto"
		if err := w.judge(ctx, p, manifests, opt); err != nil {
			return errors.Join(p.lost, err)
		}
		return p.close()
	}
}

// runs lists the manifests that the arguments stand for, each once. What stands
// for none is in lost: the others are judged all the same.
func runs(std cli.IO, inputs []cli.Input) (manifests []string, lost []error, err error) {
	var names []string
	for i := range inputs {
		if inputs[i].Name() != "-" {
			names = append(names, inputs[i].Name())
			continue
		}
		r, err := inputs[i].Open(std)
		if err != nil {
			return nil, nil, err
		}
		named, bad := readPaths(r)
		names, lost = append(names, named...), append(lost, bad...)
	}
	if len(inputs) == 0 {
		if std.InTTY {
			return nil, nil, cli.Usagef("no run named, and standard input is a terminal")
		}
		names, lost = readPaths(std.In)
	}
	if len(names) == 0 && lost == nil {
		lost = append(lost, errors.New("no run named (expected a run manifest, a folder, or paths on standard input)"))
	}
	seen := map[string]bool{}
	for _, name := range names {
		found, err := validate.Find(name)
		if err != nil {
			lost = append(lost, err)
		}
		for _, m := range found {
			// Every job line of a run names it, and folders may overlap.
			if abs, err := filepath.Abs(m); err != nil || !seen[abs] {
				seen[abs] = true
				manifests = append(manifests, m)
			}
		}
	}
	return manifests, lost, nil
}

// readPaths reads a stream of paths: each line is a JSON text, or an object
// with runManifestPath, as a job line has it.
func readPaths(r io.Reader) (names []string, bad []error) {
	for row, err := range jsonl.Rows(r, "-") {
		if err != nil {
			bad = append(bad, err)
			continue
		}
		var name string
		var line struct {
			RunManifestPath string `json:"runManifestPath"`
		}
		if jsondoc.Unmarshal(row.Raw, &name) != nil && jsondoc.Unmarshal(row.Raw, &line) == nil {
			name = line.RunManifestPath
		}
		if name == "" {
			bad = append(bad, fmt.Errorf("-:%d: no path (expected \"path\" or {\"runManifestPath\": \"path\"})", row.Number))
			continue
		}
		names = append(names, name)
	}
	return names, bad
}

func docFlags(f *cli.Flags) cli.Body {
	verdict := verdictFlags(f)
	kind := f.String("kind", "")
	inputs := f.Inputs("file")
	return func(ctx context.Context, std cli.IO) error {
		if *kind != "" && !validate.KnownKind(*kind) {
			return cli.Usagef("--kind: unknown kind %q (expected %s)", *kind, cli.OneOf(validate.Kinds()))
		}
		p, err := verdict.printer(std)
		if err != nil {
			return err
		}
		for i := range *inputs {
			in := &(*inputs)[i]
			raw, err := in.Bytes(std)
			if err := context.Cause(ctx); err != nil {
				return errors.Join(p.lost, err)
			}
			if err != nil {
				p.lose(err)
				continue
			}
			if err := p.add(validate.Document(in.Name(), raw, *kind)); err != nil {
				return errors.Join(p.lost, err)
			}
		}
		return p.close()
	}
}

// ruleJSON is a rule as rules and explain print it.
type ruleJSON struct {
	Code   string        `json:"code"`
	Level  finding.Level `json:"level"`
	About  string        `json:"about"`
	Title  string        `json:"title"`
	In     string        `json:"in"`
	Checks string        `json:"checks"`
	Why    string        `json:"why"`
	Fails  string        `json:"fails"`
	Passes string        `json:"passes"`
}

func asJSON(r validate.Rule) ruleJSON {
	return ruleJSON{r.Code, r.Level, r.About, r.Title, r.Scope(), r.Checks, r.Why, r.Fails, r.Passes}
}

func rulesFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "text", "text", "json", "md")
	return func(_ context.Context, std cli.IO) error {
		switch *format {
		case "json":
			list := []ruleJSON{}
			for _, r := range validate.Rules() {
				list = append(list, asJSON(r))
			}
			return std.Document(struct {
				Rules []ruleJSON `json:"rules"`
			}{list})
		case "md":
			return std.Printf("%s", validate.RulesPage())
		}
		for _, r := range validate.Rules() {
			if err := std.Printf("%-36s %-8s %s\n", r.Code, r.Level, r.Title); err != nil {
				return err
			}
		}
		return nil
	}
}

func explainFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "text", "text", "json")
	code := f.Arg("code")
	return func(_ context.Context, std cli.IO) error {
		r, ok := validate.FindRule(*code)
		if !ok {
			return cli.WithHint(cli.BadInput(fmt.Errorf("no rule %q", *code)), "okstra-validate rules lists all")
		}
		if *format == "json" {
			return std.Document(asJSON(r))
		}
		return std.Printf("%s (%s): %s\n\n%s\nHolds for: %s\n\nWhy: %s\n\nFails:\n  %s\n\nPasses:\n  %s\n",
			r.Code, r.Level, r.Title, r.Checks, r.Scope(), r.Why, r.Fails, r.Passes)
	}
}
