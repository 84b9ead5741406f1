package scan

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
)

// Nothing writes into a pipe that lies about, and a device never ends: neither keeps
// a scan waiting, whether it was named or lies in a home.
func TestWhatIsNoRegularFileKeepsNobodyWaiting(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "socket.jsonl")
	must(t, syscall.Mkfifo(pipe, 0o600))
	must(t, os.Symlink(pipe, filepath.Join(dir, "link.jsonl")))
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err) // a temporary folder with too long a name
	}
	defer listener.Close()
	for _, path := range []string{pipe, filepath.Join(dir, "link.jsonl"), socket, "/dev/zero", "/dev/null"} {
		for _, readers := range [][]*transcript.Reader{all.Readers(), all.Of("claude")} {
			_, err := Run(context.Background(), Options{Readers: readers, Paths: []string{path}})
			if _, named := err.(interface{ Unwrap() []error }); !named {
				t.Errorf("%s: %v, want a fault that names it", path, err)
			}
		}
	}
	r, err := Run(context.Background(), Options{Readers: all.Readers(), Paths: []string{dir}})
	if err != nil || len(r.Files) != 0 {
		t.Errorf("the folder: %d files, %v", len(r.Files), err)
	}

	home := t.TempDir()
	for _, beside := range []string{
		".grok/sessions/%2Fw/s1/summary.json", ".kimi/kimi.json", ".kimi-code/sessions/wd_w_0123456789ab/session_s1/state.json", ".gemini/tmp/w/.project_root",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(home, beside)), 0o700))
		must(t, syscall.Mkfifo(filepath.Join(home, beside), 0o600))
	}
	for _, name := range []string{
		".grok/sessions/%2Fw/s1/updates.jsonl", ".kimi/sessions/0123456789abcdef0123456789abcdef/s1/wire.jsonl",
		".kimi-code/sessions/wd_w_0123456789ab/session_s1/agents/main/wire.jsonl", ".gemini/tmp/w/chats/session-1.jsonl",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(home, name), []byte("{}\n"), 0o600))
	}
	if r, err := Run(context.Background(), Options{Readers: all.Readers(), Home: transcript.Home{Dir: home}}); err != nil || len(r.Files) != 4 {
		t.Errorf("the home: %d files, %v", len(r.Files), err)
	}
}
