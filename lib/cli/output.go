package cli

import (
	"errors"
	"io"
	"io/fs"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
)

// outputMode is the mode of files that a flag names.
const outputMode fs.FileMode = 0o644

// Output is a file to write, or standard output. The file appears when the
// whole content is there: a run that fails leaves none, and an old one stays.
type Output struct {
	label string
	name  string
	set   bool
}

// Output is a flag with a file to write; it defaults to standard output.
func (f *Flags) Output(name string) *Output {
	out := &Output{name: "-"}
	f.outputs = append(f.outputs, out)
	out.label = f.flag(name, &option{set: func(s string) error {
		if s == "" {
			return errors.New("file name is empty (use - for standard output)")
		}
		out.name, out.set = s, true
		return nil
	}}).label
	return out
}

// Name is the file's name as the user wrote it, "-" for standard output.
func (out *Output) Name() string { return out.name }

// Set reports whether the user named the file.
func (out *Output) Set() bool { return out.set }

// Document writes v as one indented JSON document, --select applied.
func (out *Output) Document(std IO, v any) error {
	text, err := std.render(v, jsondoc.Marshal)
	if err != nil {
		return err
	}
	return out.Write(std, text)
}

// Write writes the content as it is.
func (out *Output) Write(std IO, content []byte) error {
	if out.name == "-" {
		_, err := std.Out.Write(content)
		return err
	}
	return out.fail(atomicfile.Write(out.name, content, outputMode))
}

// Stream lets fill write a content that is too large to hold; the file
// replaces an old one only if fill returns nil.
func (out *Output) Stream(std IO, fill func(io.Writer) error) error {
	if out.name == "-" {
		return fill(std.Out)
	}
	pending, err := atomicfile.Create(out.name, outputMode)
	if err != nil {
		return out.fail(err)
	}
	if err := fill(pending); err != nil {
		pending.Abort()
		return err
	}
	return out.fail(pending.Commit())
}

// fail tells a name that can never be written, the caller's mistake, from a
// disk that fails.
func (out *Output) fail(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, atomicfile.ErrSymlink), errors.Is(err, atomicfile.ErrNotRegular):
		return BadInput(err)
	case errors.As(err, &path):
		return fileError(out.name, err)
	}
	return err
}
