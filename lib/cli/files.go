package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// fixedClock runs a body with the clock stopped, as --now asks.
func fixedClock(body Body, now time.Time) Body {
	return func(ctx context.Context, std IO) error {
		std.Env.Now = func() time.Time { return now }
		return body(ctx, std)
	}
}

// checkFiles refuses command lines whose files get in each other's way: two
// readers of standard input, an output that is also an input, two outputs in
// one place. It looks at names that the user gave; nothing is opened.
func checkFiles(std IO, flags *Flags) error {
	stdin := ""
	for _, in := range flags.inputs {
		if !in.set || in.name != "-" {
			continue
		}
		switch stdin {
		case "":
		case in.label:
			return Usagef("standard input can be read once (%s names it twice)", stdin)
		default:
			return Usagef("standard input can be read once (%s and %s both name it)", stdin, in.label)
		}
		stdin = in.label
	}
	for i, out := range flags.outputs {
		if !out.set {
			continue
		}
		for _, other := range flags.outputs[:i] {
			if other.set && samePlace(other.name, out.name) {
				return Usagef("%s and %s both write %q", other.label, out.label, out.name)
			}
		}
		for _, in := range flags.inputs {
			if in.set && out.name != "-" && samePlace(in.name, out.name) {
				return Usagef("%s: %q is also the input %s", out.label, out.name, in.label)
			}
		}
		if sameAsStdin(std, out.name) {
			return Usagef("%s: %q is also standard input", out.label, out.name)
		}
	}
	return nil
}

// samePlace compares names, and files where both exist.
func samePlace(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	if errA == nil && errB == nil && absA == absB {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func sameAsStdin(std IO, name string) bool {
	if std.run == nil || std.run.stdinFile == nil || name == "-" {
		return false
	}
	in, errIn := std.run.stdinFile.Stat()
	out, errOut := os.Stat(name)
	return errIn == nil && errOut == nil && in.Mode().IsRegular() && os.SameFile(in, out)
}
