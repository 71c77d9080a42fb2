package rostering

import (
	"fmt"
	"strings"
)

const (
	hostFailed = " (recovered by wazero)"
	stackTrace = "\nwasm stack trace:"
)

// trapError makes an error of a call that ended in a trap. When a request fails
// (no connection, no such host, no answer in time, an answer that is too large),
// go-sdk's http_request panics, and the plugin never learns of it. Any other trap
// is a fault of the plugin, which retrying will not mend.
func trapError(err error) error {
	reason, _, failed := strings.Cut(err.Error(), hostFailed)
	if !failed {
		reason, _, _ = strings.Cut(reason, stackTrace)
		return fmt.Errorf("rostering: the plugin failed: %s", reason)
	}
	return &Error{Code: CodeNetworkError, Message: reason, Retryable: true, cause: err}
}
