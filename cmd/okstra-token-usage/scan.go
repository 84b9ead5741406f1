package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"okstra/lib/cli"
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
	since, until *time.Time
}

func declareScan(f *cli.Flags) scanFlags {
	return scanFlags{noCache: f.Bool("no-cache"), home: f.String("home", ""), since: f.Time("since"), until: f.Time("until")}
}

func (s scanFlags) homes(std cli.IO) transcript.Home {
	if *s.home != "" {
		return transcript.Home{Dir: *s.home}
	}
	return transcript.Home{Dir: std.Env.Home(), Get: std.Env.Getenv}
}

func (s scanFlags) window() transcript.Window {
	return transcript.Window{Since: *s.since, Until: *s.until}
}

// run scans, with a bar on a terminal. A file that cannot be read is a
// warning; one that was named must be there.
func (s scanFlags) run(ctx context.Context, std cli.IO, providers, paths []string) (scan.Result, error) {
	readers, err := readersOf(providers)
	if err != nil {
		return scan.Result{}, err
	}
	bar := std.Progress("scanning", 0)
	defer bar.Done()
	o := scan.Options{Home: s.homes(std), Readers: readers, Paths: paths, Since: *s.since, Now: std.Env.Now(), Progress: func(total, step int64) {
		bar.SetTotal(total)
		bar.Add(step)
	}}
	if home := std.Env.OkstraHome(); home != "" && !*s.noCache {
		o.Cache = filepath.Join(home, "cache", "token-usage")
	}
	r, err := scan.Run(ctx, o)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
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
		readers = append(readers, list...)
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
