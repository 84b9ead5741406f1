//go:build linux

package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/run"
)

// The tests start the test binary again as a slot: a process that has no
// other children, as Run demands.
const slotEnv = "OKSTRA_TEST_SLOT"

func TestMain(m *testing.M) {
	if os.Getenv(slotEnv) == "" {
		os.Exit(m.Run())
	}
	var order testOrder
	if err := json.NewDecoder(os.Stdin).Decode(&order); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	if err := BecomeReaper(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	ctx := context.Background()
	if order.Stop > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, order.Stop)
		defer cancel()
	}
	var group *Group
	if order.Group {
		var err error
		if group, err = NewGroup(); err != nil {
			fmt.Fprintln(os.Stderr, "no group:", err)
			os.Exit(4)
		}
	}
	again := order.Again
	var report Report
	for more := true; more; more, again = again, false {
		report = Run(ctx, time.Now, order.Spec, group, &FileWatcher{Paths: []string{order.Spec.Stdout, order.Spec.Stderr}}, func(run.Process) {})
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		os.Exit(3)
	}
	group.Close()
	os.Exit(0)
}

// testOrder is what a slot of the tests does.
type testOrder struct {
	Spec  Spec
	Stop  time.Duration
	Group bool // with a control group
	Again bool // twice, and the second time is told of
}

// inSlot runs spec in a slot of its own. Streams and folder that spec leaves
// open are set to fresh ones.
func inSlot(t *testing.T, spec Spec, stop time.Duration) (Report, string) {
	t.Helper()
	return inSlotOf(t, testOrder{Spec: spec, Stop: stop})
}

// inGroup is inSlot with the program in a group of its own.
func inGroup(t *testing.T, spec Spec) (Report, string) {
	t.Helper()
	return inSlotOf(t, testOrder{Spec: spec, Group: true})
}

func inSlotOf(t *testing.T, o testOrder) (Report, string) {
	t.Helper()
	dir, spec := t.TempDir(), o.Spec
	if spec.Dir == "" {
		spec.Dir = dir
	}
	spec.Stdout, spec.Stderr = filepath.Join(dir, "out"), filepath.Join(dir, "err")
	if spec.Env == nil {
		spec.Env = []string{"PATH=" + os.Getenv("PATH"), "MARK=" + dir}
	}
	o.Spec = spec
	order, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), slotEnv+"=1")
	cmd.Stdin = bytes.NewReader(order)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("slot: %v", err)
	}
	var report Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("slot said %q: %v", out.String(), err)
	}
	text, _ := os.ReadFile(spec.Stdout)
	for _, p := range Marked("MARK=" + dir) {
		t.Errorf("process %d outlived the slot", p.PID)
	}
	if own, err := ownGroup("/proc/self/cgroup", "/proc/self/mountinfo"); err == nil && o.Group {
		if left, _ := filepath.Glob(fmt.Sprintf("%s/%s%d-*", own, groupPrefix, cmd.Process.Pid)); len(left) > 0 {
			t.Errorf("group %q outlived the slot", left)
		}
	}
	return report, string(text)
}

func sh(script string) []string { return []string{"sh", "-c", script} }

func TestEndOfAProcess(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script string
		code   int
		signal string
	}{
		{"exit status zero", "exit 0", 0, ""},
		{"exit status of its own", "exit 7", 7, ""},
		{"an exit status over 128 is no signal", "exit 173", 173, ""},
		{"a signal is named", "kill -SEGV $$", -1, "SIGSEGV"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			report, _ := inSlot(t, Spec{Argv: sh(tt.script)}, 0)
			code := -1
			if report.ExitCode != nil {
				code = *report.ExitCode
			}
			if code != tt.code || report.Signal != tt.signal || !report.KillVerified || report.Limit != "" {
				t.Errorf("%q ended as %+v, want exit %d signal %q", tt.script, report, tt.code, tt.signal)
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{"plain": {"true\n", 0o644}, "noise": {"noise", 0o755}, "script": {"#!/no/such/interpreter\n", 0o755}} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		spec   Spec
		reason string
	}{
		{"command missing", Spec{Argv: []string{"no-such-command-here"}}, ReasonCommandMissing},
		{"no command", Spec{}, ReasonCommandMissing},
		{"prompt unreadable", Spec{Argv: sh("true"), Stdin: "/nonexistent/prompt.md"}, ReasonPromptUnreadable},
		{"folder missing", Spec{Argv: sh("true"), Dir: "/nonexistent"}, ReasonCwdMissing},
		{"below a file", Spec{Argv: []string{"/dev/null/x"}}, ReasonCommandMissing},
		{"a device", Spec{Argv: []string{"/dev/null"}}, ReasonExecFailed},
		{"a folder", Spec{Argv: []string{"/"}}, ReasonExecFailed},
		{"without the right to execute", Spec{Argv: []string{"./plain"}, Dir: dir}, ReasonExecFailed},
		{"no program", Spec{Argv: []string{"./noise"}, Dir: dir}, ReasonExecFailed},
		{"interpreter missing", Spec{Argv: []string{"./script"}, Dir: dir}, ReasonExecFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			report, _ := inSlot(t, tt.spec, 0)
			if report.StartError == nil || report.StartError.Reason != tt.reason || report.ExitCode != nil {
				t.Errorf("start error %v, exit %v, want reason %s and no exit", report.StartError, report.ExitCode, tt.reason)
			}
		})
	}
}

