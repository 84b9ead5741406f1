package grouping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
)

const result = `---
title: "OKSTRA Analyser Result - shop:pay:checkout-timeouts"
id: shop-pay-checkout-timeouts
aliases: [shop-pay-checkout-timeouts-error-analysis]
tags:
  - worker-result
  - error-analysis
taskType: error-analysis
workerId: scope-a
task-id: checkout-timeouts
---

## 1. Findings

### F-001 Retry loop ignores the request deadline
- Tickets: PAY-12
- Evidence: internal/http/retry.go:31-58

The loop sleeps and retries.

` + "```" + `
### F-999 not an item, only quoted
- Tickets: none
` + "```" + `

## 2. Missing

None.

## 3. Ambiguity

### F-002 Which timeout is meant
- Tickets:

## 4. Risks

None.

## 5. Verification

None.

## 6. Beside the task

### F-003 The logo is old
- Tickets:
- Evidence: web/logo.svg:1
`

func TestParseResultReadsItemsOfAllSections(t *testing.T) {
	r, faults := ParseResult("r.md", []byte(result))
	if len(faults) > 0 || r.WorkerID() != "scope-a" {
		t.Fatal(faults)
	}
	if diff := cmp.Diff(map[string]int{"F-001": 1, "F-002": 3, "F-003": OutOfScope}, r.Sections()); diff != "" {
		t.Error(diff)
	}
	want := Item{
		SchemaVersion: "1.0", Kind: ItemKind, WorkerID: "scope-a", ItemID: "F-001", Section: 1, Title: "Retry loop ignores the request deadline",
		Text:     "The loop sleeps and retries.\n\n```\n### F-999 not an item, only quoted\n- Tickets: none\n```",
		Evidence: []string{"internal/http/retry.go:31-58"}, Tickets: []string{"PAY-12"}, Line: 15,
	}
	if diff := cmp.Diff(want, r.Items[0]); diff != "" {
		t.Error(diff)
	}
	task := run.NewTask("shop", "pay", "checkout-timeouts", "error-analysis", "002")
	if faults := r.CheckIdentity("r.md", task, "scope-a", run.RoleAnalyser); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := r.CheckIdentity("r.md", task, "scope-b", run.RoleVerifier); len(faults) != 2 {
		t.Errorf("another worker in another role: %v", faults)
	}
}

// TestFaultsOfAResult with their lines.
func TestFaultsOfAResult(t *testing.T) {
	change := func(old, by string) string { return strings.Replace(result, old, by, 1) }
	for _, tt := range []struct{ name, text, want string }{
		{"no front matter", strings.SplitN(result, "---\n", 3)[2], "1 result-front-matter"},
		{"a key missing", change("task-id: checkout-timeouts\n", ""), "1 result-front-matter"},
		{"an item id out of order", change("### F-002 W", "### F-003 W"), "32 result-item-id, 45 result-item-id"},
		{"a malformed item id", change("### F-001 R", "### F-1 R"), "15 result-item, 16 result-item, 17 result-item, 32 result-item-id"},
		{"no title", change("### F-002 Which timeout is meant", "### F-002"), "32 result-item"},
		{"no ticket list", change("- Tickets:\n\n## 4", "\n## 4"), "32 result-item"},
		{"a placeholder", change("- Tickets: PAY-12", "- Tickets: N/A"), "16 ticket-placeholder"},
		{"no evidence in section 1", change("- Evidence: internal/http/retry.go:31-58\n", ""), "15 result-item"},
		{"evidence without a place", change("internal/http/retry.go:31-58", "the retry loop"), "17 result-item"},
		{"a section missing", change("## 4. Risks\n\nNone.\n\n", ""), "43 result-section"},
		{"a section empty", change("## 4. Risks\n\nNone.\n", "## 4. Risks\n"), "35 result-section"},
		{"a section twice", change("## 4. Risks", "## 3. Risks"), "35 result-section, 47 result-section"},
		{"an unknown section", change("## 6. Beside", "## 7. Beside"), "43 result-section"},
		{"the reading confirmation", change("## 1. Findings", "## 0. Reading Confirmation\n\n## 1. Findings"), "13 result-reading-confirmation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := ParseResult("r.md", []byte(tt.text))
			if got := strings.Join(places(faults), ", "); got != tt.want {
				t.Errorf("%s, want %s\n%v", got, tt.want, faults)
			}
		})
	}
}

const critic = "# Critic\nWorker: scope-b\n\n### X-001 No finding covers the shutdown path\n- Tickets:\n- Evidence: cmd/api/main.go:61-70\nin-flight retries are dropped on SIGTERM\n"

func TestParseCritic(t *testing.T) {
	c, faults := ParseCritic("c.md", []byte(critic))
	if len(faults) > 0 || c.Worker != "scope-b" || len(c.Candidates) != 1 || c.Candidates[0].Text != "in-flight retries are dropped on SIGTERM" {
		t.Fatalf("%v %+v", faults, c)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"none", "# Critic\nWorker: scope-b\n\nNone.\n", ""},
		{"nothing said", "# Critic\nWorker: scope-b\n", "2 critic-item"},
		{"none beside one", critic + "\nNone.\n", ""},
		{"no worker", strings.Replace(critic, "Worker: scope-b\n", "", 1), "1 critic-header"},
		{"an id out of order", strings.Replace(critic, "X-001", "X-002", 1), "4 critic-item-id"},
		{"an item of a result", strings.Replace(critic, "X-001", "F-001", 1), "4 critic-item, 5 critic-item, 6 critic-item, 7 critic-header, 7 critic-item"},
		{"no evidence", strings.Replace(critic, "- Evidence: cmd/api/main.go:61-70\n", "", 1), "4 critic-item"},
	} {
		_, faults := ParseCritic("c.md", []byte(tt.text))
		if got := strings.Join(places(faults), ", "); got != tt.want {
			t.Errorf("%s: %s, want %s\n%v", tt.name, got, tt.want, faults)
		}
	}
}

func TestCheckAudit(t *testing.T) {
	for text, want := range map[string]string{
		"## 0. Reading Confirmation\n- brief.md, read whole\n": "",
		"## 0. Reading Confirmation\n\n## 1. More\n- x\n":      "1 result-audit",
		"# Audit\n": "1 result-audit",
		"```\n## 0. Reading Confirmation\n- x\n```\n":                           "1 result-audit",
		"## 0. Reading Confirmation\nprose\n* brief.md\n## 0. Something else\n": "",
		"## 0.  Reading   Confirmation\n- \n":                                   "1 result-audit",
	} {
		if got := strings.Join(places(CheckAudit("a.md", []byte(text))), ", "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
