package planbody

import (
	"slices"
	"strings"
	"testing"

	"okstra/lib/clitest"
	"okstra/lib/converge"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// mendedPlan is a verification over two rounds with every kind of answer: a
// bad block, a voter that gives no file, a fix that changes and adds.
func mendedPlan(t *testing.T) State {
	t.Helper()
	s, _, err := Apply(seeded(t, 4, 3, "a", "b"), 1, []converge.Answer{
		file(1, "w1", "P-001", disagree, "P-002", agree), file(1, "w2", "P-001", disagree, "P-002", supplement),
		file(1, "w3", "P-001", "Verdict: DISAGREE\nEvidence: a.go:1\nReason: no letter"),
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = Fix(s, planOf(t, "c", "b", "d"), "it names its target"); err != nil {
		t.Fatal(err)
	}
	s, _, err = Apply(s, 2, []converge.Answer{
		file(2, "w1", "P-001", agree, "P-003", disagree), file(2, "w2", "P-001", agree, "P-003", agree), file(2, "w4", "P-001", disagree, "P-002", agree),
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoSingleChangeOfAPlansStateGoesUnseen: whatever number, word or list of
// the derived parts is changed, schema or Check tells.
func TestNoSingleChangeOfAPlansStateGoesUnseen(t *testing.T) {
	raw, err := jsondoc.Marshal(mendedPlan(t))
	if err != nil {
		t.Fatal(err)
	}
	// People's own words, whose items and voters they are, and digests of
	// files: there is nothing to derive them from.
	own := map[string]bool{"evidence": true, "reason": true, "note": true, "ref": true, "sha256": true, "sourceRoleExecutionRef": true}
	free := func(_, key string) bool { return own[key] }
	clitest.Changes(t, raw, []string{"next", "gate", "rounds", "voters", "items"}, free, func(at string, text []byte) {
		doc, err := jsondoc.Parse("state.json", text)
		if err != nil {
			t.Fatal(err)
		}
		var s State
		if schema.Decode(doc, Kind, &s) == nil && len(Check(s)) == 0 {
			t.Errorf("%s was changed, and nobody saw it", at)
		}
	})
}

// TestWhatVotersAreShownIsWhatTheirVotesAreOn: a part that was changed or taken
// out of the state while its digest stayed is seen on every read; a state that
// holds no parts at all shows where to look.
func TestWhatVotersAreShownIsWhatTheirVotesAreOn(t *testing.T) {
	s := seeded(t, 2, 2, "a", "b")
	raw, err := jsondoc.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsondoc.Parse("state.json", raw)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := doc.Set("/items/0/part", map[string]any{"title": "another"})
	if err != nil {
		t.Fatal(err)
	}
	emptied, err := doc.Set("/items/0/part", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := doc.Delete("/items/0/part")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		doc jsondoc.Doc
		at  string
	}{
		"changed": {changed, "/items/0/digest"}, "emptied": {emptied, "/items/0/digest"}, "removed": {removed, "/items/0"},
	} {
		found := Check(decoded(t, tt.doc.Raw))
		if len(found) != 1 || found[0].Pointer != tt.at || found[0].Code != CodeInvariant {
			t.Errorf("%s: %v, want one fault at %s", name, found, tt.at)
		}
	}
	none := s
	none.Items = slices.Clone(s.Items)
	for i := range none.Items {
		none.Items[i].Part = nil
	}
	packets, err := Queue(none, 1, converge.QueueOptions{})
	if err != nil || len(Check(none)) > 0 || !strings.HasPrefix(packets[0].Groups[0].Claim, planRef) {
		t.Errorf("without parts: %v, %v, %+v", err, Check(none), packets)
	}
}
