package translate

import (
	"fmt"
	"strings"
)

// CheckEntry is a fault of an exchange file: an entry that names no item, or
// one that names an item a second time.
const CheckEntry = "entry"

// Unit is one item as translation tools see it: on the way out with what is
// known about it, on the way in with what came back.
type Unit struct {
	ID     string
	At     []string // out only
	Source string
	Text   string    // "" for none
	State  string    // of the text; "" for none
	Before *Previous // out: the place had another text, and this is it
	Line   int       // in only: where it stands in its file
}

// Units lists the items of the report for an exchange file. Without a match
// none has a translation.
func (r *Report) Units(m *Match) []Unit {
	units := make([]Unit, len(r.Items))
	for i, item := range r.Items {
		u := Unit{ID: item.ID, At: item.At, Source: item.Source}
		if m != nil {
			if t := m.Texts[i]; t != nil {
				u.Text, u.State = t.Text, t.State
			} else if old := m.Previous[i]; old != nil {
				u.Before = &Previous{ID: item.ID, Source: old.Source, Text: old.Text}
			}
		}
		units[i] = u
	}
	return units
}

// Exchange is what came back in an exchange file.
type Exchange struct {
	Name   string // of the file
	Origin string // OriginPO or OriginXLIFF
	Lang   string // as the file says it; "" when it agrees with what was asked
	Digest string // of the source it was made from
	Units  []Unit
}

// Take makes answers of an exchange file, which must have been made from this
// very report: the error names every disagreement. Units that are missing,
// empty or not known are faults, as in a file of blocks.
func (r *Report) Take(x Exchange, lang string) ([]Answer, []Finding, error) {
	place := make(map[string]int, len(r.Items))
	answers := make([]Answer, len(r.Items))
	for i, item := range r.Items {
		place[item.ID] = i
		answers[i] = Answer{ID: item.ID}
	}
	var faults []Finding
	seen := make(map[string]bool, len(x.Units))
	changed := ""
	for _, u := range x.Units {
		i, known := place[u.ID]
		switch {
		case !known:
			faults = append(faults, entryFinding(u, fmt.Sprintf("%q names no text of the report", u.ID)))
			continue
		case seen[u.ID]:
			faults = append(faults, entryFinding(u, u.ID+" stands in the file twice"))
			continue
		}
		seen[u.ID] = true
		if u.Source != r.Items[i].Source && (changed == "" || idNumber(u.ID) < idNumber(changed)) {
			changed = u.ID
		}
		answers[i] = Answer{ID: u.ID, Text: u.Text, State: u.State, Origin: x.Origin, Line: u.Line}
	}
	if err := r.sameOrigin(x, lang, changed); err != nil {
		return nil, nil, err
	}
	return answers, append(faults, r.gaps(x, answers, seen)...), nil
}

func entryFinding(u Unit, message string) Finding {
	return Finding{Check: CheckEntry, Level: LevelError, Line: u.Line, Extra: []string{u.ID}, Message: message}
}

// sameOrigin compares what an exchange file says about itself with the report.
func (r *Report) sameOrigin(x Exchange, lang, changed string) error {
	var differ []string
	if x.Lang != "" {
		differ = append(differ, fmt.Sprintf("lang: %q (expected %q)", x.Lang, lang))
	}
	if changed != "" {
		differ = append(differ, "strings differ at "+changed)
	}
	if want := r.Digest(lang); x.Digest != want {
		differ = append(differ, fmt.Sprintf("digest: %q (expected %q)", x.Digest, want))
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", x.Name, ErrChanged, strings.Join(differ, "; "))
}

// gaps finds the items that have no unit or one without a text.
func (r *Report) gaps(x Exchange, answers []Answer, seen map[string]bool) []Finding {
	var missing, empty []string
	line := 0
	for _, a := range answers {
		switch {
		case !seen[a.ID]:
			missing = append(missing, a.ID)
		case a.Text == "":
			if empty == nil {
				line = a.Line
			}
			empty = append(empty, a.ID)
		}
	}
	var faults []Finding
	if missing != nil {
		named, more := missing, ""
		if len(missing) > textLimit {
			named, more = missing[:textLimit], fmt.Sprintf(" and %d more", len(missing)-textLimit)
		}
		faults = append(faults, Finding{
			Check: CheckCount, Level: LevelError, Missing: missing,
			Message: fmt.Sprintf("%d entries for %d items: missing %s%s", len(answers)-len(missing), len(answers), strings.Join(named, ", "), more),
		})
	}
	if empty != nil {
		faults = append(faults, emptyFinding(empty, line))
	}
	return faults
}
