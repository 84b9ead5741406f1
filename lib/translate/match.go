package translate

import (
	"fmt"
	"slices"

	"okstra/lib/digest"
)

// Match compares a sidecar with the report as it is now, item by item.
type Match struct {
	Fresh bool

	// Texts holds, for each item of the report, the translation that still
	// stands; nil where there is none.
	Texts []*Translated
	// Previous holds, for each item without one, the translated item whose
	// place it has taken; nil where the place is new.
	Previous []*Translated

	Reusable, Changed, New, Removed int
}

// Match looks for each item of the report in a sidecar. A translation stands
// as long as its source text occurs in the report, wherever that is. The error
// is for a sidecar that claims to be made of this very report and is not.
func (r *Report) Match(s *Sidecar) (Match, error) {
	m := Match{
		Fresh:    s.SourceDigest == r.Digest(s.Lang),
		Texts:    make([]*Translated, len(r.Items)),
		Previous: make([]*Translated, len(r.Items)),
	}
	if m.Fresh {
		if err := r.sameItems(s); err != nil {
			return Match{}, err
		}
	}
	bySource := make(map[string]*Translated, len(s.Items))
	for i := range s.Items {
		if _, seen := bySource[s.Items[i].Source]; !seen {
			bySource[s.Items[i].Source] = &s.Items[i]
		}
	}
	used := make(map[*Translated]bool, len(s.Items))
	for i, item := range r.Items {
		if old := bySource[item.Source]; old != nil {
			m.Texts[i] = old
			used[old] = true
			m.Reusable++
		}
	}
	if m.Reusable < len(r.Items) {
		r.findPrevious(s, &m, used)
	}
	m.Removed = len(s.Items) - len(used)
	return m, nil
}

// findPrevious fills Previous: an old item that is reused elsewhere has only
// moved, and says nothing about the text that stands in its place now.
func (r *Report) findPrevious(s *Sidecar, m *Match, used map[*Translated]bool) {
	byPlace := make(map[string]*Translated, len(s.Items))
	for i := range s.Items {
		if old := &s.Items[i]; !used[old] {
			for _, at := range old.At {
				byPlace[at] = old
			}
		}
	}
	for i, item := range r.Items {
		if m.Texts[i] != nil {
			continue
		}
		for _, at := range item.At {
			if old := byPlace[at]; old != nil {
				m.Previous[i] = old
				used[old] = true
				break
			}
		}
		if m.Previous[i] != nil {
			m.Changed++
		} else {
			m.New++
		}
	}
}

func (r *Report) sameItems(s *Sidecar) error {
	if len(s.Items) != len(r.Items) {
		return fmt.Errorf("/items: %d items (expected %d)", len(s.Items), len(r.Items))
	}
	for i, item := range r.Items {
		if s.Items[i].Source != item.Source {
			return fmt.Errorf("/items/%d/source: not the text of %s in the report", i, item.ID)
		}
		if !slices.Equal(s.Items[i].At, item.At) {
			return fmt.Errorf("/items/%d/at: not where %s stands in the report", i, item.ID)
		}
	}
	return nil
}

// Update is the payload for a report that has changed since old was made: what
// still stands is reused, only the rest is asked for.
func (r *Report) Update(lang string, m Match) Source {
	s := r.Prepare(lang)
	s.Ask = []string{}
	for i, item := range r.Items {
		if old := m.Texts[i]; old != nil {
			reuse := Reuse{ID: item.ID, Text: old.Text}
			if old.State == StateReviewed {
				reuse.State = StateReviewed
			}
			s.Reuse = append(s.Reuse, reuse)
			continue
		}
		s.Ask = append(s.Ask, item.ID)
		if old := m.Previous[i]; old != nil {
			s.Previous = append(s.Previous, Previous{ID: item.ID, Source: old.Source, Text: old.Text})
		}
	}
	return s
}

// Markdown is the file with the blocks that the payload asks for.
func (s Source) Markdown(note string) []byte {
	texts := make([]string, len(s.Ask))
	for i, id := range s.Ask {
		texts[i] = s.Strings[idNumber(id)-1]
	}
	return FormatBlocks(note, s.Ask, texts)
}

// Answers puts the reused texts of a payload and the blocks of a translator
// together: one answer per item, in order. An item without a block, or with an
// empty one, has an answer without a text; the faults of blocks say so too. Of
// two blocks for one item the first counts.
func (r *Report) Answers(s Source, blocks Blocks) []Answer {
	answers := make([]Answer, len(r.Items))
	for i, item := range r.Items {
		answers[i] = Answer{ID: item.ID}
	}
	for _, reuse := range s.Reuse {
		a := &answers[idNumber(reuse.ID)-1]
		a.Text, a.State, a.Origin = reuse.Text, StateTranslated, OriginReuse
		if reuse.State == StateReviewed {
			a.State = StateReviewed
		}
	}
	asked := make(map[string]bool, len(s.Ask))
	for _, id := range s.Ask {
		asked[id] = true
	}
	for _, b := range blocks.Blocks {
		if !asked[b.ID] {
			continue
		}
		asked[b.ID] = false
		if b.Text == "" {
			continue
		}
		n := idNumber(b.ID) - 1
		answers[n] = Answer{
			ID: b.ID, Text: Restore(r.Items[n].Source, b.Text),
			State: StateTranslated, Origin: OriginMarkdown, Line: b.Line,
		}
	}
	return answers
}

// Apply is the report's data with the texts of m in the place of their
// sources and lang as its language. Every other byte stays as it was.
func (r *Report) Apply(lang string, m Match) []byte {
	type edit struct {
		start, end int
		text       string
	}
	edits := make([]edit, 0, len(r.spans)+1)
	grow := len(lang)
	walk(r.Doc.Raw, languageRule, func(_ string, start, end int) {
		edits = append(edits, edit{start, end, lang})
	})
	for _, at := range r.spans {
		if t := m.Texts[at.item]; t != nil {
			edits = append(edits, edit{at.start, at.end, t.Text})
			grow += len(t.Text)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	out := make([]byte, 0, len(r.Doc.Raw)+grow)
	done := 0
	for _, e := range edits {
		out = append(out, r.Doc.Raw[done:e.start]...)
		out = digest.AppendString(out, e.text)
		done = e.end
	}
	return append(out, r.Doc.Raw[done:]...)
}

// languageRule takes the string that says in which language a report is.
var languageRule = &rule{keys: map[string]*rule{
	"header": {keys: map[string]*rule{"reportLanguage": {take: true}}},
}}

// Untranslated lists the items without a text.
func (r *Report) Untranslated(m Match) []Item {
	var items []Item
	for i, item := range r.Items {
		if m.Texts[i] == nil {
			items = append(items, item)
		}
	}
	return items
}
