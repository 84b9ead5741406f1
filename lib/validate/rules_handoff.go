package validate

import (
	"path"
	"slices"
	"strings"

	"okstra/lib/finding"
)

var handoffRules = []Rule{
	{
		Code: "handoff-accepted", Level: finding.Error, Title: "what is handed off was not accepted", Only: onlyHandoff,
		Checks: "The verification that the hand-off refers to is not a report with the verdict `accepted`.",
		Why:    "Only accepted work leaves the project.",
		Fails:  "a verification with verdict conditional-accept",
		Passes: "a verification with verdict accepted",
		check:  (*judge).handoffAccepted,
	},
	{
		Code: "handoff-command", Level: finding.Error, Title: "a hand-off ran a forbidden command", Only: onlyHandoff,
		Checks: "Among the commands is a force-push, a push to the base branch, one that goes around the hooks, or the publishing of a release.",
		Why:    "These steps cannot be taken back, so a person takes them.",
		Fails:  `["git", "push", "--force", "origin", "fix-checkout-timeouts"]`,
		Passes: `["git", "push", "origin", "fix-checkout-timeouts"]`,
		check:  (*judge).handoffCommands,
	},
	{
		Code: "handoff-eligible", Level: finding.Error, Title: "a stage was handed off that is not verified", Only: onlyHandoff,
		Checks: "A hand-off of a group of stages names a stage whose last row in consumers.jsonl, its own aside, is not `verified`.",
		Why:    "A stage is taken once, after it was verified.",
		Fails:  "stage 2 without a row",
		Passes: `{"stage": 2, "status": "verified", "verdictToken": "accepted"}`,
		check:  (*judge).handoffEligible,
	},
}

func (j *judge) handoffAccepted() {
	ref := j.report.root().find("/releaseHandoff/verificationRef")
	if ref.text() == "" {
		return
	}
	a := j.foreign(dataOf(ref.text()), ref)
	token := a.root().find("/verdictCard/verdictToken")
	if a.usable() && token.text() != "accepted" {
		j.at(ref, "a verification with verdict accepted", "%s, whose verdict is %s", ref.show(), token.show())
	}
}

func (j *judge) handoffCommands() {
	block := j.report.root().get("releaseHandoff")
	base := block.get("baseBranch").text()
	for _, c := range block.get("commands").list() {
		argv := c.get("argv")
		if why := forbidden(argv.texts(), base); why != "" {
			j.at(argv, "commands that can be taken back", "a forbidden command, %s: %s", why, finding.Quote(strings.Join(argv.texts(), " ")))
		}
	}
}

// publishing are the commands that publish a release, by their first words.
var publishing = [][]string{
	{"gh", "release", "create"},
	{"gh", "release", "edit"},
	{"glab", "release", "create"},
	{"npm", "publish"},
	{"pnpm", "publish"},
	{"yarn", "publish"},
	{"yarn", "npm", "publish"},
	{"cargo", "publish"},
	{"twine", "upload"},
	{"poetry", "publish"},
	{"uv", "publish"},
	{"gem", "push"},
	{"docker", "push"},
	{"podman", "push"},
	{"goreleaser", "release"},
	{"mvn", "deploy"},
}

// hookless are flags and settings by which git does not ask its hooks.
var hookless = []string{"--no-verify", "core.hooksPath"}

// forbidden says what is wrong with a command of a hand-off, "" if nothing.
func forbidden(argv []string, base string) string {
	if len(argv) == 0 {
		return ""
	}
	words := append([]string{path.Base(argv[0])}, argv[1:]...)
	plain := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	for _, p := range publishing {
		if len(plain) >= len(p) && slices.Equal(plain[:len(p)], p) {
			return "the publishing of a release"
		}
	}
	for _, w := range words {
		if slices.ContainsFunc(hookless, func(h string) bool { return strings.HasPrefix(w, h) }) {
			return "around the hooks"
		}
	}
	verb := gitVerb(words)
	if verb == 0 {
		return ""
	}
	if words[verb] == "commit" && slices.ContainsFunc(words[verb:], func(w string) bool { return shortFlag(w, 'n') }) {
		return "around the hooks"
	}
	if words[verb] != "push" {
		return ""
	}
	return pushFault(words[verb+1:], base)
}

// gitVerb is the index of git's own command, 0 when the program is not git.
// Options of git that take a value are passed over with it.
func gitVerb(words []string) int {
	if words[0] != "git" {
		return 0
	}
	for i := 1; i < len(words); i++ {
		switch {
		case words[i] == "-C" || words[i] == "-c" || words[i] == "--git-dir" || words[i] == "--work-tree":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return i
		}
	}
	return 0
}

// shortFlag says whether a word is a group of short flags with one of them.
func shortFlag(word string, flag byte) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, flag) > 0
}

// pushFault says what is wrong with the arguments of git push: a remote, then
// what to push where.
func pushFault(args []string, base string) string {
	remote := false
	for _, w := range args {
		switch {
		case w == "--mirror" || w == "--delete" || shortFlag(w, 'd') || strings.HasPrefix(w, "--force") || shortFlag(w, 'f'):
			return "a force-push"
		case strings.HasPrefix(w, "-"):
		case !remote:
			remote = true
		case strings.HasPrefix(w, "+"):
			return "a force-push"
		default:
			target := w
			if _, to, ok := strings.Cut(w, ":"); ok {
				target = to
			}
			if base != "" && strings.TrimPrefix(target, "refs/heads/") == base {
				return "a push to the base branch"
			}
		}
	}
	return ""
}

func (j *judge) handoffEligible() {
	block := j.report.root().get("releaseHandoff")
	if block.get("mode").text() != "stage-group" {
		return
	}
	last := map[string]string{}
	for _, row := range j.consumers.rows {
		n := row.node()
		if n.get("status").text() == "taken" && n.get("runId").text() == j.runID() {
			continue
		}
		last[n.get("stage").plain()] = n.get("status").text()
	}
	for _, s := range block.get("stages").list() {
		switch have := last[s.plain()]; have {
		case "verified":
		case "":
			j.at(s, "a stage with a verified row in "+j.consumers.path, "%s, which has none", s.show())
		default:
			j.at(s, "a stage whose last row is verified", "%s, which is %s", s.show(), have)
		}
	}
}
