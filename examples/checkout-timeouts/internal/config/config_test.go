package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLoadReadsEveryKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "checkout.conf")
	text := "pool_size = 16\ngateway_url = http://gateway\ngateway_timeout = 1500ms\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Load(name); err != nil {
		t.Fatal(err)
	}
	want := Settings{PoolSize: 16, GatewayURL: "http://gateway", GatewayTimeout: 1500 * time.Millisecond}
	if got := Current(); got != want {
		t.Errorf("Current() = %+v, want %+v", got, want)
	}
}
