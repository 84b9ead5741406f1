package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Every mutation of which git status says nothing, and the row that names it.
func TestW13MutationsThatGitStatusDoesNotShow(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(w *world)
		mutate  func(w *world)
		want    []string // rows that must be there
		seen    bool     // by git status, too
	}{
		{name: "edit of an ignored file", prepare: func(w *world) { w.write("x.ignored", "1") }, mutate: func(w *world) { w.write("x.ignored", "2") }, want: []string{"x.ignored ignored modified unplanned"}},
		{name: "new ignored file", mutate: func(w *world) { w.write("build/out", "1") }, want: []string{"build ignored created unplanned", "build/out ignored created unplanned"}},
		{name: "new empty directory", mutate: func(w *world) { w.mkdir("empty") }, want: []string{"empty tree created unplanned"}},
		{name: "hook planted", mutate: func(w *world) {
			w.write(".git/hooks/pre-commit", "#!/bin/sh\n")
			w.must(os.Chmod(w.abs(".git/hooks/pre-commit"), 0o755))
		}, want: []string{".git/hooks/pre-commit git-hook created unplanned"}},
		{name: "hooks path set", mutate: func(w *world) { w.git("config", "core.hooksPath", "/tmp/x") }, want: []string{".git/config git-config modified unplanned"}},
		{name: "chmod 600", mutate: func(w *world) { w.must(os.Chmod(w.abs("src/a.go"), 0o600)) }, want: []string{"src/a.go tree mode unplanned"}},
		{name: "edit behind assume-unchanged", prepare: func(w *world) { w.git("update-index", "--assume-unchanged", "src/a.go") }, mutate: func(w *world) { w.write("src/a.go", "package x\n") }, want: []string{"src/a.go tree modified unplanned"}},
		{name: "edit behind skip-worktree", prepare: func(w *world) { w.git("update-index", "--skip-worktree", "src/a.go") }, mutate: func(w *world) { w.write("src/a.go", "package x\n") }, want: []string{"src/a.go tree modified unplanned"}},
		{name: "assume-unchanged set", mutate: func(w *world) { w.git("update-index", "--assume-unchanged", "src/a.go") }, want: []string{"src/a.go git-index metadata unplanned", ".git/index git-index modified unplanned"}},
		{name: "skip-worktree set", mutate: func(w *world) { w.git("update-index", "--skip-worktree", "src/a.go") }, want: []string{"src/a.go git-index metadata unplanned"}},
		{name: "edit and commit", mutate: func(w *world) {
			w.write("src/a.go", "package x\n")
			w.git("commit", "-qam", "two")
		}, want: []string{"refs/heads/main git-ref moved unplanned", "src/a.go tree modified unplanned", ".git/logs/HEAD git-reflog modified unplanned"}},
		{name: "commit and reset", mutate: func(w *world) {
			w.write("src/a.go", "package x\n")
			w.git("commit", "-qam", "two")
			w.git("reset", "-q", "--hard", "HEAD~1")
		}, want: []string{".git/logs/HEAD git-reflog modified unplanned"}},
		{name: "edit and stash", mutate: func(w *world) {
			w.write("src/a.go", "package x\n")
			w.git("stash", "-q")
		}, want: []string{"refs/stash git-stash created unplanned"}},
		{name: "edit, stash and drop", mutate: func(w *world) {
			w.write("src/a.go", "package x\n")
			w.git("stash", "-q")
			w.git("stash", "drop", "-q")
		}, want: []string{".git/logs/HEAD git-reflog modified unplanned"}},
		{name: "stash dropped", prepare: func(w *world) {
			w.write("src/a.go", "package x\n")
			w.git("stash", "-q")
		}, mutate: func(w *world) { w.git("stash", "drop", "-q") }, want: []string{"refs/stash git-stash deleted unplanned"}},
		{name: "hidden through info/exclude", mutate: func(w *world) {
			w.write(".git/info/exclude", "secret\n")
			w.write("secret", "1")
		}, want: []string{".git/info/exclude git-info modified unplanned", "secret ignored created unplanned"}},
		{name: "branch switch on the same commit", mutate: func(w *world) { w.git("checkout", "-q", "-b", "other") }, want: []string{"HEAD git-ref moved unplanned", "refs/heads/other git-ref created unplanned"}},
		{name: "detached HEAD", mutate: func(w *world) { w.git("checkout", "-q", "--detach") }, want: []string{"HEAD git-ref moved unplanned"}},
		{name: "fifo", mutate: func(w *world) { w.must(syscall.Mkfifo(w.abs("pipe"), 0o644)) }, want: []string{"pipe tree created unplanned"}},
		{name: "second worktree", mutate: func(w *world) {
			w.git("worktree", "add", "-q", "-b", "side", "../side")
			w.write(filepath.Join(w.top, "side/src/a.go"), "package x\n")
		}, want: []string{"TOP/side worktree created unplanned", "refs/heads/side git-ref created unplanned"}},
		{name: "worktree removed", prepare: func(w *world) { w.git("worktree", "add", "-q", "-b", "side", "../side") }, mutate: func(w *world) { w.git("worktree", "remove", "../side") }, want: []string{"TOP/side worktree deleted unplanned"}},
		{name: "modification time only", mutate: func(w *world) { w.must(os.Chtimes(w.abs("src/a.go"), time.Unix(1, 0), time.Unix(1, 0))) }, want: []string{"src/a.go tree metadata unplanned"}},
		{name: "same size, time put back, trustctime off", prepare: func(w *world) { w.git("config", "core.trustctime", "false") }, mutate: func(w *world) { sameSizeSameTime(w, "src/a.go", "package x\n") }, want: []string{"src/a.go tree modified unplanned"}},
		{name: "tag", mutate: func(w *world) { w.git("tag", "v1") }, want: []string{"refs/tags/v1 git-ref created unplanned"}},
		{name: "packed refs forged", mutate: func(w *world) {
			w.write(".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+w.git("rev-parse", "HEAD")+" refs/heads/forged\n")
		}, want: []string{"refs/heads/forged git-ref created unplanned"}},
		{name: "lock left behind", mutate: func(w *world) { w.write(".git/index.lock", "") }, want: []string{".git/index.lock lock created unplanned"}},
		{name: "configuration lock left behind", mutate: func(w *world) { w.write(".git/config.lock", "") }, want: []string{".git/config.lock lock created unplanned"}},
		{name: "objects from elsewhere", mutate: func(w *world) {
			w.mkdir("../elsewhere")
			w.write(".git/objects/info/alternates", filepath.Join(w.top, "elsewhere")+"\n")
		}, want: []string{".git/objects/info/alternates git-info created unplanned"}},
		{name: "extended attribute", mutate: func(w *world) {
			if err := unix.Setxattr(w.abs("src/a.go"), "user.x", []byte("1"), 0); err != nil {
				w.t.Skip("no extended attributes here:", err)
			}
		}, want: []string{"src/a.go tree metadata unplanned"}},
		{name: "extended attribute of a directory", mutate: func(w *world) {
			if err := unix.Setxattr(w.abs("src"), "user.x", []byte("1"), 0); err != nil {
				w.t.Skip("no extended attributes here:", err)
			}
		}, want: []string{"src tree metadata unplanned"}},
		{name: "value of an extended attribute of the root", prepare: func(w *world) {
			if err := unix.Setxattr(w.root, "user.x", []byte("1"), 0); err != nil {
				w.t.Skip("no extended attributes here:", err)
			}
		}, mutate: func(w *world) { w.must(unix.Setxattr(w.root, "user.x", []byte("2"), 0)) }, want: []string{". tree metadata unplanned"}},
		{name: "setuid", mutate: func(w *world) { w.must(os.Chmod(w.abs("src/a.go"), 0o644|os.ModeSetuid)) }, want: []string{"src/a.go tree mode unplanned"}},
		{name: "index emptied", mutate: func(w *world) { w.git("rm", "-q", "-r", "--cached", "src") }, want: []string{".git/index git-index modified unplanned"}, seen: true},

		// What git status shows as well, or only in part.
		{name: "chmod +x", mutate: func(w *world) { w.must(os.Chmod(w.abs("src/a.go"), 0o755)) }, want: []string{"src/a.go tree mode unplanned"}, seen: true},
		{name: "same size, time put back", mutate: func(w *world) { sameSizeSameTime(w, "src/a.go", "package x\n") }, want: []string{"src/a.go tree modified unplanned"}, seen: true},
		{name: "nested repository", mutate: func(w *world) {
			w.mkdir("nested")
			w.gitIn(w.abs("nested"), "init", "-q")
			w.write("nested/x", "1")
		}, want: []string{"nested tree created unplanned", "nested/x tree created unplanned", "nested/.git/HEAD tree created unplanned"}, seen: true},
		{name: "odd names", mutate: func(w *world) {
			w.write("new\nline", "1")
			w.write("bad\xff", "1")
		}, want: []string{"new\nline tree created unplanned", `"bad\xff" tree created unplanned`}, seen: true},
		{name: "link", mutate: func(w *world) { w.must(os.Symlink("/etc/passwd", w.abs("link"))) }, want: []string{"link tree created unplanned"}, seen: true},
		{name: "file becomes a link", mutate: func(w *world) {
			w.must(os.Remove(w.abs("src/a.go")))
			w.must(os.Symlink("b.go", w.abs("src/a.go")))
		}, want: []string{"src/a.go tree type unplanned"}, seen: true},
		{name: "directory becomes a link", mutate: func(w *world) {
			w.must(os.Rename(w.abs("src"), w.abs("moved")))
			w.must(os.Symlink("moved", w.abs("src")))
		}, want: []string{"src tree type unplanned", "src/a.go tree deleted unplanned", "moved/a.go tree created unplanned"}, seen: true},
		{name: "deleted", mutate: func(w *world) { w.must(os.Remove(w.abs("src/a.go"))) }, want: []string{"src/a.go tree deleted unplanned"}, seen: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			status := w.git("status", "--porcelain", "--untracked-files=all")
			f := w.around(w.scope(), func() { tt.mutate(w) })
			got := lines(f.Changes)
			for _, want := range tt.want {
				want = filepath.ToSlash(replaceTop(want, w.top))
				if !slices.Contains(got, want) {
					t.Errorf("no row %q among\n%q", want, got)
				}
			}
			if len(f.Violations) == 0 {
				t.Error("no violation")
			}
			if !tt.seen && w.git("status", "--porcelain", "--untracked-files=all") != status {
				t.Error("git status shows it: the case proves nothing")
			}
		})
	}
}

func replaceTop(text, top string) string {
	if rest, ok := strings.CutPrefix(text, "TOP"); ok {
		return top + rest
	}
	return text
}

// sameSizeSameTime changes a file without changing its size or modification
// time.
func sameSizeSameTime(w *world, name, text string) {
	w.t.Helper()
	info, err := os.Stat(w.abs(name))
	w.must(err)
	if int64(len(text)) != info.Size() {
		w.t.Fatalf("text of %d bytes for a file of %d", len(text), info.Size())
	}
	w.write(name, text)
	w.must(os.Chtimes(w.abs(name), info.ModTime(), info.ModTime()))
}
