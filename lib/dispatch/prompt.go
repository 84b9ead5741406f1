package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/run"
)

// A prompt begins with a block of header lines, "**Label:** value", in a fixed
// order; the first blank line ends it. Workers and readers find paths there.
// Rule: docs/dispatch.md, "Prompts".

// headerLabels in their order. A header without a value keeps its label.
var headerLabels = []string{
	labelRoot, labelWorktree, labelPrompt, labelResult, labelAudit,
	labelErrorsLog, labelErrorsSidecar, labelModel, labelRole, labelAssignment,
}

const (
	labelRoot          = "Project Root"
	labelWorktree      = "Worktree"
	labelPrompt        = "Prompt History Path"
	labelResult        = "Result Path"
	labelAudit         = "Audit Path"
	labelErrorsLog     = "Errors log path"
	labelErrorsSidecar = "Errors sidecar path"
	labelModel         = "Model"
	labelRole          = "Role"
	labelAssignment    = "Assignment"
)

// headers are the values of the header block by label.
type headers map[string]string

// jobHeaders are the headers of a job's first prompt.
func jobHeaders(job run.Job, errorsLog string) headers {
	return headers{
		labelRoot: job.ProjectRoot, labelWorktree: job.WorktreePath, labelPrompt: job.PromptPath,
		labelResult: job.ResultPath, labelAudit: job.AuditPath,
		labelErrorsLog: errorsLog, labelErrorsSidecar: job.ErrorsSidecarPath,
		labelModel: job.Role + ", " + job.ModelExecutionValue, labelRole: job.Role, labelAssignment: job.AssignmentRef,
	}
}

// format writes the block without the blank line that ends it.
func (h headers) format() string {
	var b strings.Builder
	for _, label := range headerLabels {
		b.WriteString(strings.TrimRight("**"+label+":** "+h[label], " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// HeaderError is a prompt whose header block is not complete.
type HeaderError struct {
	Path    string
	Missing []string
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("%s: prompt header %s is missing (expected a line \"**%s:** …\" before the first blank line)",
		e.Path, strings.Join(e.Missing, ", "), e.Missing[0])
}

// ExitStatus counts a broken prompt as bad input.
func (e *HeaderError) ExitStatus() int { return 2 }

// parseHeaders reads the header block of a prompt and gives the rest, which
// begins with the blank line. Labels that it does not know are left alone.
func parseHeaders(path, text string) (headers, string, error) {
	h := headers{}
	rest := text
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if strings.TrimSpace(line) == "" {
			break
		}
		label, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "**"), ":**")
		if ok {
			h[label] = strings.TrimSpace(value)
		}
		rest = after
	}
	e := &HeaderError{Path: path}
	for _, label := range headerLabels {
		if _, ok := h[label]; !ok {
			e.Missing = append(e.Missing, label)
		}
	}
	if len(e.Missing) > 0 {
		return nil, "", e
	}
	return h, rest, nil
}

// checkHeaders refuses a prompt whose header block was begun and lacks a label:
// the copy for a later attempt could not name that attempt's own files. A prompt
// that begins with something else has no headers, and needs none.
func checkHeaders(path, text string) error {
	line, _, _ := strings.Cut(text, "\n")
	label, _, ok := strings.Cut(strings.TrimPrefix(line, "**"), ":**")
	if !ok || !slices.Contains(headerLabels, label) {
		return nil
	}
	_, _, err := parseHeaders(path, text)
	return err
}

// promptCopy is the prompt of a later attempt: the first one with the headers
// that name a file of this attempt alone. A prompt without our headers, as
// written by hand, is copied as it is.
func promptCopy(first, path, errorsSidecar string) string {
	h, rest, err := parseHeaders(path, first)
	if err != nil {
		return first
	}
	h[labelPrompt], h[labelErrorsSidecar] = path, errorsSidecar
	return h.format() + rest
}
