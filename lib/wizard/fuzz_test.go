package wizard

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// An answer is matched or refused, and what it is matched with is on offer; a
// multi pick's choices are in prompt order, each once.
func FuzzAnswersMeanSomethingOnOffer(f *testing.F) {
	for _, seed := range []string{
		"1", "2, 4", "=2", "#2", "２", "Stage 2: token refresh", "stage  4: LIMITS, quotas (Recommended)", "✓ Blau [sky-blue]", "-", "", " , ",
		`{"colour":"red","stage_pick":["2"]}`, `["red",["2"]]`, `{"colour":null}`, pagePrefix + "1", doneValue, Custom, "e\u0301", "\x1b[31m",
	} {
		f.Add(seed, 0)
		f.Add(seed, 3)
	}
	kinds := []string{numbered, nativeSingle, nativeMulti, sequentialGroup, nativeGroup}
	f.Fuzz(func(t *testing.T, raw string, n int) {
		kind := kinds[uint(n)%uint(len(kinds))]
		for _, s := range []Screen{colours, stages, groupOf(kind)} {
			answers, err := (matcher{}).screen(asked(s, kind), raw)
			var r *Refusal
			if err != nil {
				if !errors.As(err, &r) || r.Code == "" || r.Message == "" {
					t.Fatalf("%q: an error that is no refusal: %v", raw, err)
				}
				continue
			}
			for _, a := range answers {
				checkOffered(t, s, raw, a)
			}
		}
	})
}

func checkOffered(t *testing.T, s Screen, raw string, a answer) {
	i := slices.IndexFunc(s.Members(), func(q Screen) bool { return q.Step == a.step })
	if i < 0 {
		t.Fatalf("%q answers %q, which is not asked", raw, a.step)
	}
	q := s.Members()[i]
	if !q.IsMulti() {
		if _, ok := q.option(a.value); !ok && !strings.HasPrefix(a.value, pagePrefix) {
			t.Fatalf("%q: %q is not on offer", raw, a.value)
		}
		return
	}
	last := -1
	for _, v := range strings.FieldsFunc(a.value, func(c rune) bool { return c == ',' }) {
		at := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == v })
		if at <= last && !strings.HasPrefix(v, pagePrefix) {
			t.Fatalf("%q: %q is not in prompt order", raw, a.value)
		}
		last = at
	}
}

// A text that a person typed comes out as it came in, but for what surrounds
// it; matching it again gives the same.
func FuzzTextsStayWhatTheyAre(f *testing.F) {
	for _, seed := range []string{"two\nlines", " x ", "-", "", "e\u0301", "\r\n", "a\tb", "\x00", "\xff", `"q"`} {
		f.Add(seed)
	}
	text := Screen{Step: "t", Kind: KindText, Optional: new(true), Interaction: &Interaction{Kind: hostText}}
	f.Fuzz(func(t *testing.T, raw string) {
		once, err := (matcher{}).screen(text, raw)
		if err != nil {
			return
		}
		if !utf8.ValidString(once[0].value) || strings.ContainsAny(once[0].value, "\x00\x1b\r") {
			t.Fatalf("%q became %q", raw, once[0].value)
		}
		twice, err := (matcher{}).screen(text, once[0].value)
		if err != nil || twice[0] != once[0] {
			t.Fatalf("%q became %q, and that %v, %v", raw, once[0].value, twice, err)
		}
	})
}

// A state that was read can be hand-made in any way: nothing it holds makes the
// engine panic, and what the engine writes can be read again.
func FuzzStatesOfAnyShape(f *testing.F) {
	m := Machine{plannedProject()}
	s := NewState("/srv/shop", "shop")
	s.HostRuntime, s.AvailableFunctions = "codex", []string{singleSelect}
	s, err := m.Refresh(s)
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range []string{"", "pay/timeouts", "implementation", "plan-002.md", "yes", "2"} {
		if result, err := m.Answer(s, a, ""); err == nil {
			s = result.State
		}
		raw, _ := json.Marshal(s)
		f.Add(raw, "2")
	}
	f.Add([]byte(`{"answers":{"confirm":"edit"},"hostRuntime":"mcp","editing":"confirm","outcome":"open"}`), "{}")
	f.Add([]byte(`{"screen":{"kind":"pick_group","step":"x","questions":null},"hostRuntime":"text"}`), "[]")
	f.Fuzz(func(t *testing.T, raw []byte, answer string) {
		var s State
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		if s.Check() != nil {
			s.Flow, s.HostRuntime, s.AvailableFunctions = Flow, "text", nil
		}
		s, err := m.Resume(s)
		if err != nil {
			return
		}
		result, err := m.Answer(s, answer, "")
		if err != nil && same(result.State, s) != "" {
			t.Fatal("a refused answer moved the state")
		}
		if back, err := m.Back(result.State); err == nil {
			m.Confirmation(back)
			_, _ = m.RunInputs(back)
		}
	})
}
