package transcript

import "math/bits"

// Index finds numbers by the hash of what they stand for. It is a map whose keys
// lie elsewhere: made once for all that it may hold, it allocates nothing more and
// has no pointers. The zero value must be made ready with Reset.
type Index struct {
	slots []slot
	shift int
}

// slot holds a number plus one, 0 for none, beside bits of the hash that spare most
// looks at the key.
type slot struct {
	sign   uint32
	number int32
}

// Reset empties the index and makes it ready for that many numbers.
func (x *Index) Reset(n int) {
	size := 8 << bits.Len(uint(n)/4) // at most half of it is used
	if size <= cap(x.slots) {
		x.slots = x.slots[:size]
		clear(x.slots)
	} else {
		x.slots = Room[slot](size)[:size]
	}
	x.shift = 64 - bits.TrailingZeros(uint(size))
}

// Find gives the number stored under a hash for which is reports true. Where there
// is none it stores n and reports false.
func (x *Index) Find(hash uint64, n int32, is func(int32) bool) (found int32, ok bool) {
	s := x.look(hash, is)
	if s.number > 0 {
		return s.number - 1, true
	}
	*s = slot{uint32(hash), n + 1}
	return n, false
}

// Has reports whether Find would find a number.
func (x *Index) Has(hash uint64, is func(int32) bool) bool {
	return x.look(hash, is).number > 0
}

func (x *Index) look(hash uint64, is func(int32) bool) *slot {
	for at := hash >> x.shift; ; at++ {
		s := &x.slots[at&uint64(len(x.slots)-1)]
		if s.number == 0 || s.sign == uint32(hash) && is(s.number-1) {
			return s
		}
	}
}
