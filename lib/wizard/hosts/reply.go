package hosts

import (
	"bytes"
	"fmt"
	"strings"

	"okstra/lib/wizard"
)

// Outcomes of a reply. Only the first two can change a state; the others are
// never consent, never a "no", and never a default.
const (
	Answered    = "answered"
	Typed       = "typed"
	Skipped     = "skipped"
	Declined    = "declined"
	Dismissed   = "dismissed"
	Cancelled   = "cancelled"
	TimedOut    = "timed-out"
	Unavailable = "unavailable"
)

// Reply is what a host gave back, read but not matched with the choices yet.
// Plain says that it is a message as a person wrote it.
type Reply struct {
	Outcome  string
	Entries  []wizard.Entry
	FreeText bool
	Plain    bool
	Notes    []string // remarks beside an answer; nothing is done with them
	Text     string   // what a person wrote, for a refusal to give back
}

// ShapeError is a reply that is not in the form of its host.
type ShapeError struct{ Host, Problem string }

func (e *ShapeError) Error() string { return fmt.Sprintf("reply of %s: %s", e.Host, e.Problem) }

// ExitStatus says that such a reply is the caller's mistake.
func (e *ShapeError) ExitStatus() int { return 2 }

// Read reads the raw reply to a screen. strict says whether a text is one JSON
// value without two meanings. The error is a *wizard.Refusal when the reply
// belongs to another screen, else one of strict or a *ShapeError.
func Read(s wizard.Screen, h wizard.Host, raw []byte, strict func(raw []byte) error) (Reply, error) {
	form, native := profiles[h.Profile]
	if outcome := message(h, raw); outcome != "" {
		return Reply{Outcome: outcome}, nil
	}
	if !native {
		return readText(raw), nil
	}
	written := !s.IsNative() && (!form.text || s.Kind != wizard.KindText)
	object := bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
	if written && (s.Kind == wizard.KindText || !object) {
		return readText(raw), nil
	}
	if err := strict(raw); err != nil {
		return Reply{}, err
	}
	return form.read(ask(s, h, wizard.Texts{}), raw)
}

// message tells what a host says in words when its tool did not run, or was
// closed.
func message(h wizard.Host, raw []byte) string {
	text := strings.Trim(strings.TrimSpace(string(raw)), `"`)
	switch {
	case h.Profile == "codex" && strings.HasPrefix(text, "request_user_input") && strings.Contains(text, "is unavailable"):
		return Unavailable
	case h.Profile == "gemini" && strings.HasPrefix(text, "User dismissed ask_user"):
		return Dismissed
	}
	return ""
}

func readText(raw []byte) Reply {
	if len(bytes.TrimSpace(raw)) == 0 {
		return Reply{Outcome: Skipped}
	}
	return Reply{Outcome: Answered, Plain: true, Text: string(raw)}
}

// shape is a complaint about the form of a reply.
func (q asked) shape(format string, args ...any) error {
	return &ShapeError{q.host.ID, fmt.Sprintf(format, args...)}
}

// mismatch is a reply to questions that are not the pending ones.
func (q asked) mismatch(key string, texts ...string) error {
	return wizard.Refuse("screen-mismatch", "%s: the reply answers %q, which is not asked now", q.screen.Step, key).With(texts...)
}

// finish gives a reply its outcome: without any answer it is the one that the
// host told, or else skipped.
func finish(r Reply, without string) Reply {
	if r.Outcome = Answered; len(r.Entries) == 0 {
		r.Outcome = without
	}
	return r
}
