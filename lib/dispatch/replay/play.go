package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Player plays a recording in the process that calls it.
type Player struct {
	Stdout, Stderr io.Writer
	Env            func(string) string
	Environ        []string
	Now            func() time.Time
	Names          map[string]string // the placeholders, see Values
}

// ended is how a step says that the recording is over.
type ended struct{ status int }

func (e ended) Error() string { return "exit status " + strconv.Itoa(e.status) }

// Play does all steps and gives the exit status that the imitated CLI had. An
// error is a recording that cannot be played.
func (p *Player) Play(ctx context.Context, r *Recording) (status int, err error) {
	// A CLI that does not catch TERM dies of it, so a recording does too
	// unless it says otherwise.
	signal.Reset(syscall.SIGTERM, syscall.SIGINT)
	for i, step := range r.Steps {
		err := p.step(ctx, r, step)
		if end, ok := err.(ended); ok {
			return end.status, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: /steps/%d: %w", r.Path, i, err)
		}
	}
	return 0, nil
}

func (p *Player) step(ctx context.Context, r *Recording, s Step) error {
	values := Values{Names: p.Names, Now: p.Now()}
	switch {
	case s.SleepMs > 0:
		return wait(ctx, s.sleep())
	case s.Stdout != nil:
		return p.print(values, s.Stdout)
	case s.StdoutFile != "":
		return p.copyFile(values, p.Stdout, beside(r, s.StdoutFile))
	case s.Stderr != "":
		return put(values, p.Stderr, s.Stderr)
	case s.Write != "":
		return p.write(values, r, s)
	case s.Remove != "":
		return remove(values, s.Remove)
	case s.Transcript != nil, s.TranscriptFile != "":
		return p.transcript(values, r, s)
	case len(s.Run) > 0:
		return p.command(ctx, values, s.Run)
	case s.IgnoreTerm:
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		return nil
	case s.Lose:
		return syscall.Kill(os.Getppid(), syscall.SIGKILL)
	case s.Leave > 0:
		return p.leave(s.Leave)
	case s.Hang:
		return wait(ctx, 365*24*time.Hour)
	case s.Exit != nil:
		return ended{*s.Exit}
	}
	return p.die(s.Signal)
}

// die ends the process by a signal, as the kernel would. The Go runtime takes
// some signals for a fault of its own and exits instead, so the process first
// becomes a shell.
func (p *Player) die(name string) error {
	sig := unix.SignalNum(name)
	if sig == 0 {
		return fmt.Errorf("unknown signal %q (expected a name as SIGKILL)", name)
	}
	return unix.Exec("/bin/sh", []string{"sh", "-c", "kill -" + strconv.Itoa(int(sig)) + " $$"}, p.Environ)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// print writes an object as one line, a text as it is.
func (p *Player) print(values Values, raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return put(values, p.Stdout, text)
	}
	line, err := values.JSON(raw)
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(append(line, '\n'))
	return err
}

func put(values Values, w io.Writer, text string) error {
	filled, err := values.Expand(text)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, filled)
	return err
}

func (p *Player) copyFile(values Values, w io.Writer, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return put(values, w, string(text))
}

// beside is a file that a recording names: it lies in the recording's folder.
func beside(r *Recording, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.Path), name)
}

func (p *Player) write(values Values, r *Recording, s Step) error {
	path, err := values.Expand(s.Write)
	if err != nil {
		return err
	}
	text := s.Text
	if s.TextFile != "" {
		raw, err := os.ReadFile(beside(r, s.TextFile))
		if err != nil {
			return err
		}
		text = string(raw)
	}
	if text, err = values.Expand(text); err != nil {
		return err
	}
	if s.Bytes > 0 && s.Bytes < len(text) {
		text = text[:s.Bytes]
	}
	mode, err := strconv.ParseUint(orText(s.Mode, "0644"), 8, 12)
	if err != nil {
		return fmt.Errorf("mode %q (expected octal digits)", s.Mode)
	}
	return store(path, []byte(text), s.Append, fs.FileMode(mode))
}

func store(path string, text []byte, extend bool, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if extend {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	file, err := os.OpenFile(path, flags, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

func remove(values Values, name string) error {
	path, err := values.Expand(name)
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// transcript appends lines to the session file of the imitated CLI.
func (p *Player) transcript(values Values, r *Recording, s Step) error {
	lines, err := p.lines(values, r, s)
	if err != nil {
		return err
	}
	path, err := p.transcriptPath(values, r, s)
	if err != nil {
		return err
	}
	for name, text := range companions(orText(r.As, p.Names["as"]), path, p.Names["workdir"]) {
		if err := store(name, []byte(text), false, 0o644); err != nil {
			return err
		}
	}
	return store(path, lines, true, 0o644)
}

func (p *Player) lines(values Values, r *Recording, s Step) ([]byte, error) {
	var out bytes.Buffer
	for _, raw := range s.Transcript {
		line, err := values.JSON(raw)
		if err != nil {
			return nil, err
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	if s.TranscriptFile != "" {
		if err := p.copyFile(values, &out, beside(r, s.TranscriptFile)); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func (p *Player) transcriptPath(values Values, r *Recording, s Step) (string, error) {
	if s.TranscriptPath != "" {
		return values.Expand(s.TranscriptPath)
	}
	as := orText(r.As, p.Names["as"])
	place, ok := places[as]
	if !ok {
		return "", fmt.Errorf("no usual place for a transcript of %q (give transcriptPath)", as)
	}
	return place(session{
		env: p.Env, dir: p.Names["workdir"], id: p.Names["sessionId"], began: p.began(),
	}), nil
}

// began is when the recording began to play, as the dispatcher noted it.
func (p *Player) began() time.Time {
	if at, err := time.Parse(time.RFC3339, p.Names["startedAt"]); err == nil {
		return at
	}
	return p.Now()
}

func (p *Player) command(ctx context.Context, values Values, words []string) error {
	args := make([]string, len(words))
	for i, word := range words {
		filled, err := values.Expand(word)
		if err != nil {
			return err
		}
		args[i] = filled
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.Environ, p.Stdout, p.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// leave starts processes that flee into sessions of their own and outlive the
// recording, as the helpers of some CLIs do.
func (p *Player) leave(n int) error {
	for range n {
		cmd := exec.Command("sleep", "600")
		cmd.Env, cmd.SysProcAttr = p.Environ, &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	return nil
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
