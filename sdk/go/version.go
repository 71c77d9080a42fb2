package rostering

import (
	"encoding/json"
	"errors"
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

// check refuses a plugin with another contract, and has the plugin check the config and the headers.
func (d *driver) check() error {
	if d.instance.module.ExportedFunction("version") == nil {
		return otherContract(`no export "version"`)
	}
	output, err := d.use(nil, "version", nil)
	if err != nil {
		return err
	}
	var plugin struct{ Contract int }
	if json.Unmarshal(output, &plugin) != nil || plugin.Contract != Contract {
		return otherContract(fmt.Sprint("contract ", plugin.Contract))
	}
	if _, err = d.use(nil, "check", nil); err != nil || len(d.headers) == 0 {
		return err
	}
	_, err = d.use(nil, "request", object(input{Headers: d.headers, CustomerID: null, UserID: null}))
	if e, ok := errors.AsType[*Error](err); ok && e.Code != CodeInvalidInput {
		return nil // without a BaseURL, the client is for tokens alone
	}
	return err
}

func otherContract(found string) error {
	return fmt.Errorf("rostering: the plugin has %s, but this library needs contract %d: use the library from the plugin's release",
		found, Contract)
}
