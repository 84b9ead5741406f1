package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// ParseLang reads a language tag and gives its canonical form, from which file
// names are made: KO_kr becomes ko-KR, iw becomes he. A tag that names no
// language (und, x-foo) is refused though it is well-formed.
func ParseLang(s string) (language.Tag, error) {
	tag, err := language.Parse(s)
	if err != nil {
		var unknown language.ValueError
		if errors.As(err, &unknown) {
			return language.Und, fmt.Errorf("language %q: %q is not a known part of a tag (expected one like ko or pt-BR)", s, unknown.Subtag())
		}
		return language.Und, fmt.Errorf("language %q: not a language tag (expected one like ko or pt-BR)", s)
	}
	base, _, _ := tag.Raw()
	switch b := base.String(); {
	case b == "und" || b == "mul" || b == "zxx" || b == "mis":
		return language.Und, fmt.Errorf("language %q: names no language (expected one like ko or pt-BR)", s)
	case b >= "qaa" && b <= "qtz" && len(b) == 3, slices.Contains(strings.Split(tag.String(), "-"), "x"):
		return language.Und, fmt.Errorf("language %q: private use means nothing to a translator (expected a tag like ko or pt-BR)", s)
	}
	return tag, nil
}

// TargetLang reads the language to translate into; that of the report itself
// is refused. The report's own language is compared in canonical form when it
// has one.
func TargetLang(s, reportLang string) (language.Tag, error) {
	tag, err := ParseLang(s)
	if err != nil {
		return language.Und, err
	}
	if own, err := ParseLang(reportLang); err == nil && own == tag || reportLang == tag.String() {
		return language.Und, fmt.Errorf("language %q: the report is in that language", s)
	}
	return tag, nil
}

// LangName is the English name of a language, for a person; the tag itself where
// there is none.
func LangName(tag language.Tag) string {
	if name := display.English.Tags().Name(tag); name != "" {
		return name
	}
	return tag.String()
}
