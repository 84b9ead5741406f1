package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/cli"
	"okstra/lib/cli/bar"
	"okstra/lib/finding"
	"okstra/lib/price"
	"okstra/lib/provider"
	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
	"okstra/lib/usage/scan"
)

// scanFlags are the flags of every command that reads transcripts.
type scanFlags struct {
	noCache      *bool
	home         *string
	homeGiven    *bool
	since, until *time.Time
}

func declareScan(f *cli.Flags) scanFlags {
	return scanFlags{noCache: f.Bool("no-cache"), home: f.String("home", ""), homeGiven: f.Given("home"), since: f.Time("since"), until: f.Time("until")}
}

// homes is where the CLIs keep theirs. That there are none is nothing unusual,
// but a home that the caller names must be there: a slip of the pen would read
// as "nothing was used".
func (s scanFlags) homes(std cli.IO) (transcript.Home, error) {
	if !*s.homeGiven {
		return transcript.Home{Dir: std.Env.Home(), Get: std.Env.Getenv}, nil
	}
	home := transcript.Home{Dir: *s.home}
	if *s.home == "" {
		return home, cli.Usagef("--home \"\" (expected a folder)")
	}
	info, err := os.Stat(*s.home)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return home, cli.BadInput(fmt.Errorf("--home %q: %w", *s.home, plainCause(err)))
	}
	return home, nil
}

// window is what the caller asks for. One that ends before it begins holds
// nothing, and nothing would look like no use.
func (s scanFlags) window() (transcript.Window, error) {
	w := transcript.Window{Since: *s.since, Until: *s.until}
	if !w.Since.IsZero() && !w.Until.IsZero() && w.Until.Before(w.Since) {
		return w, cli.Usagef("--until %s is before --since %s", w.Until.Format(time.RFC3339Nano), w.Since.Format(time.RFC3339Nano))
	}
	return w, nil
}

// events scans for whoever asks for all events, and says what they lack.
func (s scanFlags) events(ctx context.Context, std cli.IO, providers, paths []string) (scan.Result, error) {
	r, err := s.run(ctx, std, providers, paths)
	noteSkipped(std, r.Note.SkippedLines)
	if err != nil || len(providers)+len(paths) > 0 {
		return r, err
	}
	home, err := s.homes(std)
	if dir, n := scan.Unread(home); n > 0 {
		std.Warnf("not counted: %d conversations of Antigravity in %s, which are databases", n, dir)
	}
	return r, err
}

// noteSkipped tells of lines that count nothing because nobody can read them.
func noteSkipped(std cli.IO, lines int64) {
	if lines > 0 {
		std.Warnf("not counted: %s of transcripts, which cannot be read", finding.Count(int(lines), "line"))
	}
}

// run scans, with a bar on a terminal. A file that cannot be read is a
// warning; one that was named must be there.
func (s scanFlags) run(ctx context.Context, std cli.IO, providers, paths []string) (scan.Result, error) {
	readers, err := readersOf(providers)
	if err != nil {
		return scan.Result{}, err
	}
	home, err := s.homes(std)
	if err != nil {
		return scan.Result{}, err
	}
	if len(paths) == 0 {
		s.doubt(std, readers, home)
	}
	progress := bar.New(ctx, std, "scanning", 0)
	defer progress.Done()
	o := scan.Options{Home: home, Readers: readers, Paths: paths, Since: *s.since, Now: std.Env.Now(), Progress: func(total, step int64) {
		progress.SetTotal(total)
		progress.Add(step)
	}}
	if home := std.Env.OkstraHome(); home != "" && !*s.noCache {
		o.Cache = filepath.Join(home, "cache", "token-usage")
	}
	r, err := scan.Run(ctx, o)
	if _, named := errors.AsType[*fs.PathError](err); named {
		return r, cli.BadInput(err)
	}
	if err != nil {
		return r, err
	}
	if r.Uncached != nil {
		std.Warnf("the cache was not written: %v", r.Uncached)
	}
	for _, w := range r.Warnings {
		std.Warnf("not counted: %v", w)
	}
	return r, nil
}

// homeVariables are those by which CLIs find their homes.
var homeVariables = []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GROK_HOME", "KIMI_SHARE_DIR", "KIMI_CODE_HOME", "GEMINI_CLI_HOME"}

// doubt tells of homes that were named and hold nothing.
func (s scanFlags) doubt(std cli.IO, readers []*transcript.Reader, home transcript.Home) {
	if *s.homeGiven && !anyRoot(readers, home) {
		std.Warnf("--home %q holds no transcripts' folder of a CLI, so nothing is counted", home.Dir)
	}
	for _, name := range homeVariables {
		for dir := range strings.SplitSeq(home.Variable(name), ",") {
			if dir = strings.TrimSpace(dir); dir == "" {
				continue
			}
			if _, err := os.Stat(dir); err != nil {
				std.Warnf("not counted: %s names %s: %v", name, dir, plainCause(err))
			}
		}
	}
}

// anyRoot reports whether one of the folders that are searched is there.
func anyRoot(readers []*transcript.Reader, home transcript.Home) bool {
	for _, r := range readers {
		for _, root := range r.Roots(home) {
			if _, err := os.Stat(root.Dir); err == nil {
				return true
			}
		}
	}
	return false
}

// readersOf finds the readers of the providers that were named; of all when
// none was.
func readersOf(providers []string) ([]*transcript.Reader, error) {
	if len(providers) == 0 {
		return all.Readers(), nil
	}
	var readers []*transcript.Reader
	for _, name := range providers {
		list := all.Of(name)
		if list == nil {
			return nil, cli.Usagef("--provider %q has no reader (expected %s)", name, cli.OneOf(all.Names()))
		}
		if !slices.Contains(readers, list[0]) { // a provider may be named twice
			readers = append(readers, list...)
		}
	}
	return readers, nil
}

// priceFlags name the prices of a command that prices.
type priceFlags struct {
	file      *cli.Input
	providers *[]string
}

func declarePrices(f *cli.Flags) priceFlags {
	return priceFlags{file: f.InputFlag("prices"), providers: f.Strings("providers")}
}

// table is the price table in force: the built-in one or the file in its place,
// with the models of the caller's own providers.
func (p priceFlags) table(std cli.IO) (*price.Table, error) {
	t := price.Default()
	if p.file.Set() {
		text, err := p.file.Bytes(std)
		if err != nil {
			return nil, err
		}
		if t, err = price.Parse(text, p.file.Name()); err != nil {
			return nil, cli.BadInput(err)
		}
	}
	if len(*p.providers) == 0 {
		return t, nil
	}
	catalogue, err := provider.Load(*p.providers)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	t, err = t.With(price.OfCatalogue(catalogue.Providers()))
	return t, cli.BadInput(err)
}
