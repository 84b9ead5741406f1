package scan

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
)

// drawRows are rows as a reader may keep them: texts of any kind, most of them
// those of the row before, and numbers up to the ends of their ranges.
func drawRows(t *rapid.T) []transcript.Row {
	number := rapid.OneOf(rapid.Int64Range(0, 9), rapid.SampledFrom([]int64{0, math.MaxInt64, 1 << 53}), rapid.Int64Min(0))
	signed := rapid.OneOf(number, rapid.SampledFrom([]int64{-1, transcript.NoTime, math.MinInt64 + 1}))
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "", "a", `"`, `\`, "\u2028é", "\x00\n"}), rapid.String())
	rows := make([]transcript.Row, rapid.IntRange(0, 5).Draw(t, "rows"))
	for i := range rows {
		r := &rows[i]
		if i > 0 && rapid.Bool().Draw(t, "as before") {
			*r = rows[i-1]
		}
		for _, one := range rowTexts(r) {
			if rapid.IntRange(0, 3).Draw(t, "changes") == 0 {
				*one.at = text.Draw(t, one.name)
			}
		}
		if rapid.Bool().Draw(t, "dated") {
			r.TS = "2026-09-08T10:00:00.5Z"
		}
		r.At = transcript.Instant(r.TS)
		r.Line, r.Offset = 1+int(number.Draw(t, "line")>>1), number.Draw(t, "offset")
		r.Kind, r.Flags = rapid.Byte().Draw(t, "kind"), rapid.Byte().Draw(t, "flags")
		r.N, r.M = signed.Draw(t, "n"), signed.Draw(t, "m")
		r.Counts, r.Total = transcript.Counts{}, transcript.Counts{}
		for _, c := range rowCounts(r) {
			for _, n := range countsOf(c.at) {
				if rapid.Bool().Draw(t, "counted") {
					*n = number.Draw(t, c.name)
				}
			}
		}
	}
	return rows
}

// What was written into a document is read from it, whatever it is, and a
// document of which any byte has changed is none.
func TestADocumentKeepsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "/home/u/a.jsonl", `a"\b`}), rapid.String())
		rows := drawRows(t)
		m := &memo{device: 7, inode: uint64(rapid.Int64Min(0).Draw(t, "inode")), started: rapid.Int64().Draw(t, "started")}
		for _, list := range [][]member[string]{m.texts(), m.meta()} {
			for _, one := range list {
				*one.at = text.Draw(t, one.name)
			}
		}
		for _, one := range m.numbers() {
			*one.at = rapid.Int64Min(0).Draw(t, one.name)
		}
		line := m.write(rows)
		if !utf8.Valid(line) {
			t.Fatalf("%q", line)
		}
		var got memo
		if !got.read(line) {
			t.Fatalf("not read: %s", line)
		}
		file := got.file(found{reader: &claude.Reader, path: m.path}, new(transcript.Scratch))
		if file == nil {
			t.Fatalf("its rows were not read: %s", line)
		}
		if !sameMemo(&got, m) {
			t.Fatalf("read %+v, want %+v", got, m)
		}
		if len(file.Rows) != len(rows) {
			t.Fatalf("%d rows, want %d", len(file.Rows), len(rows))
		}
		for i := range rows {
			if diff := cmp.Diff(rows[i], file.Rows[i]); diff != "" {
				t.Fatalf("row %d: %s\n%s", i, diff, line)
			}
		}
		spoilt := append([]byte(nil), line...)
		spoilt[rapid.IntRange(0, len(line)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if new(memo).read(spoilt) {
			t.Fatalf("read although a bit has changed: %q", spoilt)
		}
	})
}

func sameMemo(a, b *memo) bool {
	same := a.device == b.device && a.inode == b.inode && a.started == b.started
	for i, one := range append(a.texts(), a.meta()...) {
		same = same && *one.at == *append(b.texts(), b.meta()...)[i].at
	}
	for i, one := range a.numbers() {
		same = same && *one.at == *b.numbers()[i].at
	}
	return same
}

// Whatever a document says under a right checksum, reading it ends, and what was
// read can be written and read again.
func FuzzDocument(f *testing.F) {
	m := &memo{reader: "claude/2", path: "/a.jsonl", head: "sha256:00", tail: "sha256:01", device: 1, inode: 2, size: 3}
	row := transcript.Row{Line: 1, TS: "2026-09-08T10:00:00Z", ID: `m"1`, Counts: transcript.Counts{Input: 3}}
	again := row
	again.Line, again.N = 2, transcript.NoTime
	for _, rows := range [][]transcript.Row{nil, {row}, {row, again}} {
		behind := string(m.write(rows)[len(documentHead)+sealSize:])
		f.Add(behind)
		f.Add(behind[:len(behind)/2])
		f.Add(strings.Replace(behind, `"line":1`, `"line":-0`, 1))
		f.Add(strings.Replace(behind, `"inode":2`, `"inode":99999999999999999999`, 1))
	}
	f.Fuzz(func(t *testing.T, behind string) {
		sum := seal([]byte(behind))
		line := []byte(documentHead + string(sum[:]) + behind)
		var m memo
		if !m.read(line) {
			return
		}
		file := m.file(found{reader: &claude.Reader, path: m.path}, new(transcript.Scratch))
		if file == nil {
			return
		}
		next := m.write(file.Rows)
		if next == nil {
			return // a text is no UTF-8, so nobody has written it
		}
		var second memo
		if !second.read(next) || !sameMemo(&m, &second) {
			t.Fatalf("%s\nwritten as\n%s", line, next)
		}
		if diff := cmp.Diff(file, second.file(found{reader: &claude.Reader, path: m.path}, new(transcript.Scratch))); diff != "" {
			t.Fatalf("%s", diff)
		}
	})
}

func TestASetOfIdentitiesHoldsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set identities
		plain := map[identity]bool{}
		for range rapid.IntRange(0, 300).Draw(t, "adds") {
			id := identity{rapid.Uint64Range(0, 2).Draw(t, "device"), rapid.Uint64Range(1, 200).Draw(t, "inode")}
			if got, want := set.add(id), !plain[id]; got != want {
				t.Fatalf("%v: %v, want %v", id, got, want)
			}
			plain[id] = true
		}
	})
}
