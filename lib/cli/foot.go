package cli

// Foot is what stays below all messages on a terminal while a body works: a bar
// that shows how far it has come (lib/cli/bar).
type Foot interface {
	Above(line string) bool // writes a line above; false when that cannot be
	Done()                  // takes it away; may be called more than once
}

// Draws reports whether standard error is a terminal that a foot can be drawn on.
func (std IO) Draws() bool {
	return std.ErrTTY && std.run != nil && std.Env.Getenv("TERM") != "dumb"
}

// Foot sends messages above f until it is taken away: gone does that, and reports
// whether f was still there. At the end of the run that is done in any case.
func (std IO) Foot(f Foot) (gone func() bool) {
	std.run.foot = f
	return func() bool {
		if std.run.foot != f {
			return false
		}
		std.run.foot = nil
		return true
	}
}
