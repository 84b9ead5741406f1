package translate

import (
	"testing"

	"golang.org/x/text/language"
)

func TestLanguageTags(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"ko", "ko"},
		{"KO_kr", "ko-KR"},
		{"iw", "he"},
		{"no", "no"},
		{"cmn", "cmn"},
		{"zh-TW", "zh-TW"},
		{"ko-XX", "ko-XX"},
		{"sr-Latn", "sr-Latn"},
		{"xx", ""},
		{"english", ""},
		{"../x", ""},
		{"und", ""},
		{"und-KR", ""},
		{"root", ""},
		{"x-foo", ""},
		{"ko-x-foo", ""},
		{"qaa", ""},
		{"mul", ""},
		{"zxx", ""},
		{"", ""},
		{"ko\x00", ""},
		{"ko/../x", ""},
	} {
		tag, err := ParseLang(tt.in)
		if got := tag.String(); (err == nil) != (tt.want != "") || err == nil && got != tt.want {
			t.Errorf("ParseLang(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestTheReportsOwnLanguageIsNoTarget(t *testing.T) {
	for _, own := range []string{"ko-KR", "KO_kr"} {
		if _, err := TargetLang("ko-kr", own); err == nil {
			t.Errorf("a report in %s is translated into ko-KR", own)
		}
	}
	if _, err := TargetLang("pt-BR", "pt"); err != nil {
		t.Error(err)
	}
}

func TestEveryLanguageHasANameForPeople(t *testing.T) {
	for tag, want := range map[string]string{"ko": "Korean", "pt-BR": "Brazilian Portuguese", "sgn-US": "sgn-US"} {
		if got := LangName(language.MustParse(tag)); got != want {
			t.Errorf("LangName(%s) = %q, want %q", tag, got, want)
		}
	}
}
