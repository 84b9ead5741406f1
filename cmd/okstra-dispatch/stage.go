package main

import (
	"context"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
)

func stageCommands() []cli.Command {
	return []cli.Command{
		{Name: "stage persist", Summary: "write an implementation stage's carry sidecar", Help: stageHelp("persist", persistText, ""), Flags: stageFlags((*dispatch.StageRecorder).Persist)},
		{Name: "stage withhold", Summary: "record why a stage's result is withheld", Help: stageHelp("withhold", withholdText, reasonHelp), Flags: withholdFlags},
		{Name: "stage verified", Summary: "record the stages that a verification accepted", Help: stageHelp("verified", verifiedText, ""), Flags: stageFlags((*dispatch.StageRecorder).Verified)},
		{Name: "stage taken", Summary: "record the stages that a hand-off took", Help: stageHelp("taken", takenText, ""), Flags: stageFlags((*dispatch.StageRecorder).Taken)},
	}
}

const (
	persistText = `Writes the carry sidecar of an implementation run's stage, so that later
stages can build on it. Refused unless every verifier passed the stage.`
	withholdText = `Records in an implementation run's report why its stage is not carried on.
Refused when every verifier passed the stage.`
	verifiedText = `Appends the stages that a final verification accepted to consumers.jsonl.
Refused when the report has a blocker, a gap, or another verdict.`
	takenText = `Appends the stages that a release hand-off took to consumers.jsonl. Refused
for a stage that is not verified.`
	reasonHelp = `      --reason TEXT   why (obligatory)
`
)

// stageHelp is the page of a stage command; they differ in little.
func stageHelp(name, text, flags string) string {
	example, synopsis := "", ""
	if flags != "" {
		example, synopsis = ` --reason "FAIL"`, " --reason TEXT"
	}
	line := "  okstra-dispatch stage " + name + " --run-manifest run.json" + example + "\n"
	return "usage: okstra-dispatch stage " + name + " --run-manifest M" + synopsis + "\n\n" + text + "\n\nFLAGS\n" + manifestHelp + flags + nowHelp + cli.CommonFlags +
		"\n" + statuses + "\nEXAMPLES\n" + line + "  okstra-dispatch stage " + name + example + " --run-manifest ../run.json\n"
}

func recorder(std cli.IO, manifest func(cli.IO) (string, error)) (*dispatch.StageRecorder, error) {
	m, err := loadManifest(std, manifest)
	return &dispatch.StageRecorder{Manifest: m, Now: std.Env.Now, Say: func(text string) { std.Warnf("%s", text) }}, err
}

func stageFlags(do func(*dispatch.StageRecorder, context.Context) error) func(*cli.Flags) cli.Body {
	return func(f *cli.Flags) cli.Body {
		manifest := manifestFlag(f)
		f.Time("now")
		return func(ctx context.Context, std cli.IO) error {
			s, err := recorder(std, manifest)
			if err != nil {
				return err
			}
			return do(s, ctx)
		}
	}
}

func withholdFlags(f *cli.Flags) cli.Body {
	manifest := manifestFlag(f)
	reason := f.String("reason", "")
	f.Required("reason")
	f.Time("now")
	return func(ctx context.Context, std cli.IO) error {
		s, err := recorder(std, manifest)
		if err != nil {
			return err
		}
		return s.Withhold(ctx, *reason)
	}
}
