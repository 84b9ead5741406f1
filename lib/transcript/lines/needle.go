package lines

import "bytes"

// Needle is a text to search for in lines, by its rarest byte. A search that
// starts from a quotation mark stops at every key of a JSON line; one that starts
// from an underscore hardly ever stops.
type Needle struct {
	text string
	rare int
}

// NewNeedle takes the index of the rarest byte in text.
func NewNeedle(text string, rare int) Needle { return Needle{text, rare} }

// In reports whether the line holds the needle.
func (n Needle) In(line []byte) bool {
	for at := n.rare; at < len(line); at++ {
		i := bytes.IndexByte(line[at:], n.text[n.rare])
		if i < 0 {
			return false
		}
		at += i
		from := at - n.rare
		if from+len(n.text) <= len(line) && string(line[from:from+len(n.text)]) == n.text {
			return true
		}
	}
	return false
}
