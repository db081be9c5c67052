package facade

import (
	"errors"
	"net/http"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

// loss is why a try of a call has no reply of the upstream's. What is replied instead is made by the facade.
type loss struct {
	unsent    bool // the upstream never had the call
	condition air.RetryCondition
	after     time.Duration // that the upstream wants to be left alone
	gone      bool          // with the whole session
}

// statusConditions are the answers of servers behind HTTP that may be others the next time.
var statusConditions = map[int]air.RetryCondition{
	http.StatusRequestTimeout: air.OnRequestTimeout, http.StatusTooManyRequests: air.OnTooManyRequests, http.StatusInternalServerError: air.OnInternalError,
	http.StatusBadGateway: air.OnBadGateway, http.StatusServiceUnavailable: air.OnServiceUnavailable, http.StatusGatewayTimeout: air.OnGatewayTimeout,
}

// lossOf reads what an error of a link means for a call.
func lossOf(err error, unsent bool) *loss {
	f := &loss{unsent: unsent, condition: air.OnConnectionReset}
	var status *wire.StatusError
	if errors.As(err, &status) {
		f.condition, f.after = statusConditions[status.Code], status.RetryAfter
	}
	return f
}

// breaks reports a loss that tells of an upstream in trouble, and not of one call.
func (f *loss) breaks() bool {
	return f != nil && f.condition != air.OnTooManyRequests && f.condition != ""
}
