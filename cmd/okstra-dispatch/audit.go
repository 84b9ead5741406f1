package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"okstra/lib/audit"
	"okstra/lib/cli"
	"okstra/lib/writepolicy"
)

// auditCommands are the filters of the mutation audit.
func auditCommands() []cli.Command {
	return []cli.Command{
		{Name: "audit snapshot", Summary: "write down what a tree looks like", Help: auditSnapshotHelp, Flags: auditSnapshotFlags},
		{Name: "audit compare", Summary: "name and judge the changes between two snapshots", Help: auditCompareHelp, Flags: auditCompareFlags},
	}
}

const auditSnapshotHelp = `usage: okstra-dispatch audit snapshot --root R [FLAGS]

Prints a snapshot of the tree at R: one row for every file, ignored ones too,
and what git keeps beside them. Nothing is written and no lock is taken.

FLAGS
      --root R        the tree (obligatory)
      --artifact-root A
                      the tree in which artifacts lie (the same tree)
      --scratch-root S
                      a further folder to look at; repeatable
      --policy P      a policy that holds from here on; repeatable
` + cli.CommonFlags + `
EXIT STATUS
  0  done
  1  a policy breaks a rule
  2  usage; a root or a policy that cannot be read
  3  the snapshot could not be taken or written

EXAMPLES
  okstra-dispatch audit snapshot --root . > before.json
  okstra-dispatch audit snapshot --root . --select '.roots[0].rows | length'
`

const auditCompareHelp = `usage: okstra-dispatch audit compare [FLAGS] BEFORE AFTER

Compares two snapshots and prints the changes, the violations among them, and
what nobody can know because it could not be read. Without a policy nothing is
permitted. BEFORE must have been taken for the same policies, in this order.

FLAGS
      --policy P      a policy that held meanwhile; repeatable
` + cli.CommonFlags + `
EXIT STATUS
  0  no violation
  1  at least one violation
  2  usage; an input that cannot be read; inputs that do not belong together
  3  the repository gave no answer, or ours could not be written

EXAMPLES
  okstra-dispatch audit compare before.json after.json
  okstra-dispatch audit compare --select '.violations[].path' b.json a.json
`

// policiesFlag declares --policy and gives a function that reads the files.
func policiesFlag(f *cli.Flags) func(std cli.IO) ([]writepolicy.Policy, error) {
	files := f.InputFlags("policy")
	return func(std cli.IO) ([]writepolicy.Policy, error) {
		var policies []writepolicy.Policy
		var faults []error
		for i := range *files {
			policy, err := readPolicy(std, &(*files)[i])
			if err != nil {
				faults = append(faults, err)
				continue
			}
			policies = append(policies, policy)
		}
		return policies, errors.Join(faults...)
	}
}

func auditSnapshotFlags(f *cli.Flags) cli.Body {
	root, artifacts, scratch, readPolicies := f.String("root", ""), f.String("artifact-root", ""), f.Strings("scratch-root"), policiesFlag(f)
	f.Required("root")
	return func(ctx context.Context, std cli.IO) error {
		policies, err := readPolicies(std)
		if err != nil {
			return err
		}
		scope := audit.Scope{Root: absolute(std, *root), ArtifactRoot: absolute(std, *artifacts), Policies: policies, Environ: std.Env.Environ}
		for _, dir := range *scratch {
			scope.ScratchRoots = append(scope.ScratchRoots, absolute(std, dir))
		}
		for _, p := range policies {
			scope.ScratchRoots = append(scope.ScratchRoots, p.AuxiliaryPolicy.ScratchRoots...)
		}
		if info, err := os.Stat(scope.Root); err != nil || !info.IsDir() {
			return cli.BadInput(fmt.Errorf("--root %q is no folder", *root))
		}
		snapshot, err := audit.Take(ctx, scope)
		if err != nil {
			return err
		}
		return std.Laid(snapshot.Encode())
	}
}

func auditCompareFlags(f *cli.Flags) cli.Body {
	files, readPolicies := f.Inputs("BEFORE AFTER"), policiesFlag(f)
	return func(ctx context.Context, std cli.IO) error {
		if len(*files) != 2 {
			return cli.Usagef("%d files (expected two: BEFORE and AFTER)", len(*files))
		}
		policies, err := readPolicies(std)
		if err != nil {
			return err
		}
		before, errBefore := loadSnapshot(std, &(*files)[0])
		after, errAfter := loadSnapshot(std, &(*files)[1])
		if err := errors.Join(errBefore, errAfter); err != nil {
			return err
		}
		if err := audit.CheckAuthority(before, after, policies); err != nil {
			return err
		}
		if err := audit.Prove(ctx, before, after, std.Env.Environ); err != nil {
			return err
		}
		found, err := audit.Judge(ctx, before, after, audit.Rules{Policies: policies, Environ: std.Env.Environ})
		if err != nil {
			return err
		}
		if err := std.Document(found); err != nil {
			return err
		}
		if len(found.Violations) > 0 {
			return cli.Verdict(cli.StatusRefused)
		}
		return nil
	}
}

func loadSnapshot(std cli.IO, in *cli.Input) (*audit.Snapshot, error) {
	r, err := in.Open(std)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return audit.Read(r, in.Name())
}
