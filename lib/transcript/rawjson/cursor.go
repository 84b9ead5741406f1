// Package rawjson walks one JSON text in a single pass, strictly and without
// allocating.
//
// A transcript line is often kilobytes of text around a dozen numbers. The
// cursor steps over what the caller does not ask for at the speed of a string
// search, and still refuses every text that encoding/json refuses, so that a
// torn or spliced line is never half believed. Keys are compared as they are
// written; of two equal keys the caller is expected to take the first.
package rawjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// maxDepth is encoding/json's own limit.
const maxDepth = 10000

// Cursor reads a JSON text from front to back. After a fault every method does
// nothing and Bad reports true.
type Cursor struct {
	text  []byte
	at    int
	depth int
	fresh bool // just behind an opening bracket
	bad   bool
}

// New returns a cursor at the start of text.
func New(text []byte) Cursor { return Cursor{text: text} }

// Bad reports whether the text has turned out not to be JSON.
func (c *Cursor) Bad() bool { return c.bad }

// Offset is the number of bytes read.
func (c *Cursor) Offset() int { return c.at }

// AtEnd reports whether only white space is left.
func (c *Cursor) AtEnd() bool {
	c.space()
	return !c.bad && c.at == len(c.text)
}

// Next is the first byte of the next value: one of { [ " t f n - or a digit; 0
// at the end of the text.
func (c *Cursor) Next() byte {
	if c.bad {
		return 0
	}
	c.space()
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// Object steps into an object and reports true. Any other value is left
// untouched.
func (c *Cursor) Object() bool { return c.enter('{') }

// Array steps into an array and reports true. Any other value is left untouched.
func (c *Cursor) Array() bool { return c.enter('[') }

func (c *Cursor) enter(open byte) bool {
	if c.Next() != open {
		return false
	}
	c.depth++
	if c.depth > maxDepth {
		return c.fail()
	}
	c.at++
	c.fresh = true
	return true
}

// Key steps to the next member of the object entered and returns its key as
// written, without quotes. After the last one it steps out and reports false.
func (c *Cursor) Key() ([]byte, bool) {
	if !c.more('}') {
		return nil, false
	}
	if c.Next() != '"' {
		return nil, c.fail()
	}
	key, ok := c.str()
	if !ok {
		return nil, false
	}
	if c.Next() != ':' {
		return nil, c.fail()
	}
	c.at++
	return key, true
}

// Element steps to the next element of the array entered; after the last one
// it steps out and reports false.
func (c *Cursor) Element() bool { return c.more(']') }

func (c *Cursor) more(closing byte) bool {
	switch next := c.Next(); {
	case next == closing:
		c.at++
		c.depth--
		c.fresh = false
		return false
	case c.fresh && next != 0:
		c.fresh = false
		return true
	case next == ',' && !c.fresh:
		c.at++
		// A bracket after a comma is no value, and no key either.
		if after := c.Next(); after == closing || after == 0 {
			return c.fail()
		}
		return true
	}
	return c.fail()
}

// Text reads a string and returns its bytes as written, between the quotes. Any
// other value is stepped over and reported as false.
func (c *Cursor) Text() ([]byte, bool) {
	if c.Next() != '"' {
		c.Skip()
		return nil, false
	}
	return c.str()
}

// True steps over a value and reports whether it was the literal true.
func (c *Cursor) True() bool {
	is := c.Next() == 't'
	c.Skip()
	return is && !c.bad
}

// Skip steps over a value and returns it as written.
func (c *Cursor) Skip() []byte {
	next := c.Next()
	start := c.at
	switch next {
	case '"':
		c.str()
	case '{':
		for c.Object(); !c.bad; c.Skip() {
			if _, ok := c.Key(); !ok {
				break
			}
		}
	case '[':
		for c.Array(); !c.bad; c.Skip() {
			if !c.Element() {
				break
			}
		}
	case 't':
		c.literal("true")
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	default:
		c.number()
	}
	if c.bad {
		return nil
	}
	return c.text[start:c.at]
}

func (c *Cursor) fail() bool {
	c.bad = true
	return false
}

func (c *Cursor) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

func (c *Cursor) literal(want string) {
	if end := c.at + len(want); end <= len(c.text) && string(c.text[c.at:end]) == want {
		c.at = end
		return
	}
	c.fail()
}

// number steps over a number by JSON's grammar.
func (c *Cursor) number() {
	if c.peek('-') {
		c.at++
	}
	switch {
	case c.peek('0'):
		c.at++
	case !c.digits():
		c.fail()
		return
	}
	if c.peek('.') {
		c.at++
		if !c.digits() {
			c.fail()
			return
		}
	}
	if c.peek('e') || c.peek('E') {
		c.at++
		if c.peek('+') || c.peek('-') {
			c.at++
		}
		if !c.digits() {
			c.fail()
		}
	}
}

func (c *Cursor) peek(b byte) bool { return c.at < len(c.text) && c.text[c.at] == b }

func (c *Cursor) digits() bool {
	start := c.at
	for c.at < len(c.text) && c.text[c.at]-'0' <= 9 {
		c.at++
	}
	return c.at > start
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str reads the string that starts at the cursor. Eight bytes at a time it looks
// for a quote, a backslash or a control character: (x-1)&^x has its high bit set
// in the lowest byte that is 0, and nothing below that byte is ever flagged, so
// the first flag is exact.
func (c *Cursor) str() ([]byte, bool) {
	c.at++
	start, i, text := c.at, c.at, c.text
	for {
		for i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			flags := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
			if flags != 0 {
				i += bits.TrailingZeros64(flags) >> 3
				break
			}
			i += 8
		}
		for i < len(text) && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\' {
			i++
		}
		if i == len(text) || text[i] < 0x20 {
			return nil, c.fail()
		}
		if text[i] == '"' {
			c.at = i + 1
			return text[start:i], true
		}
		n := escape(text[i:])
		if n == 0 {
			return nil, c.fail()
		}
		i += n
	}
}

// escape is the length of the escape sequence that text starts with, 0 if it is
// none.
func escape(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < 6 {
			return 0
		}
		for _, h := range text[2:6] {
			if !(h-'0' <= 9 || h|0x20-'a' <= 5) {
				return 0
			}
		}
		return 6
	}
	return 0
}

// Unquote returns the text of a string as Text gave it: raw itself when it has
// no escapes.
func Unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return raw
	}
	return []byte(s)
}
