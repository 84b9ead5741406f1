package dispatch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/run"
)

// A slot is a process of ours that runs one job at a time and is the reaper of
// whatever the job leaves behind. Because it has no other children, the tree
// of a job is exactly what lives below its slot, even when several jobs run at
// once and their processes flee into sessions of their own. A slot outlives
// its jobs, so that a job costs one message and one exec. When its dispatcher
// dies, it reads the end of its standard input, ends its job and goes.

// SlotCommand is the hidden command that turns the program into a slot.
const SlotCommand = "__slot"

// slotOrder is what a slot is told: to start a job, or to stop it.
type slotOrder struct {
	Start *slotStart `json:"start,omitempty"`
	Stop  bool       `json:"stop,omitempty"`
}

// slotStart is one job as the slot sees it.
type slotStart struct {
	Spec  proc.Spec    `json:"spec"`
	Rules stream.Rules `json:"rules"`
	Trees []string     `json:"trees"` // folders whose growth is progress
	Log   string       `json:"log"`   // the readable account; "" when the raw output is it
	Watch bool         `json:"watch"` // tell what the stream says while it runs
}

// slotNews is what a slot tells.
type slotNews struct {
	Started *run.Process    `json:"started,omitempty"`
	Seen    *stream.Summary `json:"seen,omitempty"`
	Ended   *slotEnd        `json:"ended,omitempty"`
}

type slotEnd struct {
	Report  proc.Report    `json:"report"`
	Summary stream.Summary `json:"summary"`
	LogErr  string         `json:"logErr,omitempty"`
}

// ServeSlot is the body of a slot: it reads orders until its input ends.
func ServeSlot(now func() time.Time, in io.Reader, out io.Writer) error {
	if err := proc.BecomeReaper(); err != nil {
		return fmt.Errorf("slot: %w", err)
	}
	group, _ := proc.NewGroup() // without one, /proc tells what is alive
	defer group.Close()
	s := &slotServer{now: now, group: group, out: json.NewEncoder(out)}
	orders := make(chan slotOrder)
	go func() {
		defer close(orders)
		for dec := json.NewDecoder(in); ; {
			var order slotOrder
			if dec.Decode(&order) != nil {
				return // the dispatcher is gone, or says nothing more
			}
			orders <- order
		}
	}()
	for order := range orders {
		for next := order.Start; next != nil; {
			next = s.run(*next, orders)
		}
	}
	return nil
}

type slotServer struct {
	now   func() time.Time
	group *proc.Group
	mu    sync.Mutex
	out   *json.Encoder
}

// tell sends news. Nobody may be left to hear it: the job is what counts.
func (s *slotServer) tell(news slotNews) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(news)
}

// run does one job and listens for a stop meanwhile. The dispatcher may hear of
// the end of a job, and order the next one, before this function has seen it;
// it gives that order back. When the dispatcher goes away the job is ended.
func (s *slotServer) run(start slotStart, orders <-chan slotOrder) (next *slotStart) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.job(ctx, start)
	}()
	select {
	case <-done:
		return nil
	case order := <-orders: // the zero order when the dispatcher is gone
		if order.Start == nil {
			cancel()
		}
		<-done
		return order.Start
	}
}

func (s *slotServer) job(ctx context.Context, start slotStart) {
	var log io.Writer
	end := &slotEnd{}
	if start.Log != "" {
		file, err := proc.CreateOutput(start.Log)
		if err != nil {
			end.LogErr = err.Error()
		} else {
			defer file.Close()
			log = file
		}
	}
	var onLook func(stream.Summary)
	if start.Watch {
		onLook = s.seen()
	}
	follower := stream.Follow(start.Rules, start.Spec.Stdout, start.Spec.Stderr, start.Trees, s.now, log, onLook)
	end.Report = proc.Run(ctx, s.now, start.Spec, s.group, follower, func(p run.Process) { s.tell(slotNews{Started: &p}) })
	end.Summary = follower.Close()
	s.tell(slotNews{Ended: end})
}

// seen tells the dispatcher what the stream says, at most twice a second.
func (s *slotServer) seen() func(stream.Summary) {
	var last time.Time
	return func(summary stream.Summary) {
		if now := s.now(); now.Sub(last) >= 500*time.Millisecond {
			last = now
			summary.RawUsage = nil
			s.tell(slotNews{Seen: &summary})
		}
	}
}

// errSlotGone says that a slot ended in the middle of a job.
var errSlotGone = errors.New("the process that watched the job is gone")

// slot is the dispatcher's end of a slot process.
type slot struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	enc    *json.Encoder
	dec    *json.Decoder
}

// startSlot starts self, the path of this program, as a slot.
func startSlot(self string, env []string, stderr io.Writer) (*slot, error) {
	cmd := exec.Command(self, SlotCommand)
	cmd.Env, cmd.Stderr, cmd.SysProcAttr = env, stderr, ownSession()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &slot{cmd: cmd, orders: in, enc: json.NewEncoder(in), dec: json.NewDecoder(bufio.NewReader(out))}, nil
}

// slotPatience is how much longer than its job may take a slot may be silent. A
// job can stop it, as any process of its user: then nobody looks at limits.
const slotPatience = 10 * time.Second

// run has the slot do one job. When ctx ends the job is ended, and its end
// still comes back. An error means that the slot itself is gone, or as good as
// gone.
func (s *slot) run(ctx context.Context, start slotStart, hear func(slotNews)) (slotEnd, error) {
	if err := s.enc.Encode(slotOrder{Start: &start}); err != nil {
		return slotEnd{}, errSlotGone
	}
	limits := start.Spec.Limits
	ending := limits.Grace + limits.Leftover + slotPatience
	kill := func() { _ = s.cmd.Process.Kill() }
	if limits.Wall > 0 {
		defer time.AfterFunc(limits.Wall+ending, kill).Stop()
	}
	var late *time.Timer
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		late = time.AfterFunc(ending, kill)
		_ = s.enc.Encode(slotOrder{Stop: true})
	})
	defer func() {
		if !stop() {
			<-stopped // the order must not run into the next job's
			late.Stop()
		}
	}()
	for {
		var news slotNews
		if err := s.dec.Decode(&news); err != nil {
			return slotEnd{}, errSlotGone
		}
		if news.Ended != nil {
			return *news.Ended, nil
		}
		hear(news)
	}
}

// close lets the slot go.
func (s *slot) close() {
	s.orders.Close()
	_ = s.cmd.Wait()
}
