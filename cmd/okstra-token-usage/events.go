package main

import (
	"context"

	"okstra/lib/cli"
	"okstra/lib/transcript"
)

// scanLine is the last line of an event stream: what the scan saw besides.
type scanLine struct {
	Scan transcript.Note `json:"scan"`
}

func eventsFlags(f *cli.Flags) cli.Body {
	s := declareScan(f)
	providers := f.Strings("provider")
	paths := f.Args("path")
	return func(ctx context.Context, std cli.IO) error {
		window, err := s.window()
		if err != nil {
			return err
		}
		r, err := s.events(ctx, std, *providers, *paths)
		if err != nil {
			return err
		}
		if err := r.Print(window, std.Lines); err != nil {
			return err
		}
		return std.Lines(append(r.Note.AppendJSON([]byte(`{"scan":`)), "}\n"...))
	}
}
