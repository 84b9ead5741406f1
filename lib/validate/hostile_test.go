package validate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/clitest"
)

// hasWord once was a regular expression that was made of the ticket: a ticket
// of some megabytes took seconds, a longer one panicked.
func TestATicketOfAnyLengthIsLookedFor(t *testing.T) {
	size := 40 << 20
	if testing.Short() {
		size = 4 << 20
	}
	long := strings.Repeat("A", size)
	if hasWord([]byte("see "+long[1:]), long) || !hasWord([]byte("see "+long+"."), long) {
		t.Error("a long word is not told from a shorter one")
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[A-Z.-]{1,4}`).Draw(t, "word")
		text := rapid.StringMatching(`[A-Z. -]{0,20}`).Draw(t, "text")
		due := regexp.MustCompile(`(^|[^A-Za-z0-9-])` + regexp.QuoteMeta(word) + `($|[^A-Za-z0-9-])`).MatchString(text)
		if got := hasWord([]byte(text), word); got != due {
			t.Errorf("hasWord(%q, %q) = %v, want %v", text, word, got, due)
		}
	})
}

// The exact value of such a number has millions of digits.
func TestANumberOfAbsurdExponentIsNoSum(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // "" for none
	}{
		{"0", "0"},
		{"-0", "0"},
		{"0e999999999", "0"},
		{"0.10", "1/10"},
		{"1e3", "1000"},
		{"9223372036854775808", "9223372036854775808"},
		{"1e-999999", ""},
		{"1e400", ""},
		{"1e999999999", ""},
		{"-2.5E-1000000", ""},
	} {
		got := ""
		if r, ok := rational(node{value: json.Number(tt.text), present: true}); ok {
			got = r.RatString()
		}
		if got != tt.want {
			t.Errorf("rational(%s) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestAClosedFolderDoesNotHideTheRunsBesideIt(t *testing.T) {
	clitest.AsNobody(t)
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		at := filepath.Join(dir, name, "manifests")
		if err := errors.Join(os.MkdirAll(at, 0o755), os.WriteFile(filepath.Join(at, "run-manifest-error-analysis-001.json"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "b"), 0), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "b"), 0o755) })
	found, err := Find(dir)
	if err == nil || !strings.Contains(err.Error(), "b") || len(found) != 2 || slices.ContainsFunc(found, func(n string) bool { return strings.Contains(n, "/b/") }) {
		t.Errorf("Find = %q, %v", found, err)
	}
}
