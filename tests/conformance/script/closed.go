package script

import (
	"fmt"
	"syscall"
)

// reserved is an address at which nobody listens or can listen: its port is bound.
type reserved struct {
	socket  int
	address string
}

func reserve() (*reserved, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(socket)
	err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err != nil {
		syscall.Close(socket)
		return nil, err
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		syscall.Close(socket)
		return nil, err
	}
	return &reserved{socket, fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)}, nil
}

func (r *reserved) release() { syscall.Close(r.socket) }
