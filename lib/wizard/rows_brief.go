package wizard

import "slices"

var briefReads = slices.Concat(taskReads, []string{"task_type"})

// briefOnFile is the brief that the task has, or "".
func briefOnFile(v view) string {
	t, _ := v.task()
	return t.BriefPath
}

// briefRows ask what the run starts from: a brief, and what to look at.
var briefRows = []row{
	{
		id: "brief_keep", when: "an entry type, and a brief is on file", reads: briefReads, facts: []string{"briefs"},
		shown:   func(v view) bool { return v.isEntry() && briefOnFile(v) != "" },
		options: plain("brief_keep", "keep", "replace"),
		detail:  briefOnFile,
		check: func(v view, a string) error {
			if a != "keep" {
				return nil
			}
			return fileCheck(v, "brief_keep", briefOnFile(v))
		},
		pin: func(v view, a string) []string {
			if a != "keep" {
				return nil
			}
			return pinFile(v, briefOnFile(v))
		},
		input: func(v view, r row, in *inputs) { setFile(v, r, &in.BriefPath) },
	},
	{
		id: "brief_path", text: true, when: "an entry type, and the brief is replaced or there is none",
		reads: append([]string{"brief_keep"}, briefReads...), facts: []string{"briefs"},
		shown: func(v view) bool {
			return v.isEntry() && (v.is("brief_keep", "replace") || briefOnFile(v) == "")
		},
		check: func(v view, a string) error { return fileCheck(v, "brief_path", a) },
		pin:   pinFile,
		input: func(v view, r row, in *inputs) { setFile(v, r, &in.BriefPath) },
	},
	{
		id: "analysis_targets", when: "improvement-discovery", multi: true, min: 1, reads: []string{"task_type"},
		shown: ofType("improvement-discovery"),
		options: plain("analysis_targets",
			"correctness", "security", "performance", "reliability", "maintainability", "tests", "docs", "dependencies"),
		input: func(v view, r row, in *inputs) { in.AnalysisTargets = append(in.AnalysisTargets, v.list(r.id)...) },
	},
}

func fileCheck(v view, step, path string) error {
	if _, err := v.facts.File(path); err != nil {
		return Refuse("bad-file", "%s: %v", step, err)
	}
	return nil
}

// pinFile keeps the path as documents hold it, without links.
func pinFile(v view, path string) []string {
	f, err := v.facts.File(path)
	if err != nil {
		return nil
	}
	return []string{f.Path}
}

// setFile puts a file's pinned path into the run inputs. A file that went
// since stays named as it was: the consumer looks at it once more.
func setFile(v view, r row, field *string) {
	pinned := v.pinned(r)
	switch {
	case len(pinned) == 1:
		*field = pinned[0]
	case r.text:
		*field = v.get(r.id)
	}
}

var baseReads = taskReads

// baseRows ask for the commit that the work begins at. A task with a worktree
// has begun already.
var baseRows = []row{
	{
		id: "base_ref_pick", when: "no worktree is registered for the task", reads: baseReads, facts: []string{"worktrees", "refs"}, typed: "base_ref_text",
		shown: func(v view) bool { return !hasWorktree(v) && v.facts.Refs().Head != "" },
		options: func(v view) []Option {
			refs := v.facts.Refs()
			options := []Option{{Value: "HEAD", Label: "HEAD", Description: short(refs.Head)}}
			if refs.DefaultBranch != "" {
				options = append(options, Option{Value: refs.DefaultBranch, Label: refs.DefaultBranch, Description: v.say.Text("base_ref_pick=default")})
			}
			return options
		},
		label: func(_ view, value string) string { return value },
		check: func(v view, a string) error {
			if a == Custom {
				return nil
			}
			return commitCheck(v, "base_ref_pick", a)
		},
		pin:   pinCommit,
		input: setBase,
	},
	{
		id: "base_ref_text", text: true, when: "base_ref_pick is typed", reads: []string{"base_ref_pick"}, facts: []string{"refs"},
		shown: whenCustom("base_ref_pick"),
		check: func(v view, a string) error { return commitCheck(v, "base_ref_text", a) },
		pin:   pinCommit,
		input: setBase,
	},
}

func hasWorktree(v view) bool {
	t, ok := v.task()
	return ok && v.facts.HasWorktree(t.ProjectID, t.Group, t.ID)
}

func commitCheck(v view, step, name string) error {
	if _, err := v.facts.Commit(name); err != nil {
		return Refuse("bad-ref", "%s: %v", step, err)
	}
	return nil
}

func pinCommit(v view, name string) []string {
	if name == Custom {
		return nil
	}
	commit, err := v.facts.Commit(name)
	if err != nil {
		return nil
	}
	return []string{commit}
}

func setBase(v view, r row, in *inputs) {
	if pinned := v.pinned(r); len(pinned) == 1 {
		in.BaseRef, in.BaseCommit = v.get(r.id), pinned[0]
	}
}
