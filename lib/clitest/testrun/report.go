package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is one line of "go test -json" (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

type testID struct{ pkg, test string }

// report keeps what tests print until their end is known: the output of a
// failed test is passed on at once, the closing lines of the packages wait for
// the end, all the rest is dropped.
type report struct {
	out     io.Writer
	pending map[testID][]string
	closing []string
	skipped map[string]int // tests by reason
}

func newReport(out io.Writer) *report {
	return &report{out: out, pending: map[testID][]string{}, skipped: map[string]int{}}
}

func (r *report) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		r.print(string(line)) // not an event: the go command's own words
		return
	}
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		r.print(e.Output)
	case "output":
		if e.Test == "" && isClosing(e.Output) {
			r.closing = append(r.closing, e.Output)
		} else {
			r.pending[id] = append(r.pending[id], e.Output)
		}
	case "pass":
		delete(r.pending, id)
	case "skip":
		if e.Test != "" {
			r.skip(r.pending[id])
		}
		delete(r.pending, id)
	case "fail":
		for _, text := range r.pending[id] {
			r.print(text)
		}
		delete(r.pending, id)
	}
}

func (r *report) print(text string) { io.WriteString(r.out, text) }

// isClosing recognises the line that ends a package.
func isClosing(output string) bool {
	for _, start := range []string{"ok  \t", "FAIL\t", "?   \t"} {
		if strings.HasPrefix(output, start) {
			return true
		}
	}
	return false
}

// place is the "file.go:12: " in front of a test's message.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// ranElsewhere begins the reason of tests that passed in a process of their
// own (clitest.AsNobody): they were not left out.
const ranElsewhere = "passed as uid 65534"

func (r *report) skip(output []string) {
	reason := "no reason given"
	for _, text := range output {
		// testscript logs its script after the reason.
		if at := place.FindString(text); at != "" && !strings.Contains(at, "testscript.go:") {
			reason = strings.TrimSpace(text[len(at):])
		}
	}
	if !strings.HasPrefix(reason, ranElsewhere) {
		r.skipped[reason]++
	}
}

// close prints what waited for the end: the skips, then the runner's lines.
func (r *report) close() {
	left := slices.SortedFunc(maps.Keys(r.pending), func(a, b testID) int {
		return strings.Compare(a.pkg+a.test, b.pkg+b.test)
	})
	for _, id := range left { // tests that a crash cut off
		if id.test != "" {
			r.print(strings.Join(r.pending[id], ""))
		}
	}
	r.print(r.summary())
	for _, line := range r.closing {
		r.print(line)
	}
}

func (r *report) summary() string {
	total := 0
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		total += r.skipped[reason]
		reasons = append(reasons, fmt.Sprintf("%d× %s", r.skipped[reason], reason))
	}
	switch total {
	case 0:
		return "no test was skipped\n"
	case 1:
		return fmt.Sprintf("1 test was skipped: %s\n", reasons[0])
	}
	return fmt.Sprintf("%d tests were skipped: %s\n", total, strings.Join(reasons, "; "))
}
