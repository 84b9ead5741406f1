package wizard

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var english = TextsFor("en")

// pickOf makes a pick with the given values; labels are made of them.
func pickOf(multi bool, values ...string) Screen {
	s := Screen{Step: "x", Kind: KindPick, Label: "Which?", Multi: new(multi), Options: []Option{}}
	for _, v := range values {
		s.Options = append(s.Options, Option{Value: v, Label: "Choice " + v})
	}
	return s
}

func numbers(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(i+1))
	}
	return out
}

func newPicker() Picker { return Picker{map[string]int{}, map[string][]string{}} }

// drawnPick is a pick with repeated labels, exclusive choices and the choice to
// type among its options.
var drawnPick = rapid.Custom(func(t *rapid.T) Screen {
	s := Screen{Step: "x", Kind: KindPick, Label: "Which?", Multi: new(rapid.Bool().Draw(t, "multi")), Options: []Option{}}
	for i := range rapid.IntRange(1, 40).Draw(t, "options") {
		s.Options = append(s.Options, Option{Value: fmt.Sprintf("v%d", i), Label: "L" + rapid.StringMatching(`[a-c]{1,2}`).Draw(t, "label")})
	}
	for _, v := range []string{all, wholeTask, Custom} {
		if rapid.Bool().Draw(t, v) {
			at := rapid.IntRange(0, len(s.Options)).Draw(t, "place")
			s.Options = slices.Insert(s.Options, at, Option{Value: v, Label: v})
		}
	}
	return s
})

func drawnValue(t *rapid.T, s Screen) string {
	return rapid.OneOf(
		rapid.SampledFrom(values(s.Options)),
		rapid.SampledFrom([]string{doneValue, "nobody", "", Custom, all, wholeTask}),
		rapid.Custom(func(t *rapid.T) string {
			return pagePrefix + rapid.StringMatching(`[0-9]{0,3}|-1|\+1|0x1| 1|１`).Draw(t, "page")
		}),
	).Draw(t, "value")
}

func TestPickerIsThatOfTheSlowModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := drawnPick.Draw(t, "pick"), rapid.IntRange(1, 9).Draw(t, "limit")
		fast, slow := newPicker(), slowPicker{map[string]int{}, map[string][]string{}}
		if rapid.Bool().Draw(t, "stored") { // what a state may hold: out of range, vanished, twice
			n := rapid.IntRange(-3, 60).Draw(t, "offset")
			kept := rapid.SliceOfN(rapid.SampledFrom(append(values(s.Options), "vanished")), 0, 5).Draw(t, "kept")
			fast.Offsets["x"], slow.offsets["x"] = n, n
			fast.Selected["x"], slow.selected["x"] = slices.Clone(kept), slices.Clone(kept)
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			if diff := cmp.Diff(slow.present(s, limit, english), fast.Present(s, limit, english)); diff != "" {
				t.Fatalf("present (-slow +fast):\n%s", diff)
			}
			value := drawnValue(t, s)
			want, submits, refused := slow.accept(s, value)
			got, err := fast.Accept(s, value)
			var r *Refusal
			if refused != nil && (!errors.As(err, &r) || r.Code != refused.Error()) || refused == nil && err != nil {
				t.Fatalf("accept %q: %v, want %v", value, err, refused)
			}
			if (got != nil) != submits || got != nil && *got != want {
				t.Fatalf("accept %q submits %v, want %q (%v)", value, got, want, submits)
			}
			if !maps.Equal(slow.offsets, fast.Offsets) || !reflect.DeepEqual(slow.selected, fast.Selected) {
				t.Fatalf("after %q: offsets %v, selected %v, want %v, %v", value, fast.Offsets, fast.Selected, slow.offsets, slow.selected)
			}
		}
	})
}

