package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Example is a command line from a help page, for the test that runs it.
type Example struct {
	Command string // the command whose page it stands on, "" for the program's
	Line    string // for a shell
	Status  int    // what it must end with: from "# status N" at its end, else 0
}

// Examples lists the examples of all pages, in their order.
func Examples(app App) []Example {
	p := wholeProgram(app)
	var list []Example
	add := func(name string) {
		for _, e := range parsePage(p.helpText(name)).examples() {
			e.Command = name
			list = append(list, e)
		}
	}
	add("")
	for _, c := range app.Commands {
		if c.Name != "" && !c.Hidden {
			add(c.Name)
		}
	}
	return list
}

// examples reads the EXAMPLES section: one command line per line, going on
// after a backslash or a pipe; lines that begin with # are remarks.
func (p page) examples() []Example {
	var list []Example
	open := false
	for _, line := range p.section("EXAMPLES") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if open {
			list[len(list)-1].Line += "\n" + line
		} else {
			list = append(list, Example{Line: line})
		}
		open = strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|")
	}
	for i, e := range list {
		if before, status, ok := strings.Cut(e.Line, "# status "); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(status)); err == nil {
				list[i].Line, list[i].Status = strings.TrimSpace(before), n
			}
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
