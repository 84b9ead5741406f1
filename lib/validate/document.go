package validate

import (
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/schema"
)

// markdownKinds are the kinds of Markdown that have a parser.
var markdownKinds = map[string]func(name string, raw []byte) []finding.Finding{
	"worker-result": func(name string, raw []byte) []finding.Finding {
		_, found := grouping.ParseResult(name, raw)
		return found
	},
	"worker-audit": grouping.CheckAudit,
	"grouping": func(name string, raw []byte) []finding.Finding {
		_, found := grouping.Parse(name, raw)
		return found
	},
	"verdicts": func(name string, raw []byte) []finding.Finding { return verdicts(name, raw, grouping.Form{}) },
	"plan-verdicts": func(name string, raw []byte) []finding.Finding {
		return verdicts(name, raw, grouping.Form{PlanBody: true})
	},
	"critic": func(name string, raw []byte) []finding.Finding {
		_, found := grouping.ParseCritic(name, raw)
		return found
	},
}

// verdicts are the faults of a verdict file and of its blocks.
func verdicts(name string, raw []byte, form grouping.Form) []finding.Finding {
	file, found := grouping.ParseVerdicts(name, raw, form)
	for _, vote := range file.Votes {
		found = append(found, vote.Faults...)
	}
	return found
}

// Kinds lists what a single document may be judged as: the kinds of documents,
// the names of those that have none, and the kinds of Markdown.
func Kinds() []string {
	list := append(schema.Kinds(), sorted(markdownKinds)...)
	slices.Sort(list)
	return list
}

// KnownKind says whether kind is one of Kinds, with or without "okstra-".
func KnownKind(kind string) bool {
	return slices.Contains(Kinds(), kind) || slices.Contains(Kinds(), "okstra-"+kind)
}

// Document judges one document against the schema of a kind; "" takes the kind
// that it names itself. Markdown is judged by the grammar of its kind, and its
// findings have the codes of that grammar.
func Document(name string, raw []byte, kind string) Result {
	a := &artifact{path: filepath.ToSlash(name), kind: strings.TrimPrefix(kind, "okstra-"), form: document}
	out := Result{Run: a.path, Subjects: []Subject{{a.path, digest.Bytes(raw)}}}
	if parse := markdownKinds[kind]; parse != nil {
		a.text, out.Judged = raw, append([]string{"doc-unreadable"}, markdownRules[kind]...)
		for _, f := range parse(a.path, raw) {
			f.Artifact, f.Anchor = a.path, a.line(f.Line)
			out.Findings = append(out.Findings, f)
		}
		out.Findings = finish(out.Findings)
		return out
	}
	a.parse(raw)
	s := &subject{opened: map[opening]*artifact{}, artifacts: []*artifact{a}}
	var found []finding.Finding
	for _, r := range docRules {
		if r.Code == "doc-path" || r.Code == "doc-identity" || r.Code == "doc-missing" || r.Code == "doc-torn-line" {
			continue // they need a run or lines
		}
		j := judge{subject: s, rule: r}
		r.check(&j)
		if found = append(found, j.out...); a.extent() >= due[r.Code] {
			out.Judged = append(out.Judged, r.Code)
		}
	}
	out.Findings = finish(found)
	out.Unusable = unusable(out.Findings, a.path)
	if out.Unusable != nil && out.Unusable.Code == "doc-kind" {
		out.Unusable = nil // it was understood, and is something else
	}
	return out
}
