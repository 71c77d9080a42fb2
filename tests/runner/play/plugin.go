package play

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"automatic-rostering.example/rostering/tests/runner/rule"
)

const i32, i64 = "\x7f", "\x7e"

// functions are those of Extism that a program can call.
var functions = []struct{ name, parameters, result string }{
	{"alloc", i64, i64}, {"length", i64, i64}, {"load_u8", i64, i32}, {"load_u64", i64, i64},
	{"store_u8", i64 + i32, ""}, {"store_u64", i64 + i64, ""}, {"input_load_u8", i64, i32}, {"input_load_u64", i64, i64},
	{"output_set", i64 + i64, ""}, {"error_set", i64, ""}, {"log_warn", i64, ""}, {"config_get", i64, i64},
	{"var_get", i64, i64}, {"var_set", i64 + i64, ""}, {"http_request", i64 + i64, i64},
}

// opcodes are those of other words. What cannot grow traps; once calls var_get.
var opcodes = map[string]string{
	"block": "\x20\x00", "+": "\x7c", "trap": "\x00", "begin": "\x03\x40", "again": "\x0c\x00\x0b",
	"grow": "\xa7\x40\x00\x41\x7f\x46\x04\x40\x00\x0b", "once": "\x41\x00\x20\x00\x10\x0c\x42\x00\x52\x0d\x00\x1a",
}

// module is a plugin of a case in WebAssembly.
func module(p *rule.Plugin) (string, error) {
	version, _ := program(fmt.Sprintf("%-16s", fmt.Sprintf(`{"contract":%d}`, cmp.Or(p.Contract, 1))), "block 16 output_set")
	check, err := program("base_url", p.Runs)
	clears, err2 := program("base_url", p.Clears)
	types, imports, at := []string{"\x60\x00\x01" + i32}, []string(nil), len(functions)
	for i, f := range functions {
		types = append(types, "\x60"+sized(f.parameters)+sized(f.result))
		imports = append(imports, sized("extism:host/env")+sized(f.name)+"\x00"+number(i+1))
	}
	exports := []string{sized("memory") + "\x02\x00"}
	for i, name := range []string{"version", "check", "clear_token", "_initialize"} {
		exports = append(exports, sized(name)+"\x00"+number(at+i))
	}
	return "\x00asm\x01\x00\x00\x00" + section(1, types...) + section(2, imports...) + section(3, "\x00", "\x00", "\x00", "\x00") +
		section(5, "\x00\x01") + section(7, exports...) + section(10, version, check, clears, sized("\x00\x41\x00\x0b")), errors.Join(err, err2)
}

// program is the body of a function that puts a text into a block, runs words, and returns 0.
func program(text, words string) (string, error) {
	code := "\x01\x01" + i64 + "\x42" + number(len(text)) + "\x10\x00\x21\x00"
	for i := 0; i < len(text); i += 8 {
		chunk := int(binary.LittleEndian.Uint64([]byte(text[i:])))
		code += "\x20\x00\x42" + number(i) + "\x7c\x42" + number(chunk) + "\x10\x05" // store_u64
	}
	for word := range strings.FieldsSeq(words) {
		n, err := strconv.ParseInt(word, 0, 64)
		f := slices.IndexFunc(functions, func(f struct{ name, parameters, result string }) bool { return f.name == word })
		switch {
		case err == nil:
			code += "\x42" + number(int(n))
		case opcodes[word] != "":
			code += opcodes[word]
		case f < 0:
			return "", fmt.Errorf("a program has the word %q", word)
		default:
			if strings.HasSuffix(functions[f].parameters, i32) {
				code += "\xa7"
			}
			code += "\x10" + number(f)
		}
	}
	return sized(code + "\x41\x00\x0f\x0b"), nil // return drops what else is on the stack
}

// number is in LEB128.
func number(n int) string {
	if n >= -64 && n < 64 {
		return string([]byte{byte(n) & 0x7f})
	}
	return string([]byte{byte(n) | 0x80}) + number(n>>7)
}

func sized(text string) string { return number(len(text)) + text }

func section(id byte, items ...string) string {
	return string([]byte{id}) + sized(number(len(items))+strings.Join(items, ""))
}
