package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/jsondoc"
)

// large is a snapshot with n rows and one of everything else.
func large(n int) *Snapshot {
	s := &Snapshot{Root: "/srv/shop", ArtifactRoot: "/srv/a\xff", PolicyDigests: []string{"sha256:1"}, Roots: []Root{
		{Root: "/srv/a\xff", Rows: []Row{{Path: ".", Type: Dir, Mode: 0o755}}, Unreadable: []string{}},
		{Root: "/srv/shop", Unreadable: []string{"secret", "x\xff"}},
	}, Git: &GitState{
		GitDir: "/srv/shop/.git", CommonDir: "/srv/shop/.git", Refs: map[string]string{"refs/heads/main": "1"}, Stash: []string{}, AssumeUnchanged: []string{},
		SkipWorktree: []string{}, Hooks: map[string]string{"a\xff": "sha256:2"}, Info: map[string]string{}, Worktrees: []string{"/srv/shop"}, Branches: map[string]string{}, Locks: []string{},
	}}
	for i := range n {
		s.Roots[1].Rows = append(s.Roots[1].Rows, Row{
			Path: fmt.Sprintf("src/%07d-\"name\".go", i), Type: File, Mode: 0o644, UID: 1, GID: 2, Size: int64(i), Mtime: 1788897600123456789, Ctime: 1788897600123456789, Ino: uint64(i),
		})
	}
	return s
}

// The reader of large documents reads what the usual one reads, and refuses
// what it refuses.
func TestLargeSnapshotsAreReadAsSmallOnes(t *testing.T) {
	good := large(3).Encode()
	doc, err := jsondoc.Parse("s.json", good)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Load(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, small := range []int{0, len(good) - 1, len(good)} {
		got, err := read(bytes.NewReader(good), "s.json", small)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read whole up to %d of %d bytes it is another one:\n%s", small, len(good), diff)
		}
	}
	for _, tt := range []struct{ name, old, new, problem string }{
		{"another kind", Kind, "okstra-job", `s.json: /kind: "okstra-job"`},
		{"a newer version", `"1.0"`, `"2.0"`, "s.json: /schemaVersion"},
		{"a row too short", `"0644",1,2,1,`, `"0644",1,`, "8 values (expected 10)"},
		{"rows in another order", `src/0000001`, `src/0000000`, `s.json: /roots/1/rows/1: path`},
		{"a key twice", `"artifactRoot": `, `"root": "x", "artifactRoot": `, `key "root" stands there twice`},
		{"cut off", "\n}\n", "", "unexpected EOF"},
		{"something behind it", "\n}\n", "\n}\n{}", "something follows"},
		{"no UTF-8", `-\"name`, "-\xff", "not UTF-8"},
		{"roots that are no list", `"roots": [`, `"roots": {"a": [`, "expected ["},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(string(good), tt.old, tt.new, 1)
			s, err := readLarge(strings.NewReader(text), "s.json")
			if fault := (*FormatError)(nil); s != nil || !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("got %v, %v; want a fault with %q", s != nil, err, tt.problem)
			}
		})
	}
}

// A tree whose snapshot is larger than other documents may be is no reason to
// lose the baseline.
func TestASnapshotOfManyMegabytesComesBack(t *testing.T) {
	if os.Getenv("OKSTRA_SOAK") == "" {
		t.Skip("writes and reads 70 MB (make soak)")
	}
	s := large(620_000)
	text := s.Encode()
	if len(text) <= jsondoc.MaxSize {
		t.Fatalf("only %d bytes", len(text))
	}
	got, err := Read(bytes.NewReader(text), "s.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Encode(), text) {
		t.Error("it is not the same any more")
	}
}
