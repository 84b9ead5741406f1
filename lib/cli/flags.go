package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
)

// Flags declares what a command takes. Every method gives a pointer that is
// filled before the body runs. A name "jobs|j" adds the short form -j.
type Flags struct {
	clauses  clauses
	flags    []*option
	args     []*option
	required []string
	rest     *option
	restTo   *[]string
	inputs   []*Input
	outputs  []*Output
	now      *time.Time
}

// clauses is what kingpin's Application and CmdClause have in common.
type clauses interface {
	Flag(name, help string) *kingpin.FlagClause
	Arg(name, help string) *kingpin.ArgClause
}

// option is a flag or an argument. It is the kingpin.Value of its clause, but
// only this package calls set: kingpin sees words, never values.
type option struct {
	name     string
	short    rune
	label    string // as messages name it: "--jobs", "FILE"
	set      func(string) error
	bool     bool
	many     bool
	optional bool
	choices  []string
	seen     bool
	hidden   bool
}

func (o *option) String() string     { return "" }
func (o *option) Set(string) error   { return nil }
func (o *option) IsBoolFlag() bool   { return o.bool }
func (o *option) IsCumulative() bool { return o.many }

func (f *Flags) flag(name string, o *option) *option {
	long, short, _ := strings.Cut(name, "|")
	o.name, o.label = long, "--"+long
	clause := f.clauses.Flag(long, "")
	if short != "" {
		o.short = []rune(short)[0]
		clause.Short(o.short)
	}
	clause.SetValue(o)
	f.flags = append(f.flags, o)
	return o
}

func (f *Flags) arg(name string, o *option) *option {
	o.name, o.label = name, argLabel(name)
	f.clauses.Arg(name, "").SetValue(o)
	f.args = append(f.args, o)
	return o
}

// argLabel is an argument's name as help pages write it: "team-state" is
// TEAM_STATE.
func argLabel(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// String is a flag with any text.
func (f *Flags) String(name, def string) *string {
	v := &def
	f.flag(name, &option{set: func(s string) error { *v = s; return nil }})
	return v
}

// Strings is a flag that may be given several times.
func (f *Flags) Strings(name string) *[]string {
	v := new([]string)
	f.flag(name, &option{many: true, set: func(s string) error { *v = append(*v, s); return nil }})
	return v
}

// CSV is a flag with a list, its items separated by commas; given again it
// adds to the list. def is such a list. An empty text is the empty list.
func (f *Flags) CSV(name, def string) *[]string {
	v := new([]string)
	if items, err := splitList(def); err != nil {
		panic(fmt.Sprintf("cli: default of --%s: %v", name, err))
	} else {
		*v = items
	}
	given := false
	f.flag(name, &option{many: true, set: func(s string) error {
		items, err := splitList(s)
		if err != nil {
			return err
		}
		if !given {
			*v, given = nil, true
		}
		*v = append(*v, items...)
		return nil
	}})
	return v
}

func splitList(s string) ([]string, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	items := strings.Split(s, ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
		if items[i] == "" {
			return nil, fmt.Errorf("%q has an empty item (expected a list as a,b,c)", s)
		}
	}
	return items, nil
}

// Bool is a flag without a value.
func (f *Flags) Bool(name string) *bool {
	v := new(bool)
	f.flag(name, &option{bool: true, set: func(string) error { *v = true; return nil }})
	return v
}

// Int is a flag with a whole number from min to max. Where max is math.MaxInt
// the messages say "at least".
func (f *Flags) Int(name string, def, min, max int) *int {
	v := &def
	f.flag(name, &option{set: func(s string) error {
		n, err := parseInt(s, int64(min), int64(max))
		*v = int(n)
		return err
	}})
	return v
}

func parseInt(s string, min, max int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && min <= n && n <= max {
		return n, nil
	}
	want := fmt.Sprintf("a whole number, %d to %d", min, max)
	if max == math.MaxInt64 {
		want = fmt.Sprintf("a whole number, at least %d", min)
	}
	return 0, unexpected(s, want)
}

// Float is a flag with a number that is not negative.
func (f *Flags) Float(name string, def float64) *float64 {
	v := &def
	f.flag(name, &option{set: func(s string) error {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return unexpected(s, "a number, at least 0")
		}
		*v = n
		return nil
	}})
	return v
}

