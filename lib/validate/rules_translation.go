package validate

import (
	"encoding/json"

	"okstra/lib/finding"
	"okstra/lib/translate"
)

var translationRules = []Rule{
	{
		Code: "translation-stale", Level: finding.Warning, Title: "a translation is out of date",
		Checks: "The sidecar's `sourceDigest` is not the digest of the report as it is now.",
		Why:    "The translated report would say something that the report no longer says.",
		Fails:  "a finding was reworded after the translation was written",
		Passes: "the digest that okstra-translate prepare gives now",
		check:  (*judge).staleTranslations,
	},
	{
		Code: "translation-items", Level: finding.Error, Title: "a translation is not of this report",
		Checks: "The sidecar has the report's digest, and names another data file or language of it, or its items are not the report's items in their order, or point at nothing.",
		Why:    "Texts would be put in the wrong places.",
		Fails:  "T-002 is missing between T-001 and T-003",
		Passes: "one item for each text of the report",
		check:  (*judge).translationItems,
	},
}

// eachTranslation visits the sidecars that can be read, with the report's own
// items.
func (j *judge) eachTranslation(visit func(a *artifact, s *translate.Sidecar, r *translate.Report)) {
	if !j.report.usable() {
		return
	}
	for _, a := range j.translations {
		if !a.usable() || !a.sound() {
			continue
		}
		report, err := translate.NewReport(j.report.path, j.report.doc.doc)
		if err != nil {
			return
		}
		var s translate.Sidecar
		if json.Unmarshal(a.text, &s) == nil {
			visit(a, &s, report)
		}
	}
}

func (j *judge) staleTranslations() {
	j.eachTranslation(func(a *artifact, s *translate.Sidecar, r *translate.Report) {
		if due := r.Digest(s.Lang); s.SourceDigest != due {
			at := a.root().get("sourceDigest")
			j.at(at, due, "%s", at.show())
		}
	})
}

func (j *judge) translationItems() {
	j.eachTranslation(func(a *artifact, s *translate.Sidecar, r *translate.Report) {
		if s.SourceDigest != r.Digest(s.Lang) {
			return // only then must the items be the report's
		}
		for key, due := range map[string]string{"data": r.Base(), "sourceLang": r.Lang} {
			if at := a.root().get(key); at.text() != due {
				j.at(at, finding.Quote(due), "%s", at.show())
			}
		}
		items := a.root().get("items")
		for i, n := range items.list() {
			if i >= len(r.Items) {
				break
			}
			due := r.Items[i]
			if n.get("id").text() != due.ID {
				j.at(n.get("id"), due.ID, "%s", n.get("id").show())
				return
			}
			if n.get("source").text() != due.Source {
				j.at(n.get("source"), finding.Quote(due.Source), "%s", n.get("source").show())
				return
			}
			if !equal(n.get("at").texts(), due.At) {
				j.at(n.get("at"), join(due.At, "and"), "%s", join(n.get("at").texts(), "and"))
				return
			}
		}
		if have := len(items.list()); have != len(r.Items) {
			j.at(items, finding.Count(len(r.Items), "item"), "a list of %d", have)
		}
	})
}
