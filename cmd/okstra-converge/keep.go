package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/converge/planbody"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// document is how a kind of state is read and written anew.
type document[S any] struct {
	kind  string
	check func(S) []finding.Finding
	// list is the one list whose elements move from one state to the next,
	// by their names.
	list  string
	names func(S) []string
}

// states: findings of later rounds come in between the earlier ones.
func states() document[converge.State] {
	return document[converge.State]{converge.StateKind, converge.Check, "findings", func(s converge.State) (names []string) {
		for _, f := range s.Findings {
			names = append(names, f.GroupID)
		}
		return names
	}}
}

// plans: a fix makes other items, also where the number is the same.
func plans() document[planbody.State] {
	return document[planbody.State]{planbody.Kind, planbody.Check, "items", func(s planbody.State) (names []string) {
		for _, item := range s.Items {
			names = append(names, item.ItemID+" "+item.Digest)
		}
		return names
	}}
}

// read reads a state and refuses one that contradicts itself.
func (d document[S]) read(std cli.IO, file *cli.Input) (S, error) {
	s, _, err := d.open(std, file)
	return s, err
}

func (d document[S]) open(std cli.IO, file *cli.Input) (s S, doc jsondoc.Doc, err error) {
	if doc, err = file.Doc(std); err != nil {
		return s, doc, err
	}
	if err := schema.Decode(doc, d.kind, &s); err != nil {
		return s, doc, err
	}
	return s, doc, cli.BadInput(located(doc, d.check(s)))
}

// rewrite reads a state, makes the next one of it, and writes that with the
// keys that a newer version put into the old one.
func (d document[S]) rewrite(std cli.IO, file *cli.Input, out *cli.Output, makes func(S) (S, error)) (S, error) {
	was, doc, err := d.open(std, file)
	if err != nil {
		return was, err
	}
	is, err := makes(was)
	if err != nil {
		return is, err
	}
	whole, err := keep(doc, was, is, func() place { return moved(d.list, d.names(was), d.names(is)) })
	if err != nil {
		return is, err
	}
	return is, out.Document(std, whole)
}

// place is where a part of one document stands in the next, as the tokens of a
// pointer; nil where it is there no more.
type place func(tokens []string) []string

// keep gives what is to be written for next: next itself, and with it what
// stands in doc and was not read from it, because the values have no place for
// it. It refuses what no command could read again.
// Rule: docs/documents.md, "Unknown keys".
func keep(doc jsondoc.Doc, read, next any, places func() place) (json.RawMessage, error) {
	text, err := jsondoc.Marshal(next)
	if err != nil {
		return nil, err
	}
	if len(text) > jsondoc.MaxSize {
		return nil, cli.BadInput(fmt.Errorf("%s: the state made of it would have %d bytes (expected at most %d, or nothing could read it): group less at a time", doc.Name, len(text), jsondoc.MaxSize))
	}
	unknown := doc.Unknown(read)
	if len(unknown) == 0 {
		return text, nil
	}
	whole, err := jsondoc.Parse(doc.Name, text)
	if err != nil {
		return nil, err
	}
	at := places()
	var members []jsondoc.Member
	for _, pointer := range unknown {
		tokens, _ := jsondoc.Tokens(pointer)
		if tokens = at(tokens); tokens != nil {
			value, _ := doc.Lookup(pointer)
			members = append(members, jsondoc.Member{Pointer: jsondoc.Pointer(tokens...), Value: value})
		}
	}
	whole, err = whole.Add(members)
	return whole.Raw, err
}

// moved is where parts stand when the elements of one list have moved, which
// was and is name in order.
func moved(list string, was, is []string) place {
	at := make(map[string]int, len(is))
	for i, name := range is {
		at[name] = i
	}
	return func(tokens []string) []string {
		if len(tokens) < 3 || tokens[0] != list {
			return tokens
		}
		i, err := strconv.Atoi(tokens[1])
		if err != nil || i >= len(was) {
			return nil
		}
		j, there := at[was[i]]
		if !there {
			return nil
		}
		return append([]string{list, strconv.Itoa(j)}, tokens[2:]...)
	}
}

// inherited are the parts of an input that its state has as they are: task,
// configuration, workers and groups.
func inherited(tokens []string) []string {
	if len(tokens) < 2 {
		return nil
	}
	return tokens
}
