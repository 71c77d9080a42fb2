package sandbox

import (
	"log/slog"
	"mime"
	"net/http"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// gate passes to op's web server only what the real identity provider is known to accept. op
// alone would also accept credentials from the query string of any method and from basic
// authentication, so that an incorrect client would pass.
func gate(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case tokenPath:
			if err := checkTokenRequest(w, r); err != nil {
				op.WriteError(w, r, err, log)
				return
			}
		case keysPath, oidc.DiscoveryEndpoint:
			if !allow(w, r, http.MethodGet) {
				return
			}
		default:
			writeProblem(w, http.StatusNotFound, "not_found", "the identity provider has no such path")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func checkTokenRequest(w http.ResponseWriter, r *http.Request) error {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return op.NewStatusError(invalidRequest("the token endpoint allows only POST"), http.StatusMethodNotAllowed)
	case mediaType != "application/x-www-form-urlencoded":
		return invalidRequest("the body must be application/x-www-form-urlencoded")
	case r.URL.RawQuery != "":
		return invalidRequest("the fields belong in the body, not in the query string")
	case r.Header.Get("Authorization") != "":
		w.Header().Set("WWW-Authenticate", `Basic realm="`+realm+`"`)
		err := oidc.ErrInvalidClient().WithDescription("the client authenticates in the body, not with an Authorization header")
		return op.NewStatusError(err, http.StatusUnauthorized)
	default:
		return checkForm(r)
	}
}

func checkForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return invalidRequest("the body is not a form")
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return invalidRequest("a field occurs more than once")
		}
	}
	return nil
}

func invalidRequest(description string) *oidc.Error {
	return oidc.ErrInvalidRequest().WithDescription("%s", description)
}
