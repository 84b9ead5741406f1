package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker (-X okstra/lib/cli.version=…) in builds made by
// the Makefile; otherwise the build information speaks.
var version string

// Version is the version of the running program: the linker's word, else the
// module version, else "(devel)".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versionLine is what --version prints.
func versionLine(program string) string {
	return fmt.Sprintf("%s %s (%s %s/%s)\n", program, Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
