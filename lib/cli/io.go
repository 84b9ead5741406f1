package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"okstra/lib/jsondoc"
	"okstra/lib/safetext"
)

// IO is everything a body may touch of its process. Under Main, Out is
// buffered and checked at the end, and In gives up when the context does.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Env      Env

	InTTY, ErrTTY bool // is the stream a terminal

	run *invocation // nil outside Main: the methods then work without its extras
}

// invocation is what the pieces of one run share.
type invocation struct {
	ctx       context.Context
	program   string
	usage     string // the command's synopsis, for "stdin is a terminal"
	out       *stdout
	query     *jsondoc.Query // --select, nil when not given
	selected  bool           // the query was used
	stdin     string         // what has claimed standard input, "" so far
	stdinFile *os.File       // standard input, where it is a file of the process
	foot      Foot           // what stays below all messages, nil for nothing
}

// Std is the IO of the process itself.
func Std() IO {
	return IO{
		In:     os.Stdin,
		Out:    os.Stdout,
		Err:    os.Stderr,
		Env:    processEnv(),
		InTTY:  isTTY(os.Stdin),
		ErrTTY: isTTY(os.Stderr),
	}
}

// isTTY asks without File.Fd, which would switch a descriptor that others may
// share to blocking mode.
func isTTY(f *os.File) bool {
	terminal := false
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { terminal = term.IsTerminal(int(fd)) })
	}
	return terminal
}

// Printf writes text to standard output.
func (std IO) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(std.Out, format, args...)
	return err
}

// Document writes v as one indented JSON document; with --select, each result
// of the expression as one compact line instead.
func (std IO) Document(v any) error { return std.emit(v, jsondoc.Marshal) }

// Laid writes a JSON document that is laid out already, as it stands, for
// documents whose lines have a meaning; --select works as in Document.
func (std IO) Laid(text []byte) error {
	return std.emit(json.RawMessage(text), func(any) ([]byte, error) { return text, nil })
}

// Record writes v as one line of a JSON stream; with --select, each result of
// the expression as one line.
func (std IO) Record(v any) error { return std.emit(v, jsondoc.MarshalLine) }

// Lines writes records of which each is one compact line already, its line feed
// included, as they stand; --select works as in Record.
func (std IO) Lines(text []byte) error {
	if std.run == nil || std.run.query == nil {
		_, err := std.Out.Write(text)
		return err
	}
	for line := range bytes.Lines(text) {
		if err := std.Record(json.RawMessage(line)); err != nil {
			return err
		}
	}
	return nil
}

func (std IO) emit(v any, marshal func(any) ([]byte, error)) error {
	text, err := std.render(v, marshal)
	if err != nil {
		return err
	}
	_, err = std.Out.Write(text)
	return err
}

// render is v as it leaves the program, --select applied.
func (std IO) render(v any, marshal func(any) ([]byte, error)) ([]byte, error) {
	if std.run == nil || std.run.query == nil {
		return marshal(v)
	}
	std.run.selected = true
	raw, err := jsondoc.MarshalLine(v)
	if err != nil {
		return nil, err
	}
	ctx := std.run.ctx
	if ctx.Err() != nil {
		// What is still told after a signal is told as it was asked for.
		var done context.CancelFunc
		ctx, done = context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer done()
	}
	var results bytes.Buffer
	err = std.run.query.Run(ctx, raw, func(line []byte) error {
		results.Write(bytes.TrimRight(line, "\n"))
		results.WriteByte('\n')
		return nil
	})
	if err != nil {
		// The expression is the caller's, and it did not fit the data.
		return nil, BadInput(fmt.Errorf("--select: %w", err))
	}
	return results.Bytes(), nil
}

// lastWords is how long --select may take for a record that is told after a
// signal.
const lastWords = 5 * time.Second

// Flush sends what is buffered, for commands that follow a growing input.
func (std IO) Flush() error {
	if f, ok := std.Out.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// Warnf writes one line to standard error, with the program's name in front
// and terminal escapes removed. It does not change the exit status.
func (std IO) Warnf(format string, args ...any) { std.say("", fmt.Sprintf(format, args...)) }

// Hint writes advice on a line of its own.
func (std IO) Hint(text string) { std.say("hint: ", text) }

func (std IO) say(kind, text string) {
	if std.Err == nil {
		return
	}
	program := ""
	if std.run != nil && std.run.program != "" {
		program = std.run.program + ": "
	}
	line := program + kind + strings.TrimSpace(safetext.Line(text)) + "\n"
	if std.run != nil && std.run.foot != nil && std.run.foot.Above(line) {
		return
	}
	io.WriteString(std.Err, line) // nobody is left to tell when this fails
}
