package wizard

import "slices"

var briefReads = []string{"task_pick", "task_key", "task_type", "briefs", "tasks"}

// briefOnFile is the brief that the task has, or "".
func briefOnFile(v view) string {
	t, _ := v.task()
	return t.BriefPath
}

var briefRows = []row{
	{
		id: "brief_keep", reads: briefReads,
		shown:   func(v view) bool { return v.isEntry() && briefOnFile(v) != "" },
		options: plain("brief_keep", "keep", "replace"),
		detail:  briefOnFile,
		check: func(v view, a string) error {
			if a != "keep" {
				return nil
			}
			return fileCheck(v, "brief_keep", briefOnFile(v))
		},
		input: func(v view, in *inputs, a string) {
			if a == "keep" {
				in.BriefPath = briefOnFile(v)
			}
		},
	},
	{
		id: "brief_path", text: true, reads: append([]string{"brief_keep"}, briefReads...),
		shown: func(v view) bool {
			return v.isEntry() && (v.is("brief_keep", "replace") || briefOnFile(v) == "")
		},
		check: func(v view, a string) error { return fileCheck(v, "brief_path", a) },
		input: func(v view, in *inputs, a string) { in.BriefPath = filePath(v, a) },
	},
	{
		id: "analysis_targets", multi: true, min: 1, reads: []string{"task_type"}, shown: ofType("improvement-discovery"),
		options: plain("analysis_targets", "correctness", "security", "performance", "reliability", "maintainability", "tests", "docs", "dependencies"),
		input:   func(v view, in *inputs, _ string) { in.AnalysisTargets = v.list("analysis_targets") },
	},
}

func fileCheck(v view, step, path string) error {
	if _, err := v.facts.File(path); err != nil {
		return refuse("bad-file", "%s: %v", step, err)
	}
	return nil
}

// filePath is the path as documents hold it. The check has passed, so an
// error means that the file went since; the consumer checks it again.
func filePath(v view, path string) string {
	f, err := v.facts.File(path)
	if err != nil {
		return path
	}
	return f.Path
}

var baseReads = []string{"task_pick", "task_key", "tasks", "refs"}

var baseRows = []row{
	{
		id: "base_ref_pick", reads: baseReads, custom: true,
		shown: func(v view) bool {
			t, _ := v.task()
			return !t.HasWorktree && v.facts.Refs().Head != ""
		},
		options: func(v view) []Option {
			refs := v.facts.Refs()
			options := []Option{{Value: "HEAD", Label: "HEAD", Description: short(refs.Head)}}
			if refs.DefaultBranch != "" {
				options = append(options, Option{Value: refs.DefaultBranch, Label: refs.DefaultBranch, Description: v.say.Text("base_ref_pick=default")})
			}
			return options
		},
		check: func(v view, a string) error {
			if a == Custom {
				return nil
			}
			return commitCheck(v, "base_ref_pick", a)
		},
		input: func(v view, in *inputs, a string) {
			if a == Custom {
				return
			}
			setBase(v, in, a)
		},
	},
	{
		id: "base_ref_text", text: true, reads: slices.Concat([]string{"base_ref_pick"}, baseReads), shown: whenCustom("base_ref_pick"),
		check: func(v view, a string) error { return commitCheck(v, "base_ref_text", a) },
		input: setBase,
	},
}

func commitCheck(v view, step, name string) error {
	if _, err := v.facts.Commit(name); err != nil {
		return refuse("bad-ref", "%s: %v", step, err)
	}
	return nil
}

func setBase(v view, in *inputs, name string) {
	if commit, err := v.facts.Commit(name); err == nil {
		in.BaseRef, in.BaseCommit = name, commit
	}
}
