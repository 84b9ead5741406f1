package schema

import "testing"

func TestEverySchemaCompiles(t *testing.T) {
	for name, e := range catalogue() {
		for _, v := range e.versions {
			shared().compile(e.file(v))
			if s := shared().shape(e.file(v)); len(s.keys) == 0 {
				t.Errorf("%s: no keys", name)
			}
		}
	}
}
