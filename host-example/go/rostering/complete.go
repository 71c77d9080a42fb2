package rostering

import (
	"errors"
	"net/url"
	"strings"
)

// maxBody bounds the body in an [Error] in bytes, as the plugin does.
const maxBody = 64 << 10

// complete adds to an error of resume what only the driver knows: why the last
// request got no answer, or what the service answered.
func (f *flight) complete(err error) error {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
	case e.Code == CodeNetworkError:
		e.cause = f.last.err
	case !f.asking && e.Status != 0 && e.Status == f.last.status:
		e.Body, e.BodyTruncated = cut(hide(string(f.last.body), f.tokens))
	}
	return err
}

// hide replaces the tokens that a service may have sent back, in the spellings of
// JSON and URLs, too.
func hide(text string, tokens []string) string {
	var pairs []string
	for _, token := range tokens {
		pairs = append(pairs, token, redacted, strings.ReplaceAll(token, "/", `\/`), redacted,
			url.QueryEscape(token), redacted, url.PathEscape(token), redacted)
	}
	return strings.NewReplacer(pairs...).Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

func cut(text string) (beginning string, truncated bool) {
	if len(text) <= maxBody {
		return text, false
	}
	return strings.ToValidUTF8(text[:maxBody], ""), true
}
