// Package bar draws how far a program has come. It is apart from lib/cli, for the
// library that draws takes part of a millisecond to start, also in programs
// that draw nothing. Rule: docs/cli.md, "Streams".
package bar

import (
	"context"
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"okstra/lib/cli"
)

// Progress is a bar on standard error. Where that is no terminal, or a dumb
// one, every method does nothing and nothing is written. All methods work on
// nil.
type Progress struct {
	pool *mpb.Progress
	bar  *mpb.Bar
	gone func() bool
}

// New draws a bar with a label, for total units of work; a total of 0 is one
// that is not known yet. The caller ends it with Done before it returns.
// Messages go above it.
func New(ctx context.Context, std cli.IO, label string, total int64) *Progress {
	if !std.Draws() {
		return nil
	}
	pool := mpb.NewWithContext(ctx, mpb.WithOutput(std.Err), mpb.WithWidth(40))
	bar := pool.New(total, mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding(" ").Rbound("]"),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(label)),
		mpb.AppendDecorators(decor.CountersNoUnit("%d/%d")),
	)
	p := &Progress{pool: pool, bar: bar}
	p.gone = std.Foot(p)
	return p
}

// Add counts n more units as done.
func (p *Progress) Add(n int64) {
	if p != nil {
		p.bar.IncrInt64(n)
	}
}

// SetTotal corrects the number of units.
func (p *Progress) SetTotal(total int64) {
	if p != nil {
		p.bar.SetTotal(total, false)
	}
}

// Done removes the bar. It may be called more than once.
func (p *Progress) Done() {
	if p != nil && p.gone() {
		p.bar.Abort(true)
		p.pool.Wait()
	}
}

// Above writes a line above the bar; false when there is none any more.
func (p *Progress) Above(line string) bool {
	_, err := io.WriteString(p.pool, line)
	return err == nil
}
