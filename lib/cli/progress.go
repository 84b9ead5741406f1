package cli

import (
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress is a bar on standard error. Where that is no terminal, or a dumb
// one, every method does nothing and nothing is written. All methods work on
// nil.
type Progress struct {
	run  *invocation
	pool *mpb.Progress
	bar  *mpb.Bar
}

// Progress draws a bar with a label, for total units of work; a total of 0 is
// one that is not known yet. The caller ends it with Done before it returns.
func (std IO) Progress(label string, total int64) *Progress {
	if !std.ErrTTY || std.run == nil || std.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	pool := mpb.NewWithContext(std.run.ctx, mpb.WithOutput(std.Err), mpb.WithWidth(40))
	bar := pool.New(total, mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding(" ").Rbound("]"),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(label)),
		mpb.AppendDecorators(decor.CountersNoUnit("%d/%d")),
	)
	p := &Progress{run: std.run, pool: pool, bar: bar}
	std.run.progress = p
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
	if p == nil || p.run.progress != p {
		return
	}
	p.run.progress = nil
	p.bar.Abort(true)
	p.pool.Wait()
}

// write puts a line above the bar; false when there is no bar to respect.
func (p *Progress) write(line string) bool {
	if p == nil {
		return false
	}
	_, err := io.WriteString(p.pool, line)
	return err == nil
}
