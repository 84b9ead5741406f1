package codex

import (
	"hash/maphash"

	"okstra/lib/transcript"
)

// pairSet knows which pairs of total and last a file has shown so far.
type pairSet struct {
	seed  maphash.Seed
	rows  []transcript.Row
	index transcript.Index
}

// begin empties the set for the rows of another file.
func (s *pairSet) begin(rows []transcript.Row) {
	s.rows = rows
	s.index.Reset(len(rows))
}

func (s *pairSet) hash(row *transcript.Row) uint64 {
	return maphash.Comparable(s.seed, pairOf(row))
}

func samePair(a, b *transcript.Row) bool {
	return a.Total == b.Total && a.Counts == b.Counts && a.M == b.M && a.N == b.N
}

// add puts the pair of the row at an index into the set.
func (s *pairSet) add(i int) {
	row := &s.rows[i]
	s.index.Find(s.hash(row), int32(i), func(k int32) bool { return samePair(row, &s.rows[k]) })
}

// has reports whether the pair of a row is in the set.
func (s *pairSet) has(row *transcript.Row) bool {
	return s.index.Has(s.hash(row), func(k int32) bool { return samePair(row, &s.rows[k]) })
}