func TestFollowingThePagesShowsEveryOptionOnceAndComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnPick.Draw(t, "pick")
		least := 2
		if s.IsMulti() {
			least = 3
		}
		limit := rapid.IntRange(least, 12).Draw(t, "limit")
		p, seen := newPicker(), []string{}
		for range len(s.Options) + 1 {
			screen := p.Present(s, limit, english)
			if n := len(screen.Options); n < 2 || n > limit {
				t.Fatalf("%d entries at limit %d: %v", n, limit, values(screen.Options))
			}
			if screen.IsMulti() {
				t.Fatal("a presented screen has several choices")
			}
			page := ""
			for _, o := range screen.Options {
				switch {
				case strings.HasPrefix(o.Value, pagePrefix):
					page = o.Value
				case o.Value != doneValue:
					seen = append(seen, o.Value)
				}
			}
			before := maps.Clone(p.Selected)
			if page == "" {
				break
			}
			if _, err := p.Accept(s, page); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(before, p.Selected) {
				t.Fatalf("a page turn changed the selection: %v", p.Selected)
			}
			if p.Offsets["x"] == 0 {
				break
			}
		}
		if p.Offsets["x"] != 0 {
			t.Fatalf("the pages do not lead back: offset %d", p.Offsets["x"])
		}
		slices.Sort(seen)
		want := values(s.Options)
		slices.Sort(want)
		if !slices.Equal(seen, want) {
			t.Fatalf("shown %v, want each of %v once", seen, want)
		}
	})
}

// Behaviour 26.
func TestTheLimitCountsNavigationAndDone(t *testing.T) {
	for _, tt := range []struct {
		multi          bool
		options, limit int
		paged          bool
		entries        int
	}{
		{false, 3, 3, false, 3},
		{true, 3, 3, true, 3},
		{true, 2, 3, false, 3},
		{false, 4, 3, true, 3},
		{false, 1, 3, false, 2},
		{true, 1, 3, false, 2},
		{true, 3, 2, true, 3},  // too narrow for toggling: one more than the limit
		{false, 2, 1, true, 2}, // likewise
	} {
		screen := newPicker().Present(pickOf(tt.multi, numbers(tt.options)...), tt.limit, english)
		paged := strings.Contains(screen.Label, "–")
		if paged != tt.paged || len(screen.Options) != tt.entries {
			t.Errorf("%d options, multi %v, limit %d: paged %v with %d entries, want %v with %d",
				tt.options, tt.multi, tt.limit, paged, len(screen.Options), tt.paged, tt.entries)
		}
	}
}

// Behaviour 27.
func TestEqualLabelsAreToldApartOverTheWholePick(t *testing.T) {
	s := pickOf(false, numbers(6)...)
	s.Options[0].Label, s.Options[5].Label = "Same", "Same"
	screen := newPicker().Present(s, 3, english)
	if got := screen.Options[0].Label; got != "Same [1]" {
		t.Errorf("label %q, want the value behind it although its twin is on another page", got)
	}
}

// Behaviour 28.
func TestALoneOptionGetsAHarmlessSecondOne(t *testing.T) {
	p, s := newPicker(), pickOf(false, "1")
	screen := p.Present(s, 3, english)
	if got := values(screen.Options); !slices.Equal(got, []string{"1", pagePrefix + "0"}) {
		t.Fatalf("options %v", got)
	}
	submit, err := p.Accept(s, pagePrefix+"0")
	if err != nil || submit != nil || p.Offsets["x"] != 0 {
		t.Fatalf("submit %v, %v, offsets %v", submit, err, p.Offsets)
	}
	if _, stored := p.Offsets["x"]; !stored {
		t.Error("offset 0 is not stored")
	}
	if diff := cmp.Diff(screen, p.Present(s, 3, english)); diff != "" {
		t.Errorf("another screen after it:\n%s", diff)
	}
}

