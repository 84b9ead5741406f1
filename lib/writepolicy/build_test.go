package writepolicy

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestW1BuildRefusals(t *testing.T) {
	r := newTree(t)
	head := r.git("rev-parse", "HEAD")
	file := filepath.Join(r.root, "file")
	aux, link := filepath.Join(r.m.Dir, "aux"), filepath.Join(r.m.Dir, "link")
	r.mkdir(aux)
	for from, to := range map[string]string{link: aux, filepath.Join(r.m.Dir, "dangling"): "/nowhere"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	implementer := func(more map[string]any) map[string]any {
		over := map[string]any{"role": "implementer", "expectedBaseCommit": head, "allowedBranchRef": "refs/heads/work"}
		maps.Copy(over, more)
		return over
	}
	for _, tt := range []struct {
		name     string
		over     map[string]any
		worktree any
		code     string
		words    []string
	}{
		{"no role", map[string]any{"role": absent{}}, nil, "text-required", []string{"role"}},
		{"blank role", map[string]any{"role": " \t\u00a0\x1c"}, nil, "text-required", []string{"role"}},
		{"role is no text", map[string]any{"role": 1}, nil, "text-required", []string{"role", "1"}},
		{"no project root", map[string]any{"projectRoot": absent{}}, nil, "text-required", []string{"projectRoot"}},
		{"role before project root", map[string]any{"role": "", "projectRoot": ""}, nil, "text-required", []string{"role"}},
		{"relative root without worktree", map[string]any{"projectRoot": "repo"}, nil, "worktree", []string{"worktree", "repo"}},
		{"missing worktree", nil, "/nowhere/at/all", "worktree", []string{"/nowhere/at/all"}},
		{"worktree is a file", nil, file, "worktree", []string{file}},
		{"worktree is relative", nil, "repo", "worktree", []string{"repo"}},
		{"worktree is empty", nil, "", "worktree", []string{`""`}},
		{"worktree is no text", nil, 7, "worktree", []string{"7"}},
		{"no artifacts", map[string]any{"artifactPaths": absent{}}, nil, "artifacts-required", []string{"artifactPaths"}},
		{"W4 empty artifacts", map[string]any{"artifactPaths": []any{}}, nil, "artifacts-required", []string{"artifactPaths"}},
		{"W6 null artifacts", map[string]any{"artifactPaths": nil}, nil, "not-an-array", []string{"artifactPaths", "null"}},
		{"artifacts are a text", map[string]any{"artifactPaths": "a"}, nil, "not-an-array", []string{"artifactPaths"}},
		{"empty artifact", map[string]any{"artifactPaths": []any{"a", ""}}, nil, "empty-text", []string{"artifactPaths", "item 1"}},
		{"artifact is no text", map[string]any{"artifactPaths": []any{1}}, nil, "empty-text", []string{"artifactPaths", "1"}},
		{"texts before forms", map[string]any{"artifactPaths": []any{"./a", 1}}, nil, "empty-text", nil},
		{"absolute artifact", map[string]any{"artifactPaths": []any{"/a"}}, nil, "path-form", []string{`"/a"`}},
		{"W4 dot artifact", map[string]any{"artifactPaths": []any{"."}}, nil, "path-form", nil},
		{"W4 dotted artifact", map[string]any{"artifactPaths": []any{"./a"}}, nil, "path-form", nil},
		{"W4 slash at the end", map[string]any{"artifactPaths": []any{"a/"}}, nil, "path-form", nil},
		{"W4 doubled slash", map[string]any{"artifactPaths": []any{"a//b"}}, nil, "path-form", nil},
		{"W4 dot at the end", map[string]any{"artifactPaths": []any{"a/."}}, nil, "path-form", nil},
		{"W4 dot inside", map[string]any{"artifactPaths": []any{"a/./b"}}, nil, "path-form", nil},
		{"W4 parent", map[string]any{"artifactPaths": []any{"a/../b"}}, nil, "path-form", nil},
		{"W4 twice", map[string]any{"artifactPaths": []any{"a", "b", "a"}}, nil, "path-twice", []string{`"a"`}},
		{"W6 null planned", map[string]any{"plannedPaths": nil}, nil, "not-an-array", []string{"plannedPaths"}},
		{"W6 null protected", map[string]any{"protectedPaths": nil}, nil, "not-an-array", []string{"protectedPaths"}},
		{"planned before protected", map[string]any{"plannedPaths": nil, "protectedPaths": nil}, nil, "not-an-array", []string{"plannedPaths"}},
		{"protected before git", map[string]any{"role": "implementer", "protectedPaths": []any{"/"}}, nil, "path-form", []string{"protectedPaths"}},
		{"implementer without base", map[string]any{"role": "implementer"}, nil, "text-required", []string{"expectedBaseCommit"}},
		{"implementer without branch", map[string]any{"role": "implementer", "expectedBaseCommit": head}, nil, "text-required", []string{"allowedBranchRef"}},
		{"base is no commit", implementer(map[string]any{"expectedBaseCommit": strings.Repeat("1", 40)}), nil, "git", []string{strings.Repeat("1", 40)}},
		{"W7 another branch", implementer(map[string]any{"allowedBranchRef": "refs/heads/other"}), nil, "branch", []string{"refs/heads/other", "refs/heads/work"}},
		{"W7 short branch", implementer(map[string]any{"allowedBranchRef": "work"}), nil, "branch", []string{`"work"`}},
		{"no repository", implementer(nil), aux, "git", []string{"not a git repository"}},
		{"git before auxiliary", implementer(map[string]any{"allowedBranchRef": "x", "auxiliaryRoots": nil}), nil, "branch", nil},
		{"W6 null auxiliary", map[string]any{"auxiliaryRoots": nil}, nil, "not-an-array", []string{"auxiliaryRoots"}},
		{"W6 null validated", map[string]any{"validatedAuxiliaryRoots": nil}, nil, "not-an-array", []string{"validatedAuxiliaryRoots"}},
		{"relative auxiliary", map[string]any{"auxiliaryRoots": []any{"aux"}}, nil, "root-missing", []string{`"aux"`}},
		{"missing auxiliary", map[string]any{"auxiliaryRoots": []any{"/nowhere"}}, nil, "root-missing", []string{"/nowhere"}},
		{"W5 dangling auxiliary", map[string]any{"auxiliaryRoots": []any{filepath.Join(r.m.Dir, "dangling")}}, nil, "root-missing", nil},
		{"W5 linked auxiliary", map[string]any{"auxiliaryRoots": []any{link}}, nil, "root-link", []string{link, aux}},
		{"W5 parent in auxiliary", map[string]any{"auxiliaryRoots": []any{r.root + "/../aux"}}, nil, "root-link", nil},
		{"W5 two slashes before auxiliary", map[string]any{"auxiliaryRoots": []any{"/" + aux}}, nil, "root-link", nil},
		{"auxiliary twice", map[string]any{"auxiliaryRoots": []any{aux, aux + "/"}}, nil, "root-twice", []string{aux}},
		{"auxiliary not validated", map[string]any{"auxiliaryRoots": []any{aux}}, nil, "root-not-validated", []string{aux}},
		{"faulty validated root", map[string]any{"validatedAuxiliaryRoots": []any{link}}, nil, "root-link", []string{"validatedAuxiliaryRoots"}},
		{"W6 null scratch", map[string]any{"scratchRoots": nil}, nil, "not-an-array", []string{"scratchRoots"}},
		{"W5 linked scratch", map[string]any{"scratchRoots": []any{link}}, nil, "root-link", []string{"scratchRoots"}},
		{"W6 null generated", map[string]any{"generatedPaths": nil}, nil, "not-an-array", []string{"generatedPaths"}},
		{"generated form", map[string]any{"generatedPaths": []any{"a//b"}}, nil, "path-form", []string{"generatedPaths"}},
		{"no capability", map[string]any{"workerWriteCapability": absent{}}, nil, "capability-required", []string{"workerWriteCapability"}},
		{"null capability", map[string]any{"workerWriteCapability": nil}, nil, "capability-required", nil},
		{"capability is a text", map[string]any{"workerWriteCapability": "exact-path"}, nil, "capability-required", nil},
		{"unknown capability", map[string]any{"workerWriteCapability": map[string]any{"maxBoundaryPrecision": "total"}}, nil, "capability", []string{"total"}},
		{"capability is a list", map[string]any{"workerWriteCapability": map[string]any{"maxBoundaryPrecision": []any{}}}, nil, "capability", nil},
		{"W3 unknown capability of a leader", map[string]any{"role": "leader", "workerWriteCapability": map[string]any{"maxBoundaryPrecision": "x"}}, nil, "capability", nil},
		{"generated before capability", map[string]any{"generatedPaths": nil, "workerWriteCapability": nil}, nil, "not-an-array", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.build(tt.over, tt.worktree)
			wantCode(t, err, tt.code, tt.words...)
		})
	}
}

