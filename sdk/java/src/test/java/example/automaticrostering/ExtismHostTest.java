package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import run.endive.runtime.InterpreterMachine;
import run.endive.runtime.TrapException;
import run.endive.wasm.Parser;

/** The functions of Extism, and their bounds. */
class ExtismHostTest {
  private static final String HEADER = "\0asm\1\0\0\0";
  private static final long MIB = 1 << 20;

  private final List<String> lines = new ArrayList<>();
  private final Log log = new Log((level, line) -> lines.add(level + line));
  private final ExtismHost host =
      new ExtismHost(RosteringClientBuilder.embedded(), PluginMachine::new, Map.of("k", "ü"), log);

  @BeforeEach
  void begin() {
    host.call("version", "        {}".getBytes(UTF_8));
  }

  private long block(String text) {
    var offset = call("alloc", text.length());
    for (var i = 0; i < text.length(); i++) {
      call("store_u8", offset + i, text.charAt(i));
    }
    return offset;
  }

  /** Returns the result of a function, or 0 if it has none. */
  private long call(String function, long... args) {
    var result = host.function(function).apply(null, args);
    return result == null ? 0 : result[0];
  }

  private void refuses(String function, long... args) {
    assertThrows(
        RuntimeException.class, () -> call(function, args), () -> function + Arrays.toString(args));
  }

  @Test
  void whatExceedsABoundThrows() {
    var block = block("0123456789");
    var next = block + (9L << 32);
    for (var size : new long[] {-1, 16 * MIB, Long.MAX_VALUE}) {
      refuses("alloc", size);
    }
    for (var offset : new long[] {next, -1, 0, block + 10}) {
      refuses("load_u8", offset);
      refuses("load_u64", offset - 7);
      refuses("store_u8", offset, 0);
      refuses("store_u64", offset - 7, 0);
    }
    refuses("load_u64", block - 1);
    for (var function : List.of("length", "error_set", "var_get", "log_debug")) {
      refuses(function, next);
      refuses(function, block + 1);
    }
    for (var index : new long[] {10, -1, 1L << 32}) {
      refuses("input_load_u8", index);
      refuses("input_load_u64", index - 7);
    }
    refuses("output_set", block, 11);
    refuses("output_set", block, -1);
    refuses("var_set", block, call("alloc", MIB + 1));
    refuses("http_request", block, 0);
    refuses("http_status_code");
  }

  @Test
  void blocksAndVarsAreLimitedTogether() {
    var half = call("alloc", MIB / 2 - 2);
    call("var_set", block("a"), half);
    call("var_set", block("b"), half);
    call("var_set", block("b"), half);
    var c = block("c");
    assertThrows(TrapException.class, () -> call("var_set", c, block("one more")));
    assertThrows(
        TrapException.class,
        () -> {
          for (var i = 0; i < 300_000; i++) {
            call("alloc", 1);
          }
        });
  }

  @Test
  void trapIsNotTheEnd() {
    var tooLarge = new byte[20 << 20];
    assertThrows(RuntimeException.class, () -> host.call("begin", tooLarge));
    var version = host.call("version", new byte[0]);
    assertTrue(new String(version, UTF_8).contains("contract"));
    assertArrayEquals(new byte[0], host.call("clear_token", new byte[0]));
  }

  private static Exception refused(String sections) {
    var wasm = (HEADER + sections).getBytes(ISO_8859_1);
    return assertThrows(
        RuntimeException.class,
        () ->
            new ExtismHost(
                Parser.parse(wasm),
                InterpreterMachine::new,
                Map.of(),
                new Log((level, line) -> {})));
  }

  @Test
  void whatAModuleMustNotHave() {
    var import_ = "\1\4\1\140\0\0" + "\2\32\1\17extism:host/env\6random\0\0";
    assertEquals("it imports extism:host/env random", refused(import_).getMessage());
    refused("\5\4\1\0\u0081\2"); // a memory of 257 pages
  }
}
