package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"okstra/lib/jsondoc"
)

// maxInput bounds what is read into memory as a whole.
const maxInput = 64 << 20

// Input is a file to read, or standard input.
type Input struct {
	label string
	name  string
	set   bool
	usage bool // "-" by default: a terminal is then refused, not waited for
}

// Name is the file's name as the user wrote it, "-" for standard input.
func (in *Input) Name() string { return in.name }

// Set reports whether the user named the file.
func (in *Input) Set() bool { return in.set }

// assign takes the word from the command line.
func (in *Input) assign(word string) error {
	if word == "" {
		return errEmptyName
	}
	in.name, in.set = word, true
	return nil
}

var errEmptyName = errors.New("file name is empty (use - for standard input)")

// Input is an argument FILE that defaults to standard input.
func (f *Flags) Input(name string) *Input {
	in := &Input{label: argLabel(name), name: "-", usage: true}
	f.inputs = append(f.inputs, in)
	f.arg(name, &option{optional: true, set: in.assign})
	return in
}

// InputFlag is a flag with a file to read; it is not Set unless given.
func (f *Flags) InputFlag(name string) *Input {
	in := &Input{}
	f.inputs = append(f.inputs, in)
	in.label = f.flag(name, &option{set: in.assign}).label
	return in
}

// InputFlags is a flag with a file to read that may be given several times.
func (f *Flags) InputFlags(name string) *[]Input {
	v := new([]Input)
	f.flag(name, &option{many: true, set: func(s string) error {
		in := Input{label: "--" + name}
		if err := in.assign(s); err != nil {
			return err
		}
		*v = append(*v, in)
		f.inputs = append(f.inputs, &in)
		return nil
	}})
	return v
}

// Inputs takes all remaining arguments as files; at least one must be given.
func (f *Flags) Inputs(name string) *[]Input { return f.fileArgs(name, false) }

// OptInputs is Inputs, but none is fine.
func (f *Flags) OptInputs(name string) *[]Input { return f.fileArgs(name, true) }

func (f *Flags) fileArgs(name string, optional bool) *[]Input {
	v := new([]Input)
	f.arg(name, &option{optional: optional, many: true, set: func(s string) error {
		in := Input{label: name}
		if err := in.assign(s); err != nil {
			return err
		}
		*v = append(*v, in)
		f.inputs = append(f.inputs, &in)
		return nil
	}})
	return v
}

// Open opens the file. Standard input can be opened once only; where it is a
// terminal and nobody asked for it, Open refuses with the command's usage
// instead of waiting in silence. Reads end when the run is interrupted.
func (in *Input) Open(std IO) (io.ReadCloser, error) {
	if in.name == "-" {
		return in.openStdin(std)
	}
	if in.name == "" {
		return nil, Usagef("%s is missing", in.label)
	}
	file, err := open(std, in.name)
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, BadInput(fileError(in.name, err))
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		file.Close()
		return nil, BadInput(fileError(in.name, err))
	}
	if info.Mode().IsRegular() || std.run == nil {
		return file, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{newInterruptible(std.run.ctx, file), file}, nil
}

// open opens a file. A named pipe keeps whoever opens it waiting until somebody
// writes; that wait ends when the run is interrupted.
func open(std IO, name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 || std.run == nil {
		return os.Open(name)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-std.run.ctx.Done():
		return nil, context.Cause(std.run.ctx)
	}
}

func (in *Input) openStdin(std IO) (io.ReadCloser, error) {
	if in.usage && !in.set && std.InTTY {
		return nil, std.terminalUsage()
	}
	if std.run != nil {
		if first := std.run.stdin; first != "" {
			return nil, Usagef("%s and %s both read standard input", first, in.label)
		}
		std.run.stdin = in.label
	}
	return io.NopCloser(std.In), nil
}

// terminalUsage is the refusal to wait for somebody to type a document.
func (std IO) terminalUsage() error {
	if std.run == nil || std.run.usage == "" {
		return Usagef("no file named, and standard input is a terminal")
	}
	return BadInput(errors.New(std.run.usage))
}

// Bytes reads the whole file, up to 64 MiB.
func (in *Input) Bytes(std IO) ([]byte, error) {
	r, err := in.Open(std)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, BadInput(fileError(in.name, err))
	}
	if len(text) > maxInput {
		return nil, BadInput(fmt.Errorf("%s: larger than %d MiB", in.name, maxInput>>20))
	}
	return text, nil
}

// Doc reads the file as one JSON document, strictly.
func (in *Input) Doc(std IO) (jsondoc.Doc, error) {
	r, err := in.Open(std)
	if err != nil {
		return jsondoc.Doc{}, err
	}
	defer r.Close()
	return jsondoc.Read(r, in.name)
}
