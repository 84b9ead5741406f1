package scan

import (
	"io"
	"os"
)

// reading reads a part of a file. What the kernel has in memory already it takes
// without telling the scheduler, which would put another thread in the place of
// one that is in the kernel for more than some microseconds, and look after it all
// the time; only what has to come from a disk is waited for as usual.
type reading struct {
	file   *os.File
	at, to int64
	slow   bool // the file system cannot tell what it has in memory
}

// Read implements io.Reader.
func (r *reading) Read(buf []byte) (int, error) {
	rest := r.to - r.at
	switch {
	case len(buf) == 0:
		return 0, nil
	case rest <= 0:
		return 0, io.EOF
	case int64(len(buf)) > rest:
		buf = buf[:rest]
	}
	if !r.slow {
		n, answer := readAtOnce(r.file, buf, r.at)
		if answer == atHand {
			r.at += int64(n)
			return n, nil
		}
		r.slow = answer == unable
	}
	n, err := r.file.ReadAt(buf, r.at)
	r.at += int64(n)
	return n, err
}

// Rest implements [transcript.Sized].
func (r *reading) Rest() int64 {
	info, err := r.file.Stat()
	if err != nil {
		return 0
	}
	return max(0, min(r.to, info.Size())-r.at)
}

// answer says what became of an attempt to read what is in memory.
type answer int

const (
	atHand answer = iota
	toWait        // this part is not in memory, or the file ends here
	unable        // it cannot be asked for
)
