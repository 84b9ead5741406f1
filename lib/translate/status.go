package translate

// The states of a sidecar.
const (
	Fresh   = "fresh"
	Stale   = "stale"
	Invalid = "invalid" // not to be read, or not what it claims to be
	Missing = "missing"
)

// Status is the document of `status --format json`.
type Status struct {
	SchemaVersion string       `json:"schemaVersion"`
	Kind          string       `json:"kind"`
	Data          string       `json:"data"`
	Items         int          `json:"items"`
	Translations  []LangStatus `json:"translations"`
}

// LangStatus is how one sidecar stands to the report: of the report's items,
// Reusable + Changed + New; of the sidecar's, Removed are gone.
type LangStatus struct {
	Lang     string `json:"lang"`
	Path     string `json:"path"`
	State    string `json:"state"`
	Reusable int    `json:"reusable"`
	Changed  int    `json:"changed"`
	New      int    `json:"new"`
	Removed  int    `json:"removed"`
}

// Status begins a status document for the report; the caller appends the
// translations in the order in which they are to be listed.
func (r *Report) Status() Status {
	return Status{
		SchemaVersion: version, Kind: StatusKind,
		Data: r.Base(), Items: len(r.Items), Translations: []LangStatus{},
	}
}

// Judge is the state and the counts of a sidecar. Without one, all items are
// new; state is then Missing or Invalid, as the caller found it.
func (r *Report) Judge(s *Sidecar, state string) LangStatus {
	if s == nil {
		return LangStatus{State: state, New: len(r.Items)}
	}
	m, err := r.Match(s)
	if err != nil {
		return LangStatus{State: Invalid, New: len(r.Items)}
	}
	state = Stale
	if m.Fresh {
		state = Fresh
	}
	return LangStatus{State: state, Reusable: m.Reusable, Changed: m.Changed, New: m.New, Removed: m.Removed}
}
