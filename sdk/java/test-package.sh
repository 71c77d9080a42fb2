#!/usr/bin/env bash
# Tests the package of package.sh: the programs of host-example compile with it, it is complete, and building it again
# gives the same bytes. That the quick start runs with it is a test of tests/docs. Run setup.sh and package.sh first.
set -euo pipefail
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
new=$(mktemp -d)
repository=$HOME/.m2/repository # passed to Maven, which looks for it in the password file's home
trap 'rm -rf "$new" "$repository/example/automaticrostering"' EXIT
fail() { echo "$*" >&2; exit 1; }

rm -rf "$repository/example/automaticrostering" # of an earlier package
cp -R "$root/host-example/java" "$new/programs"
(cd "$new/programs" && mvn --batch-mode --no-transfer-progress --quiet -Dmaven.repo.local="$repository" \
	-Dpackages="$root/dist/maven" compile)

files=$root/dist/maven/example/automaticrostering/automatic-rostering/$(cat "$root/VERSION")
jar=$(basename "$files"/*[0-9].jar)
cmp "$files/$jar" "$repository"/example/automaticrostering/automatic-rostering/*/"$jar"
jar tf "$files/$jar" >"$new/entries"
for entry in META-INF/LICENSE META-INF/THIRD_PARTY_NOTICES.md META-INF/COMPILED_NOTICES.md example/automaticrostering/PluginMachine.class; do
	grep -qx "$entry" "$new/entries" || fail "the jar lacks $entry"
done
! grep -E '^(demo|example/[^a])' "$new/entries" || fail "the jar has examples"
(cd "$new" && for file in "$files"/*.sha1; do echo "$(cat "$file")  ${file%.sha1}"; done | sha1sum --quiet --check)

DIST=$new/again "$here/package.sh"
diff -r "$new/again/maven" "$root/dist/maven" || fail "package.sh now builds another package than dist has: run it again"
echo "Java: a package of $(stat -c %s "$files/$jar") bytes works"