// Behaviour 29.
func TestTypingIsLastOnItsPageAndDiscardsTheToggles(t *testing.T) {
	p, s := newPicker(), pickOf(true, "1", "2", Custom)
	p.Selected["x"] = []string{"1"}
	p.Offsets["x"] = 2
	screen := p.Present(s, 3, english)
	if got := values(screen.Options); !slices.Equal(got, []string{pagePrefix + "0", doneValue, Custom}) {
		t.Errorf("options %v, want the choice to type last", got)
	}
	submit, err := p.Accept(s, Custom)
	if err != nil || submit == nil || *submit != Custom || len(p.Selected) != 0 || len(p.Offsets) != 0 {
		t.Errorf("submit %v, %v, left %v", submit, err, p)
	}
	if _, err := p.Accept(pickOf(true, "1"), Custom); err == nil {
		t.Error("taken where it is not offered")
	}
}

// Behaviour 30.
func TestAllAndWholeTaskExcludeTheRestAndEachOther(t *testing.T) {
	p, s := newPicker(), pickOf(true, "1", "2", all, wholeTask)
	for _, tt := range []struct{ pick, want string }{
		{"1", "1"},
		{all, all},
		{"2", "2"},
		{wholeTask, wholeTask},
		{all, all},
		{all, ""},
	} {
		if _, err := p.Accept(s, tt.pick); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Selected["x"], ","); got != tt.want {
			t.Errorf("after %q: %q, want %q", tt.pick, got, tt.want)
		}
	}
	if kept, ok := p.Selected["x"]; !ok || kept == nil {
		t.Error("a selection that was emptied is gone, want it kept as an empty list")
	}
}

// Behaviour 31.
func TestDoneGivesPromptOrderWithoutWhatVanished(t *testing.T) {
	p, s := newPicker(), pickOf(true, "1", "2", "3")
	p.Selected["x"] = []string{"3", "gone", "1"}
	submit, err := p.Accept(s, doneValue)
	if err != nil || *submit != "1,3" {
		t.Errorf("submit %v, %v, want 1,3", submit, err)
	}
	if submit, err = p.Accept(s, doneValue); err != nil || *submit != "" {
		t.Errorf("nothing selected: %v, %v, want an empty text", submit, err)
	}
}

// Behaviour 33.
func TestPageTokensWithJunkAreRefused(t *testing.T) {
	s := pickOf(false, numbers(5)...)
	for _, page := range []string{"", "x", "1x", "-1", "+1", " 1", "1 ", "１", "٣", "5", "99", "1234567890", "0x1", "1.0"} {
		p := newPicker()
		var r *Refusal
		if _, err := p.Accept(s, pagePrefix+page); !errors.As(err, &r) || r.Code != "invalid-page" || len(p.Offsets) != 0 {
			t.Errorf("page %q: %v, offsets %v, want invalid-page", page, err, p.Offsets)
		}
	}
	for _, page := range []string{"0", "4", "004"} {
		if _, err := newPicker().Accept(s, pagePrefix+page); err != nil {
			t.Errorf("page %q: %v", page, err)
		}
	}
}

func TestPromptsThatNoScreenCanStandForAreRefused(t *testing.T) {
	if err := CheckPrompt(pickOf(false, "1"), 0); err == nil {
		t.Error("limit 0 is taken")
	}
	if err := CheckPrompt(pickOf(false, "1", "1"), 3); err == nil {
		t.Error("a value that repeats is taken")
	}
	if err := CheckPrompt(pickOf(false, doneValue), 3); err == nil {
		t.Error("a value of the picker's own is taken")
	}
}

func BenchmarkPresentTenThousandOptions(b *testing.B) {
	s := pickOf(true, numbers(10_000)...)
	p := newPicker()
	for b.Loop() {
		p.Present(s, 4, english)
	}
}

// The slow model is what a first version would do; the distance tells what
// counting only the shown labels is worth.
func BenchmarkPresentTenThousandOptionsSlowModel(b *testing.B) {
	s := pickOf(true, numbers(1_000)...) // ten times fewer: it is quadratic
	p := slowPicker{map[string]int{}, map[string][]string{}}
	for b.Loop() {
		p.present(s, 4, english)
	}
}
