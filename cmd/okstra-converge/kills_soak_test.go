//go:build soak

package main

const (
	kills    = 200
	followed = 1
)
