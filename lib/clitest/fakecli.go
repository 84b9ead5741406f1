package clitest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// FakeDir is the environment variable that names the folder of the fakes.
const FakeDir = "OKSTRA_FAKE_CLI"

// FakeCall is what a fake writes down of a call.
type FakeCall struct {
	Args  []string `json:"args"`
	Dir   string   `json:"dir"`
	Stdin string   `json:"stdin"`
}

// FakeCLI is a program that stands in for a provider's. Register it under the
// provider's name:
//
//	clitest.Run(m, map[string]func(){"okstra-dispatch": main, "claude": clitest.FakeCLI("claude")})
//
// In the folder $OKSTRA_FAKE_CLI it adds one FakeCall as a JSON line to
// NAME.calls and then plays NAME.sh with the arguments and the standard input
// it was given; without that script it ends with status 0. A script is put
// there by the test, as a part of a .txtar file.
func FakeCLI(name string) func() {
	return func() {
		code, err := playFake(name, os.Getenv(FakeDir), os.Args[1:])
		if err != nil {
			fmt.Fprintf(os.Stderr, "fake %s: %v\n", name, err)
			code = 99
		}
		os.Exit(code)
	}
}

func playFake(name, dir string, args []string) (int, error) {
	if dir == "" {
		return 0, fmt.Errorf("%s is not set", FakeDir)
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 0, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	row, err := json.Marshal(FakeCall{Args: args, Dir: cwd, Stdin: string(stdin)})
	if err != nil {
		return 0, err
	}
	calls, err := os.OpenFile(filepath.Join(dir, name+".calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	if _, err := calls.Write(append(row, '\n')); err != nil {
		return 0, err
	}
	if err := calls.Close(); err != nil {
		return 0, err
	}
	script := filepath.Join(dir, name+".sh")
	if _, err := os.Stat(script); os.IsNotExist(err) {
		return 0, nil
	}
	cmd := exec.Command("sh", append([]string{script}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(string(stdin)), os.Stdout, os.Stderr
	return status(cmd.Run())
}
