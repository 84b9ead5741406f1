package main

import (
	"bytes"
	"strings"
	"testing"

	"okstra/lib/cli"
)

// Whatever TZ holds that the system takes is taken, and what it does not take ends
// no command.
func TestDaysEndWhereTZSays(t *testing.T) {
	event := func(ts string) string {
		return `{"provider":"claude","session":"s","agent":"","cwd":"","ts":"` + ts + `","model":"m","input":1,"cacheRead":0,"cacheWrite5m":0,"cacheWrite1h":0,"output":0,"reasoning":0,"source":{"path":"p","line":1}}` + "\n"
	}
	for _, tt := range []struct{ tz, ts, day, warns string }{
		{"UTC", "2026-09-08T23:30:00Z", "2026-09-08", ""},
		{":UTC", "2026-09-08T23:30:00Z", "2026-09-08", ""},
		{"UTC0", "2026-09-08T23:30:00Z", "2026-09-08", ""},
		{"KST-9", "2026-09-08T15:30:00Z", "2026-09-09", ""},
		{"<+0530>-5:30", "2026-09-08T18:31:00Z", "2026-09-09", ""},
		{"EST5EDT,M3.2.0,M11.1.0", "2026-07-08T04:30:00Z", "2026-07-08", ""},
		{"EST5EDT,M3.2.0,M11.1.0", "2026-12-08T04:30:00Z", "2026-12-07", ""},
		{"EST5EDT,M3.2.0,M11.1.0", "1999-12-08T04:30:00Z", "1999-12-07", ""},
		{"Asia/Seoul", "2026-09-08T15:30:00Z", "2026-09-09", ""},
		{":Asia/Seoul", "2026-09-08T15:30:00Z", "2026-09-09", ""},
		{"Nowhere/Atall", "2026-09-08T23:30:00Z", "2026-09-08", `TZ "Nowhere/Atall" is no time zone`},
		{"/nowhere", "2026-09-08T23:30:00Z", "2026-09-08", `TZ "/nowhere" is no time zone`},
		{"/dev/zero", "2026-09-08T23:30:00Z", "2026-09-08", `TZ "/dev/zero" is no time zone`},
		{"KST-99999", "2026-09-08T23:30:00Z", "2026-09-08", `TZ "KST-99999" is no time zone`},
	} {
		var out, errs bytes.Buffer
		std := cli.IO{In: strings.NewReader(event(tt.ts)), Out: &out, Err: &errs, Env: cli.Env{Get: func(name string) string {
			return map[string]string{"TZ": tt.tz}[name]
		}}}
		status := cli.Main(std, []string{"sum", "--by", "day", "--select", ".groups[0].key.day"}, app())
		if got := strings.Trim(out.String(), "\"\n"); status != 0 || got != tt.day || !strings.Contains(errs.String(), tt.warns) || tt.warns == "" && errs.Len() > 0 {
			t.Errorf("TZ %s: status %d, day %s, want %s; said %s", tt.tz, status, got, tt.day, errs.String())
		}
	}
}

// events prints no time that sum refuses, and sum takes none that belongs to no day.
func TestTimesThatAreNone(t *testing.T) {
	for _, ts := range []string{"2026-03-08T10:00:00,5Z", "2026-03-08T1:00:00Z", "2026-13-01T00:00:00Z", "2026-03-08T24:00:00Z", "2026-03-08 10:00:00Z"} {
		p := newPlace(t)
		p.write("home/.claude/projects/-w/s.jsonl", `{"type":"assistant","timestamp":"`+ts+`","message":{"id":"m","usage":{"input_tokens":5}}}`)
		stream := p.run("events", "--home", p.root+"/home")
		if !strings.Contains(stream, `"ts":""`) {
			t.Errorf("%s: %s", ts, stream)
		}
		var out, errs bytes.Buffer
		std := cli.IO{In: strings.NewReader(strings.Replace(stream, `"ts":""`, `"ts":"`+ts+`"`, 1)), Out: &out, Err: &errs, Env: cli.Env{Get: func(string) string { return "" }}}
		if status := cli.Main(std, []string{"sum", "-"}, app()); status != 2 || !strings.Contains(errs.String(), "-:1:") || out.Len() > 0 {
			t.Errorf("%s: sum: status %d, %s%s", ts, status, out.String(), errs.String())
		}
	}
}
