package translate

import (
	"testing"

	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

func TestEveryDocumentWrittenHereIsValid(t *testing.T) {
	old := reportOf(t, report(path("One a", "Two b", "Three c")))
	s := translated(t, old)
	s.Items[0].State = StateReviewed
	s.Waived = []Waiver{{Check: "number", Reason: "said in words"}}
	r := reportOf(t, report(path("One a", "Two B", "Four d")))
	m, err := r.Match(s)
	if err != nil {
		t.Fatal(err)
	}
	status := r.Status()
	for _, state := range []string{Missing, Invalid} {
		l := r.Judge(nil, state)
		l.Lang, l.Path = "ko", "r.translation.ko.json"
		status.Translations = append(status.Translations, l)
	}
	id, at := "T-001", "/x"
	findings := NewFindings([]Finding{
		{Check: CheckCount, Level: LevelError, Message: "m"},
		{Check: "number", Level: LevelWarning, Item: &id, Pointer: &at, Line: 3, Missing: []string{"1"}, Message: "m"},
	})
	for name, v := range map[string]any{
		SourceKind: r.Update("ko", m), SidecarKind: s, StatusKind: status, FindingsKind: findings,
	} {
		raw, err := jsondoc.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse(name, raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range schema.Validate(doc, name) {
			t.Errorf("%s: %s %s: %s", name, f.Code, f.Pointer, f.Message)
		}
	}
}

func TestASidecarIsLaidOutLikeEveryDocument(t *testing.T) {
	r := reportOf(t, report(path(`One \"a\"\n<&>\u0001\u007f`, "Two b")+`,"risks":[{"statement":"Two b"}]`))
	none := reportOf(t, report(""))
	for _, s := range []*Sidecar{translated(t, r), translated(t, none)} {
		for _, waived := range [][]Waiver{{}, {{"number", "in words"}, {"length", "a \"poem\""}}} {
			s.Waived = waived
			want, err := jsondoc.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Format(); string(got) != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}
