package xliff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/translate"
	"okstra/lib/translate/check"
)

var about = About{Data: "r.data.json", SourceLang: "en", Lang: "ko", Digest: "sha256:" + strings.Repeat("0", 64)}

// codesOf finds codes as the command does.
func codesOf(s string) []Code {
	var codes []Code
	for _, c := range check.Codes(s) {
		codes = append(codes, Code{c.Start, c.End, map[check.CodeKind]Kind{check.Alone: Alone, check.Open: Open, check.Close: Close}[c.Kind]})
	}
	return codes
}

var awkward = []string{
	"plain", "Use `fmt` and `fmt` here.", "[the `guide`](docs/x.md) of {n}", "<b>x</b> & y > z ]]> \"q\"", "\nboth ends\n", "CR\rand\r\nCRLF", "\x00\x01\x1b[1m\x7f\u0085",
	"\ufffe\uffff\u2028", "  spaces  inside ", "\ttab", "가나다", "```\ncode\x00 <x>\n```", "![a](b) [c](d)", "&amp; &#13;", "<!-- x -->", "<?x?>",
}

func units() []translate.Unit {
	var list []translate.Unit
	for i, s := range awkward {
		u := translate.Unit{ID: translate.ID(i + 1), At: []string{fmt.Sprintf("/a/%d", i), "/b"}, Source: s}
		switch i % 4 {
		case 1:
			u.Text, u.State = "⟨"+s+"⟩ {extra}", translate.StateTranslated
		case 2:
			u.Text, u.State = s, translate.StateReviewed
		case 3:
			u.Before = &translate.Previous{ID: u.ID, Source: "old\x00 " + s, Text: "이전 " + s}
		}
		list = append(list, u)
	}
	return list
}

func checkBack(t interface{ Fatalf(string, ...any) }, list []translate.Unit) {
	raw := Make(list, about, codesOf)
	x, dropped, err := Read("x.xlf", raw, "ko")
	if err != nil || len(dropped) > 0 {
		t.Fatalf("%v, dropped %q\n%s", err, dropped, raw)
	}
	if x.Lang != "" || x.Digest != about.Digest || len(x.Units) != len(list) {
		t.Fatalf("lang %q, digest %q, %d units", x.Lang, x.Digest, len(x.Units))
	}
	for i, got := range x.Units {
		want := list[i]
		if got.ID != want.ID || got.Source != want.Source || got.Text != want.Text || got.State != want.State {
			t.Fatalf("unit %d\n got %+v\nwant %+v\n%s", i, got, want, raw)
		}
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) { checkBack(t, units()) }

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringN(0, 4, -1)), 0, 4).Draw(t, "pieces"), "")
	})
}

func TestAnyTextsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := translate.Unit{ID: "T-001", Source: anyText().Draw(t, "source"), Text: anyText().Draw(t, "text")}
		if u.Text != "" {
			u.State = translate.StateTranslated
		}
		checkBack(t, []translate.Unit{u})
	})
}