// Duration is a flag with a span of time that is not negative, in Go's form.
func (f *Flags) Duration(name string, def time.Duration) *time.Duration {
	v := &def
	f.flag(name, &option{set: func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return unexpected(s, "a duration, as 90s, 10m or 1h30m")
		}
		*v = d
		return nil
	}})
	return v
}

// Enum is a flag with one of a few words. An empty word among them stands for
// "not given"; no list of the words shows it.
func (f *Flags) Enum(name, def string, choices ...string) *string {
	v := &def
	words := slices.DeleteFunc(slices.Clone(choices), func(word string) bool { return word == "" })
	f.flag(name, &option{choices: words, set: func(s string) error {
		if !slices.Contains(choices, s) {
			return unexpected(s, OneOf(words))
		}
		*v = s
		return nil
	}})
	return v
}

// Time is a flag with a moment, RFC 3339; the zero time means it was not
// given. A flag named "now" also sets the clock of the body's Env.
func (f *Flags) Time(name string) *time.Time {
	v := new(time.Time)
	f.flag(name, &option{set: func(s string) error {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil || t.IsZero() {
			return unexpected(s, "a time, as 2026-01-31T15:04:05Z")
		}
		*v = t
		return nil
	}})
	if name == "now" {
		f.now = v
	}
	return v
}

// Required makes flags that were declared before obligatory.
func (f *Flags) Required(names ...string) {
	for _, name := range names {
		f.lookup(name)
		f.required = append(f.required, name)
	}
}

// Hide keeps flags that were declared before out of help and completions.
func (f *Flags) Hide(names ...string) {
	for _, name := range names {
		f.lookup(name).hidden = true
	}
}

// Given tells, once the arguments are parsed, whether a flag or argument that
// was declared before stands in them. It points into the parser's own record.
func (f *Flags) Given(name string) *bool { return &f.lookup(name).seen }

func (f *Flags) lookup(name string) *option {
	for _, o := range slices.Concat(f.flags, f.args) {
		if o.name == name {
			return o
		}
	}
	panic(fmt.Sprintf("cli: no flag or argument %q", name))
}

// Arg is an argument that must be given.
func (f *Flags) Arg(name string) *string {
	v := new(string)
	f.arg(name, &option{set: func(s string) error { *v = s; return nil }})
	return v
}

// OptArg is an argument that may be left out; it is "" then.
func (f *Flags) OptArg(name string) *string {
	v := new(string)
	f.arg(name, &option{optional: true, set: func(s string) error { *v = s; return nil }})
	return v
}

// Args takes all remaining arguments, none included.
func (f *Flags) Args(name string) *[]string {
	v := new([]string)
	f.arg(name, &option{optional: true, many: true, set: func(s string) error { *v = append(*v, s); return nil }})
	return v
}

// Rest takes what stands after "--", word for word: the command line of
// another program. Without Rest, words after "--" are plain arguments.
func (f *Flags) Rest(name string) *[]string {
	f.rest = &option{name: name, label: name, optional: true, many: true}
	f.restTo = new([]string)
	return f.restTo
}

// unexpected says what was found and what would have been right.
func unexpected(found, expected string) error {
	return fmt.Errorf("%q (expected %s)", found, expected)
}

// OneOf lists choices for a message: "a, b or c".
func OneOf(choices []string) string {
	switch n := len(choices); n {
	case 0:
		return "nothing"
	case 1:
		return choices[0]
	default:
		return strings.Join(choices[:n-1], ", ") + " or " + choices[n-1]
	}
}
