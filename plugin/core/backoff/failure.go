package backoff

import (
	"slices"

	"automatic-rostering.example/rostering/plugin/core/apierror"
)

// Failure is how a token request failed, or a new token that the service refused. The zero value means that
// nothing did. It consists of numbers, which a flow and an instance keep.
type Failure struct{ Code, Status int64 }

// codes are those of the errors, by the numbers in Failure.Code.
var codes = [...]string{"", apierror.TokenEndpointRejected, apierror.TokenEndpointUnavailable,
	apierror.TokenResponseInvalid, apierror.NetworkError, apierror.ServiceUnauthorized}

// The largest numbers of a failure.
const (
	MaxCode   = int64(len(codes) - 1)
	MaxStatus = 999
)

// Failed returns the failure with the code of an error, or without one if no token request fails so.
func Failed(code string, status int64) Failure {
	return Failure{int64(max(slices.Index(codes[:], code), 0)), status}
}

// Name returns the code of its error, or "", also if a host changed the number.
func (f Failure) Name() string {
	if f.Code < 0 || f.Code > MaxCode {
		return ""
	}
	return codes[f.Code]
}

// Shareable reports whether it can be that of a token request, with a status that it can have.
func (f Failure) Shareable() bool {
	name := f.Name()
	if f.Status == 0 {
		return name == apierror.NetworkError || name == apierror.TokenResponseInvalid
	}
	return f.Status <= MaxStatus && name != "" && name != apierror.ServiceUnauthorized
}

// Error returns the error with this plugin's message.
func (f Failure) Error() *apierror.Error {
	e := &apierror.Error{Code: f.Name(), Status: int(f.Status), Retryable: true}
	switch e.Code {
	case apierror.TokenEndpointRejected:
		e.Retryable = false
		e.Message = "the token endpoint refused the client; check auth_url, client_id, client_secret and scope"
	case apierror.TokenEndpointUnavailable:
		e.Message = "the token endpoint is unavailable; retry later"
	case apierror.TokenResponseInvalid:
		e.Message = UnusableResponse + CheckURL
	case apierror.NetworkError:
		return apierror.Network(NoResponse, "", "auth_url")
	default:
		e.Message = apierror.TokenRefused
	}
	return e
}

// Parts of messages that show more.
const (
	NoResponse       = "no response from the token endpoint"
	UnusableResponse = "unusable token response"
	CheckURL         = "; check auth_url"
)
