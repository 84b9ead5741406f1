package facts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"okstra/lib/clitest"
	"okstra/lib/digest"
	"okstra/lib/wizard"
)

func refs(list wizard.TaskList) string {
	var out []string
	for _, t := range list.Tasks {
		out = append(out, t.Ref())
	}
	return strings.Join(out, " ")
}

func TestTasksAreListedByTheirNewestRun(t *testing.T) {
	f := newFixture(t)
	f.task("pay", "never", "Never run")
	f.task("pay", "old", "Old")
	f.task("auth", "new", `New\u001b[2J title `+strings.Repeat("x", 100))
	f.task("auth", "twice", "Two types")
	f.ran("pay/old", "error-analysis", "001", "2026-01-05T00:00:00Z")
	f.ran("auth/new", "error-analysis", "001", "2026-01-01T00:00:00Z")
	f.ran("auth/new", "error-analysis", "002", "2026-03-01T00:00:00Z")
	f.ran("auth/twice", "requirements-discovery", "007", "2026-02-01T00:00:00Z")
	f.ran("auth/twice", "error-analysis", "001", "2026-02-02T00:00:00Z")
	p := f.project()
	list := p.Tasks()
	if got := refs(list); got != "auth/new auth/twice pay/old pay/never" {
		t.Errorf("tasks %s", got)
	}
	first := list.Tasks[0]
	if first.LastType != "error-analysis" || first.LastAt != "2026-03-01T00:00:00Z" || first.ProjectID != "shop" {
		t.Errorf("%+v", first)
	}
	if strings.Contains(first.Title, "\x1b") || len([]rune(first.Title)) > 80 {
		t.Errorf("title %q, want it safe and cut", first.Title)
	}
	if one, ok := p.Task("auth", "new"); !ok || one != first {
		t.Errorf("one of them: %+v, %v", one, ok)
	}
	if got := fmt.Sprint(p.Groups()); got != "[auth pay]" {
		t.Errorf("groups %s", got)
	}
	if got := p.ProjectID(); got != "shop" {
		t.Errorf("project id %q", got)
	}
	f.wantWarnings()
}

