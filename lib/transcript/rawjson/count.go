package rawjson

// MaxCount is the largest count believed: beyond it a double is no longer exact.
const MaxCount = 1 << 53

// Count steps over a value and reads it as a token count: a JSON number with a
// whole value from 0 to MaxCount, in whatever notation. null is 0. Everything
// else is 0 and not ok.
func (c *Cursor) Count() (n int64, ok bool) {
	raw := c.Skip()
	if c.bad {
		return 0, false
	}
	return ParseCount(raw)
}

// ParseCount is Count for a value that has been read.
func ParseCount(raw []byte) (n int64, ok bool) {
	if string(raw) == "null" {
		return 0, true
	}
	if len(raw) == 0 || !(raw[0] == '-' || raw[0]-'0' <= 9) {
		return 0, false
	}
	if len(raw) <= 16 {
		for _, b := range raw {
			if b-'0' > 9 {
				return scaled(raw)
			}
			n = n*10 + int64(b-'0')
		}
		return upToMax(n)
	}
	return scaled(raw)
}

// scaled reads a number with a sign, a fraction or an exponent without floating
// point: the digits are collected and the point is moved.
func scaled(raw []byte) (int64, bool) {
	var digits []byte
	negative, point, i := false, 0, 0
	if raw[0] == '-' {
		negative, i = true, 1
	}
	for ; i < len(raw) && raw[i]-'0' <= 9; i++ {
		digits = append(digits, raw[i])
	}
	point = len(digits)
	if i < len(raw) && raw[i] == '.' {
		for i++; i < len(raw) && raw[i]-'0' <= 9; i++ {
			digits = append(digits, raw[i])
		}
	}
	if i < len(raw) { // an exponent
		point += exponent(raw[i+1:])
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	for len(digits) > 0 && digits[0] == '0' {
		digits, point = digits[1:], point-1
	}
	switch {
	case len(digits) == 0:
		return 0, true // zero, written somehow
	case negative, point < len(digits), point > 16:
		return 0, false // negative, a fraction, or beyond 2^53
	}
	var n int64
	for k := range point {
		n *= 10
		if k < len(digits) {
			n += int64(digits[k] - '0')
		}
	}
	return upToMax(n)
}

func upToMax(n int64) (int64, bool) {
	if n > MaxCount {
		return 0, false
	}
	return n, true
}

// exponent reads the digits behind an e; what it cannot hold is beyond every
// count anyway.
func exponent(raw []byte) int {
	const far = 1 << 40
	sign, n := 1, 0
	for _, b := range raw {
		switch {
		case b == '-':
			sign = -1
		case b == '+':
		case n < far:
			n = n*10 + int(b-'0')
		}
	}
	return sign * n
}
