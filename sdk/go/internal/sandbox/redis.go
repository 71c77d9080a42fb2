package sandbox

import (
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
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			_ = connection.Close()
			return socket
		}
		if time.Now().After(deadline) {
			t.Fatalf("redis-server did not start: %v", err)
		}
	}
}