func TestFoldersThatAreNoTasks(t *testing.T) {
	f := newFixture(t)
	f.task("pay", "good", "Good")
	f.task("pay", "a b", "Blank in its name")
	f.task("pay", "a,b", "Comma in its name")
	f.task("p,q", "x", "Comma in its group")
	f.task("pay", "line\nend", "Line end in its name")
	f.task("pay", "x.lock", "Reserved ending")
	f.write(".okstra/tasks/pay/empty/notes.md", "no manifest")
	f.write(".okstra/tasks/pay/broken/task-manifest.json", `{"kind": "okstra-task-manifest",`)
	f.write(".okstra/tasks/pay/list/task-manifest.json", `[]`)
	f.write(".okstra/tasks/pay/other/task-manifest.json", `{"kind": "okstra-job\u001b[31m"}`)
	f.write(".okstra/tasks/stray.txt", "a file among groups")
	f.write(".okstra/tasks/pay/stray.txt", "a file among tasks")
	f.task("elsewhere", "real", "Behind a link")
	f.link(filepath.Join(f.root, ".okstra/tasks/elsewhere"), ".okstra/tasks/linked")
	f.link(filepath.Join(f.root, ".okstra/tasks/pay/good"), ".okstra/tasks/pay/linked")
	if err := os.MkdirAll(filepath.Join(f.root, ".okstra/tasks/pay/linkmanifest"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.link(filepath.Join(f.root, ".okstra/tasks/pay/good/task-manifest.json"), ".okstra/tasks/pay/linkmanifest/task-manifest.json")
	if err := os.MkdirAll(filepath.Join(f.root, ".okstra/tasks/pay/folder/task-manifest.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(f.root, ".okstra/tasks/pay/pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(f.root, ".okstra/tasks/pay/pipe/task-manifest.json"), 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	list := f.project().Tasks()
	if got := refs(list); got != "elsewhere/real pay/good" || list.LeftOut != 5 {
		t.Errorf("tasks %s, %d left out, want 5", got, list.LeftOut)
	}
	f.wantWarnings("broken/task-manifest.json", "folder/task-manifest.json", "linkmanifest/task-manifest.json", "list/task-manifest.json", "other/task-manifest.json", "pipe/task-manifest.json")
	for _, text := range f.warnings {
		if strings.Contains(text, "\x1b") {
			t.Errorf("warning %q carries an escape", text)
		}
	}
	p := f.project()
	for _, id := range []string{"broken", "linked", "empty", "pipe", "folder", "..", "", "a b"} {
		if _, ok := p.Task("pay", id); ok {
			t.Errorf("pay/%s is a task", id)
		}
	}
	if _, ok := p.Task("linked", "real"); ok {
		t.Error("a task behind a linked group is one when it is named")
	}
}

func TestOtherTasksGroupsAndTakenNames(t *testing.T) {
	f := newFixture(t)
	p := f.project()
	if p.HasOther("pay", "a") || p.Taken("pay", "a") != "" || p.ProjectID() != "" || len(p.Groups()) != 0 || len(p.Tasks().Tasks) != 0 {
		t.Error("a project without tasks has some")
	}
	f.task("Pay", "Refunds", "x")
	if p = f.project(); p.HasOther("Pay", "Refunds") || !p.HasOther("Pay", "x") || !p.HasOther("", "") {
		t.Error("whether there is another task is wrong")
	}
	if got := p.Taken("pay", "refunds"); got != "Pay/Refunds" {
		t.Errorf("taken by %q, want the name as it is", got)
	}
	f.write(".okstra/tasks/Pay/half-made/x", "")
	if got := f.project().Taken("Pay", "half-made"); got != "Pay/half-made" {
		t.Errorf("taken by %q: a folder without a manifest is in the way too", got)
	}
	f.wantWarnings()
}

func TestManifestsThatNobodyMayRead(t *testing.T) {
	clitest.AsNobody(t)
	f := newFixture(t)
	f.task("pay", "open", "x")
	f.task("pay", "closed", "x")
	f.task("shut", "x", "x")
	if err := os.Chmod(filepath.Join(f.root, ".okstra/tasks/pay/closed/task-manifest.json"), 0); err != nil {
		t.Fatal(err)
	}
	shut := filepath.Join(f.root, ".okstra/tasks/shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(shut, 0o755)
	if got := refs(f.project().Tasks()); got != "pay/open" {
		t.Errorf("tasks %s", got)
	}
	f.wantWarnings("closed/task-manifest.json: permission denied", "shut\": permission denied")
}

func TestPlansApprovalsAndStages(t *testing.T) {
	f := newFixture(t)
	f.task("pay", "timeouts", "x")
	f.plan("001", "2026-01-01T00:00:00Z", `[]`, true)
	items := `[{"id": "C-001", "kind": "decision", "statement": "Which store?", "expectedForm": "a name", "userInput": "", "status": "open", "blocks": "approval", "originRefs": []},
 {"id": "C-002", "kind": "decision", "statement": "How long?", "expectedForm": "a number", "userInput": "a day", "status": "answered", "blocks": "approval", "originRefs": []},
 {"id": "C-003", "kind": "material", "statement": "Logs?", "expectedForm": "a file", "userInput": "x", "status": "resolved", "blocks": "approval", "originRefs": []},
 {"id": "C-004", "kind": "decision", "statement": "Old?", "expectedForm": "x", "userInput": "", "status": "obsolete", "blocks": "approval", "originRefs": []},
 {"id": "C-005", "kind": "decision", "statement": "Later?", "expectedForm": "x", "userInput": "", "status": "open", "blocks": "next-phase", "originRefs": []}]`
	path := f.plan("002", "2026-02-01T00:00:00Z", items, false)
	f.write(".okstra/tasks/pay/timeouts/runs/implementation/carry/stage-1.json", `{}`)
	f.write(".okstra/tasks/pay/timeouts/runs/implementation-planning/reports/final-report-implementation-planning-003.data.json", `{"schemaVersion": "2.0"}`)
	p := f.project()
	plans := p.Plans("pay", "timeouts")
	if len(plans) != 2 || plans[0].Path != path || !plans[1].Approved {
		t.Fatalf("%+v", plans)
	}
	raw, err := os.ReadFile(filepath.Join(f.root, strings.TrimSuffix(path, ".md")+".data.json"))
	if err != nil {
		t.Fatal(err)
	}
	newest := plans[0]
	if newest.DataDigest != digest.Bytes(raw) || newest.Approved || newest.CreatedAt != "2026-02-01T00:00:00Z" {
		t.Errorf("%+v", newest)
	}
	if got := fmt.Sprint(newest.OpenApproval, newest.Answered); got != "[C-001 C-002] [C-002]" {
		t.Errorf("blocking and answered %s", got)
	}
	if s := newest.Stages; !s[0].Done || s[1].Done || s[0].Title != "Retry loop" || len([]rune(s[1].Title)) > 80 || fmt.Sprint(s[1].DependsOn) != "[1]" {
		t.Errorf("stages %+v", s)
	}
	f.wantWarnings("planning-003.data.json")
	if got := fmt.Sprint(p.Decisions("pay", "timeouts")); got != "[{C-001 Which store?} {C-005 Later?}]" {
		t.Errorf("open design items %s", got)
	}
	if got := p.NextPhase("pay", "timeouts"); got != "implementation" {
		t.Errorf("next phase %q", got)
	}
	for _, name := range []string{path, strings.TrimSuffix(path, ".md") + ".data.json", filepath.Join(f.root, path)} {
		if named, err := p.Plan(name); err != nil || named.Path != path {
			t.Errorf("plan %q: %+v, %v", name, named.Path, err)
		}
	}
	f.write("notes.md", "x")
	for _, name := range []string{"", "nothing.md", "notes.md", "../x.md"} {
		if _, err := p.Plan(name); err == nil {
			t.Errorf("%q is a plan", name)
		}
	}
}

func TestTheNewestReportOfAnyTypeCounts(t *testing.T) {
	f := newFixture(t)
	f.task("pay", "timeouts", "x")
	open := `[{"id": "C-001", "kind": "data-point", "statement": "Rate?", "expectedForm": "x", "userInput": "", "status": "open", "blocks": "none", "originRefs": []}]`
	f.plan("001", "2026-01-01T00:00:00Z", open, false)
	f.write(".okstra/tasks/pay/timeouts/clarification-1.md", "x")
	f.write(".okstra/tasks/pay/timeouts/runs/implementation-planning/clarification-2.md", "x")
	f.write(".okstra/tasks/pay/timeouts/notes.md", "x")
	f.link("nowhere", ".okstra/tasks/pay/timeouts/clarification-3.md")
	if err := os.Chtimes(filepath.Join(f.root, ".okstra/tasks/pay/timeouts/clarification-1.md"), timeOf(2), timeOf(2)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(f.root, ".okstra/tasks/pay/timeouts/runs/implementation-planning/clarification-2.md"), timeOf(1), timeOf(1)); err != nil {
		t.Fatal(err)
	}
	facts := f.project().Clarifications("pay", "timeouts")
	want := ".okstra/tasks/pay/timeouts/clarification-1.md .okstra/tasks/pay/timeouts/runs/implementation-planning/clarification-2.md"
	if !facts.Open || strings.Join(facts.Files, " ") != want {
		t.Errorf("%+v", facts)
	}
	f.plan("002", "2026-02-01T00:00:00Z", `[]`, false)
	if facts = f.project().Clarifications("pay", "timeouts"); facts.Open || len(facts.Files) != 0 {
		t.Errorf("after a report without open items: %+v", facts)
	}
	if facts := f.project().Clarifications("pay", "nothing"); facts.Open {
		t.Error("a task without reports has open items")
	}
}

func TestWhatMayBeHandedOff(t *testing.T) {
	f := newFixture(t)
	f.task("pay", "timeouts", "x")
	f.plan("001", "2026-01-01T00:00:00Z", `[]`, true)
	if h := f.project().Handoff("pay", "timeouts"); len(h.Stages) != 0 || h.WholeTask {
		t.Errorf("%+v", h)
	}
	row := func(stage, status, verdict string) string {
		return fmt.Sprintf(`{"schemaVersion":"1.0","kind":"okstra-stage-consumer","runId":"r","at":"2026-01-01T00:00:00Z","stage":%s,"status":%q,"verdictToken":%s,"reportDataPath":"x"}`+"\n", stage, status, verdict)
	}
	f.write(".okstra/tasks/pay/timeouts/consumers.jsonl",
		row("3", "verified", `"accepted"`)+row("1", "verified", `"accepted"`)+row("1", "taken", "null")+row("2", "verified", `"conditional-accept"`)+
			row("2", "verified", `"accepted"`)+"not JSON\n"+row(`"later"`, "verified", `"accepted"`)+row(`"whole-task"`, "verified", `"accepted"`)+`{"stage": 9, "torn`)
	p := f.project()
	h := p.Handoff("pay", "timeouts")
	if got := fmt.Sprint(h); !h.WholeTask || len(h.Stages) != 2 || h.Stages[0].Number != 3 || h.Stages[1].Number != 2 || !strings.HasPrefix(h.Stages[1].Title, "Counting") {
		t.Errorf("%s", got)
	}
	f.wantWarnings("consumers.jsonl:6", "consumers.jsonl:7", "consumers.jsonl:9")
}

func TestFilesThatAPersonNames(t *testing.T) {
	f := newFixture(t)
	outside := filepath.Join(t.TempDir(), "brief.md")
	f.write(outside, "x")
	f.write("docs/brief.md", "# Brief\n")
	f.write("latin1.md", "caf\xe9")
	f.write("big.md", strings.Repeat("x", 1<<20+1))
	f.write("limit.md", strings.Repeat("x", 1<<20))
	f.link("docs/brief.md", "link.md")
	f.link(outside, "out.md")
	f.link("loop.md", "loop.md")
	if err := os.MkdirAll(filepath.Join(f.root, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(f.root, "pipe.md"), 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	p := f.project()
	realOutside, err := filepath.EvalSymlinks(outside)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"docs/brief.md": "docs/brief.md", "./docs/../docs/brief.md": "docs/brief.md", "link.md": "docs/brief.md", "limit.md": "limit.md",
		filepath.Join(f.root, "docs/brief.md"): "docs/brief.md", outside: realOutside, "out.md": realOutside,
	} {
		got, err := p.File(name)
		if err != nil || got.Path != want || !filepath.IsAbs(got.Shown) {
			t.Errorf("%q: %+v, %v, want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"": "no file is named", "missing.md": "no such file", "latin1.md": "not UTF-8", "big.md": "more than 1048576", "folder.md": "not a regular file",
		"pipe.md": "not a regular file", "loop.md": "too many", "../x.md": "leads out of the project", "docs/../../x.md": "leads out of the project",
		"docs/brief.md/x": "not a directory",
	} {
		if _, err := p.File(name); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), f.root) {
			t.Errorf("%q: %v, want %q and no path but the one given", name, err, want)
		}
	}
}

func TestRefsOfARealRepository(t *testing.T) {
	clitest.NeedTool(t, "git")
	f := newFixture(t)
	if refs := f.project().Refs(); refs.Head != "" {
		t.Errorf("outside a repository: %+v", refs)
	}
	f.git("init", "-q", "-b", "main")
	if refs := f.project().Refs(); refs.Head != "" {
		t.Errorf("without a commit: %+v", refs)
	}
	f.git("commit", "-q", "--allow-empty", "-m", "one")
	f.git("tag", "v1")
	p := f.project()
	refs := p.Refs()
	if len(refs.Head) != 40 || refs.DefaultBranch != "main" {
		t.Errorf("%+v", refs)
	}
	for _, name := range []string{"HEAD", "main", "v1", refs.Head, refs.Head[:8]} {
		if commit, err := p.Commit(name); err != nil || commit != refs.Head {
			t.Errorf("%q: %q, %v", name, commit, err)
		}
	}
	for _, name := range []string{"nowhere", "--output=x", "-h", "HEAD^{tree}", "HEAD:", "", "a b"} {
		if commit, err := p.Commit(name); err == nil {
			t.Errorf("%q is commit %q", name, commit)
		}
	}
	if _, err := os.Stat(filepath.Join(f.root, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a ref was taken for an option")
	}
}

func TestWorktreesAreThoseOfTheRegistry(t *testing.T) {
	f := newFixture(t)
	if f.project().HasWorktree("shop", "pay", "timeouts") {
		t.Error("a worktree without a registry")
	}
	f.write(filepath.Join(f.home, "worktrees/registry.json"), `{"shop:pay:timeouts": {"path": "/x", "branch": "fix-timeouts"}}`)
	p := f.project()
	if !p.HasWorktree("shop", "pay", "timeouts") || p.HasWorktree("shop", "pay", "other") || p.HasWorktree("other", "pay", "timeouts") {
		t.Errorf("registered wrongly; warnings %q", f.warnings)
	}
	f.write(filepath.Join(f.home, "worktrees/registry.json"), `{`)
	if f.project().HasWorktree("shop", "pay", "timeouts") {
		t.Error("a broken registry has a worktree")
	}
	f.wantWarnings("registry.json")
}

func TestTemplatesEachOnce(t *testing.T) {
	f := newFixture(t)
	f.write(".github/PULL_REQUEST_TEMPLATE.md", "x")
	f.link("PULL_REQUEST_TEMPLATE.md", ".github/pull_request_template.md")
	f.write(".okstra/pr-template.md", "y")
	global := f.write(filepath.Join(f.home, "pr-template.md"), "z")
	got := f.project().Templates()
	want := []wizard.TemplateFact{{Path: ".github/pull_request_template.md", Origin: "repository"}, {Path: ".okstra/pr-template.md", Origin: "project"}, {Path: global, Origin: "global"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestLanguagesThatCanBeTranslatedInto(t *testing.T) {
	p := newFixture(t).project()
	for tag, want := range map[string]string{"ko": "ko", "KO": "ko", "pt-br": "pt-BR", "zh-hant-tw": "zh-Hant-TW", "iw": "he", "en-GB": "en-GB"} {
		if got, err := p.Language(tag); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", tag, got, err, want)
		}
	}
	for _, tag := range []string{"", "und", "und-KR", "x-secret", "en-x-mine", "korean language", "k", "../ko", "ko_KR.UTF-8"} {
		if got, err := p.Language(tag); err == nil {
			t.Errorf("%q is %q", tag, got)
		}
	}
}
