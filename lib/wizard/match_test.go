package wizard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// asked puts a plan on a pick.
func asked(s Screen, kind string) Screen {
	s.Interaction = &Interaction{Kind: kind, Function: hostTextFunction}
	return s
}

var stages = Screen{
	Step: "stage_pick", Kind: KindPick, Label: "Which stages?", Multi: new(true),
	Options: []Option{
		{Value: "2", Label: "Stage 2: token refresh"},
		{Value: "4", Label: "Stage 4: limits, quotas"},
		{Value: all, Label: "All stages"},
		{Value: wholeTask, Label: "The whole task"},
	},
}

var colours = Screen{
	Step: "colour", Kind: KindPick, Label: "Which colour?", Multi: new(false),
	Options: []Option{
		{Value: "red", Label: "Rot (warm)"},
		{Value: "sky-blue", Label: "✓ Blau [sky-blue]"},
		{Value: "ﬁr", Label: "Grün"},
		{Value: "1", Label: "Weiß (current)"},
		{Value: Custom, Label: "type it"},
	},
}

type matchCase struct{ answer, want, code string }

func checkMatches(t *testing.T, s Screen, m matcher, cases []matchCase) {
	t.Helper()
	for _, tt := range cases {
		got, err := m.screen(s, tt.answer)
		var r *Refusal
		switch {
		case tt.code != "" && (!errors.As(err, &r) || r.Code != tt.code):
			t.Errorf("%s, %q: %v, %v, want code %s", s.Interaction.Kind, tt.answer, got, err, tt.code)
		case tt.code == "" && (err != nil || got[0].value != tt.want):
			t.Errorf("%s, %q: %v, %v, want %q", s.Interaction.Kind, tt.answer, got, err, tt.want)
		}
	}
}

// Behaviour 37.
func TestAnswersToNumberedPicks(t *testing.T) {
	checkMatches(t, asked(colours, numbered), matcher{}, []matchCase{
		{"red", "red", ""},
		{" red\r\n", "red", ""},
		{"RED", "red", ""},
		{"ｒｅｄ", "red", ""},
		{"Rot (warm)", "red", ""},
		{"rot  (WARM)", "red", ""},
		{"Rot (warm) (Recommended)", "red", ""},
		{"Rot (warm) (추천)", "red", ""},
		{"✓ Blau [sky-blue]", "sky-blue", ""},
		{"Blau", "sky-blue", ""},
		{"blau [SKY-BLUE]", "sky-blue", ""},
		{"blau", "sky-blue", ""},
		{"Weiß", "1", ""},
		{"weiss", "1", ""},
		{"WEISS (current)", "1", ""},
		{"2", "sky-blue", ""},
		{"２", "sky-blue", ""},
		{"02", "sky-blue", ""},
		{"1", "", "ambiguous"},
		{"#1", "red", ""},
		{"=1", "1", ""},
		{"#9", "", "no-match"},
		{"=9", "", "no-match"},
		{"9", "", "no-match"},
		{"0", "", "no-match"},
		{"5", Custom, ""},
		{Custom, Custom, ""},
		{"type it", Custom, ""},
		{`"red"`, "", "no-match"},
		{"red, sky-blue", "", "no-match"},
		{"", "", "no-match"},
		{"re\x1bd", "", "bad-answer"},
		{"re\x00d", "", "bad-answer"},
		{"r\xe9d", "", "bad-answer"},
		{strings.Repeat("x", 64<<10+1), "", "bad-answer"},
		{"rouge", "", "no-match"},
	})
}

// Behaviour 37.
func TestAnswersToNativePicksKnowNoPositions(t *testing.T) {
	checkMatches(t, asked(colours, nativeSingle), matcher{}, []matchCase{
		{"1", "1", ""},
		{"2", "", "no-match"},
		{"#2", "", "no-match"},
		{"=1", "1", ""},
		{"Blau", "sky-blue", ""},
		{pagePrefix + "3", pagePrefix + "3", ""},
	})
}

func TestAnswersToPicksOfSeveral(t *testing.T) {
	auto := matcher{
		alias:  func(string) map[string]string { return map[string]string{"auto": all} },
		offers: func(_, value string) bool { return slices.Contains(values(stages.Options), value) },
	}
	cases := []matchCase{
		{"4,2", "2,4", ""},
		{"2, 4", "", "ambiguous"}, // as positions they are 4 and whole-task
		{"=4，=2\n=2", "2,4", ""},
		{"Stage 4: limits, quotas", "4", ""},
		{"stage 2: token refresh", "2", ""},
		{"#1, #2", "2,4", ""},
		{"1", "2", ""},
		{"1, 3", "2,all", ""}, // the step's check refuses the two together
		{"auto", all, ""},
		{"", "", ""},
		{"-", "", ""},
		{doneValue, "", ""},
		{" , ,", "", ""},
		{"1, nobody", "", "no-match"},
	}
	cases[0].want, cases[0].code = "", "ambiguous"
	checkMatches(t, asked(stages, numbered), auto, cases)
	checkMatches(t, asked(stages, nativeMulti), auto, []matchCase{
		{"4,2", "2,4", ""},
		{"1", "", "no-match"},
		{"Stage 2: token refresh, All stages", "2,all", ""},
		{"auto", all, ""},
	})
}

func TestAWordStandsForAValueOnlyWhereThatIsOffered(t *testing.T) {
	m := matcher{
		alias:  func(string) map[string]string { return map[string]string{"auto": wholeTask} },
		offers: func(_, value string) bool { return value == all },
	}
	s := stages
	s.Options = s.Options[:3]
	checkMatches(t, asked(s, numbered), m, []matchCase{{"auto", "", "no-match"}})
}

