package transcript

import (
	"math"
	"time"
)

// NoTime is the instant of a row whose time is missing or cannot be read. It
// lies in no window.
const NoTime = math.MinInt64

// Instant reads an RFC 3339 time, strictly, as nanoseconds since 1970, or NoTime.
// Years 1678 to 2262 fit; others are no time of a transcript.
func Instant(ts string) int64 {
	if n, ok := zulu(ts); ok {
		return n
	}
	// The general parser also takes hours of one digit and a comma for the point.
	if len(ts) < 20 || ts[13] != ':' || ts[19] == ',' {
		return NoTime
	}
	t, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return NoTime
	}
	if y := t.UTC().Year(); y < 1678 || y > 2261 {
		return NoTime
	}
	return t.UnixNano()
}

// Stamp is a time as an event states it: as the transcript writes it, "" when
// that is no time.
func Stamp(ts string, at int64) string {
	if at == NoTime {
		return ""
	}
	return ts
}

// zulu reads the one form nearly every transcript uses, YYYY-MM-DDTHH:MM:SS[.fff]Z,
// without the general parser. It declines whatever is not plainly that.
func zulu(ts string) (int64, bool) {
	n := len(ts)
	if n < 20 || n > 30 || ts[4] != '-' || ts[7] != '-' || ts[10] != 'T' || ts[13] != ':' || ts[16] != ':' || ts[n-1] != 'Z' {
		return 0, false
	}
	var f [6]int
	for i, span := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		v := 0
		for _, c := range []byte(ts[span[0]:span[1]]) {
			if c < '0' || c > '9' {
				return 0, false
			}
			v = v*10 + int(c-'0')
		}
		f[i] = v
	}
	if f[0] < 1970 || f[0] > 2261 || f[1] < 1 || f[1] > 12 || f[2] < 1 || f[2] > 28 || f[3] > 23 || f[4] > 59 || f[5] > 59 {
		return 0, false // the 29th and later are left to the parser that knows the months
	}
	nanos := 0
	if n > 20 {
		if ts[19] != '.' || n == 21 {
			return 0, false
		}
		scale := 100_000_000
		for _, c := range []byte(ts[20 : n-1]) {
			if c < '0' || c > '9' {
				return 0, false
			}
			nanos += int(c-'0') * scale
			scale /= 10
		}
	}
	return time.Date(f[0], time.Month(f[1]), f[2], f[3], f[4], f[5], nanos, time.UTC).UnixNano(), true
}

// FromUnixMilli writes a time that a transcript gives in milliseconds.
func FromUnixMilli(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Window is a closed span of time. A zero bound leaves its side open.
type Window struct {
	Since, Until time.Time
}

// Open reports whether the window has no bound at all.
func (w Window) Open() bool { return w.Since.IsZero() && w.Until.IsZero() }

// Holds reports whether an instant lies in the window. NoTime never does, save
// in a window without bounds.
func (w Window) Holds(at int64) bool {
	if w.Open() {
		return true
	}
	if at == NoTime {
		return false
	}
	t := time.Unix(0, at)
	return (w.Since.IsZero() || !t.Before(w.Since)) && (w.Until.IsZero() || !t.After(w.Until))
}
