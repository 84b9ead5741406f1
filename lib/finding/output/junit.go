package output

import (
	"encoding/xml"
	"fmt"
	"strings"

	"okstra/lib/finding"
)

// JUnit has one test case for each artifact and rule with a finding. An error
// fails it; a finding that a baseline knows is skipped; warnings and notes are
// told in its output. There are no times: the output depends on the input alone.
// The attribute skipped stands on the suites only, because some readers refuse
// it above them.
func JUnit(runs []Run) ([]byte, error) {
	all := junitSuites{Name: tool, Time: noTime}
	for _, r := range runs {
		suite := suiteOf(r)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	body, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(append([]byte(xml.Header), body...), '\n'), nil
}

const (
	tool   = "okstra-validate"
	noTime = "0.000"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Time     string         `xml:"time,attr"`
	Skipped  *junitSkipped  `xml:"skipped"`
	Failures []junitFailure `xml:"failure"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func suiteOf(r Run) junitSuite {
	suite := junitSuite{Name: legal(suiteName(r)), Time: noTime}
	type key struct{ artifact, code string }
	at := map[key]int{}
	for _, f := range r.Findings {
		k := key{f.Artifact, f.Code}
		i, ok := at[k]
		if !ok {
			i = len(suite.Cases)
			at[k] = i
			suite.Cases = append(suite.Cases, junitCase{Class: legal(f.Artifact), Name: legal(f.Code), Time: noTime})
		}
		suite.Cases[i].take(f)
	}
	for i := range suite.Cases {
		c := &suite.Cases[i]
		suite.Tests++
		switch {
		case len(c.Failures) > 0:
			c.Skipped = nil
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	return suite
}

func (c *junitCase) take(f finding.Finding) {
	text := junitPlace(f)
	switch {
	case f.Level == finding.Error && f.Baseline != "unchanged":
		c.Failures = append(c.Failures, junitFailure{string(f.Level), legal(f.Message), legal(text)})
		return
	case f.Level == finding.Error:
		c.Skipped = &junitSkipped{"known from the baseline"}
	}
	c.Out += legal(fmt.Sprintf("%s: %s %s\n", f.Level, text, f.Message))
}

// suiteName is the run in short; a document is its own suite.
func suiteName(r Run) string {
	if r.TaskType == "" || r.RunSeq == "" {
		return r.Run
	}
	return r.TaskType + "-" + r.RunSeq
}

func junitPlace(f finding.Finding) string {
	at := f.Artifact
	if f.Line > 0 {
		at += ":" + place(f)
	}
	if f.Pointer != "" {
		at += " " + f.Pointer
	}
	return at
}

// legal writes characters that XML cannot hold as escapes: left to the encoder
// they would all become the same character, and names would collide.
func legal(s string) string {
	if strings.IndexFunc(s, illegal) < 0 && strings.ToValidUTF8(s, "") == s {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, `\x{fffd}`) {
		if illegal(r) {
			fmt.Fprintf(&b, `\x{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// illegal says whether XML 1.0 has no place for a character.
func illegal(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < 0x20, r == 0xFFFE, r == 0xFFFF:
		return true
	}
	return r >= 0xD800 && r <= 0xDFFF
}
