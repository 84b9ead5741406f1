package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/kingpin/v2"

	"okstra/lib/jsondoc"
)

// How the arguments are parsed. kingpin sorts words into commands, flags and
// arguments; it never runs anything. Parse, which exits, prints to the process
// streams and fires the actions of hidden flags, is not called: ParseContext
// gives the sorted words, and values, defaults, repetition and requirements
// are this package's business. What kingpin would do to the words is undone
// before it sees them:
//
//   - words after the first "--" are masked with a leading NUL, which no
//     argument of a process can contain, so that kingpin takes them for plain
//     ones; its own reading of "--" is off by one after combined short flags;
//   - a lone "-" is masked likewise, since kingpin drops it;
//   - "@name" stays a name: file expansion is off;
//   - its hidden flags (--help-long, --completion-…) are refused unless they
//     are ours.

const mask = "\x00"

// maskWord protects a word from kingpin; unmask gives it back.
func maskWord(word string) string { return mask + word }

func unmask(word string) string { return strings.TrimPrefix(word, mask) }

// program is an App with its parser.
type program struct {
	app      App
	king     *kingpin.Application
	root     *Flags
	query    *string // --select
	commands map[string]*command
}

type command struct {
	Command
	flags *Flags
	body  Body
}

// call is what the arguments ask for.
type call struct {
	command string // its full name
	body    Body
	reads   bool // see Command.Reads
}

// helpCommand is what to type for the page that explains this call.
func (c *call) helpCommand(program string) string {
	if c == nil || c.command == "" {
		return program + " --help"
	}
	return program + " " + c.command + " --help"
}

// disableFileExpansion turns off the one package variable of kingpin that
// matters, once, since tests run programs side by side.
var disableFileExpansion = sync.OnceFunc(func() { kingpin.EnableFileExpansion = false })

// newProgram makes the parser of a program. Of commands that are not wanted
// nothing is known but their names: a program has many flags, and most runs use
// those of a single command.
func newProgram(app App, wanted func(name string) bool) *program {
	disableFileExpansion()
	p := &program{app: app, king: kingpin.New(app.Name, app.Summary), commands: map[string]*command{}}
	p.king.HelpFlag.Short('h')
	p.root = &Flags{clauses: p.king}
	p.root.flags = append(p.root.flags, &option{name: "help", short: 'h', label: "--help", bool: true})
	p.root.Bool("version")
	p.query = p.root.String("select", "")
	groups := map[string]*kingpin.CmdClause{}
	for _, c := range app.Commands {
		cmd := &command{Command: c, flags: p.root}
		if c.Name != "" {
			cmd.flags = &Flags{clauses: p.clause(groups, c)}
		}
		if c.Name == app.Default || wanted(c.Name) {
			cmd.body = c.Flags(cmd.flags)
		}
		p.commands[c.Name] = cmd
	}
	if app.Default != "" && p.commands[app.Default] == nil {
		panic("cli: " + app.Name + ": there is no command " + app.Default)
	}
	return p
}

