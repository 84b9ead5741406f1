package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/cli"
	"okstra/lib/clitest"
	"okstra/lib/translate/check"
)

func TestMain(m *testing.M) { clitest.Run(m, map[string]func(){"okstra-translate": main}) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelpPages(t *testing.T) { clitest.Help(t, app()) }

func TestHelpExamples(t *testing.T) { clitest.Examples(t, app(), "testdata/examples") }

func TestAFolderThatCannotBeWrittenIsAFaultOfTheMachine(t *testing.T) {
	clitest.AsNobody(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "r.data.json")
	if err := os.CopyFS(dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "final-report-error-analysis-001.data.json"), data); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (status int, out, errs string) {
		var stdout, stderr bytes.Buffer
		status = cli.Main(cli.IO{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, args, app())
		return status, stdout.String(), stderr.String()
	}
	_, payload, _ := run("prepare", "--data", data, "--lang", "ko")
	_, digest, _ := run("prepare", "--data", data, "--lang", "ko", "--select", ".digest")
	source := filepath.Join(dir, "SRC.json")
	if err := os.WriteFile(source, []byte(payload), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	status, out, errs := run("write", "--data", data, "--lang", "ko", "--source", source,
		"--source-digest", strings.Trim(digest, "\"\n"), "--translations", filepath.Join(dir, "KO.md"))
	if status != 3 || out != "" || !strings.Contains(errs, "r.translation.ko.json") || !strings.Contains(errs, "permission denied") {
		t.Errorf("status %d, printed %q, said %q", status, out, errs)
	}
}

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
