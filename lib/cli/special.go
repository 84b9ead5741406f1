package cli

import "strings"

// specials are the hidden flags that print something about the program itself.
// They write through standard output like everything else; kingpin's own
// versions would go around it.
var specials = map[string]func(*program) string{
	"--help-man":               (*program).manPage,
	"--completion-script-bash": (*program).bashScript,
	"--completion-script-zsh":  (*program).zshScript,
	"--completion-script-fish": (*program).fishScript,
}

// kingpinHidden are the flags that kingpin adds to every program.
var kingpinHidden = map[string]bool{
	"help-long":              true,
	"help-man":               true,
	"completion-bash":        true,
	"completion-script-bash": true,
	"completion-script-zsh":  true,
}

// completionFlag asks for the words that can follow those after "--".
const completionFlag = "--completion-words"

// special answers the hidden flags, and refuses kingpin's. It gives nil, nil
// for an ordinary command line.
func (p *program) special(head, tail []string) (*call, error) {
	if len(head) == 1 && head[0] == completionFlag {
		return printing(func() string { return p.completions(tail) }), nil
	}
	for _, word := range head {
		long, isLong := strings.CutPrefix(word, "--")
		if !isLong {
			continue
		}
		if text, ok := specials[word]; ok {
			return printing(func() string { return text(p) }), nil
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(long, "no-"), "=")
		if kingpinHidden[name] {
			return &call{}, unknownFlag(word)
		}
	}
	return nil, nil
}
