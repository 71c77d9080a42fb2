package oauth2

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Failure is what a flow and a fleet remember of a failed token request. A flow also
// remembers a new token that the service refused so.
type Failure struct {
	Code   string
	Status int64
}

// ReadFailure reads the members of an error.
func ReadFailure(members []byte) *Failure {
	err := json.Value("{" + string(members) + "}")
	status, _ := err.Get("status").Natural(maxStatus)
	return &Failure{Code: err.Get("code").Text(), Status: status}
}

const maxStatus = 999

// valid reports whether it can be that of a token request, with a status that it can have.
func (f *Failure) valid() bool {
	if f.Status == 0 {
		return f.Code == apierror.NetworkError || f.Code == apierror.TokenResponseInvalid
	}
	return f.Status <= maxStatus && f.Error() != nil && f.Code != apierror.ServiceUnauthorized
}

// Error returns the error with this plugin's message, or nil for another code.
func (f *Failure) Error() *apierror.Error {
	e := &apierror.Error{Code: f.Code, Status: int(f.Status), Retryable: true}
	switch f.Code {
	case apierror.TokenEndpointRejected:
		e.Retryable = false
		e.Message = refusedClient
	case apierror.TokenEndpointUnavailable:
		e.Message = unavailable
	case apierror.TokenResponseInvalid:
		e.Message = unusableResponse + checkURL
	case apierror.NetworkError:
		return apierror.Network(noResponse, "", "auth_url")
	case apierror.ServiceUnauthorized:
		e.Message = apierror.TokenRefused
	default:
		return nil
	}
	return e
}

// The messages of a failed token request, here and in the lock.
const (
	noResponse       = "no response from the token endpoint"
	unusableResponse = "unusable token response"
	checkURL         = "; check auth_url"
	unavailable      = "the token endpoint is unavailable; retry later"
	notJSON          = "not a JSON object"
	refusedClient    = "the token endpoint refused the client; check auth_url, client_id, client_secret and scope"
)
