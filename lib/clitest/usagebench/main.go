// Command usagebench measures okstra-token-usage beside grep, find and the
// published peers, over the same files in the same run.
//
// The rounds of a table alternate, so that a noisy machine is noisy for all.
// Besides the wall time each row shows the processor time, which a busy machine
// distorts less, and the peak of resident memory.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"okstra/lib/clitest/usagehome"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options say what to measure.
type options struct {
	bin    string // okstra-token-usage
	dir    string // holds the generated homes and the peers
	mib    int64  // size of the large home
	files  int    // sessions of the home of many small files
	rounds int
	peers  bool
}

func run(args []string, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("usagebench", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.bin, "bin", "bin/okstra-token-usage", "the program")
	flags.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "okstra-usagebench"), "where the homes are made, once")
	flags.Int64Var(&o.mib, "mib", 700, "MiB of transcripts in the large home")
	flags.IntVar(&o.files, "files", 10_000, "about how many sessions the home of small files has")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each command runs")
	flags.BoolVar(&o.peers, "peers", true, "install and measure the peers, where npm is there")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := o.measure(out); err != nil {
		fmt.Fprintf(errs, "usagebench: %v\n", err)
		return 3
	}
	return 0
}

func (o options) measure(out io.Writer) error {
	for _, path := range []*string{&o.bin, &o.dir} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	fmt.Fprintf(out, "%d cores, %s/%s, %d rounds; times are the best of all rounds, (…) their median\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, o.rounds)
	for _, table := range []func(io.Writer) error{o.large, o.single, o.warm, o.tiny} {
		if err := table(out); err != nil {
			return err
		}
	}
	return nil
}

// large compares a home of all line-based providers.
func (o options) large(out io.Writer) error {
	home, err := o.home("large", usagehome.Options{
		Claude: o.mib << 20 * 4 / 7, Codex: o.mib << 20 * 2 / 7, Grok: o.mib << 20 / 14, Kimi: o.mib << 20 / 14, FileBytes: 3 << 20,
	})
	if err != nil {
		return err
	}
	files, size, err := listing(home)
	if err != nil {
		return err
	}
	t := table{title: fmt.Sprintf("%d files, %d MB of Claude, Codex, Grok and Kimi", len(files), size/1e6), rounds: o.rounds}
	t.add("grep -c '\"usage\"' (one core)", grep(files))
	t.add("events --no-cache", o.events(home, "--no-cache"))
	t.add("sum --by model --no-cache", command{args: []string{o.bin, "sum", "--by", "model", "--no-cache", "--home", home}})
	if o.peers {
		if err := o.addPeers(&t, home); err != nil {
			return err
		}
	}
	return t.print(out)
}

// single compares one huge file, which only a reader that splits it can read on
// all cores.
func (o options) single(out io.Writer) error {
	size := o.mib << 20 / 2
	home, err := o.home("single", usagehome.Options{Claude: size, FileBytes: size})
	if err != nil {
		return err
	}
	files, made, err := listing(home)
	if err != nil {
		return err
	}
	t := table{title: fmt.Sprintf("one Claude file of %d MB", made/1e6), rounds: o.rounds}
	t.add("grep -c '\"usage\"' (one core)", grep(files))
	t.add("events --no-cache", o.events(home, "--no-cache"))
	return t.print(out)
}

// warm compares a second scan of many sessions with looking at their times.
func (o options) warm(out io.Writer) error {
	each := int64(6 << 10) // a file ends beyond it
	home, err := o.home("many", usagehome.Options{Claude: 2 * each * int64(o.files), FileBytes: each})
	if err != nil {
		return err
	}
	files, size, err := listing(home)
	if err != nil {
		return err
	}
	stamp := filepath.Join(o.dir, "stamp")
	if err := os.WriteFile(stamp, nil, 0o600); err != nil {
		return err
	}
	cache := "OKSTRA_HOME=" + filepath.Join(o.dir, "okstra")
	cached := func(args ...string) command {
		c := o.events(home, args...)
		c.env = []string{cache}
		return c
	}
	if _, err := cached().run(); err != nil { // fills the cache
		return err
	}
	t := table{title: fmt.Sprintf("%d unchanged sessions, %d MB, with a warm cache", len(files), size/1e6), rounds: o.rounds}
	t.add("find -newer (stat of every file)", command{args: []string{"find", home, "-newer", stamp}})
	t.add("events --since (one hour of them)", cached("--since", "2026-09-01T08:00:00Z", "--until", "2026-09-01T09:00:00Z"))
	t.add("events", cached())
	t.add("events --no-cache", o.events(home, "--no-cache"))
	return t.print(out)
}

// tiny shows what a process costs that has nothing to read.
func (o options) tiny(out io.Writer) error {
	home, err := o.home("tiny", usagehome.Options{})
	if err != nil {
		return err
	}
	t := table{title: "an empty home: the whole process", rounds: 4 * o.rounds}
	t.add("true", command{args: []string{"true"}})
	t.add("events --no-cache", o.events(home, "--no-cache"))
	return t.print(out)
}

func (o options) events(home string, args ...string) command {
	return command{args: append([]string{o.bin, "events", "--home", home}, args...)}
}

func grep(files []string) command {
	return command{args: append([]string{"grep", "-c", `"usage"`}, files...), env: []string{"LC_ALL=C"}, may: 1}
}
