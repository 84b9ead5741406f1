package boundary

import (
	"context"
	"errors"
)

func (s *Set) test(ctx context.Context, kind string) Probe {
	if kind == None {
		return Probe{OK: true}
	}
	return Probe{Reason: "not available"}
}

func (s *Set) make(kind string, order Order) (Box, error) { return nil, errors.New("not available") }
