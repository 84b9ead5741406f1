package sarif

import (
	"crypto/sha1"
	"encoding/hex"
)

// namespaceURL is the name space of URLs of RFC 9562.
var namespaceURL = [16]byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// GUID derives an identifier from a name: UUID version 5 in the name space of
// URLs. The same name has the same identifier everywhere, so that a log file
// that is made twice is the same twice.
func GUID(name string) string {
	sum := sha1.Sum(append(namespaceURL[:], name...))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
