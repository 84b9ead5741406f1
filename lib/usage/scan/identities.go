package scan

import "okstra/lib/transcript"

// identity tells files apart. No file has an inode of 0.
type identity struct{ device, inode uint64 }

// identities is a set of them: a table without pointers, at most half full.
type identities struct {
	slots []identity
	n     int
}

// add reports whether the set did not have one before.
func (s *identities) add(id identity) bool {
	if 2*s.n >= len(s.slots) {
		old := s.slots
		size := max(4*len(old), 64)
		s.slots = transcript.Room[identity](size)[:size]
		for _, id := range old {
			if id.inode != 0 {
				*s.slot(id) = id
			}
		}
	}
	slot := s.slot(id)
	if slot.inode != 0 {
		return false
	}
	*slot = id
	s.n++
	return true
}

// slot is where an identity stands, or is to stand.
func (s *identities) slot(id identity) *identity {
	mask := uint64(len(s.slots) - 1)
	for at := (id.inode ^ id.device<<32) * 0x9E3779B97F4A7C15 >> 20; ; at++ {
		if slot := &s.slots[at&mask]; *slot == id || slot.inode == 0 {
			return slot
		}
	}
}
