package rostering

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"automatic-rostering.example/rostering/internal/quiet"
)

// Reason is why there is no response.
type Reason string

// The reasons of a [CodeNetworkError].
const (
	ReasonTimeout        Reason = "timeout"
	ReasonNameResolution Reason = "name_resolution"
	ReasonConnection     Reason = "connection"      // refused, reset or unreachable
	ReasonTLSCertificate Reason = "tls_certificate" // not trusted, or for another host
	ReasonTLS            Reason = "tls"
	ReasonProxy          Reason = "proxy"
	ReasonProtocol       Reason = "protocol" // not HTTP, cut off or too large
	ReasonCanceled       Reason = "canceled"
	ReasonOther          Reason = "other"
)

// reasonOf derives the reason from the types of an error.
func reasonOf(err error) Reason {
	operation, _ := errors.AsType[*net.OpError](err)
	if operation == nil {
		operation = new(net.OpError)
	}
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case is[quiet.ProxyError](err), operation.Op == "proxyconnect", strings.HasPrefix(operation.Op, "socks "):
		return ReasonProxy
	case is[*net.DNSError](err):
		return ReasonNameResolution
	case errors.Is(err, context.DeadlineExceeded), timeout != nil && timeout.Timeout():
		return ReasonTimeout
	case errors.Is(err, context.Canceled):
		return ReasonCanceled
	case is[*tls.CertificateVerificationError](err):
		return ReasonTLSCertificate
	case is[tls.RecordHeaderError](err), operation.Op == "remote error", operation.Op == "local error":
		return ReasonTLS
	case operation.Op != "", is[*os.SyscallError](err), errors.Is(err, net.ErrClosed):
		return ReasonConnection
	case is[quiet.HandshakeError](err):
		return ReasonTLS
	case is[unreadable](err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ReasonProtocol
	}
	return ReasonOther
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// unreadable is an error of net/http without a type, which may have words of a server or a proxy.
type unreadable struct{ error }

func (unreadable) Error() string   { return "the response cannot be read" }
func (u unreadable) Unwrap() error { return u.error }

// withoutWords makes an error unreadable, unless its type is known, or it is the program's.
func withoutWords(client *http.Client, err error) error {
	_, ours := client.Transport.(quiet.Transport)
	_, standard := client.Transport.(*http.Transport)
	if (ours || standard || client.Transport == nil) && reasonOf(err) == ReasonOther && !is[aborted](err) {
		return unreadable{err}
	}
	return err
}

// failure is the input of the plugin for a request without a response. It has no URL, which
// [*url.Error] adds, and nothing that net/http quotes of the response.
func failure(err error) result {
	text, _, _ := strings.Cut(withoutURL(err).Error(), "\"")
	return result{"failed": strings.TrimRight(text, " :"), "reason": reasonOf(err)}
}

func withoutURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}
