package lines

import "bytes"

// Needle is a set of words of which one must stand in a line that matters. They
// begin with the same byte and all hold a second, rare one; both are looked for
// at once, sixteen places at a time, and what is found is compared in full.
//
// A search that starts from the quotation mark of a key alone stops at every key
// of a JSON line, and one that starts from a letter at every word.
type Needle struct {
	words         []string
	first, second byte
	distance      [3]int // from the first byte to the second
	longest       int    // the greatest distance
}

// NewNeedle makes a needle of words that begin with the same byte and in which
// second stands at no more than three different places at first.
func NewNeedle(second byte, words ...string) *Needle {
	n := &Needle{words: words, first: words[0][0], second: second}
	used := 0
	for _, w := range words {
		d := bytes.IndexByte([]byte(w), second)
		known := false
		for _, have := range n.distance[:used] {
			known = known || have == d
		}
		if d <= 0 || w[0] != n.first || !known && used == len(n.distance) {
			panic("lines: " + w + " does not fit the needle")
		}
		if !known {
			n.distance[used] = d
			used++
		}
		n.longest = max(n.longest, d)
	}
	for i := used; i < len(n.distance); i++ {
		n.distance[i] = n.distance[0]
	}
	return n
}

// In reports whether the text holds one of the words.
func (n *Needle) In(text []byte) bool { return n.Index(text) < len(text) }

// Index is where the first of the words begins, len(text) when there is none.
func (n *Needle) Index(text []byte) int {
	for at := 0; at < len(text); at++ {
		at += n.candidate(text[at:])
		for _, w := range n.words {
			if len(text)-at >= len(w) && string(text[at:at+len(w)]) == w {
				return at
			}
		}
	}
	return len(text)
}

// candidate is the first place where both bytes stand, len(text) without one.
func (n *Needle) candidate(text []byte) int {
	at := 0
	if whole := (len(text) - n.longest) &^ 15; whole > 0 {
		if at = pairs(text, whole, n.first, n.second, &n.distance); at < whole {
			return at
		}
	}
	for ; at+1 < len(text); at++ {
		i := bytes.IndexByte(text[at:], n.first)
		if i < 0 {
			break
		}
		at += i
		for _, d := range n.distance {
			if at+d < len(text) && text[at+d] == n.second {
				return at
			}
		}
	}
	return len(text)
}
