//go:build !amd64

package lines

import "bytes"

// pairs is the least i below whole with text[i] == first and text[i+d] == second
// for one of the distances d, or whole.
func pairs(text []byte, whole int, first, second byte, distance *[3]int) int {
	for at := 0; at < whole; at++ {
		i := bytes.IndexByte(text[at:whole], first)
		if i < 0 {
			break
		}
		at += i
		for _, d := range distance {
			if text[at+d] == second {
				return at
			}
		}
	}
	return whole
}
