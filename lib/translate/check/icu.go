package check

import (
	"fmt"
	"slices"
	"strings"
)

// compareICU compares the structure of two ICU messages; it has nothing to say
// about a source that is none. A translation may have other plural categories
// than its source, as its language needs, but the same arguments, words of the
// format and choices, a branch "other" and text in every branch.
func compareICU(p *pair) []Result {
	if p.icu == nil {
		return nil
	}
	target, err := parseICU(p.target.whole)
	if err != nil {
		return said(strings.TrimPrefix(err.Error(), errICU.Error()+": "))
	}
	results := differ(argumentNames(p.icu), argumentNames(target))
	source := make(map[string][]*argument)
	for _, a := range allArguments(p.icu) {
		source[a.key()] = append(source[a.key()], a)
	}
	kept, all := argumentNames(target), allArguments(target)
	if len(all) > maxArguments {
		return results // no message of a person; each of its branches costs a look at all others
	}
	for _, a := range all {
		results = append(results, compareNearest(source[a.key()], a, kept)...)
	}
	return results
}

// maxArguments bounds the messages whose branches are compared.
const maxArguments = 500

// compareNearest compares an argument with that of the same name and kind in
// the source. Of several, it may stand for any.
func compareNearest(sources []*argument, target *argument, kept []string) []Result {
	var first []Result
	for i, source := range sources {
		results := compareBranches(source, target, kept)
		if len(results) == 0 {
			return nil
		}
		if i == 0 {
			first = results
		}
	}
	return first
}

// key names an argument with its kind, as {n, plural}.
func (a *argument) key() string {
	if a.kind == "" {
		return "{" + a.name + "}"
	}
	return "{" + a.name + ", " + a.kind + "}"
}

// allArguments lists the arguments of a message and of all its branches.
func allArguments(m *message) []*argument {
	var all []*argument
	for i := range m.args {
		a := &m.args[i]
		all = append(all, a)
		for _, b := range a.branches {
			all = append(all, allArguments(b.message)...)
		}
	}
	return all
}

// argumentNames is the arguments of a message, each once however many branches
// repeat it.
func argumentNames(m *message) []string {
	var names []string
	seen := make(map[string]bool)
	for _, a := range allArguments(m) {
		name := a.key()
		if a.style != "" {
			name = name[:len(name)-1] + ", " + a.style + "}"
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func (a *argument) branch(selector string) *message {
	for _, b := range a.branches {
		if b.selector == selector {
			return b.message
		}
	}
	return nil
}

// compareBranches compares the branches of two arguments. kept is the arguments
// that the translation has somewhere: one that it lost altogether has been
// reported once and is not reported again for each branch.
func compareBranches(source, target *argument, kept []string) []Result {
	if len(source.branches) == 0 {
		return nil
	}
	var results []Result
	missing := func(selector string) {
		results = append(results, Result{
			Missing: []string{selector},
			Message: fmt.Sprintf("no branch %q in %s", selector, target.key()),
		})
	}
	plural := source.kind != "select"
	for _, b := range source.branches {
		// Plural categories depend on the language; the others do not.
		fixed := !plural || strings.HasPrefix(b.selector, "=") || b.selector == "other"
		if fixed && target.branch(b.selector) == nil {
			missing(b.selector)
		}
	}
	for _, b := range target.branches {
		form := source.branch(b.selector)
		if form == nil {
			if !plural || !slices.Contains(pluralWords, b.selector) {
				results = append(results, Result{
					Extra:   []string{b.selector},
					Message: fmt.Sprintf("branch %q in %s is not in the source", b.selector, target.key()),
				})
				continue
			}
			// A category that the source language does not have says what
			// the source's general form says.
			if form = source.branch("other"); form == nil {
				continue
			}
		}
		results = append(results, compareBranch(target.key(), b, form, plural, kept)...)
	}
	return results
}

// compareBranch compares a branch with the form of the source it stands for.
func compareBranch(key string, b branch, form *message, plural bool, kept []string) []Result {
	if b.message.empty && !form.empty {
		return said(fmt.Sprintf("empty branch %q in %s", b.selector, key))
	}
	var lost []string
	for _, name := range difference(argumentNames(form), argumentNames(b.message)) {
		if slices.Contains(kept, name) {
			lost = append(lost, name)
		}
	}
	// One, two and zero may be said in words.
	counted := b.selector == "other" || b.selector == "few" || b.selector == "many"
	if plural && form.hash && !b.message.hash && counted && !says(b.message, key) {
		lost = append(lost, "#")
	}
	if len(lost) == 0 {
		return nil
	}
	return []Result{{Missing: lost, Message: fmt.Sprintf("branch %q in %s: missing %s", b.selector, key, strings.Join(lost, " "))}}
}

// says whether a branch shows the number of its argument by name.
func says(m *message, key string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, "{"), ",")
	return slices.ContainsFunc(m.args, func(a argument) bool { return a.name == name })
}
