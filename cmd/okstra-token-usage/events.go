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
		var line []byte
		for i := range r.Events {
			e := &r.Events[i]
			if !window.Holds(e.At) {
				continue
			}
			if e.Model == "" {
				e.Model = e.Assumed
			}
			line = append(e.AppendJSON(line[:0]), '\n')
			if err := std.Line(line); err != nil {
				return err
			}
		}
		return std.Record(scanLine{r.Note})
	}
}
