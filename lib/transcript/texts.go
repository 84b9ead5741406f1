package transcript

import "unsafe"

// Texts turns bytes of a reused buffer into strings that last. Values that
// repeat (session, model, working directory) are kept once.
type Texts struct {
	chunk []byte // only ever appended to: what was handed out stays as it is
	seen  map[string]string
}

// The first chunk is small, for most homes are; each later one is twice as large.
const (
	firstChunk = 32 << 10
	lastChunk  = largePage
)

// Keep copies b. Many small copies share one allocation.
func (t *Texts) Keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > cap(t.chunk)-len(t.chunk) {
		t.chunk = Room[byte](max(min(2*cap(t.chunk), lastChunk), firstChunk, len(b)))
	}
	at := len(t.chunk)
	t.chunk = append(t.chunk, b...)
	return unsafe.String(&t.chunk[at], len(b))
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
