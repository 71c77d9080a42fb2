// Package input reads what a host passes to an export: one JSON object, or nothing.
package input

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Export is an export whose input is an Input.
type Export uint8

const (
	GetToken Export = iota
	ListJobs
	SendRequest
	Begin
	Request
	Status
)

var exports = [...]fields{
	GetToken:    "force refused used now",
	ListJobs:    "now customer_id user_id",
	SendRequest: "path method headers body customer_id user_id now",
	Begin:       "accepts force refused used now",
	Request:     "path method headers body customer_id user_id",
	Status:      "now",
}

// Input is the input of one of these exports.
type Input struct {
	Store, Wait bool // the host accepts steps that use a store, and waits in backoffs

	Force   bool
	Refused string // the access token that the service refused
	Used    bool   // the service accepted it before
	clock.Override

	Customer, User ID

	Own Own // the request itself
}

// Parse reads b as the input of an export.
func Parse(b []byte, export Export) (in *Input, err *apierror.Error) {
	in = &Input{}
	err = exports[export].read(b, in.set)
	switch {
	case err != nil:
	case in.Force && in.Refused != "":
		err = apierror.Input("refused", "set force or refused, not both")
	case in.Used && in.Refused == "":
		err = apierror.Input("used", "set used only with refused")
	case export == SendRequest || export == Request:
		err = in.Own.check(export)
	case export == ListJobs:
		in.Own.Method, in.Own.Path = "GET", "/jobs"
	}
	return in, err
}

func (in *Input) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "accepts":
		return in.accept(value)
	case "force":
		return boolean(name, value, &in.Force)
	case "used":
		return boolean(name, value, &in.Used)
	case "refused":
		if in.Refused = value.Text(); !AccessToken(in.Refused) {
			return apierror.Input("refused", " must be the refused access token: visible ASCII of at most 32 KiB")
		}
		return nil
	case "now":
		return in.Override.Set(value)
	case "customer_id":
		return in.Customer.set(name, value)
	case "user_id":
		return in.User.set(name, value)
	}
	return in.Own.set(name, value)
}

func (in *Input) accept(value json.Value) *apierror.Error {
	names, ok := value.Texts()
	ok = ok && value.Kind() == json.List
	for _, name := range names {
		ok = ok && (name == "store" && !in.Store || name == "wait" && !in.Wait)
		in.Store, in.Wait = in.Store || name == "store", in.Wait || name == "wait"
	}
	if !ok {
		return apierror.Input("accepts", ` must be a list of "store" and "wait"`)
	}
	return nil
}
