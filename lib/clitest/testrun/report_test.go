package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"okstra/lib/clitest"
)

func TestReportEndsWithTheSkipsAndThenTheRunnersLines(t *testing.T) {
	events := []event{
		{Action: "start", Package: "p"},
		{Action: "run", Package: "p", Test: "TestA"},
		{Action: "output", Package: "p", Test: "TestA", Output: "=== RUN   TestA\n"},
		{Action: "output", Package: "p", Test: "TestA", Output: "    need.go:31: jq is not installed\n"},
		{Action: "skip", Package: "p", Test: "TestA"},
		{Action: "output", Package: "p", Test: "TestB", Output: "noise\n"},
		{Action: "pass", Package: "p", Test: "TestB"},
		{Action: "output", Package: "p", Test: "TestC", Output: "    need.go:63: passed as uid 65534 in a process of its own\n"},
		{Action: "skip", Package: "p", Test: "TestC"},
		{Action: "output", Package: "p", Output: "PASS\n"},
		{Action: "output", Package: "p", Output: "ok  \tp\t0.1s\n"},
		{Action: "pass", Package: "p"},
		{Action: "output", Package: "q", Test: "TestD", Output: "    q_test.go:3: wrong\n"},
		{Action: "fail", Package: "q", Test: "TestD"},
		{Action: "output", Package: "q", Test: "TestE", Output: "    need.go:31: jq is not installed\n"},
		{Action: "output", Package: "q", Test: "TestE", Output: "    testscript.go:609: WORK=$WORK\n"},
		{Action: "skip", Package: "q", Test: "TestE"},
		{Action: "output", Package: "q", Output: "FAIL\n"},
		{Action: "output", Package: "q", Output: "FAIL\tq\t0.2s\n"},
		{Action: "fail", Package: "q"},
		{Action: "output", Package: "r", Output: "?   \tr\t[no test files]\n"},
		{Action: "skip", Package: "r"},
		{Action: "output", Package: "s", Test: "TestCrash", Output: "panic: oh\n"},
	}
	want := `    q_test.go:3: wrong
FAIL
panic: oh
2 tests were skipped: 2× jq is not installed
ok  	p	0.1s
FAIL	q	0.2s
?   	r	[no test files]
`
	var in, out bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, e := range events {
		if err := encoder.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	r := newReport(&out)
	if err := r.read(&in); err != nil {
		t.Fatal(err)
	}
	r.close()
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestSummaryCounts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		reasons []string
		want    string
	}{
		{"none", nil, "no test was skipped\n"},
		{"one", []string{"no jq"}, "1 test was skipped: 1× no jq\n"},
		{"several reasons", []string{"no jq", "no tmux", "no jq"}, "3 tests were skipped: 2× no jq; 1× no tmux\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReport(nil)
			for _, reason := range tt.reasons {
				r.skip([]string{"    x_test.go:1: " + reason + "\n"})
			}
			if got := r.summary(); got != tt.want {
				t.Errorf("summary after %q = %q, want %q", tt.reasons, got, tt.want)
			}
		})
	}
}

func TestTheMarkOfTestsThatRanElsewhereIsTheOneThatClitestWrites(t *testing.T) {
	if !strings.HasPrefix(clitest.RanAsNobody, ranElsewhere) {
		t.Errorf("clitest writes %q, testrun knows %q", clitest.RanAsNobody, ranElsewhere)
	}
}

func TestLinesThatAreNoEventsPassThrough(t *testing.T) {
	var out bytes.Buffer
	r := newReport(&out)
	r.line([]byte("go: no such tool\n"))
	if got := out.String(); got != "go: no such tool\n" {
		t.Errorf("printed %q", got)
	}
}
