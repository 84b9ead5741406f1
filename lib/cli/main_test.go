package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"okstra/lib/cli"
	"okstra/lib/cli/bar"
	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	clitest.Run(m, map[string]func(){
		"okstra-sample": func() { os.Exit(cli.Main(cli.Std(), os.Args[1:], sample())) },
		"okstra-single": func() { os.Exit(cli.Main(cli.Std(), os.Args[1:], single())) },
	})
}

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelpPagesOfTheSamplesKeepTheLayout(t *testing.T) {
	clitest.Help(t, sample())
	clitest.Help(t, single())
}

func TestHelpExamplesOfTheSamplesRun(t *testing.T) {
	clitest.Examples(t, sample(), "testdata/examples")
	clitest.Examples(t, single(), "testdata/examples")
}

// sample is a program that uses everything this package offers.
func sample() cli.App {
	return cli.App{
		Name:    "okstra-sample",
		Summary: "show what a program built on lib/cli does",
		Default: "show",
		Help: `usage: okstra-sample [COMMAND] [FLAGS] [FILE]

Does nothing useful, in every way a program can.

COMMANDS
  show        print a document (the default)
  rows        print the lines of a file as records
  flags       print what the flags were read as
  copy        copy a file
  two         read two files
  wrap        print a command line
  fail        end with an error of each kind
  wait        wait for a signal or the end of the input
  bar         show progress
  policy      build, check

FLAGS
` + cli.CommonFlags + `
` + cli.ExitStatus + `
EXAMPLES
  okstra-sample doc.json
  okstra-sample rows lines.txt
`,
		Commands: []cli.Command{
			{Name: "show", Summary: "print a document", Help: page("show [FILE]", "",
				"okstra-sample show doc.json", "okstra-sample show --select .a doc.json"), Flags: show},
			{Name: "rows", Summary: "print the lines of a file as records", Help: page("rows [FILE...]", "",
				"okstra-sample rows lines.txt", "okstra-sample rows --select .line lines.txt lines.txt"), Flags: rows},
			{Name: "flags", Summary: "print what the flags were read as", Help: page("flags [FLAGS]", `  -j, --jobs N        a number, 1 to 8 (4)
      --money X       a number
      --wait D        a duration
      --format F      text or json (text)
      --list A,B      a list (x,y)
      --add TEXT      may be repeated
  -v, --verbose       a switch
  -q, --quiet         another
      --no-submit     a switch whose name begins with no
      --now T         the time
      --need TEXT     must be given
`, "okstra-sample flags --need a -j 2 --list a,b", "okstra-sample flags --need=-1 -vq --now 2026-01-31T00:00:00Z"), Flags: flags},
			{Name: "copy", Summary: "copy a file", Help: page("copy [FLAGS] [FILE]", `  -o, --out FILE      where to (standard output)
      --also FILE     a second copy
      --stream        write piece by piece
      --break         fail after half of it
`, "okstra-sample copy doc.json", "okstra-sample copy -o new.json doc.json && cat new.json"), Flags: copyFile},
			{Name: "two", Summary: "read two files", Help: page("two [FLAGS] [FILE]", `      --other FILE    the other file
`, "okstra-sample two --other doc.json doc.json", "okstra-sample two --other doc.json < doc.json"), Flags: two},
			{Name: "wrap", Summary: "print a command line", Help: page("wrap [NAME] -- COMMAND...", `  -v, --verbose       a switch
`, "okstra-sample wrap x -- ls -l", "okstra-sample wrap -- echo --help"), Flags: wrap},
			{Name: "fail", Summary: "end with an error of each kind", Help: page("fail KIND...", "",
				"okstra-sample fail refused  # status 1", "okstra-sample fail refused busy  # status 75"), Flags: fail},
			{Name: "wait", Summary: "wait for a signal or the end of the input", Help: page("wait [FILE]", `      --how HOW       read, context or stubborn (read)
`, "okstra-sample wait < doc.json", "okstra-sample wait doc.json"), Flags: wait},
			{Name: "bar", Summary: "show progress", Help: page("bar", "",
				"okstra-sample bar", "okstra-sample bar > /dev/null"), Flags: drawn},
			{Name: "policy build", Summary: "build a policy", Help: page("policy build [NAME...]", "",
				"okstra-sample policy build", "okstra-sample policy build a b"), Flags: names},
			{Name: "policy check", Summary: "check a policy", Help: page("policy check [NAME...]", "",
				"okstra-sample policy check", "okstra-sample policy check a b"), Flags: names},
			{Name: "look", Summary: "wait and leave nothing behind", Help: "usage: okstra-sample look\n", Hidden: true, Flags: wait, Reads: true},
			{Name: "secret", Summary: "work unseen", Help: "usage: okstra-sample secret\n", Hidden: true, Flags: names},
		},
	}
}

// single is a program with one verb that has no name.
func single() cli.App {
	return cli.App{
		Name:    "okstra-single",
		Summary: "print a file",
		Help:    singlePage,
		Commands: []cli.Command{{Flags: func(f *cli.Flags) cli.Body {
			times, file := f.Int("times", 1, 1, 9), f.Input("FILE")
			return func(_ context.Context, std cli.IO) error {
				text, err := file.Bytes(std)
				if err != nil {
					return err
				}
				for range *times {
					std.Printf("%s", text)
				}
				return nil
			}
		}}},
	}
}

const singlePage = `usage: okstra-single [FLAGS] [FILE]

Prints the file.

FLAGS
      --times N       how often (1)
` + cli.CommonFlags + `
` + cli.ExitStatus + `
EXAMPLES
  okstra-single doc.json
  okstra-single --times 2 doc.json
`

