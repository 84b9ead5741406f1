package main

import (
	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/translate"
)

func app() cli.App {
	return cli.App{
		Name: "okstra-translate", Summary: "translate and render a final report", Help: appHelp,
		Commands: []cli.Command{
			{Name: "prepare", Summary: "take the translatable texts out of a report", Help: prepareHelp, Flags: prepareFlags},
			{Name: "write", Summary: "check a translation and write it beside the report", Help: writeHelp, Flags: writeFlags},
			{Name: "check", Summary: "check a translation and write nothing", Help: checkHelp, Flags: checkFlags},
			{Name: "status", Summary: "which translations of a report are fresh", Help: statusHelp, Flags: statusFlags},
			{Name: "update", Summary: "ask only for what has changed since a translation", Help: updateHelp, Flags: updateFlags},
			{Name: "apply", Summary: "print the report's data in another language", Help: applyHelp, Flags: applyFlags},
			{Name: "render", Summary: "show a report as Markdown or HTML", Help: renderHelp, Flags: renderFlags},
			{Name: "export", Summary: "write the texts as gettext PO or XLIFF", Help: exportHelp, Flags: exportFlags},
			{Name: "import", Summary: "take a translation from a PO or XLIFF file", Help: importHelp, Flags: importFlags},
		},
	}
}

// subject is the report of a command line and the language it is about.
type subject struct {
	data, lang *string
}

// subjectFlags declares --data and --lang, both required.
func subjectFlags(f *cli.Flags) subject {
	s := subject{data: f.String("data", ""), lang: f.String("lang", "")}
	f.Required("data", "lang")
	return s
}

// open reads the report and the tag of the language, which must be another
// than the report's.
func (s subject) open() (*translate.Report, language.Tag, error) {
	report, err := openReport(*s.data)
	if err != nil {
		return nil, language.Und, err
	}
	lang, err := translate.TargetLang(*s.lang, report.Lang)
	return report, lang, cli.BadInput(err)
}
