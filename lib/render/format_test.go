package render

import (
	"encoding/json"
	"testing"
)

func number(text string) node { return node{v: json.Number(text)} }

func TestUnknownIsNeverZero(t *testing.T) {
	for _, n := range []node{{}, {v: "12"}, number("1.5"), number("-1"), number("1e400")} {
		if got := countText(n); got != unknown {
			t.Errorf("countText(%v) = %q", n, got)
		}
		if got := durationText(n); got != unknown {
			t.Errorf("durationText(%v) = %q", n, got)
		}
	}
	for _, n := range []node{{}, {v: "12"}, {v: true}, number("-1"), number("1e999999999")} {
		if got := usdText(n, true); got != unknown {
			t.Errorf("usdText(%v) = %q", n, got)
		}
	}
}

func TestNumbersAsPeopleReadThem(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{countText(number("0")), "0"},
		{countText(number("999")), "999"},
		{countText(number("1000")), "1,000"},
		{countText(number("158700")), "158,700"},
		{countText(number("1234567890")), "1,234,567,890"},
		{usdText(number("0.3635"), true), "$0.36"},
		{usdText(number("0.155"), true), "$0.16"},
		{usdText(number("0.3635"), false), "$0.36+"},
		{usdText(number("0"), true), "$0.00"},
		{usdText(number("0.0064"), true), "$0.0064"},
		{usdText(number("0.0000001"), true), "$0.000001"},
		{usdText(number("1e-9"), true), "$0.000001"},
		{usdText(number("12"), true), "$12.00"},
		{durationText(number("0")), "0 ms"},
		{durationText(number("41000")), "41 s"},
		{durationText(number("570000")), "9 min 30 s"},
		{durationText(number("5400000")), "1 h 30 min"},
		{timeText("2026-09-08T19:30:59Z"), "2026-09-08 19:30 UTC"},
		{timeText("2026-09-08T19:30:59+02:00"), "2026-09-08 17:30 UTC"},
		{timeText("soon"), "soon"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
