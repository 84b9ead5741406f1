package wizard

import (
	"path"
	"strings"
	"unicode"
)

// usable leaves out options that a host could not give back: with a comma, a
// control character or a reserved beginning in their value, or a value that
// stands there already.
func usable(options []Option) []Option {
	seen := map[string]bool{}
	out := make([]Option, 0, len(options))
	for _, o := range options {
		bad := o.Value == "" || strings.Contains(o.Value, ",") || strings.ContainsFunc(o.Value, unicode.IsControl) ||
			strings.HasPrefix(o.Value, "__okstra_") || seen[o.Value]
		if !bad {
			seen[o.Value] = true
			out = append(out, o)
		}
	}
	return out
}

func asOptions(values []string) []Option {
	options := make([]Option, len(values))
	for i, v := range values {
		options[i] = Option{Value: v, Label: v}
	}
	return options
}

func join(separator string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, separator)
}

// day is the date of a time as documents hold it.
func day(at string) string {
	if len(at) < 10 {
		return ""
	}
	return at[:10]
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

func base(p string) string { return path.Base(p) }
