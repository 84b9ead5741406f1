package grouping

import (
	"fmt"
	"strings"
)

// Format writes a grouping. Parse reads it back to the same value, line
// numbers apart, when the value came from Parse or Draft without a fault.
func Format(f File) []byte {
	var b strings.Builder
	if f.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", f.Title)
	}
	b.WriteString("## Roster\n")
	for _, s := range f.Roster {
		fmt.Fprintf(&b, "- %s: %s", s.WorkerID, s.Audience)
		if s.Role != "" {
			fmt.Fprintf(&b, " (%s)", s.Role)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## Groups\n")
	if len(f.Groups) == 0 {
		b.WriteString("(none)\n")
	}
	for i, g := range f.Groups {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeGroup(&b, g)
	}
	return []byte(b.String())
}

func writeGroup(b *strings.Builder, g Group) {
	refs := make([]string, len(g.SourceItems))
	for i, r := range g.SourceItems {
		refs[i] = r.String()
	}
	fmt.Fprintf(b, "### %s %s\n", g.ID, g.Claim)
	for _, row := range []struct{ label, value string }{
		{labelTickets, strings.Join(g.Tickets, ", ")},
		{labelOrigin, g.Origin},
		{labelEvidence, g.OriginEvidence},
		{labelDiscovered, strings.Join(g.DiscoveredBy, ", ")},
		{labelItems, strings.Join(refs, ", ")},
	} {
		b.WriteString(strings.TrimRight(row.label+": "+row.value, " ") + "\n")
	}
	if g.CapturedEvidence != "" {
		lines := strings.Split(g.CapturedEvidence, "\n")
		fmt.Fprintf(b, "%s: %s\n", labelCaptured, strings.Join(lines, "\n  "))
	}
}
