package main

import (
	"encoding/binary"
	"os"
	"strings"
	"time"

	"okstra/lib/cli"
)

// location is the zone in which a day ends: the one that is named, else that of the
// environment. What TZ says that is no zone is told, and UTC taken, as everywhere
// else; a flag is refused.
func location(std cli.IO, name string) (*time.Location, error) {
	if name != "" {
		l, err := time.LoadLocation(name)
		if err != nil {
			return nil, cli.Usagef("--timezone %q is no time zone (expected a name as Asia/Seoul or UTC)", name)
		}
		return l, nil
	}
	tz := std.Env.Getenv("TZ")
	if tz == "" {
		return time.Local, nil
	}
	if l := environmentZone(tz); l != nil {
		return l, nil
	}
	std.Warnf("TZ %q is no time zone: days end in UTC (--timezone names another)", tz)
	return time.UTC, nil
}

// environmentZone reads what TZ may hold: the name of a zone or the path of its file,
// either behind a colon, or a rule as KST-9 or CET-1CEST,M3.5.0,M10.5.0/3. It is nil
// for what is none of these.
func environmentZone(tz string) *time.Location {
	name := strings.TrimPrefix(tz, ":")
	if strings.HasPrefix(name, "/") {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		l, err := time.LoadLocationFromTZData(name, data)
		if err != nil {
			return nil
		}
		return l
	}
	if l, err := time.LoadLocation(name); err == nil {
		return l
	}
	return zoneOfRule(name)
}

// zoneOfRule is the zone of a POSIX rule. The time package reads such rules only at
// the end of a zone's file, so one is made that holds nothing else; what it does
// not understand leaves the file's own zone in force, whose name no rule has.
func zoneOfRule(rule string) *time.Location {
	if strings.ContainsAny(rule, "\n\x00") {
		return nil
	}
	block := func() []byte {
		head := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range []uint32{0, 0, 0, 0, 1, 6} { // one zone, and the six bytes of its name
			head = binary.BigEndian.AppendUint32(head, n)
		}
		return append(head, "\x00\x00\x00\x00\x00\x00"+"~none\x00"...)
	}
	data := append(append(block(), block()...), "\n"+rule+"\n"...)
	l, err := time.LoadLocationFromTZData(rule, data)
	if err != nil {
		return nil
	}
	if name, _ := time.Unix(0, 0).In(l).Zone(); name == "~none" {
		return nil
	}
	return l
}
