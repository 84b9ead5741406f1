package po

import (
	"fmt"
	"strings"

	"okstra/lib/translate"
)

// The header fields that are ours: the digest of what the file was made from,
// and the exact language, which Language cannot always say.
const (
	digestField = "X-Okstra-Source-Digest"
	langField   = "X-Okstra-Lang"
)

// About is what an exchange file says in its head.
type About struct {
	Data    string // base name of the report's data
	Lang    string // BCP 47
	Digest  string
	Revised string // PO date, as 2026-09-08 20:00+0000
}

// Make turns the items of a report into a PO file. A text that only a machine
// has seen is fuzzy; a text whose source has changed is fuzzy too and keeps
// the old source as its previous one. NUL cannot stand in a PO file: gettext
// would end the string there.
func Make(units []translate.Unit, about About) (File, error) {
	f := File{
		Comments: []string{"Texts of the report " + about.Data + "."},
		Header: []Field{
			{"Project-Id-Version", about.Data},
			{"PO-Revision-Date", about.Revised},
			{"Last-Translator", "none"},
			{"Language-Team", "none"},
			{"Language", Posix(about.Lang)},
			{"MIME-Version", "1.0"},
			{"Content-Type", "text/plain; charset=UTF-8"},
			{"Content-Transfer-Encoding", "8bit"},
			{langField, about.Lang},
			{digestField, about.Digest},
		},
	}
	for _, u := range units {
		if strings.Contains(u.Source+u.Text, "\x00") {
			return File{}, fmt.Errorf("%s holds U+0000, which a PO file cannot (use xliff or the Markdown)", u.ID)
		}
		id := u.ID
		e := Entry{Extracted: u.At, Flags: []string{"markdown-text"}, Text: Text{Context: &id, ID: u.Source}, Str: u.Text}
		for _, at := range u.At {
			e.References = append(e.References, about.Data+":"+at)
		}
		switch {
		case u.Before != nil:
			e.Previous = &Text{Context: &id, ID: u.Before.Source}
			e.Str = u.Before.Text
			e.Flags = []string{"fuzzy", "markdown-text"}
		case u.State == translate.StateTranslated:
			e.Flags = []string{"fuzzy", "markdown-text"}
		}
		f.Entries = append(f.Entries, e)
	}
	return f, nil
}

// Read turns a PO file into what a report can take. An entry that is fuzzy and
// still has a previous source is not translated: its text belongs to that.
func Read(name string, f File, lang string) translate.Exchange {
	x := translate.Exchange{Name: name, Origin: translate.OriginPO, Digest: f.Get(digestField)}
	if got := f.Get(langField); got != "" && got != lang {
		x.Lang = got
	} else if got := f.Get("Language"); got != "" && !strings.EqualFold(got, Posix(lang)) && !strings.EqualFold(got, lang) {
		x.Lang = got
	}
	for _, e := range f.Entries {
		u := translate.Unit{Source: e.ID, Text: e.Str, Line: e.Line}
		if e.Context != nil {
			u.ID = *e.Context
		}
		switch {
		case e.Str == "" || e.Fuzzy() && e.Previous != nil:
			u.Text = ""
		case e.Fuzzy():
			u.State = translate.StateTranslated
		default:
			u.State = translate.StateReviewed
		}
		x.Units = append(x.Units, u)
	}
	return x
}

// posixScripts are the scripts that gettext writes behind an @.
var posixScripts = map[string]string{"Latn": "latin", "Cyrl": "cyrillic", "Arab": "arabic", "Deva": "devanagari", "Hebr": "hebrew"}

// Posix is a language tag as gettext writes it: pt_BR, sr@latin, zh_TW. What
// it cannot say is left out.
func Posix(tag string) string {
	parts := strings.Split(tag, "-")
	base, region, script := parts[0], "", ""
	for _, p := range parts[1:] {
		if len(p) == 1 {
			break
		}
		switch {
		case len(p) == 4 && p[0] > '9':
			script = p
		case len(p) == 2 || len(p) == 3 && p[0] <= '9':
			region = p
		}
	}
	switch {
	case base == "zh" && region == "" && script == "Hans":
		region, script = "CN", ""
	case base == "zh" && region == "" && script == "Hant":
		region, script = "TW", ""
	}
	s := base
	if region != "" {
		s += "_" + region
	}
	if name, ok := posixScripts[script]; ok {
		s += "@" + name
	} else if script != "" && base != "zh" {
		s += "@" + strings.ToLower(script)
	}
	return s
}