func TestW7ADetachedHeadIsSaid(t *testing.T) {
	r := newTree(t)
	head := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "--detach")
	_, err := r.build(map[string]any{"role": "implementer", "expectedBaseCommit": head, "allowedBranchRef": "refs/heads/work"}, nil)
	wantCode(t, err, "git", "detached", r.root)
	_, _, err = r.m.Contract(t.Context(), Terms{Role: "implementer", ProjectRoot: r.root, ArtifactPaths: []string{"r.md"}, Maximum: "exact-path"})
	wantCode(t, err, "git", "detached")
}

func TestABareGitDirThatIsGone(t *testing.T) {
	r := newTree(t)
	r.git("worktree", "add", "-q", "-b", "side", "../side")
	if err := os.RemoveAll(filepath.Join(r.root, ".git/worktrees/side")); err != nil {
		t.Fatal(err)
	}
	_, err := r.build(map[string]any{"role": "implementer", "expectedBaseCommit": "x", "allowedBranchRef": "y"}, filepath.Join(r.m.Dir, "side"))
	wantCode(t, err, "git", "not a git repository")
}

func TestBuiltPolicies(t *testing.T) {
	r := newTree(t)
	head := r.git("rev-parse", "HEAD")
	r.git("worktree", "add", "-q", "-b", "side", "../side")
	side, aux := filepath.Join(r.m.Dir, "side"), filepath.Join(r.m.Dir, "aux")
	r.mkdir(aux, filepath.Join(r.m.Dir, "s2"))
	link := filepath.Join(r.m.Dir, "alias")
	if err := os.Symlink(r.root, link); err != nil {
		t.Fatal(err)
	}
	readonly := `{"artifactPolicy":{"allowedRoot":"ROOT","allowedPaths":["out/r.md"]},"sourcePolicy":{"mode":"source-readonly","allowedRoot":"ROOT","plannedPaths":[],"protectedPaths":[".okstra",".git"]},"gitPolicy":{"mode":"disabled"},"auxiliaryPolicy":{"scratchRoots":[],"generatedPaths":[],"externalRoots":[]}}`
	for _, tt := range []struct {
		name     string
		over     map[string]any
		worktree any
		want     string
	}{
		{"smallest", nil, nil, readonly},
		{"through a link", map[string]any{"projectRoot": link}, nil, readonly},
		{"relative project root with a worktree", map[string]any{"projectRoot": "repo"}, r.root, readonly},
		{"implementer by another name", map[string]any{"role": "Implementer"}, nil, readonly},
		{"W5 slashes are no link", map[string]any{
			"auxiliaryRoots": []any{strings.ReplaceAll(aux, "/aux", "//aux/."), r.m.Dir + "/s2/"}, "validatedAuxiliaryRoots": []any{r.m.Dir + "/s2", aux}, "scratchRoots": []any{aux + "///"},
		}, nil, strings.Replace(readonly, `"scratchRoots":[],"generatedPaths":[],"externalRoots":[]`, `"scratchRoots":["`+aux+`"],"generatedPaths":[],"externalRoots":["`+aux+`","`+r.m.Dir+`/s2"]`, 1)},
		{"implementer in a linked worktree", map[string]any{
			"role": "implementer", "plannedPaths": []any{"b", "a", " ", `c\d`}, "protectedPaths": []any{}, "generatedPaths": []any{"gen"},
			"expectedBaseCommit": head, "allowedBranchRef": "refs/heads/side",
		}, side, `{"artifactPolicy":{"allowedRoot":"ROOT","allowedPaths":["out/r.md"]},"sourcePolicy":{"mode":"project-mutation","allowedRoot":"` + side + `","plannedPaths":["b","a"," ","c\\d"],"protectedPaths":[]},` +
			`"gitPolicy":{"mode":"fast-forward-descendant-chain","worktreeGitDir":"ROOT/.git/worktrees/side","gitCommonDir":"ROOT/.git","expectedBaseCommit":"` + head + `","allowedBranchRef":"refs/heads/side","commitMode":"fast-forward-descendant-chain"},` +
			`"auxiliaryPolicy":{"scratchRoots":[],"generatedPaths":["gen"],"externalRoots":[]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := r.build(tt.over, tt.worktree)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Load(parse(t, strings.ReplaceAll(tt.want, "ROOT", r.root)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.WritePolicy, p.WritePolicy); diff != "" {
				t.Errorf("policy (-want +got):\n%s", diff)
			}
			if p.Digest != want.Digest {
				t.Errorf("digest %s, want %s", p.Digest, want.Digest)
			}
			if p.Maximum != PrecisionExact || want.Maximum != PrecisionNone {
				t.Errorf("maximum %q when built, %q when loaded; want exact-path and none", p.Maximum, want.Maximum)
			}
		})
	}
}

func TestARequestOfAnotherShape(t *testing.T) {
	r := newTree(t)
	_, err := r.m.Build(t.Context(), Request{Invocation: []byte(`[]`), Assignment: []byte(`{}`)})
	wantCode(t, err, "request", "invocation")
	_, err = r.m.Build(t.Context(), Request{Invocation: []byte(`{}`), Assignment: []byte(`null`)})
	wantCode(t, err, "request", "assignment")
}

func TestContract(t *testing.T) {
	r := newTree(t)
	r.git("worktree", "add", "-q", "-b", "side", "../side")
	side := filepath.Join(r.m.Dir, "side")
	terms := Terms{Role: "implementer", ProjectRoot: r.root + "/.", Worktree: side, ArtifactPaths: []string{"out/r.md", r.root + "//out/./a.md"}, Maximum: "exact-path", PlannedPaths: []string{"src/x"}}
	p, e, err := r.m.Contract(t.Context(), terms)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"out/r.md", "out/a.md"}, p.ArtifactPolicy.AllowedPaths); diff != "" {
		t.Errorf("artifacts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".okstra", ".git"}, p.SourcePolicy.ProtectedPaths); diff != "" {
		t.Errorf("protected (-want +got):\n%s", diff)
	}
	if p.GitPolicy.ExpectedBaseCommit != r.git("rev-parse", "HEAD") || p.GitPolicy.AllowedBranchRef != "refs/heads/side" {
		t.Errorf("git policy %+v", p.GitPolicy)
	}
	if diff := cmp.Diff([]string{side, r.root, r.root + "/.git/worktrees/side"}, e.AuditedRoots); diff != "" {
		t.Errorf("audited roots (-want +got):\n%s", diff)
	}
	again, _, err := r.m.Contract(t.Context(), terms)
	if err != nil || again.Digest != p.Digest {
		t.Errorf("the same terms give %s, then %s (%v)", p.Digest, again.Digest, err)
	}
}

func TestW5ArtifactPaths(t *testing.T) {
	r := newTree(t)
	r.mkdir(filepath.Join(r.root, "real"))
	for name, to := range map[string]string{"link": "real", "file-link": "real/x"} {
		if err := os.Symlink(to, filepath.Join(r.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	alias := filepath.Join(r.m.Dir, "alias")
	if err := os.Symlink(r.root, alias); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, code string }{
		{"link/r.md", "artifact-link"},
		{"file-link", "artifact-link"},
		{r.root + "/link/deep/r.md", "artifact-link"},
		{"/elsewhere/r.md", "artifact-outside"},
		{r.root + "2/r.md", "artifact-outside"},
		{alias + "/r.md", "artifact-outside"},
		{"/" + r.root + "/r.md", "artifact-outside"},
		{".", "artifact-file"},
		{"", "artifact-file"},
		{r.root + "/", "artifact-file"},
		{"real/../r.md", "path-form"},
	} {
		_, _, err := r.m.Contract(t.Context(), Terms{Role: "analyser", ProjectRoot: r.root, ArtifactPaths: []string{tt.path}, Maximum: "none"})
		t.Run(tt.path, func(t *testing.T) { wantCode(t, err, tt.code) })
	}
	if got, err := artifactPath("/", "/etc/x"); err != nil || got != "etc/x" {
		t.Errorf("below the root of the file system: %q, %v", got, err)
	}
}

func TestW3ContractOfALeader(t *testing.T) {
	r := newTree(t)
	_, e, err := r.m.Contract(t.Context(), Terms{Role: "leader", ProjectRoot: r.root, ArtifactPaths: []string{"r.md"}, Maximum: "exact-path"})
	if err != nil || e.BoundaryPrecision != "none" || e.MutationAudit != "none" {
		t.Errorf("enforcement %+v, %v", e, err)
	}
	_, _, err = r.m.Contract(t.Context(), Terms{Role: "leader", ProjectRoot: r.root, ArtifactPaths: []string{"r.md"}, Maximum: "total"})
	wantCode(t, err, "capability", "total")
}
