package lines

// pairs is the least i below whole with text[i] == first and text[i+d] == second
// for one of the distances d, or whole. whole is a multiple of 16, above 0, and
// whole plus each distance lies within the text.
func pairs(text []byte, whole int, first, second byte, distance *[3]int) int {
	const ones = 0x0101010101010101
	return pairsSSE2(&text[0], whole, uint64(first)*ones, uint64(second)*ones, distance)
}

// pairsSSE2 uses what every amd64 processor has.
//
//go:noescape
func pairsSSE2(text *byte, whole int, first, second uint64, distance *[3]int) int
