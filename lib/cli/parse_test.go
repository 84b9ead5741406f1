package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// echo is a program that prints what its arguments were read as.
func echo() App {
	words := func(f *Flags) Body {
		text, args := f.String("text|t", ""), f.Args("WORD")
		f.Bool("loud|l")
		f.Int("many|m", 1, 1, 9)
		return func(_ context.Context, std IO) error { return std.Printf("%q %q", *text, *args) }
	}
	rest := func(f *Flags) Body {
		name, command := f.OptArg("NAME"), f.Rest("COMMAND")
		return func(_ context.Context, std IO) error { return std.Printf("%q %q", *name, *command) }
	}
	return App{Name: "echo", Summary: "echo", Help: "usage: echo\n", Default: "words", Commands: []Command{
		{Name: "words", Summary: "words", Help: "usage: echo words\n", Flags: words},
		{Name: "wrap", Summary: "wrap", Help: "usage: echo wrap\n", Flags: rest},
		{Name: "two words", Summary: "two words", Help: "usage: echo two words\n", Flags: words},
	}}
}

// run is the program in this process.
func run(app App, args ...string) (status int, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = Main(IO{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, args, app)
	return status, stdout.String(), stderr.String()
}

// argument draws words as a process can be given them, hostile ones often.
func argument() *rapid.Generator[string] {
	hostile := rapid.SampledFrom([]string{"", "-", "--", "---", "@", "@x", "-h", "--help", "--text", "-t", "-lt", "--no-loud", "help", "words", "=", "-=", `\x00`})
	free := rapid.Map(rapid.String(), func(s string) string { return strings.ReplaceAll(s, "\x00", "") })
	return rapid.OneOf(hostile, free)
}

func TestWordsAfterTwoDashesComeThroughUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(argument()).Draw(t, "words")
		front := rapid.SampledFrom([][]string{{"words"}, {"words", "-l"}, {"words", "-lt", "x"}, {"two", "words"}, {}}).Draw(t, "front")
		status, out, errs := run(echo(), slices.Concat(front, []string{"--"}, words)...)
		text := ""
		if slices.Contains(front, "-lt") {
			text = "x"
		}
		if want := fmt.Sprintf("%q %q", text, words); status != 0 || out != want || errs != "" {
			t.Fatalf("status %d, printed %s, want %s; %s", status, out, want, errs)
		}
		status, out, errs = run(echo(), append([]string{"wrap", "name", "--"}, words...)...)
		if want := fmt.Sprintf("%q %q", "name", words); status != 0 || out != want || errs != "" {
			t.Fatalf("wrap: status %d, printed %s, want %s; %s", status, out, want, errs)
		}
	})
}

func TestValuesOfFlagsComeThroughUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := argument().Draw(t, "value")
		want := fmt.Sprintf("%q []", value)
		if status, out, errs := run(echo(), "words", "--text="+value); status != 0 || out != want {
			t.Fatalf("--text=%s: status %d, printed %s, want %s; %s", value, status, out, want, errs)
		}
		if value != "-" && strings.HasPrefix(value, "-") {
			return // needs the = form
		}
		if status, out, errs := run(echo(), "words", "-l", "--text", value); status != 0 || out != want {
			t.Fatalf("--text %s: status %d, printed %s, want %s; %s", value, status, out, want, errs)
		}
	})
}

// FuzzParse: whatever the arguments, the program ends with 0 or 2, says why in
// exactly one line in the latter case, and never shows its stand-in for "-".
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "words", "-", "words\n-", "--text\n-\n-l", "-lt\n-", "--\n--", "@x", "--no-loud", "--loud=no", "-t=x", "--many\n-",
		"help", "help\ntwo", "help\nnothing", "two", "two\nthree", "--help-man", "--no-completion-script-zsh", "--completion-words\n--\nwo",
		"--select\n.a", "--select\n.[", "-h", "wrap\na\nb", "--version\n--bogus", "-\xff", "--\xff=\n", "--text\n--\nx", "-l-", "-l--\n--",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		if strings.Contains(joined, "\x00") {
			return // no process can be given this
		}
		args := strings.Split(joined, "\n")
		status, out, errs := run(echo(), args...)
		if strings.Contains(out+errs, mask) {
			t.Errorf("%q shows the stand-in: %q %q", args, out, errs)
		}
		switch status {
		case StatusOK:
			if strings.Count(errs, "\n") > 1 {
				t.Errorf("%q: status 0 and %q", args, errs)
			}
		case StatusBadInput:
			if strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "echo: ") || out != "" {
				t.Errorf("%q: printed %q and %q", args, out, errs)
			}
		default:
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	})
}

