package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var statFields = cmpopts.IgnoreFields(IndexEntry{}, "Size", "Ino", "UID", "GID", "MtimeSec", "MtimeNano", "CtimeSec", "CtimeNano")

// indexOf reads the index of the sandbox in both ways.
func indexOf(t *testing.T, s *sandbox) (read, listed []IndexEntry) {
	t.Helper()
	repo := s.repo()
	read, err := repo.Index(t.Context(), filepath.Join(s.dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	err = repo.listIndex(t.Context(), func(e *RawEntry) {
		e.IndexEntry.Path, e.IndexEntry.ID = string(e.Path), hex.EncodeToString(e.ID)
		listed = append(listed, e.IndexEntry)
	})
	if err != nil {
		t.Fatal(err)
	}
	return read, listed
}

func TestTheIndexIsReadAsGitReadsIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(s *sandbox)
	}{
		{"version 2", func(*sandbox) {}},
		{"version 3", func(s *sandbox) { s.git("update-index", "--skip-worktree", "c") }},
		{"version 4", func(s *sandbox) { s.git("update-index", "--index-version=4") }},
		{"flags", func(s *sandbox) {
			s.git("update-index", "--assume-unchanged", "a.txt", "c")
			s.git("update-index", "--skip-worktree", "c")
		}},
		{"split", func(s *sandbox) {
			s.git("update-index", "--split-index")
			s.write("later", "")
			s.git("add", "later")
		}},
		{"an open merge", func(s *sandbox) {
			s.git("checkout", "-q", "-b", "other")
			s.write("a.txt", "other\n")
			s.git("commit", "-qam", "other")
			s.git("checkout", "-q", "main")
			s.write("a.txt", "main\n")
			s.git("commit", "-qam", "main")
			cmd := exec.Command("git", "merge", "-q", "other")
			cmd.Dir, cmd.Env = s.dir, s.env
			_ = cmd.Run()
		}},
		{"sparse", func(s *sandbox) { s.git("sparse-checkout", "set", "--cone", "--sparse-index", "sub") }},
		{"untracked cache and monitor", func(s *sandbox) { s.git("update-index", "--untracked-cache") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			s.write("c", "")
			s.write("sub/"+strings.Repeat("long", 40)+"/ \xff\n", "x")
			s.write("other/y", "y")
			s.git("add", ".")
			if err := os.Symlink("a.txt", filepath.Join(s.dir, "link")); err != nil {
				t.Fatal(err)
			}
			s.git("add", ".")
			s.git("commit", "-qm", "more")
			tt.make(s)
			read, listed := indexOf(t, s)
			if diff := cmp.Diff(listed, read, statFields); diff != "" || len(read) < 4 {
				t.Errorf("(-git +ours):\n%s", diff)
			}
		})
	}
}

func TestTheIndexOfASHA256Repository(t *testing.T) {
	s := newSandbox(t)
	if err := os.RemoveAll(filepath.Join(s.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "--object-format=sha256")
	s.write("b", "two\n")
	s.git("add", ".")
	read, listed := indexOf(t, s)
	if diff := cmp.Diff(listed, read, statFields); diff != "" || len(read) != 2 || len(read[0].ID) != 64 {
		t.Errorf("(-git +ours):\n%s", diff)
	}
	h := BlobHash(4, read[1].ID)
	h.Write([]byte("two\n"))
	if got := s.git("hash-object", "b"); got != read[1].ID || got != hex.EncodeToString(h.Sum(nil)) {
		t.Errorf("blob %x, want %s", h.Sum(nil), got)
	}
}

func TestStatDataOfTheIndex(t *testing.T) {
	s := newSandbox(t)
	read, _ := indexOf(t, s)
	info, err := os.Stat(filepath.Join(s.dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if e := read[0]; int64(e.Size) != info.Size() || int64(e.MtimeSec) != info.ModTime().Unix() || int(e.MtimeNano) != info.ModTime().Nanosecond() {
		t.Errorf("entry %+v does not fit the file of %d bytes at %v", e, info.Size(), info.ModTime())
	}
}

func TestNoIndexAndADamagedOne(t *testing.T) {
	s := newSandbox(t)
	index := filepath.Join(s.dir, ".git/index")
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, []byte("DIRC"), text[:40], text[:len(text)-1], append([]byte("JUNK"), text[4:]...)} {
		if err := os.WriteFile(index, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.repo().Index(t.Context(), filepath.Dir(index)); err == nil {
			t.Errorf("%d bytes of an index were read", len(damaged))
		}
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	if entries, err := s.repo().Index(t.Context(), filepath.Dir(index)); err != nil || entries != nil {
		t.Errorf("no index: %v, %v", entries, err)
	}
}

func FuzzParseIndex(f *testing.F) {
	s := newSandbox(f)
	for _, version := range []string{"2", "4"} {
		s.git("update-index", "--index-version="+version)
		text, err := os.ReadFile(filepath.Join(s.dir, ".git/index"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		err := parseIndex(bytes.NewReader(raw), int64(len(raw)), func() func(*RawEntry) {
			return func(e *RawEntry) {
				if len(e.Path) == 0 || len(e.Path) > len(raw) || e.Stage < 0 || e.Stage > 3 {
					t.Errorf("entry %+v", e)
				}
			}
		})
		if err == nil && !bytes.HasPrefix(raw, []byte("DIRC")) {
			t.Error("that is no index")
		}
	})
}

// A path may be longer than what is in memory of the index at a time.
func TestLongPathsInTheIndex(t *testing.T) {
	for _, version := range []uint32{2, 4} {
		want := []string{strings.Repeat("a", window-70), strings.Repeat("b", 3*window+1), strings.Repeat("c", 11)}
		text := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
		text = binary.BigEndian.AppendUint32(text, uint32(len(want)))
		last := ""
		for _, path := range want {
			start := len(text)
			text = append(text, make([]byte, 40+sha1.Size)...)
			text = binary.BigEndian.AppendUint16(text, flagNameLength)
			if version == 4 {
				text = append(text, offsetText(len(last))...)
			}
			text = append(append(text, path...), 0)
			for version < 4 && (len(text)-start)%8 != 0 {
				text = append(text, 0)
			}
			last = path
		}
		text = append(text, make([]byte, sha1.Size)...)
		var got []string
		err := parseIndex(bytes.NewReader(text), int64(len(text)), func() func(*RawEntry) {
			got = nil
			return func(e *RawEntry) { got = append(got, string(e.Path)) }
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("version %d: %d paths, error %v", version, len(got), err)
		}
	}
}

// offsetText writes the variable width number of version 4.
func offsetText(n int) []byte {
	text := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		text = append([]byte{byte(n&0x7f) | 0x80}, text...)
	}
	return text
}
