package render

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// countText is a number with its thousands set apart, as 158,700.
func countText(n node) string {
	value, ok := n.whole()
	if !ok || value < 0 {
		return unknown
	}
	digits := strconv.FormatInt(value, 10)
	var out strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}

// usdText is an amount of money: cents from one cent up, else as many digits
// as show something. A sum that leaves something out ends in +.
func usdText(n node, complete bool) string {
	value := decimal(n)
	if value == nil || value.Sign() < 0 {
		return unknown
	}
	text := value.FloatString(2)
	if value.Sign() > 0 && value.Cmp(oneCent) < 0 {
		if text = strings.TrimRight(value.FloatString(6), "0"); text == "0." {
			text = "0.000001"
		}
	}
	if !complete {
		text += "+"
	}
	return "$" + text
}

var oneCent = big.NewRat(1, 100)

// decimal is a number with all its digits, nil for anything else. One written
// with an exponent goes through a float first: exact, 1e999999999 would fill
// the memory.
func decimal(n node) *big.Rat {
	number, _ := n.v.(json.Number)
	text := number.String()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	if strings.ContainsAny(text, "eE") || len(text) > 400 {
		return new(big.Rat).SetFloat64(value)
	}
	exact, _ := new(big.Rat).SetString(text)
	return exact
}

// durationText is a span of time in the two largest units that matter.
func durationText(n node) string {
	ms, ok := n.whole()
	if !ok || ms < 0 {
		return unknown
	}
	const second, minute, hour = 1000, 60_000, 3_600_000
	switch {
	case ms < second:
		return fmt.Sprintf("%d ms", ms)
	case ms < minute:
		return fmt.Sprintf("%d s", ms/second)
	case ms < hour:
		return fmt.Sprintf("%d min %d s", ms/minute, ms%minute/second)
	default:
		return fmt.Sprintf("%d h %d min", ms/hour, ms%hour/minute)
	}
}

// timeText is a time of the data, to the minute and in UTC; what is no time
// is shown as it is.
func timeText(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}
