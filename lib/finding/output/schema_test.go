package output

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fits holds a JSON text against a schema file.
func fits(schema, text string) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(schema)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return compiled.Validate(v)
}
