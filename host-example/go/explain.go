package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"automatic-rostering.example/rostering"
)

// explain prints an error with its fields.
func explain(w io.Writer, err error) {
	if errors.Is(err, context.Canceled) {
		_, _ = fmt.Fprintln(w, "interrupted")
		return
	}
	_, _ = fmt.Fprintln(w, err)
	if e, ok := errors.AsType[*rostering.Error](err); ok {
		explainFields(w, e)
	}
}

func explainFields(w io.Writer, e *rostering.Error) {
	field := func(name string, value any, known bool) {
		if known {
			_, _ = fmt.Fprintf(w, "  %-17s %v\n", name, value)
		}
	}
	field("code", e.Code, true)
	field("key", e.Key, e.Key != "")
	field("status", e.Status, e.Status != 0)
	field("OAuth error", e.OAuthError, e.OAuthError != "")
	field("OAuth description", e.OAuthErrorDescription, e.OAuthErrorDescription != "")
	field("worth a retry", "yes", e.Retryable)
	field("retry after", e.RetryAfter, e.RetryAfter != 0)
	field("body", e.Body, e.Body != "")
	field("", "(and more)", e.BodyTruncated)
}