func TestAnAppThatContradictsItselfPanics(t *testing.T) {
	body := func(*Flags) Body { return nil }
	for name, app := range map[string]App{
		"a flag twice":           {Commands: []Command{{Name: "a", Flags: func(f *Flags) Body { f.Bool("x"); f.Bool("x"); return nil }}}},
		"a common flag again":    {Commands: []Command{{Name: "a", Flags: func(f *Flags) Body { f.Bool("version"); return nil }}}},
		"nothing after the rest": {Commands: []Command{{Name: "a", Flags: func(f *Flags) Body { f.Args("A"); f.Arg("B"); return nil }}}},
		"an unknown requirement": {Commands: []Command{{Name: "a", Flags: func(f *Flags) Body { f.Required("x"); return nil }}}},
		"a bad default":          {Commands: []Command{{Name: "a", Flags: func(f *Flags) Body { f.CSV("x", "a,,b"); return nil }}}},
		"an unknown default":     {Default: "b", Commands: []Command{{Name: "a", Flags: body}}},
		"a command twice":        {Commands: []Command{{Name: "a", Flags: body}, {Name: "a", Flags: body}}},
		"a verb and a group":     {Commands: []Command{{Name: "a", Flags: body}, {Name: "a b", Flags: body}}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("is accepted")
				}
			}()
			CheckHelp(app)
		})
	}
}

func TestOnlyTheCommandsThatTheWordsMayMeanDeclareTheirFlags(t *testing.T) {
	for _, tt := range []struct {
		args, want string
	}{
		{"one --x", "dflt one"},
		{"--x one", "dflt one"},
		{"two words --x", "dflt two words"},
		{"two one", "dflt one"},
		{"", "dflt"},
		{"--x file", "dflt"},
		{"--version", "dflt"},
		{"help one", "dflt one"},
		{"--completion-words -- two words -", "dflt two words"},
	} {
		var declared []string
		command := func(name string) Command {
			return Command{Name: name, Help: "usage: echo " + name + "\n", Flags: func(f *Flags) Body {
				declared = append(declared, name)
				f.Bool("x")
				f.Args("word")
				return func(context.Context, IO) error { return nil }
			}}
		}
		app := App{Name: "echo", Default: "dflt", Commands: []Command{command("dflt"), command("one"), command("two words")}}
		if status, _, errs := run(app, strings.Fields(tt.args)...); status != StatusOK && tt.args != "two one" {
			t.Errorf("%q: status %d, %s", tt.args, status, errs)
		}
		if got := strings.Join(declared, " "); got != tt.want {
			t.Errorf("%q: flags of %q are declared, want those of %q", tt.args, got, tt.want)
		}
	}
}

func TestEnvKnowsWhereOkstraKeepsThings(t *testing.T) {
	for _, tt := range []struct {
		name, home, okstra, want string
	}{
		{"below the home", "/home/u", "", "/home/u/.okstra"},
		{"named", "/home/u", "/srv/okstra", "/srv/okstra"},
		{"named from the working directory", "/home/u", "state", "/work/state"},
		{"unknown", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := Env{Dir: "/work", Get: func(key string) string {
				return map[string]string{"HOME": tt.home, "OKSTRA_HOME": tt.okstra}[key]
			}}
			if got := env.OkstraHome(); got != tt.want {
				t.Errorf("OkstraHome() = %q, want %q", got, tt.want)
			}
		})
	}
	if got := (Env{}).OkstraHome(); got != "" {
		t.Errorf("OkstraHome() of the zero Env = %q", got)
	}
}
