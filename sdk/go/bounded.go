package rostering

import (
	"context"
	"fmt"
	"runtime"
)

// aborted is why a function of the program did not return: it panicked, or, without a value, ended
// its goroutine.
type aborted struct{ value any }

func (a aborted) Error() string {
	if a.value == nil {
		return "it ended its goroutine"
	}
	return fmt.Sprintf("it panicked with a value of type %T", a.value) // which may quote the request
}

// resume continues what the function did, in this goroutine.
func (a aborted) resume() {
	if a.value == nil {
		runtime.Goexit()
	}
	panic(a.value)
}

// bounded returns what f returns, or the cause of ctx if that ends first, whatever f waits for then.
func bounded[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		o := outcome{err: aborted{}}
		defer func() {
			if v := recover(); v != nil {
				o.err = aborted{v}
			}
			ended <- o
		}()
		o.value, o.err = f()
	}()
	o := outcome{err: context.Canceled}
	select {
	case o = <-ended:
	case <-ctx.Done():
	}
	if _, isAborted := o.err.(aborted); o.err != nil && !isAborted && ctx.Err() != nil {
		o.err = context.Cause(ctx)
	}
	return o.value, o.err
}
