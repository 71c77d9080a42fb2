package play

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryOf is what a process and its children have in memory, in bytes.
func memoryOf(pid int) int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		b, _ := os.ReadFile(file) // it may be gone
		_, rest, _ := strings.Cut(string(b), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			children[parent] = append(children[parent], child)
		}
	}
	sum := 0
	for all := []int{pid}; len(all) > 0; all = append(all[1:], children[all[0]]...) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", all[0]))
		if fields := strings.Fields(string(b)); len(fields) > 1 {
			pages, _ := strconv.Atoi(fields[1])
			sum += pages * os.Getpagesize()
		}
	}
	return sum
}
