package atomicfile

import "testing"

func TestCompanionOf(t *testing.T) {
	for path, want := range map[string]struct {
		kind   Companion
		target string
	}{
		"/a/state.json":                      {Target, "/a/state.json"},
		"/a/state.json.lock":                 {TargetsLock, "/a/state.json"},
		"/a/.state.json1234567890123456":     {TargetsTemporary, "/a/state.json"},
		"/a/.state.json123456789012345":      {Target, "/a/.state.json123456789012345"}, // too few digits
		"/a/state.json1234567890123456":      {Target, "/a/state.json1234567890123456"},
		"/a/.1234567890123456":               {Target, "/a/.1234567890123456"},
		"state.json.lock":                    {TargetsLock, "state.json"},
		"/a/.state.json.lock123456789012345": {Target, "/a/.state.json.lock123456789012345"},
	} {
		if kind, target := CompanionOf(path); kind != want.kind || target != want.target {
			t.Errorf("CompanionOf(%q) = %v, %q, want %v, %q", path, kind, target, want.kind, want.target)
		}
	}
}