func TestAUnitAsAToolSeesIt(t *testing.T) {
	list := []translate.Unit{{
		ID: "T-002", At: []string{"/risks/0/statement", "/risks/3/statement"}, State: translate.StateReviewed,
		Source: "Use `fmt` in [the guide](x.md), {n} times.", Text: "[안내서](x.md) 에서 {n} 번 `fmt` 를 쓴다.\x1b",
	}}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="ko">
  <file id="` + about.Digest + `" original="r.data.json" xml:space="preserve">
    <notes>
      <note category="okstra-target-language">ko</note>
    </notes>
    <unit id="T-002" name="/risks/0/statement" xml:space="preserve">
      <notes>
        <note category="location">/risks/3/statement</note>
      </notes>
      <originalData>
        <data id="d1">` + "`fmt`" + `</data>
        <data id="d2">[</data>
        <data id="d3">](x.md)</data>
        <data id="d4">{n}</data>
      </originalData>
      <segment state="reviewed">
        <source>Use <ph id="1" dataRef="d1" canCopy="no" canDelete="no"/> in <pc id="2" dataRefStart="d2" dataRefEnd="d3" canCopy="no" canDelete="no">the guide</pc>, <ph id="3" dataRef="d4" canCopy="no" canDelete="no"/> times.</source>
        <target><pc id="2" dataRefStart="d2" dataRefEnd="d3" canCopy="no" canDelete="no">안내서</pc> 에서 <ph id="3" dataRef="d4" canCopy="no" canDelete="no"/> 번 <ph id="1" dataRef="d1" canCopy="no" canDelete="no"/> 를 쓴다.<cp hex="001B"/></target>
      </segment>
    </unit>
  </file>
</xliff>
`
	if diff := cmp.Diff(want, string(Make(list, about, codesOf))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWithoutATargetTheFileNamesNoTargetLanguage(t *testing.T) {
	raw := Make([]translate.Unit{{ID: "T-001", Source: "a"}}, about, codesOf)
	if strings.Contains(string(raw), "trgLang") {
		t.Errorf("%s", raw)
	}
	x, _, err := Read("x.xlf", raw, "ja")
	if err != nil || x.Lang != "ko" {
		t.Errorf("lang %q, error %v", x.Lang, err)
	}
}

// file wraps units in a whole document.
func file(attrs, inside string) string {
	return `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="ko" ` + attrs + `><file id="f">` + inside + `</file></xliff>`
}

func unit(inside string) string { return file("", `<unit id="T-001">`+inside+`</unit>`) }

func TestWhatToolsWriteIsRead(t *testing.T) {
	for _, tt := range []struct{ name, text, source, target, state string }{
		{"no state", unit("<segment><source>a</source><target>b</target></segment>"), "a", "b", "translated"},
		{"final", unit(`<segment state="final"><source>a</source><target>b</target></segment>`), "a", "b", "reviewed"},
		{"no target", unit("<segment><source>a</source></segment>"), "a", "", ""},
		{"an empty target", unit(`<segment state="final"><source>a</source><target/></segment>`), "a", "", ""},
		{"split into segments", unit(`<segment state="reviewed"><source>A.</source><target>B.</target></segment><ignorable><source> </source></ignorable><segment state="translated"><source>C.</source><target>D.</target></segment>`), "A. C.", "B. D.", "translated"},
		{"one segment of two", unit("<segment><source>A.</source><target>B.</target></segment><segment><source>C.</source></segment>"), "A.C.", "", ""},
		{"segments in another order", unit(`<segment><source>A.</source><target order="3">1.</target></segment><ignorable><source> </source></ignorable><segment><source>C.</source><target order="1">2.</target></segment>`), "A. C.", "2. 1.", "translated"},
		{"in a group", file("", `<group id="g"><unit id="T-001"><segment><source>a</source><target>b</target></segment></unit></group>`), "a", "b", "translated"},
		{"an annotation", unit(`<segment><source>a <mrk id="m" type="term">b</mrk> c</source><target>d<sm id="m2"/>e<em startRef="m2"/></target></segment>`), "a b c", "de", "translated"},
		{"separated codes", unit(`<originalData><data id="d1">[</data><data id="d2">](x)</data></originalData><segment><source><sc id="1" dataRef="d1"/>a<ec startRef="1" dataRef="d2"/></source><target><sc id="1" dataRef="d1"/>b<ec startRef="1" dataRef="d2"/></target></segment>`), "[a](x)", "[b](x)", "translated"},
		{"a copy of a code", unit(`<originalData><data id="d1">{n}</data></originalData><segment><source><ph id="1" dataRef="d1"/></source><target><ph id="1" dataRef="d1"/><ph id="2" copyOf="1"/></target></segment>`), "{n}", "{n}{n}", "translated"},
		{"references and CDATA", unit("<segment><source>&lt;&#65;&#x42;<![CDATA[<c>]]>&#13;</source><target>b</target></segment>"), "<AB<c>\r", "b", "translated"},
		{"a comment", unit("<!-- x --><segment><source>a<!-- y -->b</source><target>c</target></segment>"), "ab", "c", "translated"},
		{"version 2.0", strings.Replace(unit("<segment><source>a</source><target>b</target></segment>"), "2.1", "2.0", 1), "a", "b", "translated"},
		{"a prefix", `<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="ko"><x:file id="f"><x:unit id="T-001"><x:segment><x:source>a</x:source><x:target>b</x:target></x:segment></x:unit></x:file></x:xliff>`, "a", "b", "translated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, _, err := Read("x.xlf", []byte(tt.text), "ko")
			if err != nil {
				t.Fatal(err)
			}
			if len(x.Units) != 1 || x.Units[0].Source != tt.source || x.Units[0].Text != tt.target || x.Units[0].State != tt.state {
				t.Errorf("units %+v", x.Units)
			}
		})
	}
}

// pootle 5884: what is not known must not get lost on a round trip. Hints of
// the standard's own modules are dropped with a note, all else is refused.
func TestWhatIsNotKnownIsRefused(t *testing.T) {
	good := "<segment><source>a</source><target>b</target></segment>"
	for _, tt := range []struct{ name, text, want string }{
		{"an attribute", file("", `<unit id="T-001" priority="3">`+good+`</unit>`), `x.xlf:1: <unit> has the attribute "priority"`},
		{"an attribute of a tool", file(`xmlns:o="urn:tool"`, `<unit id="T-001" o:x="3">`+good+`</unit>`), "<unit> has an attribute of urn:tool"},
		{"an element of a tool", file(`xmlns:o="urn:tool"`, `<unit id="T-001"><o:x/>`+good+`</unit>`), `<x> of "urn:tool" is not known`},
		{"an element", unit("<extra/>" + good), "<extra> inside <unit>"},
		{"an element in a text", unit("<segment><source>a <b>c</b></source></segment>"), "<b> inside <source>"},
		{"a module's element in a text", unit(`<segment><source>a <m:x xmlns:m="urn:oasis:names:tc:xliff:metadata:2.0"/></source></segment>`), `<x> of "urn:oasis:names:tc:xliff:metadata:2.0"`},
		{"a processing instruction", unit("<segment><source>a<?x y?></source></segment>"), "<?x?> would be lost"},
		{"text between elements", unit("text" + good), "text inside <unit>"},
		{"a code without data", unit(`<segment><source><ph id="1"/></source></segment>`), `<ph> has no original data`},
		{"a copy of nothing", unit(`<segment><source><ph id="1" copyOf="9"/></source></segment>`), `a copy of "9", which is not there`},
		{"a surrogate", unit(`<segment><source><cp hex="D800"/></source></segment>`), `<cp hex="D800"> is no character`},
		{"an attribute twice", unit(`<segment state="final" state="initial"><source>a</source></segment>`), `"state" twice`},
		{"no source", unit("<segment><target>b</target></segment>"), "<segment> without <source>"},
		{"two files", strings.Replace(unit(good), "</file>", `</file><file id="g"/>`, 1), "2 <file> elements"},
		{"XLIFF 1.2", `<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"/>`, "expected XLIFF 2.1"},
		{"version 3", strings.Replace(unit(good), `"2.1"`, `"3.0"`, 1), `XLIFF "3.0"`},
		{"other XML", "<html/>", "expected XLIFF 2.1"},
		{"no XML", "nonsense", "text outside"},
		{"an empty file", "", "not XML"},
		{"XML that breaks off", "<xliff", "not XML"},
		{"an undefined entity", unit("<segment><source>&x;</source></segment>"), "not XML"},
		{"a document type", "<!DOCTYPE x [<!ENTITY x 'y'>]>" + unit(good), "a document type declaration is not read"},
		{"another encoding", `<?xml version="1.0" encoding="EUC-KR"?>` + unit(good), "not XML"},
		{"no UTF-8", "\xff", "x.xlf: not UTF-8"},
		{"too deep", file("", strings.Repeat(`<group id="g">`, 80)+strings.Repeat("</group>", 80)), "nested more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, _, err := Read("x.xlf", []byte(tt.text), "ko")
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(x.Units) > 0 {
				t.Errorf("error %v, want %q; units %+v", err, tt.want, x.Units)
			}
		})
	}
}

