package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/clitest"
	"okstra/lib/translate/check"
)

func TestMain(m *testing.M) { clitest.Run(m, map[string]func(){"okstra-translate": main}) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelpPages(t *testing.T) { clitest.Help(t, app()) }

func TestHelpExamples(t *testing.T) { clitest.Examples(t, app(), "testdata/examples") }

// Every check is explained on its page, and the page explains no others.
func TestThePageExplainsEveryCheck(t *testing.T) {
	raw, err := os.ReadFile("../../docs/translate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "\n## Checks\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var explained []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z-]+`(?:, `[a-z-]+`)*) \\| (error|warning) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("[a-z-]+").FindAllString(row[1], -1) {
			explained = append(explained, name+" "+row[2])
		}
	}
	var have []string
	for _, u := range check.Units() {
		have = append(have, u.Name+" "+string(u.Level))
	}
	if diff := cmp.Diff(have, explained); diff != "" {
		t.Errorf("(-checks +page)\n%s", diff)
	}
}
