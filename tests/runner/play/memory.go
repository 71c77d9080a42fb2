package play

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryOf is what a process and its children have in memory, in bytes.
func memoryOf(pid int) (sum int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)) // it may be gone
	if fields := strings.Fields(string(b)); len(fields) > 1 {
		pages, _ := strconv.Atoi(fields[1])
		sum = pages * os.Getpagesize()
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(b)) {
			n, _ := strconv.Atoi(child)
			sum += memoryOf(n)
		}
	}
	return sum
}
