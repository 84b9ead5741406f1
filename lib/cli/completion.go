package cli

import (
	"slices"
	"strings"
)

// completions lists what can stand in the place of the last word, one
// "word<TAB>summary" a line. Nothing means that a file name is expected, and
// the shell then completes those.
func (p *program) completions(words []string) string {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	path, pending := p.walk(before)
	cmd := p.commands[strings.Join(path, " ")]
	if cmd == nil && len(path) == 0 && p.app.Default != "" {
		cmd = p.commands[p.app.Default]
	}

	var found []string
	add := func(word, summary string) {
		if !strings.HasPrefix(word, last) {
			return
		}
		if summary != "" {
			word += "\t" + summary
		}
		found = append(found, word+"\n")
	}
	switch {
	case pending != nil:
		for _, choice := range pending.choices {
			add(choice, "")
		}
	case strings.HasPrefix(last, "-"):
		for _, o := range p.visible(cmd) {
			add("--"+o.name, "")
		}
	case slices.Contains(path, "help"):
		for _, verb := range p.verbs(strings.Join(path[1:], " ")) {
			add(verb, p.summary(path[1:], verb))
		}
	case cmd == nil || len(path) == 0:
		for _, verb := range p.verbs(strings.Join(path, " ")) {
			add(verb, p.summary(path, verb))
		}
		if len(path) == 0 && p.commands[""] == nil {
			add("help", "explain a command")
		}
	}
	return strings.Join(found, "")
}

// walk follows the words to a command. pending is the flag that still waits
// for its value.
func (p *program) walk(words []string) (path []string, pending *option) {
	for _, word := range words {
		if pending != nil {
			pending = nil
			continue
		}
		if strings.HasPrefix(word, "-") {
			pending = p.awaits(path, word)
			continue
		}
		next := append(slices.Clone(path), word)
		_, isCommand := p.commands[strings.Join(next, " ")]
		isGroup := len(path) == 0 && len(p.verbs(word)) > 0
		if isCommand || isGroup || (word == "help" && len(path) == 0) || slices.Contains(path, "help") {
			path = next
		}
	}
	return path, pending
}

// awaits is the flag that a word names when its value is the next word.
func (p *program) awaits(path []string, word string) *option {
	for _, o := range p.visible(p.commands[strings.Join(path, " ")]) {
		if !o.bool && (word == "--"+o.name || (o.short != 0 && word == "-"+string(o.short))) {
			return o
		}
	}
	return nil
}

// visible lists the flags that a command takes, the common ones last.
func (p *program) visible(cmd *command) []*option {
	var own []*option
	if cmd != nil && cmd.flags != p.root {
		own = cmd.flags.flags
	}
	return slices.DeleteFunc(slices.Concat(own, p.root.flags), func(o *option) bool { return o.hidden })
}

func (p *program) summary(path []string, verb string) string {
	if cmd := p.commands[strings.Join(append(slices.Clone(path), verb), " ")]; cmd != nil {
		return cmd.Summary
	}
	if len(path) == 0 {
		return strings.Join(p.verbs(verb), ", ") // of a group what can be done
	}
	return ""
}

// script fills the program's name into a shell script.
func (p *program) script(text string) string {
	return strings.NewReplacer(
		"@PROGRAM@", p.app.Name,
		"@FUNCTION@", "_"+strings.ReplaceAll(p.app.Name, "-", "_"),
		"@ASK@", completionFlag,
	).Replace(text)
}

func (p *program) bashScript() string {
	return p.script(`# bash completion for @PROGRAM@
@FUNCTION@() {
    local IFS=$'\n' found
    found=$("${COMP_WORDS[0]}" @ASK@ -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
    COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F @FUNCTION@ @PROGRAM@
`)
}

func (p *program) zshScript() string {
	return p.script(`#compdef @PROGRAM@
@FUNCTION@() {
    local line
    local -a found names shown
    found=(${(f)"$("${words[1]}" @ASK@ -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    for line in $found; do
        names+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    if (( $#names )); then
        compadd -l -d shown -a names
    else
        _files
    fi
}
compdef @FUNCTION@ @PROGRAM@
`)
}

func (p *program) fishScript() string {
	return p.script(`# fish completion for @PROGRAM@
function _@FUNCTION@
    set -l typed (commandline -opc) (commandline -ct)
    set -l found (@PROGRAM@ @ASK@ -- $typed[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c @PROGRAM@ -f -a '(_@FUNCTION@)'
`)
}
