package example.automaticrostering;

import example.automaticrostering.RosteringException.Code;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of a client: see {@link Status}. */
final class Counters {
  final LongAdder calls = new LongAdder();
  final LongAdder serviceRequests = new LongAdder();
  private final ConcurrentMap<Code, LongAdder> failed = new ConcurrentHashMap<>();

  void fail(Code code) {
    failed.computeIfAbsent(code, c -> new LongAdder()).increment();
  }

  Map<Code, Long> failedCalls() {
    var all = new TreeMap<Code, Long>();
    failed.forEach((code, n) -> all.put(code, n.sum()));
    return all;
  }
}
