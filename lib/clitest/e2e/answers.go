// Package e2e runs okstra with the real agent CLIs from npm against the
// stand-in model server. Its tests need the build tag e2e and npm.
package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A request holds the prompt as JSON text, so a line feed in it is the two
// characters \n and a quote is \".
var (
	resultPath = regexp.MustCompile(`\*\*Result Path:\*\* ([^\\"\s]+)`)
	auditPath  = regexp.MustCompile(`\*\*Audit Path:\*\* ([^\\"\s]+)`)
	promptPath = regexp.MustCompile(`\*\*Prompt History Path:\*\* ([^\\"\s]+)`)
	assignment = regexp.MustCompile(`\*\*Assignment:\*\* assignment:([^:\\"\s]+):([^\\"\s]+)`)
	taskLine   = regexp.MustCompile("- Task: `([^`]+)`, type `([^`]+)`, run ([0-9]+)")
	groupID    = regexp.MustCompile(`groupId\\*"\s*:\s*\\*"([A-Z]-[0-9]+)`)
	roundLine  = regexp.MustCompile(`Round: ([0-9]+)`)
)

// findings are what the stand-in model claims for each worker: one finding at
// a place of its own, so that the other one has to judge it.
var findings = map[string]struct{ title, ticket, place string }{
	"claude": {"A failed charge never gives its pool slot back", "PAY-15", "internal/checkout/checkout.go:32-36"},
	"codex":  {"The retry loop ignores the request deadline", "PAY-12", "internal/upstream/retry.go:17-23"},
}

// Command is the shell command by which the stand-in model answers the prompt
// of an okstra worker: it writes the promised files. A prompt that is none of
// okstra's gets a harmless command.
func Command(request string) string {
	first := func(form *regexp.Regexp) string {
		if m := form.FindStringSubmatch(request); m != nil {
			return m[1]
		}
		return ""
	}
	who := assignment.FindStringSubmatch(request)
	result := first(resultPath)
	if who == nil || result == "" {
		return "true"
	}
	purpose, worker := who[1], who[2]
	if purpose != "analysis" {
		return write(result, verdicts(worker, first(roundLine), request))
	}
	task := taskLine.FindStringSubmatch(request)
	if task == nil {
		return "true"
	}
	command := write(result, analysis(worker, task[1], task[2]))
	if audit := first(auditPath); audit != "" {
		command += "\n" + write(audit, fmt.Sprintf("# Audit %s %s %s\n\n## 0. Reading Confirmation\n- %s: read\n", worker, task[2], task[3], first(promptPath)))
	}
	return command
}

func write(path, text string) string {
	return fmt.Sprintf("cat > '%s' <<'OKSTRA_END'\n%sOKSTRA_END", path, text)
}

func analysis(worker, taskKey, taskType string) string {
	id := strings.ReplaceAll(taskKey, ":", "-")
	f := findings[worker]
	return fmt.Sprintf(`---
title: "OKSTRA Analyser Result - %[1]s"
id: %[2]s
aliases: ["%[2]s-%[3]s"]
tags: ["worker-result", "%[3]s"]
taskType: %[3]s
workerId: %[4]s
task-id: %[5]s
---

## 1. Findings

### F-001 %[6]s
- Tickets: %[7]s
- Evidence: %[8]s

Seen in the code.

## 2. Missing Information

None.

## 3. Safe Assumptions

None.

## 4. Uncertain Points

None.

## 5. Recommended Next Actions

None.
`, taskKey, id, taskType, worker, taskKey[strings.LastIndex(taskKey, ":")+1:], f.title, f.ticket, f.place)
}

func verdicts(worker, round, request string) string {
	var groups []string
	for _, m := range groupID.FindAllStringSubmatch(request, -1) {
		if !slices.Contains(groups, m[1]) {
			groups = append(groups, m[1])
		}
	}
	var text strings.Builder
	text.WriteString(fmt.Sprintf("# Reverify\nRound: %s\nWorker: %s\n", round, worker))
	for _, g := range groups {
		text.WriteString(fmt.Sprintf("\n## %s\nVerdict: AGREE\nEvidence: internal/pool/pool.go:25\n", g))
	}
	return text.String()
}
