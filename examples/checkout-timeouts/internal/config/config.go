// Package config reads the service's settings from a file of "key = value" lines.
package config

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings of the service.
type Settings struct {
	PoolSize       int
	GatewayURL     string
	GatewayTimeout time.Duration
}

var current = Settings{PoolSize: 1, GatewayURL: "http://127.0.0.1:9090", GatewayTimeout: 2 * time.Second}

// Current returns the settings that are in force.
func Current() Settings { return current }

// Load replaces the settings by those of the file. A timeout is written with
// its unit, as in "2s".
func Load(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	next := current
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			continue
		}
		if err := next.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	current = next
	return lines.Err()
}

func (s *Settings) set(key, value string) (err error) {
	switch key {
	case "pool_size":
		s.PoolSize, err = strconv.Atoi(value)
	case "gateway_url":
		s.GatewayURL = value
	case "gateway_timeout":
		s.GatewayTimeout, err = time.ParseDuration(value)
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}
