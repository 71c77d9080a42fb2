package rostering

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

const (
	// Version is the version of this package.
	Version = "0.1.0"
	// Contract is the version of the contract between a plugin and its host that this
	// package implements. [New] refuses a plugin of another one.
	Contract = 1
)

// checkContract reads the section in which a build of the plugin has its contract.
func checkContract(wasm []byte) error {
	var plugin struct{ Contract int }
	if json.Unmarshal(customSection(wasm, "rostering"), &plugin) != nil {
		return errors.New(`the file is not a build of the plugin: it has no section "rostering"`)
	}
	if plugin.Contract != Contract {
		return fmt.Errorf("the plugin has contract %d, and this library needs %d: take the library of the plugin's release",
			plugin.Contract, Contract)
	}
	return nil
}

// customSection returns the content of a custom section, or nil if the file has no section of
// this name.
func customSection(wasm []byte, name string) []byte {
	rest, ok := bytes.CutPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00"))
	for ok && len(rest) > 0 {
		const custom = 0
		id := rest[0]
		var section []byte
		if section, rest, ok = cutVector(rest[1:]); ok && id == custom {
			if got, content, ok := cutVector(section); ok && string(got) == name {
				return content
			}
		}
	}
	return nil
}

// cutVector cuts bytes that follow their length off b.
func cutVector(b []byte) (vector, rest []byte, ok bool) {
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, nil, false
	}
	end := n + int(length)
	return b[n:end], b[end:], true
}
