package writepolicy

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLexicalFormKeepsParents(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"/a//b/", "/a/b"}, {"/a/./b", "/a/b"}, {"/a/../b", "/a/../b"}, {"/", "/"}, {"///a", "/a"}, {"//a", "//a"}, {"//", "//"}, {"/..", "/.."},
	} {
		if got := lexical(tt.in); got != tt.want {
			t.Errorf("lexical(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Law: a normalised relative path is what path.Clean leaves alone.
func TestNormalRelativePathsAreCleanOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[ab./\\ ]{0,8}`).Draw(t, "path")
		want := p != "" && p != "." && path.Clean(p) == p && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
		if got := isNormalRelative(p); got != want {
			t.Fatalf("isNormalRelative(%q) = %v, want %v", p, got, want)
		}
	})
}

// Law: for a path that exists, resolve is EvalSymlinks.
func TestResolve(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(base, "d/e"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"rel": "d", "abs": base + "/d/e", "d/up": "../rel", "chain": "d/up", "loop": "loop", "dangling": "d/gone"} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	m := Machine{Dir: base}
	for _, name := range []string{"d", "rel/e", "abs/..", "chain/e/.", "d/up/e/../e", "./d//e/"} {
		want, err := filepath.EvalSymlinks(base + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{name, base + "/" + name} {
			if got := m.resolve(p); got != want {
				t.Errorf("resolve(%q) = %q, want %q", p, got, want)
			}
		}
	}
	for name, want := range map[string]string{"gone/x/../y": "gone/y", "rel/new/file": "d/new/file", "dangling": "d/gone", "loop": "loop"} {
		if got := m.resolve(base + "/" + name); got != filepath.Join(base, want) {
			t.Errorf("resolve(%q) = %q, want %q", name, got, filepath.Join(base, want))
		}
	}
	if got := m.resolve("/../.."); got != "/" {
		t.Errorf("above the root: %q", got)
	}
}
