package translate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
)

// What makes the names of a report's files.
const (
	dataSuffix    = ".data.json"
	sidecarInfix  = ".translation."
	sidecarSuffix = ".json"
)

// The states of a translated item: reviewed means that a person has confirmed
// it in a translation tool.
const (
	StateTranslated = "translated"
	StateReviewed   = "reviewed"
)

// Where the text of an item came from.
const (
	OriginMarkdown = "markdown"
	OriginPO       = "po"
	OriginXLIFF    = "xliff"
	OriginReuse    = "reuse"
)

// Sidecar is a translation, the file beside the report's data.
// Rule: docs/translate.md, "Sidecar".
type Sidecar struct {
	SchemaVersion string       `json:"schemaVersion"`
	Kind          string       `json:"kind"`
	Lang          string       `json:"lang"`
	SourceLang    string       `json:"sourceLang"`
	Data          string       `json:"data"`
	SourceDigest  string       `json:"sourceDigest"`
	Waived        []Waiver     `json:"waived"`
	Items         []Translated `json:"items"`
}

// Waiver is a check that was switched off for a translation, and why.
type Waiver struct {
	Check  string `json:"check"`
	Reason string `json:"reason"`
}

// Translated is an item with its translation, outer white space included.
type Translated struct {
	ID     string   `json:"id"`
	Source string   `json:"source"`
	Text   string   `json:"text"`
	At     []string `json:"at"`
	State  string   `json:"state"`
	Origin string   `json:"origin"`
}

// Answer is what a translator gave for an item.
type Answer struct {
	ID     string
	Text   string // whole, as it goes into the report
	State  string
	Origin string
	Line   int // where it stands in the translator's file, 0 when nowhere
}

// SidecarPath is where the translation of a report into lang lies. Only the
// canonical form of the tag goes into the name, so it holds letters, digits and
// hyphens.
func SidecarPath(dataPath string, lang language.Tag) string {
	return strings.TrimSuffix(dataPath, dataSuffix) + sidecarInfix + lang.String() + sidecarSuffix
}

// SidecarLang is the language in the name of a file that is a sidecar of the
// report; ok is false for every other name.
func SidecarLang(dataPath, name string) (lang language.Tag, ok bool) {
	stem := strings.TrimSuffix(filepath.Base(dataPath), dataSuffix) + sidecarInfix
	rest, ok := strings.CutPrefix(name, stem)
	if !ok {
		return language.Und, false
	}
	if rest, ok = strings.CutSuffix(rest, sidecarSuffix); !ok {
		return language.Und, false
	}
	tag, err := ParseLang(rest)
	return tag, err == nil && tag.String() == rest
}

// Sidecar puts answers together. There must be one for every item of the
// report, in their order; anything else is a fault of the caller.
func (r *Report) Sidecar(lang string, answers []Answer, waived []Waiver) (Sidecar, error) {
	if len(answers) != len(r.Items) {
		return Sidecar{}, fmt.Errorf("%d answers for %d items", len(answers), len(r.Items))
	}
	s := Sidecar{
		SchemaVersion: version, Kind: SidecarKind,
		Lang: lang, SourceLang: r.Lang, Data: r.Base(), SourceDigest: r.Digest(lang),
		Waived: slices.Clone(waived), Items: make([]Translated, len(answers)),
	}
	if s.Waived == nil {
		s.Waived = []Waiver{}
	}
	for i, a := range answers {
		item := r.Items[i]
		if a.ID != item.ID {
			return Sidecar{}, fmt.Errorf("answer %d is for %s (expected %s)", i+1, a.ID, item.ID)
		}
		s.Items[i] = Translated{
			ID: item.ID, Source: item.Source, Text: a.Text, At: item.At, State: a.State, Origin: a.Origin,
		}
	}
	return s, nil
}

// Format writes the sidecar as jsondoc.Marshal lays a document out. It has its
// own writer because a large report's translation is most of what a run of
// this program writes.
func (s Sidecar) Format() []byte {
	size := 512
	for _, item := range s.Items {
		size += len(item.Source) + len(item.Text) + 256 + 80*len(item.At)
	}
	out := make([]byte, 0, size)
	field := func(indent, name, value string) {
		out = append(append(append(append(out, indent...), '"'), name...), `": `...)
		out = digest.AppendString(out, value)
		out = append(out, ",\n"...)
	}
	out = append(out, "{\n"...)
	for _, f := range [][2]string{
		{"schemaVersion", s.SchemaVersion},
		{"kind", s.Kind},
		{"lang", s.Lang},
		{"sourceLang", s.SourceLang},
		{"data", s.Data},
		{"sourceDigest", s.SourceDigest},
	} {
		field("  ", f[0], f[1])
	}
	out = append(out, `  "waived": [`...)
	for i, w := range s.Waived {
		out = append(out, opening(i)...)
		field("      ", "check", w.Check)
		out = append(digest.AppendString(append(out, `      "reason": `...), w.Reason), "\n    }"...)
	}
	out = append(out, ending(len(s.Waived))+",\n"+`  "items": [`...)
	for i, item := range s.Items {
		out = append(out, opening(i)...)
		field("      ", "id", item.ID)
		field("      ", "source", item.Source)
		field("      ", "text", item.Text)
		out = append(out, `      "at": [`...)
		for j, at := range item.At {
			if j > 0 {
				out = append(out, ',')
			}
			out = digest.AppendString(append(out, "\n        "...), at)
		}
		out = append(out, "\n      ],\n"...)
		field("      ", "state", item.State)
		out = append(digest.AppendString(append(out, `      "origin": `...), item.Origin), "\n    }"...)
	}
	return append(out, ending(len(s.Items))+"\n}\n"...)
}

// opening begins element i of a list of objects.
func opening(i int) string {
	if i == 0 {
		return "\n    {\n"
	}
	return ",\n    {\n"
}

// ending ends a list of n objects.
func ending(n int) string {
	if n == 0 {
		return "]"
	}
	return "\n  ]"
}

// ReadSidecar reads a sidecar and checks what it says by itself: its kind, its
// language and that the ids of its items ascend from T-001 without a gap.
func ReadSidecar(doc jsondoc.Doc, lang language.Tag) (*Sidecar, error) {
	var s Sidecar
	if err := doc.Decode(&s); err != nil {
		return nil, err
	}
	if err := expectKind(doc, s.Kind, SidecarKind, s.SchemaVersion, 1); err != nil {
		return nil, err
	}
	if s.Lang != lang.String() {
		return nil, fmt.Errorf("%s: /lang: %q (expected %q)", doc.Name, s.Lang, lang)
	}
	for i, item := range s.Items {
		if item.ID != ID(i+1) {
			return nil, fmt.Errorf("%s: /items/%d/id: %q (expected %q)", doc.Name, i, item.ID, ID(i+1))
		}
		if len(item.At) == 0 {
			return nil, fmt.Errorf("%s: /items/%d/at: empty (expected at least one JSON pointer)", doc.Name, i)
		}
	}
	return &s, nil
}
