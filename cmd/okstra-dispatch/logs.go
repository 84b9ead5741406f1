package main

import (
	"bytes"
	"context"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/jsondoc"
)

// openLogs reads the run whose logs a command writes.
func openLogs(std cli.IO, manifest func(cli.IO) (string, error)) (dispatch.Logs, error) {
	m, err := loadManifest(std, manifest)
	return dispatch.Logs{Manifest: m, Warn: func(text string) { std.Warnf("%s", text) }}, err
}

func progressFlags(f *cli.Flags) cli.Body {
	manifest := manifestFlag(f)
	event := f.String("event", "")
	line := f.Rest("LINE")
	f.Time("now")
	return func(ctx context.Context, std cli.IO) error {
		logs, err := openLogs(std, manifest)
		if err != nil {
			return err
		}
		switch {
		case *event != "" && len(*line) == 0:
			return logs.Activity(ctx, []byte(*event), std.Env.Now())
		case *event == "" && len(*line) == 1:
			return logs.Progress(ctx, (*line)[0], std.Env.Now())
		}
		return cli.Usagef(`give one line (-- "PROGRESS: ...") or --event JSON`)
	}
}

func errorsAppendFlags(f *cli.Flags) cli.Body {
	manifest := manifestFlag(f)
	row := f.Input("ROW")
	f.Time("now")
	return func(ctx context.Context, std cli.IO) error {
		logs, err := openLogs(std, manifest)
		if err != nil {
			return err
		}
		raw, err := row.Bytes(std)
		if err != nil {
			return err
		}
		doc, err := jsondoc.Parse(row.Name(), bytes.TrimSpace(raw))
		if err != nil {
			return err
		}
		return logs.Error(ctx, doc, std.Env.Now())
	}
}

func errorsFoldFlags(f *cli.Flags) cli.Body {
	manifest := manifestFlag(f)
	sidecars := f.Args("SIDECAR")
	return func(ctx context.Context, std cli.IO) error {
		logs, err := openLogs(std, manifest)
		if err != nil {
			return err
		}
		files := make([]string, len(*sidecars))
		for i, name := range *sidecars {
			if name == "-" {
				return cli.Usagef("SIDECAR: \"-\" is standard input (expected a file, whose name tells whose it is; ./- is one of that name)")
			}
			files[i] = absolute(std, name)
		}
		n, err := logs.Fold(ctx, files)
		if err != nil {
			return err
		}
		std.Warnf("%d rows folded", n)
		return nil
	}
}
