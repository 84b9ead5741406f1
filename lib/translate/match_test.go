package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"okstra/lib/jsondoc"
)

// translated is a sidecar that says ⟨text⟩ for every text of the report.
func translated(t testing.TB, r *Report) *Sidecar {
	t.Helper()
	var answers []Answer
	for _, item := range r.Items {
		answers = append(answers, Answer{ID: item.ID, Text: "⟨" + item.Source + "⟩", State: StateTranslated, Origin: OriginMarkdown})
	}
	s, err := r.Sidecar("ko", answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

func path(texts ...string) string {
	return fmt.Sprintf(`,"errorAnalysis":{"validationPath":["%s"]}`, strings.Join(texts, `","`))
}

func TestCountsOfAChangedReport(t *testing.T) {
	s := translated(t, reportOf(t, report(path("One a", "Two b", "Three c", "Four d", "Five e"))))
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"nothing changed", []string{"One a", "Two b", "Three c", "Four d", "Five e"}, "fresh 5 0 0 0"},
		{"one changed", []string{"One a", "Two B", "Three c", "Four d", "Five e"}, "stale 4 1 0 0"},
		{"one in front moves the others", []string{"Zero", "One a", "Two b", "Three c", "Four d", "Five e"}, "stale 5 0 1 0"},
		{"one gone", []string{"One a", "Two b", "Three c", "Four d"}, "stale 4 0 0 1"},
		{"changed, gone and new", []string{"One A", "Two b", "Three c", "Five e", "Six f", "Seven g"}, "stale 3 1 2 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reportOf(t, report(path(tt.texts...))).Judge(s, Missing)
			if text := fmt.Sprintln(got.State, got.Reusable, got.Changed, got.New, got.Removed); text != tt.want+"\n" {
				t.Errorf("got %swant %s", text, tt.want)
			}
		})
	}
}

func TestUsageFilledInLaterLeavesATranslationFresh(t *testing.T) {
	s := translated(t, reportOf(t, report(path("One a")+`,"usageSummary":null`)))
	r := reportOf(t, report(path("One a")+`,"usageSummary":{"unavailableReasons":["no session"]},"new":"key"`))
	if got := r.Judge(s, Missing).State; got != Fresh {
		t.Errorf("state %s", got)
	}
}

func TestASidecarThatOnlyClaimsToBeFreshIsInvalid(t *testing.T) {
	r := reportOf(t, report(path("One a", "Two b")))
	for _, tt := range []struct {
		name string
		edit func(*Sidecar)
	}{
		{"points at nothing", func(s *Sidecar) { s.Items[0].At = []string{"/nothing"} }},
		{"other source", func(s *Sidecar) { s.Items[1].Source = "x" }},
		{"an item less", func(s *Sidecar) { s.Items = s.Items[:1] }},
	} {
		s := translated(t, r)
		tt.edit(s)
		if got := r.Judge(s, Missing).State; got != Invalid {
			t.Errorf("%s: state %s", tt.name, got)
		}
	}
}

