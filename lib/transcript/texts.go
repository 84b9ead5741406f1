package transcript

import "strings"

// Texts turns bytes of a reused buffer into strings that last. Values that
// repeat (session, model, working directory) are kept once.
type Texts struct {
	chunk strings.Builder
	seen  map[string]string
}

const textChunk = 32 << 10

// Keep copies b. Many small copies share one allocation.
func (t *Texts) Keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > t.chunk.Cap()-t.chunk.Len() {
		t.chunk = strings.Builder{}
		t.chunk.Grow(max(textChunk, len(b)))
	}
	at := t.chunk.Len()
	t.chunk.Write(b)
	return t.chunk.String()[at:]
}

// Intern is Keep for a value that is likely to come again.
func (t *Texts) Intern(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := t.seen[string(b)]; ok {
		return s
	}
	if t.seen == nil {
		t.seen = make(map[string]string)
	}
	s := t.Keep(b)
	t.seen[s] = s
	return s
}

// Again is Keep for a value that is likely to be the one of the row before.
func (t *Texts) Again(b []byte, before string) string {
	if string(b) == before {
		return before
	}
	return t.Keep(b)
}

// Reset forgets strings seen before they become too many to look through fast.
// Strings handed out stay valid.
func (t *Texts) Reset() {
	const many = 1 << 14
	if len(t.seen) > many {
		t.seen = nil
	}
}
