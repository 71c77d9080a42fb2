package rostering

import (
	"encoding/json"
	"fmt"
)

const (
	// Version is the version of this package.
	Version = "0.1.0"
	// Contract is the version of the contract between a plugin and its host that this
	// package implements. [New] refuses a plugin with another one.
	Contract = 1
)

const userAgent = "automatic-rostering/" + Version + " (go)"

// check refuses a plugin with another contract, and has the plugin check the config.
func (d *driver) check() error {
	if d.instance.module.ExportedFunction("version") == nil {
		return otherContract(`no export "version"`)
	}
	output, err := d.call("version", nil)
	if err != nil {
		return err
	}
	var plugin struct{ Contract int }
	if json.Unmarshal(output, &plugin) != nil || plugin.Contract != Contract {
		return otherContract(fmt.Sprint("contract ", plugin.Contract))
	}
	_, err = d.call("check", nil)
	return err
}

func otherContract(found string) error {
	return fmt.Errorf("rostering: the plugin has %s, but this library needs contract %d: use the library from the plugin's release",
		found, Contract)
}