func TestARefusalListsTwentyValuesAndCountsTheRest(t *testing.T) {
	_, err := (matcher{}).screen(asked(pickOf(false, numbers(25)...), numbered), "x")
	var r *Refusal
	if !errors.As(err, &r) || len(r.Candidates) != 20 || !strings.Contains(r.Message, "20 and 5 more") {
		t.Errorf("%v", err)
	}
	_, err = (matcher{}).screen(asked(colours, numbered), "1")
	if !errors.As(err, &r) || !slices.Equal(r.Candidates, []string{"1", "red"}) {
		t.Errorf("ambiguous: %v, candidates %v, want both", err, r.Candidates)
	}
}

func TestTextsAreTakenAsTheyAre(t *testing.T) {
	text := Screen{Step: "t", Kind: KindText, Optional: new(false), Interaction: &Interaction{Kind: hostText}}
	checkMatches(t, text, matcher{}, []matchCase{
		{"  two\nlines\t \n", "two\nlines", ""},
		{`"quoted"`, `"quoted"`, ""},
		{"e\u0301", "é", ""},
		{"", "", "empty"},
		{" - ", "", "empty"},
	})
	text.Optional = new(true)
	checkMatches(t, text, matcher{}, []matchCase{{"", "", ""}, {"-", "", ""}, {"--", "--", ""}})
}

func groupOf(kind string) Screen {
	directive := Screen{Step: "directive_pick", Kind: KindPick, Label: "Anything?", Multi: new(false), Options: []Option{{Value: skip, Label: "Nothing"}, {Value: Custom, Label: "type it"}}}
	return asked(Screen{Step: "group:extras", Kind: KindGroup, Questions: []Screen{colours, stages, directive}}, kind)
}

// Behaviour 34, the answer to a whole group.
func TestAnswersToGroups(t *testing.T) {
	for _, tt := range []struct {
		name, kind, answer string
		want               []answer
		code               string
	}{
		{"all of them", sequentialGroup, `{"colour":"2","stage_pick":["#1","All stages"],"directive_pick":"Nothing"}`, []answer{{"colour", "sky-blue"}, {"stage_pick", "2,all"}, {"directive_pick", "skip"}}, ""},
		{"several in one text", sequentialGroup, `{"stage_pick":"=4, =2"}`, []answer{{"stage_pick", "2,4"}}, ""},
		{"null and empty leave a question open", sequentialGroup, `{"colour":null,"stage_pick":"","directive_pick":"skip"}`, []answer{{"directive_pick", "skip"}}, ""},
		{"an empty list leaves it open", nativeGroup, `{"stage_pick":[],"directive_pick":"skip"}`, []answer{{"directive_pick", "skip"}}, ""},
		{"a dash selects nothing", sequentialGroup, `{"stage_pick":"-"}`, []answer{{"stage_pick", ""}}, ""},
		{"native knows no positions", nativeGroup, `{"directive_pick":"1"}`, nil, "no-match"},
		{"native in question order", nativeGroup, `["red",["2"],"Nothing"]`, []answer{{"colour", "red"}, {"stage_pick", "2"}, {"directive_pick", "skip"}}, ""},
		{"fewer than questions", nativeGroup, `["red"]`, []answer{{"colour", "red"}}, ""},
		{"more than questions", nativeGroup, `["red","2","skip","x"]`, nil, "bad-answer"},
		{"an array only for a native group", sequentialGroup, `["red"]`, nil, "bad-answer"},
		{"nothing at all", sequentialGroup, `{}`, nil, "empty"},
		{"unknown key", sequentialGroup, `{"colour":"red","size":"2"}`, nil, "bad-answer"},
		{"key twice", sequentialGroup, `{"colour":"red","colour":"red"}`, nil, "bad-answer"},
		{"number", sequentialGroup, `{"colour":1}`, nil, "bad-answer"},
		{"list for a single pick", sequentialGroup, `{"colour":["red"]}`, nil, "bad-answer"},
		{"null in a list", sequentialGroup, `{"stage_pick":["2",null]}`, nil, "bad-answer"},
		{"number in a list", sequentialGroup, `{"stage_pick":[2]}`, nil, "bad-answer"},
		{"one bad answer refuses all", sequentialGroup, `{"colour":"red","directive_pick":"nobody"}`, nil, "no-match"},
		{"control character behind an escape", sequentialGroup, `{"colour":"r\u0007ed"}`, nil, "bad-answer"},
		{"no JSON", sequentialGroup, `red`, nil, "bad-answer"},
		{"something behind it", sequentialGroup, `{"colour":"red"} {}`, nil, "bad-answer"},
		{"half an object", sequentialGroup, `{"colour":"red"`, nil, "bad-answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := (matcher{}).screen(groupOf(tt.kind), tt.answer)
			var r *Refusal
			if tt.code != "" {
				if !errors.As(err, &r) || r.Code != tt.code {
					t.Fatalf("%v, %v, want code %s", got, err, tt.code)
				}
				return
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Fatalf("%v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestOptionsThatNoAnswerCouldNameAreLeftOutAndCounted(t *testing.T) {
	kept, leftOut := usable([]Option{
		{Value: "a b"}, {Value: "a,b"}, {Value: "a\nb"}, {Value: "__okstra_x"}, {Value: "a b"}, {Value: ""}, {Value: "\xff"}, {Value: "ü"},
	})
	if got := fmt.Sprint(values(kept), leftOut); got != "[a b ü] 6" {
		t.Errorf("kept %s", got)
	}
}