// mayMean reports whether words can lead to a command: all words of its name
// stand among them.
func mayMean(words []string, name string) bool {
	for word := range strings.FieldsSeq(name) {
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}

// wholeProgram is a program with the flags of all its commands. A mistake in
// their declaration panics.
func wholeProgram(app App) *program {
	p := newProgram(app, func(string) bool { return true })
	if _, err := p.king.ParseContext(nil); err != nil && !isUsage(err) {
		panic("cli: " + app.Name + ": " + err.Error())
	}
	return p
}

// clause makes kingpin's entry for a command, and for its group when the name
// has two words.
func (p *program) clause(groups map[string]*kingpin.CmdClause, c Command) *kingpin.CmdClause {
	group, verb, nested := strings.Cut(c.Name, " ")
	var clause *kingpin.CmdClause
	if nested {
		if groups[group] == nil {
			groups[group] = p.king.Command(group, "")
		}
		clause = groups[group].Command(verb, c.Summary)
	} else {
		clause = p.king.Command(c.Name, c.Summary)
	}
	if c.Hidden {
		clause.Hidden()
	}
	if c.Name == p.app.Default {
		clause.Default()
	}
	return clause
}

// parse sorts the arguments, fills in the values and gives the body to run.
// The call is there even beside an error, as far as it is known.
func (p *program) parse(std IO, args []string) (*call, error) {
	head, tail, dashes := args, []string(nil), slices.Index(args, "--")
	if dashes >= 0 {
		head, tail = args[:dashes], args[dashes+1:]
	}
	if special, err := p.special(head, tail); special != nil || err != nil {
		return special, err
	}
	parsed, err := p.king.ParseContext(maskDashes(head))
	cmd := p.selected(parsed)
	known := &call{}
	if cmd != nil {
		known.command = cmd.Name
	}
	switch {
	case asksForHelp(p, parsed, head):
		return p.helpFor(p.named(parsed, head)), nil
	case slices.Contains(head, "--version"):
		return printing(func() string { return versionLine(p.app.Name) }), nil
	}
	if err := p.checkSpelling(cmd, head); err != nil {
		return known, err
	}
	if err == nil && dashes >= 0 && (cmd == nil || cmd.flags.rest == nil) {
		words := maskDashes(head)
		for _, word := range tail {
			words = append(words, maskWord(word))
		}
		parsed, err = p.king.ParseContext(words)
		cmd = p.selected(parsed)
	}
	if cmd == nil {
		known.command = p.group(head)
	}
	if err != nil {
		return known, p.usageError(err, known.command)
	}
	if parsed.SelectedCommand != nil && parsed.SelectedCommand == p.king.HelpCommand {
		return p.helpWords(parsed)
	}
	if cmd == nil {
		return known, p.noCommand(parsed)
	}
	known.command = cmd.Name
	if cmd.flags.rest != nil && dashes >= 0 {
		*cmd.flags.restTo = tail
		cmd.flags.rest.seen = true
	}
	if err := p.fill(std, cmd, parsed); err != nil {
		return known, err
	}
	known.body, known.reads = cmd.body, cmd.Reads
	if word := p.strayWord(cmd, parsed, head); word != "" {
		known.body = p.hintAtCommands(cmd.body, word)
	}
	return known, nil
}

// strayWord is the first argument of the default command where nobody named
// that command and the word could be meant for one: no path, no extension.
func (p *program) strayWord(cmd *command, parsed *kingpin.ParseContext, head []string) string {
	if p.app.Default == "" || cmd.Name != p.app.Default || p.named(parsed, head) != "" {
		return ""
	}
	for _, element := range parsed.Elements {
		if _, ok := element.Clause.(*kingpin.ArgClause); ok {
			if word := unmask(*element.Value); !strings.ContainsAny(word, "./") {
				return word
			}
			break
		}
	}
	return ""
}

// hintAtCommands adds to "no such file" that the word is no command either.
func (p *program) hintAtCommands(body Body, word string) Body {
	return func(ctx context.Context, std IO) error {
		err := body(ctx, std)
		if errors.Is(err, fs.ErrNotExist) {
			return WithHint(err, fmt.Sprintf("%q is no command either (expected %s)", word, OneOf(p.verbs(""))))
		}
		return err
	}
}

// asksForHelp also looks past a mistake: who writes --help wants no lecture.
func asksForHelp(p *program, parsed *kingpin.ParseContext, head []string) bool {
	if slices.Contains(head, "--help") || slices.Contains(head, "-h") {
		return true
	}
	return parsed != nil && slices.ContainsFunc(parsed.Elements, func(e *kingpin.ParseElement) bool {
		return e.Clause == p.king.HelpFlag && *e.Value == "true" // not --no-help
	})
}

func maskDashes(words []string) []string {
	masked := make([]string, len(words))
	for i, word := range words {
		if word == "-" {
			word = maskWord(word)
		}
		masked[i] = word
	}
	return masked
}

// selected is the command that the words lead to, nil for none or a group.
func (p *program) selected(parsed *kingpin.ParseContext) *command {
	if parsed == nil || parsed.SelectedCommand == nil {
		return p.commands[""]
	}
	return p.commands[parsed.SelectedCommand.FullCommand()]
}

// named is the name of the command or group that stands in the words; "" when
// kingpin fell back to the default command, whose help was then not asked for.
func (p *program) named(parsed *kingpin.ParseContext, head []string) string {
	if parsed == nil || parsed.SelectedCommand == nil {
		return ""
	}
	name := parsed.SelectedCommand.FullCommand()
	for word := range strings.FieldsSeq(name) {
		if !slices.Contains(head, word) {
			return ""
		}
	}
	return name
}

// fill sets the values in the order of the words and checks what must be there.
func (p *program) fill(std IO, cmd *command, parsed *kingpin.ParseContext) error {
	flags := mergeFlags(p.root, cmd.flags)
	for _, element := range parsed.Elements {
		var o *option
		switch clause := element.Clause.(type) {
		case *kingpin.FlagClause:
			o = find(flags.flags, clause.Model().Name)
		case *kingpin.ArgClause:
			o = find(flags.args, clause.Model().Name)
		default:
			continue
		}
		if o.bool && *element.Value == "false" {
			return unknownFlag("--no-" + o.name)
		}
		if o.seen && !o.many {
			return Usagef("%s is given twice", o.label)
		}
		o.seen = true
		if err := o.set(unmask(*element.Value)); err != nil {
			return Usagef("%s: %w", o.label, err)
		}
	}
	if err := missing(flags); err != nil {
		return err
	}
	if err := p.compileQuery(std); err != nil {
		return err
	}
	if err := checkFiles(std, cmd.flags); err != nil {
		return err
	}
	if std.run != nil {
		std.run.usage = synopsis(p.helpText(cmd.Name))
	}
	if now := flags.now; now != nil && !now.IsZero() {
		cmd.body = fixedClock(cmd.body, *now)
	}
	return nil
}

func mergeFlags(root, own *Flags) *Flags {
	if root == own {
		return own
	}
	merged := *own
	merged.flags = slices.Concat(root.flags, own.flags)
	return &merged
}

func find(options []*option, name string) *option {
	for _, o := range options {
		if o.name == name {
			return o
		}
	}
	panic("cli: kingpin knows " + name + ", we do not")
}

// missing names the first flag or argument that must be given and is not.
func missing(flags *Flags) error {
	for _, name := range flags.required {
		if !flags.lookup(name).seen {
			return Usagef("--%s is required", name)
		}
	}
	for _, o := range flags.args {
		if !o.optional && !o.seen {
			return Usagef("%s is missing", o.label)
		}
	}
	return nil
}

// compileQuery makes --select ready before anything is done.
func (p *program) compileQuery(std IO) error {
	if !p.root.lookup("select").seen || std.run == nil {
		return nil
	}
	query, err := jsondoc.CompileQuery(*p.query)
	if err != nil {
		return Usagef("--select: %w", err)
	}
	std.run.query = query
	return nil
}

// noCommand explains that a verb is missing.
func (p *program) noCommand(parsed *kingpin.ParseContext) error {
	group := ""
	if parsed.SelectedCommand != nil {
		group = parsed.SelectedCommand.FullCommand()
	}
	verbs := p.verbs(group)
	if group != "" {
		return Usagef("%q needs a command (expected %s)", group, OneOf(verbs))
	}
	return Usagef("no command given (expected %s)", OneOf(verbs))
}

// verbs lists what can follow: first words at the top, second words in a group.
func (p *program) verbs(group string) []string {
	var verbs []string
	for _, c := range p.app.Commands {
		first, second, _ := strings.Cut(c.Name, " ")
		word := first
		if group != "" {
			word = second
		}
		if c.Hidden || (group != "" && first != group) || slices.Contains(verbs, word) {
			continue
		}
		verbs = append(verbs, word)
	}
	return verbs
}

// checkSpelling refuses two spellings that kingpin misreads without a word:
// "--json=false" (it takes the value for an argument) and "-o=x" (it takes
// "=x" for the value).
func (p *program) checkSpelling(cmd *command, head []string) error {
	flags := p.root.flags
	if cmd != nil && cmd.flags != p.root {
		flags = slices.Concat(flags, cmd.flags.flags)
	}
	for _, word := range head {
		if long, ok := strings.CutPrefix(word, "--"); ok {
			name, _, hasValue := strings.Cut(long, "=")
			i := slices.IndexFunc(flags, func(o *option) bool { return o.name == name && o.bool })
			if hasValue && i >= 0 {
				return Usagef("--%s takes no value", name)
			}
			continue
		}
		if len(word) > 2 && word[0] == '-' && word[2] == '=' {
			i := slices.IndexFunc(flags, func(o *option) bool { return o.short == rune(word[1]) })
			if i >= 0 {
				return Usagef("%q (expected -%c VALUE or --%s=VALUE)", word, word[1], flags[i].name)
			}
		}
	}
	return nil
}

// kingpinErrors are the messages of kingpin's ParseContext, and ours.
var kingpinErrors = []struct {
	prefix, suffix string
	say            func(string) error
}{
	{"unknown long flag '", "'", unknownFlag},
	{"unknown short flag '", "'", unknownFlag},
	{"expected argument for flag '", "'", func(flag string) error {
		return Usagef("%s needs a value (write %s=VALUE where the value begins with -)", flag, flag)
	}},
	{"expected command but got ", "", nil},
	{"unexpected ", "", func(word string) error { return Usagef("unexpected argument %q", unmask(word)) }},
}

func unknownFlag(flag string) error { return Usagef("unknown flag %s", flag) }

// isUsage tells a mistake of the user from one in the App.
func isUsage(err error) bool {
	for _, e := range kingpinErrors {
		if strings.HasPrefix(err.Error(), e.prefix) {
			return true
		}
	}
	return false
}

// group is the group of commands that the words lead to: "policy" in front of
// a second word that none of its commands has.
func (p *program) group(words []string) string {
	path, _ := p.walk(words)
	if len(path) == 1 && p.commands[path[0]] == nil && path[0] != "help" {
		return path[0]
	}
	return ""
}

// usageError puts kingpin's complaint, about words below a command or group,
// into our words.
func (p *program) usageError(err error, command string) error {
	for _, e := range kingpinErrors {
		rest, ok := strings.CutPrefix(err.Error(), e.prefix)
		if !ok {
			continue
		}
		if e.say != nil {
			return e.say(strings.TrimSuffix(rest, e.suffix))
		}
		word, err := strconv.Unquote(rest)
		if err != nil {
			word = rest
		}
		if group := p.verbs(command); command != "" && len(group) > 0 {
			return Usagef("unknown command %q of %q (expected %s)", unmask(word), command, OneOf(group))
		}
		return Usagef("unknown command %q (expected %s)", unmask(word), OneOf(p.verbs("")))
	}
	return Usagef("%w", err)
}
