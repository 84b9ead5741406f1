package converge

import (
	"fmt"
	"strings"
)

// maxNamed is how many ids a message names before it counts the rest.
const maxNamed = 20

// enumerate names ids in a message.
func enumerate(ids []string) string {
	if len(ids) <= maxNamed {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), len(ids)-maxNamed)
}
