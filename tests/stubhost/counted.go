package stubhost

import "reflect"

// counted returns function with a counter before it.
func (h *Host) counted(name string, function any) any {
	value := reflect.ValueOf(function)
	return reflect.MakeFunc(value.Type(), func(args []reflect.Value) []reflect.Value {
		h.Calls[name]++
		return value.Call(args)
	}).Interface()
}
