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

// codeDocument is the code of a file that cannot be read, or is no JSON.
const codeDocument = "document"

// ExitStatus says that the input was understood and is refused (1), or that a
// document on the way could not be read at all (2).
func (e *Error) ExitStatus() int {
	if e.Code == codeDocument {
		return 2
	}
	return 1
}

func refuse(code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