// A program that waits for its standard input gets its end at once (reports 1
// and 2 of users: an inherited pipe hangs for ever).
func TestReport01And02StdinIsNeverInherited(t *testing.T) {
	report, out := inSlot(t, Spec{Argv: sh("cat; echo end"), Limits: Limits{Wall: 10 * time.Second}}, 0)
	if report.ExitCode == nil || out != "end\n" {
		t.Errorf("reading an empty stdin ended as %+v with %q", report, out)
	}
}

const deaf = `trap '' TERM INT; while :; do sleep 0.05; done`

// treeOfEscapes starts processes by every way that leaves a process group:
// a session of its own, a double fork, and a deaf child.
const treeOfEscapes = `
setsid sh -c "` + deaf + `" &
(setsid sh -c "` + deaf + `" &) &
(sh -c "` + deaf + `" &) &
sh -c "` + deaf + `" &
`

// A limit bounds the whole tree, however it escapes: limit, grace and a
// second (reports 5, 6, 7, 9 and 42).
func TestReport05And09LimitEndsTheWholeTree(t *testing.T) {
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprintf("control group %v", group), func(t *testing.T) {
			if group {
				needGroup(t)
			}
			spec := Spec{
				Argv:   sh(treeOfEscapes + deaf),
				Limits: Limits{Wall: 300 * time.Millisecond, Grace: 300 * time.Millisecond},
			}
			begin := time.Now()
			report, _ := inSlotOf(t, testOrder{Spec: spec, Group: group})
			if report.Limit != LimitWall || !report.KillVerified {
				t.Errorf("limit %q, verified %v; want %q and verified", report.Limit, report.KillVerified, LimitWall)
			}
			if took, most := report.EndedAt.Sub(report.StartedAt), spec.Limits.Wall+spec.Limits.Grace+leeway(); took > most {
				t.Errorf("the tree lived %v (whole slot %v), over %v", took, time.Since(begin), most)
			}
		})
	}
}

// leeway is what a tree may outlive its limit and grace by: the promised second on
// an idle machine (make soak). Elsewhere only one that outlives them for good is
// told, for a busy machine is late.
func leeway() time.Duration {
	if os.Getenv("OKSTRA_SOAK") != "" {
		return time.Second
	}
	return 20 * time.Second
}

// needGroup skips a test where no control group can be had.
func needGroup(t *testing.T) {
	t.Helper()
	g, err := NewGroup()
	if err != nil {
		t.Skipf("no control group can be had here: %v", err)
	}
	g.Close()
}

// A program that forks faster than it can be listed dies in one step.
func TestAGroupIsKilledAtOnce(t *testing.T) {
	needGroup(t)
	storm := `trap '' TERM; i=0; while [ $i -lt 8 ]; do (while :; do (:) & wait; done) & i=$((i+1)); done; wait`
	report, _ := inGroup(t, Spec{Argv: sh(storm), Limits: Limits{Wall: 300 * time.Millisecond, Grace: 50 * time.Millisecond}})
	if report.Limit != LimitWall || !report.KillVerified {
		t.Errorf("limit %q, verified %v", report.Limit, report.KillVerified)
	}
	report, out := inGroup(t, Spec{Argv: sh("grep ^0:: /proc/self/cgroup")})
	if report.ExitCode == nil || *report.ExitCode != 0 || !strings.Contains(out, "/"+groupPrefix) {
		t.Errorf("the program is in the group %q", out)
	}
}

