package main

import (
	"okstra/lib/cli"
	"okstra/lib/schema"
)

// readBaseline reads the fingerprints of findings that are known: from a list
// of them, or from what an earlier run printed with --format json.
func readBaseline(std cli.IO, in *cli.Input) (map[string]bool, error) {
	doc, err := in.Doc(std)
	if err != nil {
		return nil, err
	}
	var head struct {
		Kind string `json:"kind"`
	}
	known := map[string]bool{}
	if doc.Decode(&head) == nil && head.Kind == "okstra-validation" {
		var earlier struct {
			Runs []struct {
				Findings []struct {
					Fingerprint string `json:"fingerprint"`
				} `json:"findings"`
			} `json:"runs"`
		}
		if err := schema.Decode(doc, head.Kind, &earlier); err != nil {
			return nil, err
		}
		for _, r := range earlier.Runs {
			for _, f := range r.Findings {
				known[f.Fingerprint] = true
			}
		}
		return known, nil
	}
	var list struct {
		Fingerprints []string `json:"fingerprints"`
	}
	if err := schema.Decode(doc, "okstra-baseline", &list); err != nil {
		return nil, err
	}
	for _, f := range list.Fingerprints {
		known[f] = true
	}
	return known, nil
}
