//go:build unix

package dispatch

import "syscall"

// ownSession keeps a slot out of the reach of the terminal: an interrupt typed
// there is for the dispatcher, which then ends the jobs in good order.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
