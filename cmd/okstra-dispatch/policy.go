package main

import (
	"context"
	"encoding/json"
	"fmt"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// policyCommands are the write-policy filters.
func policyCommands() []cli.Command {
	return []cli.Command{
		{Name: "policy build", Summary: "make a write policy from an invocation", Help: policyBuildHelp, Flags: policyBuildFlags},
		{Name: "policy check", Summary: "check a write policy", Help: policyCheckHelp, Flags: policyCheckFlags},
		{Name: "policy digest", Summary: "print the digest of a write policy", Help: policyDigestHelp, Flags: policyDigestFlags},
		{Name: "policy planned-paths", Summary: "print the paths that a stage's plan names", Help: plannedPathsHelp, Flags: plannedPathsFlags},
	}
}

const policyStatuses = `EXIT STATUS
  0  done
  1  the input was understood and breaks a rule
  2  usage; input that is unreadable or no JSON
  3  the answer could not be written
`

const policyBuildHelp = `usage: okstra-dispatch policy build [FLAGS] [FILE]

Makes a write policy, its digest and the enforcement that can be promised for
it. FILE (stdin by default) is an object with the keys "invocation",
"assignment" and "worktree": an absolute path, or null.

FLAGS
` + cli.CommonFlags + `
` + policyStatuses + `
EXAMPLES
  okstra-dispatch policy build request.json
  okstra-dispatch policy build --select .digest < request.json
`

const policyCheckHelp = `usage: okstra-dispatch policy check [FLAGS] [FILE]

Checks the policy payload in FILE (stdin by default) and prints nothing. The
first rule that it breaks is named on standard error.

FLAGS
` + cli.CommonFlags + `
` + policyStatuses + `
EXAMPLES
  okstra-dispatch policy check policy.json
  okstra-dispatch policy build --select .writePolicy < request.json |
    okstra-dispatch policy check
`

const policyDigestHelp = `usage: okstra-dispatch policy digest [FLAGS] [FILE]

Checks the policy payload in FILE (stdin by default) and prints its digest, the
SHA-256 of its canonical form.

FLAGS
` + cli.CommonFlags + `
` + policyStatuses + `
EXAMPLES
  okstra-dispatch policy digest policy.json
  okstra-dispatch policy digest < policy.json
`

const plannedPathsHelp = `usage: okstra-dispatch policy planned-paths --run-manifest M [FLAGS]

Prints the paths that the approved plan gives to the stage of an implementation
run, one a line, sorted.

FLAGS
      --run-manifest M
                      the run (obligatory)
` + cli.CommonFlags + `
` + policyStatuses + `
EXAMPLES
  okstra-dispatch policy planned-paths --run-manifest run.json
  okstra-dispatch policy planned-paths --run-manifest run.json | wc -l
`

// machine is where the policy's questions are asked.
func machine(std cli.IO) writepolicy.Machine {
	return writepolicy.Machine{Environ: std.Env.Environ, Dir: std.Env.Dir}
}

func policyBuildFlags(f *cli.Flags) cli.Body {
	in := f.Input("FILE")
	return func(ctx context.Context, std cli.IO) error {
		doc, err := in.Doc(std)
		if err != nil {
			return err
		}
		request, err := policyRequest(doc)
		if err != nil {
			return cli.BadInput(err)
		}
		policy, err := machine(std).Build(ctx, request)
		if err != nil {
			return err
		}
		var named struct {
			Role string `json:"role"`
		}
		if err := jsondoc.Unmarshal(request.Invocation, &named); err != nil {
			return err
		}
		enforcement, err := machine(std).Derive(policy, policy.Maximum, named.Role)
		if err != nil {
			return err
		}
		return std.Document(struct {
			WritePolicy      json.RawMessage      `json:"writePolicy"`
			Digest           string               `json:"digest"`
			WriteEnforcement run.WriteEnforcement `json:"writeEnforcement"`
		}{policy.Payload(), policy.Digest, enforcement})
	}
}

// policyRequest reads the request of policy build, of which all three keys
// must be there: a forgotten worktree would make a policy for another tree.
func policyRequest(doc jsondoc.Doc) (writepolicy.Request, error) {
	var request writepolicy.Request
	for _, key := range []string{"invocation", "assignment", "worktree"} {
		if _, ok := doc.Lookup("/" + key); !ok {
			return request, fmt.Errorf("%s: /%s: missing (expected an object with the keys invocation, assignment and worktree)", doc.Name, key)
		}
	}
	return request, doc.Decode(&request)
}

// readPolicy reads and checks the payload of an input.
func readPolicy(std cli.IO, in *cli.Input) (writepolicy.Policy, error) {
	doc, err := in.Doc(std)
	if err != nil {
		return writepolicy.Policy{}, err
	}
	policy, err := writepolicy.Load(doc)
	if err != nil {
		return policy, fmt.Errorf("%s: %w", doc.Name, err)
	}
	return policy, nil
}

func policyCheckFlags(f *cli.Flags) cli.Body {
	in := f.Input("FILE")
	return func(_ context.Context, std cli.IO) error {
		_, err := readPolicy(std, in)
		return err
	}
}

func policyDigestFlags(f *cli.Flags) cli.Body {
	in := f.Input("FILE")
	return func(_ context.Context, std cli.IO) error {
		policy, err := readPolicy(std, in)
		if err != nil {
			return err
		}
		return std.Printf("%s\n", policy.Digest)
	}
}

func plannedPathsFlags(f *cli.Flags) cli.Body {
	name := manifestFlag(f)
	return func(_ context.Context, std cli.IO) error {
		path, err := name(std)
		if err != nil {
			return err
		}
		doc, err := jsondoc.ReadFile(path)
		if err != nil {
			return cli.BadInput(err)
		}
		root := ""
		if raw, ok := doc.Lookup("/projectRoot"); ok {
			if err := jsondoc.Unmarshal(raw, &root); err != nil {
				return cli.BadInput(fmt.Errorf("%s: /projectRoot: %s (expected a text)", doc.Name, raw))
			}
		}
		if root == "" {
			root = run.RootAbove(doc.Name)
		}
		paths, err := writepolicy.PlannedPaths(root, doc)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if err := std.Printf("%s\n", p); err != nil {
				return err
			}
		}
		return nil
	}
}
