package main

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
	"okstra/lib/translate"
)

// keep is the text of a sidecar that is to replace the one at path: with the
// keys that a newer version put into that one, those of an item with the item
// of the same source. A newer major version is refused, for nobody here knows
// what would be lost. What cannot be read as a sidecar has nothing to keep.
// Rule: docs/documents.md, "Unknown keys".
func keep(path string, next translate.Sidecar) ([]byte, error) {
	text := next.Format()
	doc, err := jsondoc.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(doc.Raw, text) {
		return text, nil
	}
	var was translate.Sidecar
	if err != nil || doc.Decode(&was) != nil || was.Kind != translate.SidecarKind {
		return text, nil
	}
	if err := newer(doc); err != nil {
		return nil, err
	}
	unknown := doc.Unknown(was)
	if len(unknown) == 0 {
		return text, nil
	}
	whole, err := jsondoc.Parse(path, text)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(next.Items))
	for i, item := range next.Items {
		at[item.Source] = i
	}
	var members []jsondoc.Member
	for _, pointer := range unknown {
		tokens, _ := jsondoc.Tokens(pointer)
		if tokens[0] == "waived" {
			continue // waivers are those of this call
		}
		if tokens[0] == "items" && len(tokens) > 2 {
			i, err := strconv.Atoi(tokens[1])
			if err != nil || i >= len(was.Items) {
				continue
			}
			j, there := at[was.Items[i].Source]
			if !there {
				continue
			}
			tokens[1] = strconv.Itoa(j)
		}
		value, _ := doc.Lookup(pointer)
		members = append(members, jsondoc.Member{Pointer: jsondoc.Pointer(tokens...), Value: value})
	}
	whole, err = whole.Add(members)
	return whole.Raw, err
}

// newer is the error for a document of a major version that nobody here knows.
func newer(doc jsondoc.Doc) error {
	var fault *schema.Error
	if !errors.As(schema.Check(doc, translate.SidecarKind), &fault) {
		return nil
	}
	for _, p := range fault.Problems {
		if p.Code == schema.CodeVersion {
			return cli.WithHint(cli.BadInput(fault), "a newer okstra wrote it; move it away to write another")
		}
	}
	return nil
}
