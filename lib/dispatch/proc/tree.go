package proc

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/run"
)

// snapshot reads every process of the machine.
func snapshot() map[int]stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make(map[int]stat, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			all[pid] = s
		}
	}
	return all
}

// below picks what descends from root out of a snapshot and is alive, in
// order of pid. The way down leads through zombies too: a program whose first
// thread ended looks like one while its other threads have children.
func below(root int, all map[int]stat) []stat {
	children := make(map[int][]int, len(all))
	for pid, s := range all {
		children[s.ppid] = append(children[s.ppid], pid)
	}
	var found []stat
	seen := map[int]bool{root: true}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, pid := range children[queue[0]] {
			if !seen[pid] {
				seen[pid] = true
				queue = append(queue, pid)
				if all[pid].alive() {
					found = append(found, all[pid])
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b stat) int { return a.pid - b.pid })
	return found
}

// Descendants lists what descends from process pid and is alive.
func Descendants(pid int) []run.Process {
	found := below(pid, snapshot())
	out := make([]run.Process, len(found))
	for i, s := range found {
		out[i] = run.Process{PID: s.pid, StartTicks: s.startTicks}
	}
	return out
}

// Marked lists the living processes whose environment, as they were started
// with it, holds the assignment mark ("NAME=value"). It finds what outlived
// both its dispatcher and its slot; a process that replaced its environment
// and left its tree as well stays hidden.
func Marked(mark string) []run.Process {
	var out []run.Process
	for pid, s := range snapshot() {
		if !s.alive() {
			continue
		}
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			continue
		}
		if slices.Contains(strings.Split(string(raw), "\x00"), mark) {
			out = append(out, run.Process{PID: pid, StartTicks: s.startTicks})
		}
	}
	slices.SortFunc(out, func(a, b run.Process) int { return a.PID - b.PID })
	return out
}
