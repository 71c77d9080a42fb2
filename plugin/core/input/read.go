package input

import (
	"cmp"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// fields are the names of the fields that an object may have, each once.
type fields string

// read reads b, one JSON object or nothing, and calls set with each of its fields.
func (fields fields) read(b []byte, set func(name string, value json.Value) *apierror.Error) (err *apierror.Error) {
	if json.Blank(b) {
		return nil
	}
	var seen uint16 // a bit for each field
	isObject := json.Object(b, func(name string, value json.Value) bool {
		i := ascii.Word(string(fields), name)
		switch {
		case i < 0:
			err = apierror.Input("", "unknown input field; valid: "+cmp.Or(string(fields), "none")) // its name may be a secret
		case seen>>i&1 == 1:
			err = apierror.Input(name, "the input field is given twice; pass it once")
		default:
			seen |= 1 << i
			err = set(name, value)
		}
		return err == nil
	})
	if !isObject {
		return apierror.Input("", "the input must be one JSON object, or empty")
	}
	return err
}

// text reads a field that must be a string.
func text[T string | []byte](name string, value json.Value, into *T) *apierror.Error {
	if value.Kind() != json.String {
		return apierror.Input(name, " must be a string")
	}
	decoded, wellFormed := value.Decode()
	if !wellFormed {
		return apierror.Input(name, notUnicode)
	}
	*into = T(decoded)
	return nil
}

// boolean reads a field that must be true or false.
func boolean(name string, value json.Value, into *bool) *apierror.Error {
	if value.Kind() != json.Bool {
		return apierror.Input(name, " must be true or false")
	}
	*into = value.True()
	return nil
}

const notUnicode = " must be UTF-8 without a lone surrogate"
