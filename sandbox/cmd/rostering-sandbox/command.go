package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// grace is how long an interrupted command has to end.
const grace = 5 * time.Second

// command runs a command with variables in its environment, and interrupts it when ctx ends.
func command(ctx context.Context, args []string, variables map[string]string, stdin io.Reader, stdout, stderr io.Writer) error {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	c.Env = os.Environ()
	for name, value := range variables {
		c.Env = append(c.Env, name+"="+value)
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
