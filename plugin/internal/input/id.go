package input

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/json"
)

// ID is customer_id or user_id, as the input gives it. The zero ID is that of the
// config.
type ID struct {
	// Omitted says that the header is left out.
	Omitted bool
	// Text is the header's value, or "" for that of the config.
	Text string
}

// maxID bounds an id, in bytes: servers refuse headers that are much longer.
const maxID = 256

// IDMessage says what an id may hold.
const IDMessage = "an id must be at most 256 visible ASCII characters, with spaces only inside"

// ValidID reports whether text can be an id: it goes into a header.
func ValidID(text string) bool { return len(text) <= maxID && ascii.Phrase(text) }

func (id *ID) set(name string, value json.Value) *apierror.Error {
	switch value.Kind() {
	case json.Null:
		id.Omitted = true
	case json.String:
		id.Text = value.Text()
		if id.Text == "" {
			return apierror.Input(name, "an id must not be empty; pass null to omit its header, or omit the field to use the config's")
		}
		if !ValidID(id.Text) {
			return apierror.Input(name, IDMessage)
		}
	default:
		return apierror.Input(name, "an id must be a string, or null to omit its header")
	}
	return nil
}

// IDs names the two ids of the input, or is "" where both are those of the config.
// Equal names mean equal headers, as config does not change.
func (in *Input) IDs() string {
	if in.Customer == (ID{}) && in.User == (ID{}) {
		return ""
	}
	return in.Customer.name() + "\n" + in.User.name()
}

// name cannot be confused with another's: an id holds no control character.
func (id ID) name() string {
	if id.Omitted {
		return "\t"
	}
	return id.Text
}