func TestASidecarIsReadStrictly(t *testing.T) {
	r := reportOf(t, report(path("One a", "Two b")))
	raw, err := jsondoc.Marshal(translated(t, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"T-002"`, `"T-003"`, `/items/1/id: "T-003" (expected "T-002")`},
		{`"lang": "ko"`, `"lang": "ja"`, `/lang: "ja" (expected "ko")`},
		{`"okstra-translation"`, `"okstra-job"`, `/kind`},
		{`"1.0"`, `"2.0"`, `/schemaVersion`},
		{`"/errorAnalysis/validationPath/0"`, ``, `/items/0/at`},
		{`"items": [`, `"items": [3, `, `/items/0`},
	} {
		doc, err := jsondoc.Parse("S.json", []byte(strings.Replace(string(raw), tt.old, tt.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSidecar(doc, language.Korean); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.new, err, tt.want)
		}
	}
}

func TestUpdateAsksForTheRestOnly(t *testing.T) {
	s := translated(t, reportOf(t, report(path("One a", "Two b", "Three c"))))
	s.Items[2].State = StateReviewed
	r := reportOf(t, report(path("One a", "Two B", "Three c", "Four d")))
	m, err := r.Match(s)
	if err != nil {
		t.Fatal(err)
	}
	u := r.Update("ko", m)
	if !slices.Equal(u.Ask, []string{"T-002", "T-004"}) {
		t.Errorf("ask %q", u.Ask)
	}
	if want := []Reuse{{"T-001", "⟨One a⟩", ""}, {"T-003", "⟨Three c⟩", StateReviewed}}; !slices.Equal(u.Reuse, want) {
		t.Errorf("reuse %+v", u.Reuse)
	}
	if want := []Previous{{"T-002", "Two b", "⟨Two b⟩"}}; !slices.Equal(u.Previous, want) {
		t.Errorf("previous %+v", u.Previous)
	}
	if u.Digest != r.Digest("ko") || u.partition() != nil {
		t.Errorf("digest %s, partition %v", u.Digest, u.partition())
	}
}

func TestApplyReplacesStringsAndKeepsEveryOtherByte(t *testing.T) {
	text := `{ "schemaVersion":"2.0", "kind":"okstra-final-report",
	"header":{"reportLanguage" : "en", "n": 1.50, "x":[1,{"reportLanguage":"en"}]},
  "risks":[ {"statement":"On\u0065 a","zz":null} ,{"statement":"One a"}],"verdictCard":{"nextStep":"  Two \"b\"\n"}}
`
	r := reportOf(t, text)
	s := translated(t, r)
	m, err := r.Match(s)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`"On\u0065 a"`, `"⟨One a⟩"`, `"One a"`, `"⟨One a⟩"`, `"  Two \"b\"\n"`, `"⟨  Two \"b\"\n⟩"`,
		`"reportLanguage" : "en"`, `"reportLanguage" : "ko"`).Replace(text)
	if got := string(r.Apply("ko", m)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAPartialApplyUsesWhatStillStands(t *testing.T) {
	s := translated(t, reportOf(t, report(path("One a", "Two b"))))
	r := reportOf(t, report(path("One a", "Two B")))
	m, err := r.Match(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Apply("ko", m)); !strings.Contains(got, `["⟨One a⟩","Two B"]`) {
		t.Errorf("got %s", got)
	}
	if rest := r.Untranslated(m); len(rest) != 1 || rest[0].ID != "T-002" {
		t.Errorf("untranslated %+v", rest)
	}
}

func TestSidecarNeedsOneAnswerPerItemInOrder(t *testing.T) {
	r := reportOf(t, report(path("One a", "Two b")))
	if _, err := r.Sidecar("ko", []Answer{{ID: "T-001"}}, nil); err == nil {
		t.Error("an answer less is taken")
	}
	if _, err := r.Sidecar("ko", []Answer{{ID: "T-002"}, {ID: "T-001"}}, nil); err == nil {
		t.Error("answers out of order are taken")
	}
}

func TestSidecarNames(t *testing.T) {
	const data = "r/final-report-error-analysis-001.data.json"
	name := SidecarPath(data, language.MustParse("PT_br"))
	if name != "r/final-report-error-analysis-001.translation.pt-BR.json" {
		t.Errorf("path %q", name)
	}
	for name, want := range map[string]string{
		"final-report-error-analysis-001.translation.pt-BR.json": "pt-BR",
		"final-report-error-analysis-001.translation.pt_br.json": "",
		"final-report-error-analysis-001.translation.x-a.json":   "",
		"final-report-error-analysis-002.translation.ko.json":    "",
		"final-report-error-analysis-001.data.json":              "",
	} {
		tag, ok := SidecarLang(data, name)
		if got := tag.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %v", name, got, ok)
		}
	}
}
