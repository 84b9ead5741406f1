package finding

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSortIsByArtifactLinePointerCode(t *testing.T) {
	want := []Finding{
		{Artifact: "a", Line: 0, Pointer: "/z", Code: "z"},
		{Artifact: "a", Line: 2, Pointer: "/a", Code: "b", Level: Note},
		{Artifact: "a", Line: 2, Pointer: "/b", Code: "a", Level: Error},
		{Artifact: "a", Line: 2, Pointer: "/b", Code: "b", Column: 1},
		{Artifact: "a", Line: 2, Pointer: "/b", Code: "b", Column: 2, Level: Error},
		{Artifact: "a", Line: 2, Pointer: "/b", Code: "b", Column: 2, Level: Warning, Message: "a"},
		{Artifact: "a", Line: 2, Pointer: "/b", Code: "b", Column: 2, Level: Warning, Message: "b"},
		{Artifact: "a", Line: 10, Pointer: "", Code: "a"},
		{Artifact: "b", Line: 1, Pointer: "", Code: "a"},
	}
	for seed := range uint64(20) {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("shuffle %d:\n%s", seed, diff)
		}
	}
}

func TestLevelOrder(t *testing.T) {
	for i, l := range Levels() {
		if !l.Valid() {
			t.Errorf("%q.Valid() = false", l)
		}
		for j, other := range Levels() {
			if got, want := l.AtLeast(other), i <= j; got != want {
				t.Errorf("%q.AtLeast(%q) = %v, want %v", l, other, got, want)
			}
		}
		if unknown := Level("fatal"); l.Compare(unknown) >= 0 || unknown.Valid() || unknown.AtLeast(l) {
			t.Errorf("unknown level is not behind %q", l)
		}
	}
}

func TestJSONNames(t *testing.T) {
	full := Finding{
		Level: Error, Code: "c", Artifact: "a", Pointer: "/p", Line: 8, Column: 21, Message: "m", Found: "f", Expected: "e",
		Anchor: "not written", Fingerprint: "sha256:0", Baseline: "new",
	}
	for _, tt := range []struct {
		finding Finding
		want    string
	}{
		{full, `{"level":"error","code":"c","artifact":"a","pointer":"/p","line":8,"column":21,"message":"m","found":"f","expected":"e","fingerprint":"sha256:0","baseline":"new"}`},
		{Finding{Level: Note, Code: "c", Artifact: "a", Message: "m"}, `{"level":"note","code":"c","artifact":"a","message":"m"}`},
	} {
		got, err := json.Marshal(tt.finding)
		if string(got) != tt.want || err != nil {
			t.Errorf("Marshal = %s %v, want %s", got, err, tt.want)
		}
	}
}
