package scan

import (
	"bytes"
	"strings"
	"unsafe"

	"okstra/lib/transcript/rawjson"
)

// exact reads a text that has just one form, as the cache's documents have. What
// differs from it in a single byte makes the whole text bad; there is no other
// fault, and no position of one, for a bad document is as good as none.
//
// Strings that need no unquoting are pieces of the text itself, which must not
// change any more.
type exact struct {
	text []byte
	at   int
	bad  bool
}

// lit steps over what must stand here.
func (e *exact) lit(want string) {
	if !e.has(want) {
		e.bad = true
	}
}

// has steps over what may stand here, and reports whether it did.
func (e *exact) has(what string) bool {
	if end := e.at + len(what); end <= len(e.text) && string(e.text[e.at:end]) == what {
		e.at = end
		return true
	}
	return false
}

// number reads a whole number, as it is written by package strconv.
func (e *exact) number() int64 {
	start, n := e.at, uint64(0)
	negative := e.has("-")
	first := e.at
	for ; e.at < len(e.text) && e.text[e.at]-'0' <= 9; e.at++ {
		n = n*10 + uint64(e.text[e.at]-'0')
	}
	digits := e.at - first
	most := uint64(1<<63 - 1)
	if negative {
		most++
	}
	// 19 digits do not wrap.
	if digits == 0 || digits > 19 || n > most || e.text[first] == '0' && (digits > 1 || negative) {
		e.at, e.bad = start, true
		return 0
	}
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// count is a number that is not negative.
func (e *exact) count() int64 {
	n := e.number()
	e.bad = e.bad || n < 0
	return n
}

// small is a number of one byte.
func (e *exact) small() uint8 {
	n := e.number()
	e.bad = e.bad || n != int64(uint8(n))
	return uint8(n)
}

// string reads a JSON string.
func (e *exact) string() string {
	e.lit(`"`)
	rest := e.text[min(e.at, len(e.text)):]
	end := bytes.IndexByte(rest, '"')
	if e.bad || end < 0 {
		e.bad = true
		return ""
	}
	if end == 0 {
		e.at++
		return ""
	}
	s := unsafe.String(&rest[0], end)
	if strings.IndexByte(s, '\\') < 0 {
		e.at += end + 1
		return s
	}
	c := rawjson.New(e.text[e.at-1:])
	raw, ok := c.Text()
	e.at += c.Offset() - 1
	e.bad = e.bad || !ok
	return string(rawjson.Unquote(raw))
}
