package converge

import (
	"fmt"

	"okstra/lib/run"
)

// ConfigError is a configuration that is out of its range. It is never
// clamped: a run that asks for four rounds must not silently get three.
type ConfigError struct{ Code, Message string }

func (e *ConfigError) Error() string { return e.Code + ": " + e.Message }

// adversarialTypes put the burden of proof on the claim unless told otherwise.
var adversarialTypes = map[string]bool{
	"requirements-discovery": true, "error-analysis": true, "implementation-planning": true,
}

// Effective resolves what a task manifest says about convergence to the
// values in force; a nil block takes every default.
// Rule: docs/converge.md, "Configuration".
func Effective(block *run.ConvergenceBlock, taskType string) (Config, error) {
	if block == nil {
		block = &run.ConvergenceBlock{}
	}
	c := Config{Enabled: true, MaxRounds: 2, VerificationMode: Lightweight, Adversarial: adversarialTypes[taskType]}
	if taskType == "requirements-discovery" {
		c.MaxRounds = 1
	}
	set(&c.Enabled, block.Enabled)
	set(&c.MaxRounds, block.MaxRounds)
	set(&c.VerificationMode, block.VerificationMode)
	set(&c.Adversarial, block.Adversarial)
	set(&c.Critic, block.Critic)
	if c.MaxRounds < 1 || c.MaxRounds > 3 {
		return Config{}, &ConfigError{"config-max-rounds-range", fmt.Sprintf("maxRounds is %d (expected 1 to 3)", c.MaxRounds)}
	}
	if c.VerificationMode != Lightweight && c.VerificationMode != FullReanalysis {
		return Config{}, &ConfigError{"config-verification-mode", fmt.Sprintf("verificationMode is %q (expected %s or %s)", c.VerificationMode, Lightweight, FullReanalysis)}
	}
	if c.Adversarial {
		c.VerificationMode = FullReanalysis
	}
	return c, nil
}

func set[T any](value *T, given *T) {
	if given != nil {
		*value = *given
	}
}
