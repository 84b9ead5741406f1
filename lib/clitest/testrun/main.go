// Command testrun runs "go test" with the given arguments and says in the end
// how many tests were skipped, and why, which the runner itself keeps quiet
// about. After that line come the runner's own closing lines, unchanged, and
// its exit status.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = errs
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(errs, "testrun: %v\n", err)
		return 3
	}
	report := newReport(out)
	if err := report.read(events); err != nil {
		fmt.Fprintf(errs, "testrun: %v\n", err)
	}
	err = cmd.Wait()
	report.close()
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintf(errs, "testrun: %v\n", err)
		return 3
	}
	return 0
}
