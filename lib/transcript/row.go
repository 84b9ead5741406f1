package transcript

import (
	"io"
	"iter"
)

// Row is one line of a transcript that pass 1 keeps. What Kind, Flags, the ids
// and the two count sets mean is the reader's own business, stated at its Scan.
type Row struct {
	Kind    uint8
	Flags   uint8
	Line    int
	Offset  int64
	At      int64 // TS as an instant, or NoTime
	TS      string
	Session string
	Agent   string
	CWD     string
	Model   string
	ID      string
	Request string
	Extra   string
	Counts  Counts
	Total   Counts
	N       int64 // one more number of the reader's own (calls, total_tokens, …)
	M       int64
}

// Position is a place between two lines: the number of lines and bytes before it.
type Position struct {
	Line   int
	Offset int64
}

// File is what pass 1 keeps of one transcript file.
type File struct {
	Provider string
	Path     string
	Session  string // by the file's name or header; the rows' own ids win
	Agent    string // by the file's name or rows; empty for a nameless one
	Team     string
	CWD      string
	Parent   string // session or thread this one was started by, when the file says so
	Model    string // for rows that name none, from a file beside it
	Started  int64  // when the session began, by its own header; 0 when it does not say
	Child    bool   // the parent's records hold this session's use too
	Rows     []Row

	Bytes      int64
	Skipped    int64 // see Note
	BadNumbers int64
	End        Position // after the last line that ends in a newline
	Tail       Tail
}

// Tail is what an unterminated last line added to a file. It counts, but it is
// never cached: the line may still grow.
type Tail struct {
	Rows       int
	Skipped    int64
	BadNumbers int64
}

// Reader is one provider's file format.
type Reader struct {
	Provider string
	Version  string // names the form of the rows, as "claude/1"; a change empties the cache

	// Scan reads r from f.End on and appends to f. The same bytes give the same
	// rows whether they are read at once or in two parts.
	Scan func(r io.Reader, f *File, s *Scratch) error

	// Whole says that a file may be one document, to be read in one piece.
	Whole bool

	// Describe fills in what the rows say about the file as a whole. Scan has done
	// it; it is done again when the rows of several pieces have been joined. It may
	// be nil: then of what the pieces say about a file the first counts.
	Describe func(f *File)

	// Fold turns the rows of all files of the provider into events and appends them
	// to those given. It does not change the files. Event.File is the index in
	// files; the events of one file come in line order. files are sorted by path.
	Fold func(files []*File, events []Event) ([]Event, Note)

	// Roots is where the provider keeps transcripts under a home. Where a file
	// lies twice, the root named first wins.
	Roots func(Home) []Root

	// Lineage says that a file may change what another one counts although their
	// times do not touch, so that no file may be left out by its age.
	Lineage bool

	// Source names the kind of transcript in a usage block.
	Source string

	// Model is assumed where a transcript names none.
	Model string

	// Beside fills in what stands in other files of the same folder. It may be
	// nil, and it never fails: what cannot be read is not known.
	Beside func(f *File)

	// SameFile, where a provider moves or compresses its files, names what stays
	// the same; of the files with one name only the best is read.
	SameFile func(path string) string
}

// Events reads one transcript by itself: both passes over the one file. name
// becomes the events' source path. Copies in other files are of course unseen.
func (rd *Reader) Events(r io.Reader, name string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := &File{Provider: rd.Provider, Path: name}
		if err := rd.Scan(r, f, new(Scratch)); err != nil {
			yield(Event{}, err)
			return
		}
		events, _ := rd.Fold([]*File{f}, nil)
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Scratch is what one worker reuses from file to file: the read buffer, room for
// files and rows and the store of strings. The zero value is ready; it must not be shared.
type Scratch struct {
	Buffer []byte
	rows   []Row
	files  []File
	Every  bool // parse every line, not only those that hold what is searched for: the slow way, to compare with
	Texts
}
