package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"

	"okstra/lib/run"
)

// errNoProcess says that a process is gone, or that this system cannot tell.
var errNoProcess = errors.New("no such process")

// stat is the part of /proc/<pid>/stat that is used here.
type stat struct {
	pid, ppid  int
	state      byte
	startTicks uint64
}

// parseStat reads a line of /proc/<pid>/stat. The name stands in parentheses
// and may hold blanks and parentheses itself, so the last one counts.
func parseStat(line []byte) (stat, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return stat{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:open])))
	if err != nil {
		return stat{}, false
	}
	fields := bytes.Fields(line[end+1:])
	// Field 3 of the line is the first after the name; 4 is the parent, 22
	// the start time.
	if len(fields) < 20 || len(fields[0]) != 1 {
		return stat{}, false
	}
	ppid, err1 := strconv.Atoi(string(fields[1]))
	ticks, err2 := strconv.ParseUint(string(fields[19]), 10, 64)
	if err1 != nil || err2 != nil || pid < 1 || ppid < 0 {
		return stat{}, false
	}
	return stat{pid: pid, ppid: ppid, state: fields[0][0], startTicks: ticks}, true
}

// alive says whether s still runs. A zombie does not, unless only its first
// thread has ended.
func (s stat) alive() bool {
	if s.state != 'Z' && s.state != 'X' {
		return true
	}
	threads, err := os.ReadDir("/proc/" + strconv.Itoa(s.pid) + "/task")
	return err == nil && len(threads) > 1
}

func readStat(pid int) (stat, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, errNoProcess
	}
	s, ok := parseStat(raw)
	if !ok {
		return stat{}, errNoProcess
	}
	return s, nil
}

// BootID names this boot of the machine, or is "" where that is not known.
func BootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Self identifies the calling process.
func Self() run.Process {
	p := run.Process{PID: os.Getpid(), BootID: BootID()}
	if s, err := readStat(p.PID); err == nil {
		p.StartTicks = s.startTicks
	}
	return p
}

// Alive says whether the very process p still runs: the same number with the
// same start time in the same boot. A number that was given to another
// process is not p; a zombie is gone.
func Alive(p run.Process) bool {
	if p.PID <= 0 || (p.BootID != "" && p.BootID != BootID()) {
		return false
	}
	s, err := readStat(p.PID)
	if err != nil || !s.alive() {
		return false
	}
	return p.StartTicks == 0 || s.startTicks == p.StartTicks
}
