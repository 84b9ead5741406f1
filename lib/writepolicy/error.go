package writepolicy

import "fmt"

// Error is a policy, or a wish for one, that breaks a rule. Code is one of the
// codes of docs/write-policy.md, "Refusals", and does not change; the message
// is for people.
type Error struct {
	Code    string
	Message string
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// ExitStatus says that the input was understood and is refused.
func (e *Error) ExitStatus() int { return 1 }

func refuse(code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
