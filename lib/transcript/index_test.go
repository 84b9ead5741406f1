package transcript

import (
	"testing"

	"pgregory.net/rapid"
)

// The index agrees with a map whatever the hashes are, equal ones included.
func TestIndexAgreesWithAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfN(rapid.Uint64(), 1, 8).Draw(t, "hashes")
		var x Index
		for round := range 3 {
			keys := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 60).Draw(t, "keys")
			x.Reset(len(keys))
			first := map[int]int32{}
			for i, key := range keys {
				hash := hashes[key%len(hashes)]
				is := func(n int32) bool { return keys[n] == key }
				want, known := first[key]
				if !known {
					want = int32(i)
				}
				if has := x.Has(hash, is); has != known {
					t.Fatalf("round %d: has(%d) = %v, want %v", round, key, has, known)
				}
				got, ok := x.Find(hash, int32(i), is)
				if got != want || ok != known {
					t.Fatalf("round %d: find(%d) = %d, %v, want %d, %v", round, key, got, ok, want, known)
				}
				first[key] = want
			}
		}
	})
}

func TestRoomHoldsWhatWasAskedFor(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 300_000} {
		room := Room[int64](n)
		if len(room) != 0 || cap(room) < n {
			t.Errorf("Room(%d): %d of %d", n, len(room), cap(room))
		}
		room = room[:n]
		for i, v := range room {
			if v != 0 {
				t.Fatalf("Room(%d)[%d] = %d", n, i, v)
			}
		}
	}
}

func TestRowsOfFilesDoNotTouchEachOther(t *testing.T) {
	var s Scratch
	var kept [][]Row
	for file := range 40 {
		rows := s.Begin(int64(file * 10_000))
		for line := range file * 37 {
			rows = append(rows, Row{Line: line, Offset: int64(file)})
		}
		kept = append(kept, s.End(rows))
	}
	for file, rows := range kept {
		if len(rows) != file*37 || cap(rows) != len(rows) {
			t.Fatalf("file %d: %d rows of %d", file, len(rows), cap(rows))
		}
		for line, r := range rows {
			if r.Line != line || r.Offset != int64(file) {
				t.Fatalf("file %d, row %d: %+v", file, line, r)
			}
		}
	}
}
