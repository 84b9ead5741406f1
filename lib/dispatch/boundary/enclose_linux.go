package boundary

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"okstra/lib/dispatch/proc"
)

// reportFD is the descriptor on which a helper says why it gave up.
const reportFD = 3

// Enclose is the body of the helper: it sets the boundary up around its own
// process and becomes the program. It returns only when that fails, and has
// then said why on the report descriptor.
func Enclose(argv, environ []string) error {
	unix.CloseOnExec(reportFD)
	err := enclose(argv, environ)
	_, _ = unix.Write(reportFD, []byte(err.Error()))
	return err
}

func enclose(argv, environ []string) error {
	var e enclosure
	env := make([]string, 0, len(environ))
	for _, entry := range environ {
		if raw, ok := strings.CutPrefix(entry, HelperVariable+"="); ok {
			if err := json.Unmarshal([]byte(raw), &e); err != nil {
				return err
			}
			continue
		}
		env = append(env, entry)
	}
	if len(argv) == 0 {
		return errors.New("no program to enclose")
	}
	if err := e.mounts(); err != nil {
		return err
	}
	if err := unix.Chdir(e.Dir); err != nil {
		return fmt.Errorf("%s: %w", e.Dir, err)
	}
	path, missing := proc.FindProgram(argv[0], e.Dir, env)
	if missing != nil {
		return missing
	}
	if e.DropCaps {
		if err := dropCapabilities(); err != nil {
			return fmt.Errorf("drop capabilities: %w", err)
		}
	}
	if e.Landlock > 0 {
		if err := e.restrict(); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	return proc.ExecFailure(path, unix.Exec(path, argv, env))
}

// mounts makes everything read-only but the overlays and what stays writable.
// What stays writable is cloned first, because an overlay may come to lie over
// it, and put in its place last, so that making all mounts read-only does not
// touch it.
func (e *enclosure) mounts() error {
	if len(e.Overlays) == 0 {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	binds := append([]bind(nil), e.Private...)
	for _, path := range e.Writable {
		binds = append(binds, bind{At: path, From: path})
	}
	clones := make([]int, len(binds))
	for i, b := range binds {
		fd, err := unix.OpenTree(unix.AT_FDCWD, b.From, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("clone %s: %w", b.From, err)
		}
		clones[i] = fd
	}
	for _, o := range e.Overlays {
		if err := o.mount(); err != nil {
			return fmt.Errorf("overlay over %s: %w", o.Tree, err)
		}
	}
	if err := setReadOnly("/", true, unix.AT_RECURSIVE); err != nil {
		return fmt.Errorf("make all mounts read-only: %w", err)
	}
	// A CLI that brings its own sandbox writes the maps of its user namespace
	// below /proc. Nothing in there is a file that could be kept. Where it
	// cannot be opened again the CLI's sandbox fails and says so.
	_ = setReadOnly("/proc", false, 0)
	for _, o := range e.Overlays {
		if err := setReadOnly(o.Tree, false, 0); err != nil {
			return fmt.Errorf("open %s again: %w", o.Tree, err)
		}
	}
	for i, b := range binds {
		if err := unix.MoveMount(clones[i], "", unix.AT_FDCWD, b.At, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("keep %s writable: %w", b.At, err)
		}
	}
	return nil
}

// opened are the paths below which the program may write.
func (e *enclosure) opened() []string {
	var list []string
	for _, b := range e.Private {
		list = append(list, b.At)
	}
	for _, o := range e.Overlays {
		list = append(list, o.Tree)
	}
	return append(list, e.Writable...)
}

// mount mounts the overlay over the tree's own path. The layers are named by
// descriptors: a path with a comma or a colon would be taken for options.
func (o overlayMount) mount() error {
	options := make([]string, 0, 4)
	for _, layer := range []struct{ option, path string }{{"lowerdir", o.Tree}, {"upperdir", o.Upper}, {"workdir", o.Work}} {
		fd, err := unix.Open(layer.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", layer.path, err)
		}
		defer unix.Close(fd)
		options = append(options, fmt.Sprintf("%s=/proc/self/fd/%d", layer.option, fd))
	}
	return unix.Mount("overlay", o.Tree, "overlay", 0, strings.Join(append(options, "userxattr"), ","))
}

func setReadOnly(path string, on bool, flags uint) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if !on {
		attr = unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	}
	return unix.MountSetattr(unix.AT_FDCWD, path, flags, &attr)
}

// dropCapabilities takes away what the first process of a user namespace may
// do in it, so that the program cannot make the mounts writable again. What is
// left is the one capability without which it could not map itself into a user
// namespace of its own, where a sandbox that it brings along may live.
func dropCapabilities() error {
	for capability := range uintptr(64) {
		if capability == unix.CAP_SETFCAP {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // there is none of that number
		}
		if err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// landlockConfigs are the configurations by ABI. Those above 7 restrict
// connections between processes, which is no matter of writing files.
var landlockConfigs = []landlock.Config{landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7}

// LandlockABI is the version of Landlock in this kernel, 0 for none.
func LandlockABI() int {
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil || abi < 0 {
		return 0
	}
	return abi
}

// restrict lets this process, and the program that it becomes, write below the
// writable paths and the overlays only. The version was asked for before: a
// kernel that gives less is an error, never a quiet weakening.
func (e *enclosure) restrict() error {
	config := landlockConfigs[min(e.Landlock, len(landlockConfigs))-1]
	rules := []landlock.Rule{landlock.RODirs("/"), landlock.RWDirs("/dev").IgnoreIfMissing()}
	if e.Landlock >= 5 {
		rules[1] = landlock.RWDirs("/dev").WithIoctlDev().IgnoreIfMissing()
	}
	for _, path := range e.opened() {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			rules = append(rules, landlock.RWFiles(path))
		case e.Landlock >= 2:
			rules = append(rules, landlock.RWDirs(path).WithRefer())
		default:
			rules = append(rules, landlock.RWDirs(path))
		}
	}
	return config.RestrictPaths(rules...)
}