// A slot outlives its jobs. There are kernels that kill whatever is started in a
// control group that was killed before: the job after one that had to be killed.
func TestTheNextProgramOutlivesAKilledGroup(t *testing.T) {
	needGroup(t)
	report, out := inSlotOf(t, testOrder{Group: true, Again: true, Spec: Spec{
		Argv:   sh(`if mkdir second 2>/dev/null; then trap '' TERM; while :; do sleep 0.05; done; fi; cat /proc/self/cgroup; exit 7`),
		Limits: Limits{Wall: 500 * time.Millisecond, Grace: 50 * time.Millisecond},
	}})
	if report.ExitCode == nil || *report.ExitCode != 7 || report.Signal != "" || !strings.Contains(out, "/"+groupPrefix) {
		t.Errorf("it ended as %+v, want exit 7 in a group:\n%s", report, out)
	}
}

// Where the group of a process lies, in the forms in which kernels and
// containers tell it.
func TestOwnGroup(t *testing.T) {
	const plain = "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n30 22 0:27 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
	for _, tt := range []struct{ name, groups, mounts, want string }{
		{"unified", "0::/user.slice/a.scope\n", plain, "/sys/fs/cgroup/user.slice/a.scope"},
		{"hybrid, at the root", "9:name=systemd:/\n1:cpu:/\n0::/\n", "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/unified"},
		{"a container that sees its own part", "0::/pods/7/job\n", "30 22 0:27 /pods/7 /sys/fs/cgroup rw shared:4 - cgroup2 cgroup rw\n", "/sys/fs/cgroup/job"},
		{"blank in the mount point", "0::/x\n", "30 22 0:27 / /my\\040groups rw - cgroup2 cgroup2 rw\n", "/my groups/x"},
		{"version 1 only", "1:cpu:/\n", plain, ""},
		{"not mounted", "0::/\n", "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", ""},
		{"mounted elsewhere", "0::/pods/70\n", "30 22 0:27 /pods/7 /sys/fs/cgroup rw - cgroup2 cgroup rw\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			groups, mounts := filepath.Join(dir, "cgroup"), filepath.Join(dir, "mountinfo")
			for path, text := range map[string]string{groups: tt.groups, mounts: tt.mounts} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := ownGroup(groups, mounts); got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("ownGroup = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// A grandchild that holds stdout open does not hold us (report 6), and what
// the main process leaves running is ended after a moment (reports 5 and 42).
func TestReport06LeftoverProcessesAreEnded(t *testing.T) {
	spec := Spec{
		Argv:   sh("sleep 60 & setsid sleep 60 & echo done"),
		Limits: Limits{Wall: 30 * time.Second, Leftover: 100 * time.Millisecond, Grace: time.Second},
	}
	report, out := inSlot(t, spec, 0)
	if report.ExitCode == nil || *report.ExitCode != 0 || out != "done\n" {
		t.Errorf("main process: %+v with %q", report, out)
	}
	if report.Leftover != 2 || !report.KillVerified {
		t.Errorf("leftover %d verified %v, want 2 and verified", report.Leftover, report.KillVerified)
	}
	if took := report.EndedAt.Sub(report.StartedAt); took > spec.Limits.Leftover+spec.Limits.Grace+leeway() {
		t.Errorf("held for %v", took)
	}
}

// A process that ends cleanly on our TERM was still ended by us (report 10).
func TestReport10CleanExitAfterALimitIsStillTheLimit(t *testing.T) {
	spec := Spec{
		Argv:   sh(`trap 'echo {"type":"result","subtype":"success"}; exit 0' TERM; while :; do sleep 0.02; done`),
		Limits: Limits{Wall: 200 * time.Millisecond, Grace: 2 * time.Second},
	}
	report, out := inSlot(t, spec, 0)
	if report.Limit != LimitWall || report.ExitCode == nil || *report.ExitCode != 0 {
		t.Errorf("got %+v, want the wall limit and exit status 0", report)
	}
	if !strings.Contains(out, "success") {
		t.Errorf("the last output is lost: %q", out)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script string
		limits Limits
		want   string
	}{
		{"wall", "while :; do echo x; sleep 0.02; done", Limits{Wall: 300 * time.Millisecond, Idle: 5 * time.Second}, LimitWall},
		{"idle after output", "echo x; sleep 60", Limits{Wall: 30 * time.Second, Idle: 300 * time.Millisecond, Startup: 20 * time.Second}, LimitIdle},
		{"start-up without output (report 4)", "sleep 60", Limits{Wall: 30 * time.Second, Idle: 20 * time.Second, Startup: 300 * time.Millisecond}, LimitStartup},
		{"too much output at once", "head -c 100000 /dev/zero", Limits{Wall: 30 * time.Second, Output: 10}, LimitOutput},
		{"as much output as may be", "printf 0123456789", Limits{Wall: 30 * time.Second, Output: 10}, ""},
		{"output", "yes", Limits{Wall: 30 * time.Second, Output: 1 << 20}, LimitOutput},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.limits.Grace = time.Second
			report, _ := inSlot(t, Spec{Argv: sh(tt.script), Limits: tt.limits}, 0)
			if report.Limit != tt.want || !report.KillVerified {
				t.Errorf("limit %q verified %v, want %q", report.Limit, report.KillVerified, tt.want)
			}
		})
	}
}

func TestStoppedByTheCaller(t *testing.T) {
	report, _ := inSlot(t, Spec{Argv: sh("sleep 60"), Limits: Limits{Grace: time.Second}}, 200*time.Millisecond)
	if !report.Stopped || report.Limit != "" || !report.KillVerified {
		t.Errorf("got %+v, want stopped and verified", report)
	}
}

// Long lines and much output pass through files untouched (reports 3 and 16).
func TestReport03And16OutputOver64KiBIsWhole(t *testing.T) {
	report, out := inSlot(t, Spec{Argv: sh("head -c 300000 /dev/zero | tr '\\0' x; echo; head -c 300000 /dev/zero | tr '\\0' y")}, 0)
	if len(out) != 600001 || report.OutputBytes != 600001 {
		t.Errorf("%d bytes kept, %d counted, want 600001", len(out), report.OutputBytes)
	}
}

// What cannot be ended is said: a handle is not dropped because KILL was sent
// (report 8). A process in uninterruptible sleep is played by one whose start
// time is another, so that no signal of ours reaches it.
func TestReport08WhatSurvivesKillIsNotCalledDead(t *testing.T) {
	sleeper := exec.Command("sleep", "60")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	at := time.Now()
	now := func() time.Time { at = at.Add(100 * time.Millisecond); return at }
	list := func() []run.Process { return []run.Process{{PID: sleeper.Process.Pid, StartTicks: 1}} }
	alive, verified := EndAll(now, list, time.Second, nil)
	if alive != 1 || verified {
		t.Errorf("EndAll of an unkillable process = %d, %v; want 1, false", alive, verified)
	}
	if s, err := readStat(sleeper.Process.Pid); err != nil || !s.alive() {
		t.Error("a process of another identity was ended")
	}
}

// A helper's account of why it gave up makes a start error.
func TestHelperReport(t *testing.T) {
	report, _ := inSlot(t, Spec{Argv: sh("echo 'mount refused' >&3; exit 1"), Report: true}, 0)
	if report.StartError == nil || report.StartError.Reason != ReasonBoundaryFailed || !strings.Contains(report.StartError.Text, "mount refused") {
		t.Errorf("start error %v, want boundary-failed with the helper's text", report.StartError)
	}
	report, _ = inSlot(t, Spec{Argv: sh("exec 3>&-; exit 0"), Report: true}, 0)
	if report.StartError != nil {
		t.Errorf("a silent helper gave %v", report.StartError)
	}
}

// The number of a process may be given to another one (report 36).
func TestReport36APidAloneIsNoIdentity(t *testing.T) {
	self := Self()
	if !Alive(self) {
		t.Fatalf("%+v is not alive", self)
	}
	other := self
	other.StartTicks++
	if Alive(other) {
		t.Error("a process with another start time passes for alive")
	}
	other = self
	other.BootID = "00000000-0000-0000-0000-000000000000"
	if Alive(other) {
		t.Error("a process of another boot passes for alive")
	}
}

func TestParseStat(t *testing.T) {
	line := "41 (a) b (c)) S 7 41 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 881200 1 2"
	got, ok := parseStat([]byte(line))
	if want := (stat{pid: 41, ppid: 7, state: 'S', startTicks: 881200}); !ok || got != want {
		t.Errorf("parseStat(%q) = %+v, %v; want %+v", line, got, ok, want)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12 1 2"))
	f.Add([]byte("1 () S"))
	f.Add([]byte(") ("))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, ok := parseStat(line)
		if !ok && s != (stat{}) {
			t.Errorf("a refused line gave %+v", s)
		}
		if ok && s.pid < 1 {
			t.Errorf("pid %d from %q", s.pid, line)
		}
	})
}
