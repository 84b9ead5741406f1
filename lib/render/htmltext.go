package render

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// htmlLines shows a text letter by letter, with its lines.
func htmlLines(s string) string {
	return strings.ReplaceAll(html.EscapeString(clean(s)), "\n", "<br>")
}

// htmlCode shows a text as code, from left to right whatever the page does.
func htmlCode(s string) string {
	return `<code dir="ltr" translate="no">` + htmlLines(s) + "</code>"
}

var langForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`) })

// htmlLang is a language tag fit for an attribute, "" for unknown otherwise.
func htmlLang(tag string) string {
	tag = strings.ReplaceAll(tag, "_", "-")
	if !langForm().MatchString(tag) {
		return ""
	}
	return tag
}

func baseLang(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(htmlLang(tag)), "-")
	return base
}

var (
	rightToLeft        = []string{"ar", "arc", "ckb", "dv", "fa", "ha-arab", "he", "iw", "ku-arab", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}
	rightToLeftScripts = []string{"adlm", "arab", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa"}
)

// direction is the writing direction of a language: that of its script where
// the tag names one, else that of the script it is usually written in.
func direction(tag string) string {
	parts := strings.Split(strings.ToLower(htmlLang(tag)), "-")
	for _, p := range parts[1:] {
		if len(p) == 4 && p[0] > '9' {
			if slices.Contains(rightToLeftScripts, p) {
				return "rtl"
			}
			return "ltr"
		}
	}
	if slices.Contains(rightToLeft, parts[0]) {
		return "rtl"
	}
	return "ltr"
}