func TestHintsOfModulesAreDroppedWithANote(t *testing.T) {
	text := file(`xmlns:m="urn:oasis:names:tc:xliff:metadata:2.0" xmlns:fs="urn:oasis:names:tc:xliff:fs:2.0"`,
		`<m:metadata><m:meta type="x">y</m:meta></m:metadata><unit id="T-001" fs:fs="p"><segment><source>a</source><target>b</target></segment></unit>`)
	x, dropped, err := Read("x.xlf", []byte(text), "ko")
	if err != nil || len(x.Units) != 1 || x.Units[0].Text != "b" {
		t.Fatalf("units %+v, error %v", x.Units, err)
	}
	want := []string{
		"x.xlf:1: not kept: urn:oasis:names:tc:xliff:fs:2.0 fs of <unit>",
		"x.xlf:1: not kept: <metadata> of urn:oasis:names:tc:xliff:metadata:2.0 of <file>",
	}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
}

// FuzzRead: what is read can be written and is then read the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(unit("<segment><source>a</source><target>b</target></segment>")))
	f.Add(Make(units()[:3], about, codesOf))
	f.Add([]byte(unit(`<originalData><data id="d1">{n}<cp hex="1B"/></data></originalData><segment><source><pc id="1" dataRefStart="d1" dataRefEnd="d1">x</pc></source></segment>`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, _, err := Read("x.xlf", raw, "ko")
		if err != nil {
			if len(x.Units) > 0 {
				t.Fatal("units beside an error")
			}
			return
		}
		for _, u := range x.Units {
			if !utf8.ValidString(u.Source + u.Text) {
				t.Fatalf("unit %+v", u)
			}
		}
		again, _, err := Read("x.xlf", Make(x.Units, about, codesOf), "ko")
		if err != nil || len(again.Units) != len(x.Units) {
			t.Fatalf("%d units, then %d, error %v", len(x.Units), len(again.Units), err)
		}
		for i, u := range again.Units {
			if u.Source != x.Units[i].Source || u.Text != x.Units[i].Text || u.State != x.Units[i].State {
				t.Fatalf("unit %+v, then %+v", x.Units[i], u)
			}
		}
	})
}