func page(usage, flags string, examples ...string) string {
	return "usage: okstra-sample " + usage + "\n\nA page for tests.\n\nFLAGS\n" + flags + cli.CommonFlags + "\n" +
		cli.ExitStatus + "\nEXAMPLES\n  " + strings.Join(examples, "\n  ") + "\n"
}

func show(f *cli.Flags) cli.Body {
	file := f.Input("FILE")
	return func(_ context.Context, std cli.IO) error {
		doc, err := file.Doc(std)
		if err != nil {
			return err
		}
		v, err := doc.Value()
		if err != nil {
			return err
		}
		return std.Document(v)
	}
}

func rows(f *cli.Flags) cli.Body {
	files := f.OptInputs("FILE")
	return func(_ context.Context, std cli.IO) error {
		for _, file := range *files {
			text, err := file.Bytes(std)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				if err := std.Record(map[string]string{"line": strings.TrimSuffix(line, "\n")}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func flags(f *cli.Flags) cli.Body {
	jobs, money := f.Int("jobs|j", 4, 1, 8), f.Float("money", 0)
	delay, format := f.Duration("wait", time.Minute), f.Enum("format", "text", "text", "json")
	list, add := f.CSV("list", "x,y"), f.Strings("add")
	verbose, quiet, noSubmit := f.Bool("verbose|v"), f.Bool("quiet|q"), f.Bool("no-submit")
	now, need := f.Time("now"), f.String("need", "")
	args := f.Args("ARG")
	f.Required("need")
	given := f.Given("jobs")
	return func(_ context.Context, std cli.IO) error {
		clock := "real"
		if !now.IsZero() {
			clock = std.Env.Now().Format(time.RFC3339)
		}
		return std.Printf("jobs=%d given=%v money=%v wait=%v format=%s list=%q add=%q verbose=%v quiet=%v no-submit=%v now=%s need=%q args=%q\n",
			*jobs, *given, *money, *delay, *format, *list, *add, *verbose, *quiet, *noSubmit, clock, *need, *args)
	}
}

func copyFile(f *cli.Flags) cli.Body {
	out, also := f.Output("out|o"), f.Output("also")
	stream, broken := f.Bool("stream"), f.Bool("break")
	file := f.Input("FILE")
	return func(_ context.Context, std cli.IO) error {
		text, err := file.Bytes(std)
		if err != nil {
			return err
		}
		if also.Set() {
			if err := also.Write(std, text); err != nil {
				return err
			}
		}
		if !*stream {
			if *broken {
				return errors.New("broken")
			}
			return out.Write(std, text)
		}
		return out.Stream(std, func(w io.Writer) error {
			if _, err := w.Write(text[:len(text)/2]); err != nil {
				return err
			}
			if *broken {
				return errors.New("broken in the middle")
			}
			_, err := w.Write(text[len(text)/2:])
			return err
		})
	}
}

func two(f *cli.Flags) cli.Body {
	other, file := f.InputFlag("other"), f.Input("FILE")
	return func(_ context.Context, std cli.IO) error {
		a, err := file.Bytes(std)
		if err != nil {
			return err
		}
		b, err := other.Bytes(std)
		if err != nil {
			return err
		}
		return std.Printf("%d %d\n", len(a), len(b))
	}
}

func wrap(f *cli.Flags) cli.Body {
	f.Bool("verbose|v")
	name, rest := f.OptArg("NAME"), f.Rest("COMMAND")
	return func(_ context.Context, std cli.IO) error { return std.Printf("%q %q\n", *name, *rest) }
}

func names(f *cli.Flags) cli.Body {
	list := f.Args("NAME")
	return func(_ context.Context, std cli.IO) error { return std.Printf("%q\n", *list) }
}

func fail(f *cli.Flags) cli.Body {
	kinds := f.Args("KIND")
	return func(_ context.Context, std cli.IO) error {
		var errs []error
		for _, kind := range *kinds {
			switch kind {
			case "refused":
				errs = append(errs, cli.Refused(errors.New("job failed")))
			case "bad":
				errs = append(errs, cli.BadInput(errors.New("notes.json: not JSON")))
			case "usage":
				errs = append(errs, cli.Usagef("two is too many"))
			case "busy":
				errs = append(errs, cli.Busy(errors.New("state.json: locked")))
			case "fault":
				errs = append(errs, errors.New("disk on fire"))
			case "hint":
				errs = append(errs, cli.WithHint(cli.Refused(errors.New("no such run")), "give the run folder"))
			case "verdict":
				errs = append(errs, cli.Verdict(1))
			case "escape":
				errs = append(errs, cli.BadInput(fmt.Errorf("name \x1b[31m%s\x1b[0m", "red\rover")))
			case "panic":
				var list []int
				_ = list[len(*kinds)]
			}
		}
		return errors.Join(errs...)
	}
}

func wait(f *cli.Flags) cli.Body {
	how, file := f.Enum("how", "read", "read", "context", "stubborn"), f.Input("FILE")
	return func(ctx context.Context, std cli.IO) error {
		var done <-chan struct{}
		if *how == "context" {
			done = ctx.Done()
		}
		std.Warnf("waiting")
		switch *how {
		case "read":
			_, err := file.Bytes(std)
			return err
		case "context":
			<-done
			std.Printf("put in order\n")
			return ctx.Err()
		default:
			time.Sleep(time.Minute)
			return nil
		}
	}
}

func drawn(*cli.Flags) cli.Body {
	return func(ctx context.Context, std cli.IO) error {
		progress := bar.New(ctx, std, "reading", 3)
		defer progress.Done()
		for i := range 3 {
			time.Sleep(150 * time.Millisecond)
			progress.Add(1)
			if i == 1 {
				std.Warnf("one file is odd")
				progress.SetTotal(4)
			}
		}
		progress.Done()
		return std.Printf("done\n")
	}
}
