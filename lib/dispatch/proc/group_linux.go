package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"okstra/lib/run"
)

// Group is a control group of the caller's own (cgroup2), in which Run starts
// its programs: nothing leaves it without being allowed to, and the kernel
// kills all of it in one step, however fast it forks. It is made where the
// caller's own group may be divided, which takes a delegation or root; without
// one, and for a nil Group, the walk down /proc has to do, which Run does in
// any case.
type Group struct {
	dir    string
	handle *os.File
	killed bool // cgroup.kill was used
	parent string
	number int // of the group, among those of this process
}

// groupPrefix begins the names of these groups; the identity of the owner and
// a number follow.
const groupPrefix = "okstra-"

// NewGroup makes a group below that of the caller. The error says why there is
// none. Groups of owners that are gone are removed on the way.
func NewGroup() (*Group, error) {
	own, err := ownGroup("/proc/self/cgroup", "/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	removeDeadGroups(own)
	g := &Group{parent: own}
	if err := g.open(); err != nil {
		return nil, err
	}
	return g, nil
}

// open makes a group that nobody was in yet.
func (g *Group) open() error {
	self := Self()
	g.number++
	g.dir = filepath.Join(g.parent, fmt.Sprintf("%s%d-%d-%d", groupPrefix, self.PID, self.StartTicks, g.number))
	if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := unix.Access(filepath.Join(g.dir, "cgroup.kill"), unix.W_OK); err != nil {
		removeGroup(g.dir)
		return fmt.Errorf("%s/cgroup.kill: %w", g.dir, err)
	}
	handle, err := os.Open(g.dir)
	if err != nil {
		removeGroup(g.dir)
		return err
	}
	g.handle, g.killed = handle, false
	return nil
}

// renew takes another group after a kill. There are kernels (6.18) that kill
// whatever is started in a group that was killed before.
func (g *Group) renew() {
	if g.usable() && g.killed {
		g.Close()
		_ = g.open() // without one, /proc tells what is alive
	}
}

// ownGroup is the folder of the calling process's group in cgroup2.
func ownGroup(cgroupFile, mountFile string) (string, error) {
	groups, err := os.ReadFile(cgroupFile)
	if err != nil {
		return "", err
	}
	mounts, err := os.ReadFile(mountFile)
	if err != nil {
		return "", err
	}
	path, found := "", false
	for line := range strings.Lines(string(groups)) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path, found = rest, true
		}
	}
	if !found {
		return "", errors.New("this process is in no cgroup2")
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		root := strings.TrimSuffix(unescapeMount(fields[3]), "/")
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(unescapeMount(fields[4]), rest), nil
		}
	}
	return "", errors.New("cgroup2 is not mounted where this process could see its own group")
}

// unescapeMount undoes the octal escapes of /proc/self/mountinfo.
func unescapeMount(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+4 <= len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// removeDeadGroups removes the groups of slots that were killed. One with
// processes in it cannot be removed, and the kernel refuses.
func removeDeadGroups(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name, ok := strings.CutPrefix(entry.Name(), groupPrefix)
		pid, rest, both := strings.Cut(name, "-")
		ticks, _, _ := strings.Cut(rest, "-")
		n, err1 := strconv.Atoi(pid)
		start, err2 := strconv.ParseUint(ticks, 10, 64)
		if ok && both && err1 == nil && err2 == nil && !Alive(run.Process{PID: n, StartTicks: start}) {
			removeGroup(filepath.Join(parent, entry.Name()))
		}
	}
}

// removeGroup removes an empty group and the groups that its processes made
// below it.
func removeGroup(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			removeGroup(filepath.Join(dir, entry.Name()))
		}
	}
	_ = unix.Rmdir(dir)
}

// Close removes the group. The caller has seen that nothing runs in it.
func (g *Group) Close() {
	if g != nil && g.handle != nil {
		g.handle.Close()
		g.handle = nil
		removeGroup(g.dir)
	}
}

// usable tells whether programs can be started in the group.
func (g *Group) usable() bool { return g != nil && g.handle != nil }

// kill kills everything in the group at once.
func (g *Group) kill() {
	if g.usable() {
		g.killed = true
		_ = os.WriteFile(filepath.Join(g.dir, "cgroup.kill"), []byte("1"), 0)
	}
}

// living lists the processes in the group and below.
func (g *Group) living() []run.Process {
	if !g.usable() {
		return nil
	}
	var list []run.Process
	_ = filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil // a group that vanishes is empty
		}
		text, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		for line := range strings.Lines(string(text)) {
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || pid < 1 {
				continue // 0 is a process of another pid namespace: not ours to signal
			}
			if s, err := readStat(pid); err == nil && s.alive() {
				list = append(list, run.Process{PID: pid, StartTicks: s.startTicks})
			}
		}
		return nil
	})
	return list
}
