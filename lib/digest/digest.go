// Package digest gives JSON values and bytes a name that does not depend on
// who wrote them down: the SHA-256 of a canonical form.
// Rule: docs/digest.md.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
)

// prefix names the algorithm in every digest text.
const prefix = "sha256:"

// JSON gives the digest of the canonical form of one JSON text. Two texts
// have the same digest if and only if they are the same value; the order of
// keys, white space and the way characters are escaped do not count, the
// order of arrays does. It refuses what Canonical refuses.
func JSON(raw []byte) (string, error) {
	canonical, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	return Bytes(canonical), nil
}

// Value gives the digest of v as encoding/json writes it. A struct and the
// document it was decoded from therefore agree as long as no field was lost.
func Value(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	return JSON(raw)
}

// Bytes gives the digest of b as it stands.
func Bytes(b []byte) string {
	sum := sha256.Sum256(b)
	return prefix + hex.EncodeToString(sum[:])
}

// Reader gives the digest of the bytes of r up to its end.
func Reader(r io.Reader) (string, error) {
	var h Hash
	if _, err := io.Copy(&h, r); err != nil {
		return "", err
	}
	return h.Digest(), nil
}

// Hash takes the digest of bytes that come in pieces. Its zero value is ready.
type Hash struct{ h hash.Hash }

// Write takes the next bytes. Its error is always nil.
func (d *Hash) Write(p []byte) (int, error) {
	if d.h == nil {
		d.h = sha256.New()
	}
	return d.h.Write(p)
}

// Digest is the digest of the bytes so far.
func (d *Hash) Digest() string {
	_, _ = d.Write(nil)
	return prefix + hex.EncodeToString(d.h.Sum(nil))
}

// Valid reports whether s has the form of a digest: "sha256:" and 64 lower
// case hex digits.
func Valid(s string) bool {
	if len(s) != len(prefix)+2*sha256.Size || s[:len(prefix)] != prefix {
		return false
	}
	for i := len(prefix); i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
