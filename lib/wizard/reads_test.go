package wizard

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every row declares what it looks at. This takes states from random walks,
// removes all answers that a row does not declare, and wants the same from it:
// the same visibility, choices and verdict. It also watches which facts the row
// asks for.
func TestRowsLookAtNothingButWhatTheyDeclare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawnProject(t)
		m := Machine{p}
		s := NewState("/srv/shop", "shop")
		s.HostRuntime = rapid.SampledFrom([]string{"text", "codex", "claude-code"}).Draw(t, "host")
		s.HostEntryMode = rapid.SampledFrom([]string{CurrentSession, External}).Draw(t, "entry")
		s, err := m.Refresh(s)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if s.Screen.Ended() {
				break
			}
			var ok bool
			if s, ok = forward(t, m, p, s); !ok {
				break
			}
		}
		for _, r := range rows(m.view(&s)) {
			if !r.ends() {
				checkReads(t, m, p, s, r)
			}
		}
	})
}

func checkReads(t *rapid.T, m Machine, p *project, s State, r row) {
	only := s.clone()
	for id := range only.Answers {
		if id != r.id && !slices.Contains(r.reads, id) {
			delete(only.Answers, id)
		}
	}
	p.asked = map[string]bool{}
	before := behaviour(m.view(&s), r)
	asked := p.asked
	p.asked = nil
	if after := behaviour(m.view(&only), r); after != before {
		t.Fatalf("%s looks at an answer that it does not declare:\n%s\nwith %v\n%s", r.id, before, only.Answers, after)
	}
	for fact := range asked {
		if !slices.Contains(r.facts, fact) && !slices.Contains(impliedFacts, fact) {
			t.Fatalf("%s asks for %q, which it does not declare (%v)", r.id, fact, r.facts)
		}
	}
}

// impliedFacts belong to looking at the task at all, or at a file that is
// named.
var impliedFacts = []string{"tasks", "files", "plans"}

// behaviour is all that a row does with a view.
func behaviour(v view, r row) string {
	if !r.isShown(v) {
		return "not shown"
	}
	out := "shown"
	if !r.text {
		options, leftOut := r.choices(v)
		out += fmt.Sprint(options, leftOut)
	}
	if a, ok := v.state.Answers[r.id]; ok {
		out += fmt.Sprint(v.accepts(r, a))
	}
	return out
}

func TestTheTableIsSound(t *testing.T) {
	state := NewState("/srv/shop", "shop")
	v := Machine{&project{}}.view(&state)
	table := allRows(v)
	seen := map[string]bool{}
	for _, r := range table {
		if seen[r.id] {
			t.Errorf("%s stands twice in the table", r.id)
		}
		seen[r.id] = true
		if closure(table, r.id)[r.id] {
			t.Errorf("%s reads itself in the end", r.id)
		}
		for _, id := range r.reads {
			if _, ok := find(table, id); id != everything && !ok {
				t.Errorf("%s reads %s, which is not in the table", r.id, id)
			}
		}
		if r.typed != "" {
			if text, ok := find(table, r.typed); !ok || !text.text {
				t.Errorf("%s is typed in %s, which is no text", r.id, r.typed)
			}
		}
		if r.text && (r.options != nil || r.typed != "" || r.multi || r.group != "") {
			t.Errorf("%s is a text with choices", r.id)
		}
		if r.shown != nil && r.when == "" {
			t.Errorf("%s does not say when it is shown", r.id)
		}
	}
}
