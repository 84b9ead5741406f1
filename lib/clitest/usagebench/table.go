package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"
)

// command is a program to run; what it prints is read and dropped. It goes
// through a pipe: grep stops at the first match when it writes to /dev/null.
type command struct {
	args []string
	env  []string // beside the inherited ones
	may  int      // the highest exit status that is no failure
}

// cost is what one run took.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // VmHWM in bytes: all resident pages, mapped files included
}

func (c command) run() (cost, error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = struct{ io.Writer }{io.Discard}, &said
	start := time.Now()
	err := cmd.Start()
	if err != nil {
		return cost{}, err
	}
	ended, peak := make(chan struct{}), make(chan int64)
	go watch(cmd.Process.Pid, ended, peak)
	err = cmd.Wait()
	took := cost{wall: time.Since(start)}
	close(ended)
	took.memory = <-peak
	state := cmd.ProcessState
	took.cpu = state.UserTime() + state.SystemTime()
	if code := state.ExitCode(); code >= 0 && code <= c.may {
		err = nil
	}
	if err != nil {
		return took, fmt.Errorf("%s: %w: %s", c.args[0], err, bytes.TrimSpace(said.Bytes()[:min(said.Len(), 500)]))
	}
	return took, nil
}

// watch reads a process's peak of resident memory until it ends. What wait
// reports is no use: it begins with the peak of this process.
func watch(pid int, ended <-chan struct{}, peak chan<- int64) {
	var most int64
	path := fmt.Sprintf("/proc/%d/status", pid)
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		if text, err := os.ReadFile(path); err == nil {
			if _, rest, ok := bytes.Cut(text, []byte("VmHWM:")); ok {
				var kib int64
				if _, err := fmt.Sscan(string(rest[:bytes.IndexByte(rest, '\n')]), &kib); err == nil {
					most = max(most, kib<<10)
				}
			}
		}
		select {
		case <-ended:
			tick.Stop()
			peak <- most
			return
		case <-tick.C:
		}
	}
}

// table compares commands; the first is what the others are measured by.
type table struct {
	title  string
	rounds int
	rows   []row
	notes  []string
}

type row struct {
	name string
	command
	costs []cost
}

func (t *table) add(name string, c command) { t.rows = append(t.rows, row{name: name, command: c}) }

func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *table) print(out io.Writer) error {
	for range t.rounds {
		for i := range t.rows {
			took, err := t.rows[i].run()
			if err != nil {
				return err
			}
			t.rows[i].costs = append(t.rows[i].costs, took)
		}
	}
	fmt.Fprintf(out, "\n%s\n", t.title)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "wall\tratio\t(median)\tuser+sys\tratio\tpeak memory\t \t\n")
	base := t.rows[0].best()
	for i := range t.rows {
		r := &t.rows[i]
		best := r.best()
		fmt.Fprintf(w, "%s\t%.2f\t(%s)\t%s\t%.2f\t%.0f MB\t", ms(best.wall), ratio(best.wall, base.wall), ms(r.median()), ms(best.cpu), ratio(best.cpu, base.cpu), float64(best.memory)/1e6)
		fmt.Fprintf(w, "\t%s\n", r.name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range t.notes {
		fmt.Fprintln(out, n)
	}
	return nil
}

// best is the least wall time, the least processor time and the greatest memory
// of all rounds.
func (r *row) best() cost {
	best := r.costs[0]
	for _, c := range r.costs[1:] {
		best.wall, best.cpu, best.memory = min(best.wall, c.wall), min(best.cpu, c.cpu), max(best.memory, c.memory)
	}
	return best
}

func (r *row) median() time.Duration {
	walls := slices.SortedFunc(slices.Values(r.costs), func(a, b cost) int { return cmp.Compare(a.wall, b.wall) })
	return walls[len(walls)/2].wall
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, time.Microsecond)) }
