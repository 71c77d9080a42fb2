package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private final ExtismHost host =
      new ExtismHost(
          RosteringClientBuilder.embedded(),
          PluginMachine::new,
          Map.of("k", "ü"),
          (level, line) -> lines.add(level + line));

  @BeforeEach
  void begin() {
    host.call("version", "        {}".getBytes(UTF_8));
  }

  private long block(String text) {
    var offset = host.result("alloc", new long[] {text.length()});
    for (var i = 0; i < text.length(); i++) {
      host.run("store_u8", new long[] {offset + i, text.charAt(i)});
    }
    return offset;
  }

  private long result(String function, long... args) {
    return host.result(function, args);
  }

  @Test
  void values() {
    var block = block("key 8 bytes");
    assertEquals(11, result("length", block));
    host.run("store_u64", new long[] {block + 3, 0x3132333435363738L});
    assertEquals('8', result("load_u8", block + 3));
    assertEquals(0x3132333435363738L, result("load_u64", block + 3));
    assertEquals(10, result("input_length"));
    assertEquals('}', result("input_load_u8", 9));
    assertEquals(0x7d7b202020202020L, result("input_load_u64", 2));

    assertEquals(2, result("length", result("config_get", block("k"))));
    assertEquals(0, result("config_get", block("other")));
    host.run("var_set", new long[] {block("v"), block("value")});
    begin(); // vars live on, blocks do not
    assertEquals(5, result("length", result("var_get", block("v"))));
    host.run("var_set", new long[] {block("v"), 0});
    assertEquals(0, result("var_get", block("v")));
    host.run("log_warn", new long[] {block("line")});
    assertEquals(List.of("WARNINGline"), lines);
  }

  private record Wrong(String function, long... args) {}

  @Test
  void whatExceedsABoundThrows() {
    var block = block("0123456789");
    var next = block + (9L << 32);
    for (var wrong :
        List.of(
            new Wrong("alloc", -1),
            new Wrong("alloc", 16 * MIB),
            new Wrong("alloc", Long.MAX_VALUE),
            new Wrong("length", next),
            new Wrong("length", block + 1),
            new Wrong("load_u8", next),
            new Wrong("load_u8", -1),
            new Wrong("load_u8", 0),
            new Wrong("load_u8", block + 10),
            new Wrong("load_u64", block + 3),
            new Wrong("load_u64", block - 1),
            new Wrong("store_u8", block + 10, 0),
            new Wrong("store_u64", block + 3, 0),
            new Wrong("input_load_u8", 10),
            new Wrong("input_load_u8", -1),
            new Wrong("input_load_u8", 1L << 32),
            new Wrong("input_load_u64", 3),
            new Wrong("output_set", block, 11),
            new Wrong("output_set", block, -1),
            new Wrong("error_set", next),
            new Wrong("var_get", next),
            new Wrong("var_set", block, result("alloc", MIB + 1)),
            new Wrong("log_debug", next),
            new Wrong("http_request", block, 0),
            new Wrong("http_status_code"))) {
      var isChange = wrong.function.matches("store.*|.*_set|log.*");
      assertThrows(
          RuntimeException.class,
          () -> {
            if (isChange) {
              host.run(wrong.function, wrong.args);
            } else {
              host.result(wrong.function, wrong.args);
            }
          },
          wrong::toString);
    }
  }

  @Test
  void blocksAndVarsAreLimitedTogether() {
    var half = result("alloc", MIB / 2 - 2);
    host.run("var_set", new long[] {block("a"), half});
    host.run("var_set", new long[] {block("b"), half});
    host.run("var_set", new long[] {block("b"), half});
    var c = block("c");
    assertThrows(TrapException.class, () -> host.run("var_set", new long[] {c, block("one more")}));
    assertThrows(
        TrapException.class,
        () -> {
          for (var i = 0; i < 300_000; i++) {
            result("alloc", 1);
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
                Parser.parse(wasm), InterpreterMachine::new, Map.of(), (level, line) -> {}));
  }

  @Test
  void whatAModuleMustNotHave() {
    var import_ = "\1\4\1\140\0\0" + "\2\32\1\17extism:host/env\6random\0\0";
    assertEquals("it imports extism:host/env random", refused(import_).getMessage());
    refused("\5\4\1\0\u0081\2"); // a memory of 257 pages
  }
}
