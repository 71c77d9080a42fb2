#!/usr/bin/env bash
# Compiles everything into target, with the libraries in target/lib and the plugin of dist. Does nothing if that is done.
set -euo pipefail
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
cd "$(dirname "$0")"

# Several runs at once take turns.
exec 9<pom.xml
if command -v flock >/dev/null; then flock 9; fi

major=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p') || true
if [ "${major:-0}" -lt 17 ] || ! command -v mvn >/dev/null; then
  echo "Java 17 or later and Maven are needed: apt-get install openjdk-17-jdk-headless maven" >&2
  exit 69
fi

done=target/setup.sum
sum=$(find pom.xml src examples package conformance ../../LICENSE ../../THIRD_PARTY_NOTICES.md ../../dist/rostering-nowasi.wasm -type f | LC_ALL=C sort | xargs sha256sum; javac -version 2>&1)
if [ "$sum" = "$(cat "$done" 2>/dev/null)" ]; then
  exit 0
fi
rm -rf target # an older library must not stay on the class path
mvn --batch-mode --no-transfer-progress --quiet test-compile
printf '%s\n' "$sum" >"$done"
