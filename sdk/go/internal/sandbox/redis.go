package sandbox

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Redis starts a Redis server that ends with the test, and returns the path of its socket. Without
// redis-server the test is skipped, unless CI is true.
func Redis(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("left out: redis-server is missing: apt-get install redis-server")
	}
	socket := filepath.Join(t.TempDir(), "redis")
	server := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for deadline := time.Now().Add(20 * time.Second); !responds(socket); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("redis-server did not start")
		}
	}
	return socket
}

// responds reports whether a Redis server responds to a PING.
func responds(socket string) bool {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(time.Second))
	response := make([]byte, len("+PONG"))
	_, err = connection.Write([]byte("PING\r\n"))
	if err == nil {
		_, err = io.ReadFull(connection, response)
	}
	return err == nil && string(response) == "+PONG"
}
