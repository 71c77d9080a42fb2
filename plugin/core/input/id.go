package input

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// ID is customer_id or user_id in the input. The zero ID means the config's.
type ID struct {
	// Omitted says that the header is not sent.
	Omitted bool
	// Text is the header's value, or "" for the config's.
	Text string
}

// maxID is the longest id, in bytes: servers reject headers that are much longer.
const maxID = 256

// IDMessage says, after its name, what an id must be.
const IDMessage = " must be at most 256 visible ASCII characters, with spaces only inside"

// ValidID reports whether text can be an id, which becomes a header's value.
func ValidID(text string) bool { return len(text) <= maxID && ascii.Phrase(text) }

func (id *ID) set(name string, value json.Value) *apierror.Error {
	id.Omitted, id.Text = value.Kind() == json.Null, value.Text()
	switch {
	case id.Omitted:
	case id.Text == "":
		return apierror.Input(name, " must be a string that is not empty, or null (None, nil) to send no header")
	case !ValidID(id.Text):
		return apierror.Input(name, IDMessage)
	}
	return nil
}

// IDs returns a name for the two ids of the input, or "" if both are the config's. Equal
// names mean equal headers, because the config does not change.
func (in *Input) IDs() string {
	if in.Customer == (ID{}) && in.User == (ID{}) {
		return ""
	}
	return in.Customer.name() + "\n" + in.User.name()
}

// name returns a name that no other id has: an id contains no control character.
func (id ID) name() string {
	if id.Omitted {
		return "\t"
	}
	return id.Text
}
