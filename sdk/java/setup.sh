#!/usr/bin/env bash
# Compiles everything into target, with the libraries in target/lib and the plugin of dist. Does nothing if that was done before.
set -euo pipefail
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
cd "$(dirname "$0")"

# Concurrent runs take turns.
exec 9<pom.xml
if command -v flock >/dev/null; then flock 9; fi

../../tests/setup/setup.sh java
done=target/setup.sum
sum=$(find pom.xml src ../../host-example/java/src ../../tests/conformance/hosts/java COMPILED_NOTICES.md ../../LICENSE ../../THIRD_PARTY_NOTICES.md ../../dist/rostering-nowasi.wasm -type f | LC_ALL=C sort | xargs sha256sum; javac -version 2>&1)
if [ "$sum" = "$(cat "$done" 2>/dev/null)" ]; then
  exit 0
fi
rm -rf target # an older library must not stay on the class path
mvn --batch-mode --no-transfer-progress --quiet test-compile
printf '%s\n' "$sum" >"$done"
