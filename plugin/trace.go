//go:build tinygo.wasm && trace

package main

import core "automatic-rostering/plugin/core/host"

// trace logs that an export was called, in a build for tests only, which count the lines.
func trace(h *host) { h.Log(core.Debug, "called") }
