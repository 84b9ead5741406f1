package lines

import (
	"strings"
	"testing"

	"okstra/lib/transcript"
)

// sized is a text that says how much of it is left.
type sized struct{ *strings.Reader }

func (s sized) Rest() int64 { return int64(s.Len()) }

// The room for a huge line is as large as the line, and steps on the way to it are
// few: a line of 100 MB costs memory once.
func TestAHugeLineHasRoomOnce(t *testing.T) {
	for _, size := range []int{blockSize - 1, blockSize, blockSize + 1, 3 << 20, 20 << 20} {
		text := strings.Repeat("x", size) + "\n" + `{"a":1}` + "\n"
		var s transcript.Scratch
		f, longest, lines := new(transcript.File), 0, 0
		err := Walk(sized{strings.NewReader(text)}, f, &s, nil, func(l Line) {
			longest, lines = max(longest, len(l.Text)), lines+1
		})
		if err != nil || longest != size || lines != 2 || f.Bytes != int64(len(text)) || f.End.Line != 2 {
			t.Errorf("%d bytes: longest %d of %d lines, %d read, %v", size, longest, lines, f.Bytes, err)
		}
		if got, most := cap(s.Buffer), size+2*blockSize; got > most {
			t.Errorf("%d bytes: room for %d, want at most %d", size, got, most)
		}
	}
}
