package translate

import "testing"

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
