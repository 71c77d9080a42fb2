package input

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/json"
)

// Begin is the input of begin.
type Begin struct {
	Export  Export
	Input   json.Value // of the call, unchanged; nil if omitted
	Accepts Accepts
	// Renews says that the host renews in the background: if a step has renew, it begins a
	// separate get_token.
	Renews bool
}

// Accepts is what a host can do in addition to sending requests.
type Accepts = int64

const (
	AcceptsNothing Accepts = iota
	AcceptsWait
	AcceptsStore // and wait
)

// ParseBegin reads the input of begin.
func ParseBegin(b []byte) (begin Begin, err *apierror.Error) {
	name := ""
	err = fields{"call", "input", "accepts"}.read(b, func(field string, value json.Value) *apierror.Error {
		switch field {
		case "call":
			return text(field, value, &name)
		case "accepts":
			return begin.accept(value)
		}
		begin.Input = value
		return wantObject(field, value)
	})
	if err != nil {
		return begin, err
	}
	export, known := ExportNamed(name)
	if !known {
		return begin, apierror.Input("call", "call must be get_token, list_jobs or send_request")
	}
	begin.Export = export
	return begin, nil
}

func (begin *Begin) accept(value json.Value) *apierror.Error {
	names, ok := value.Texts()
	ok = ok && value.Kind() == json.List
	wait, store, renew := AcceptsNothing, AcceptsNothing, AcceptsNothing
	for _, name := range names {
		switch name {
		case "wait":
			wait++
		case "store":
			store++
		case "renew":
			renew++
		default:
			ok = false
		}
	}
	if !ok || wait > 1 || store > wait || renew > wait {
		return apierror.Input("accepts", `accepts must be [], or ["wait"] with "store", "renew" or both`)
	}
	begin.Accepts, begin.Renews = wait+store, renew == 1
	return nil
}

func wantObject(name string, value json.Value) *apierror.Error {
	if !value.IsObject() {
		return apierror.Input(name, name+" must be an object")
	}
	return nil
}
