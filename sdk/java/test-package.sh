#!/usr/bin/env bash
# Uses the package of package.sh as its users do, outside of the repository. Run setup.sh and package.sh
# first, and make build/sandbox in the top folder.
set -euo pipefail
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
new=$(mktemp -d)
repository=$HOME/.m2/repository # named to Maven, which looks for it in the password file's home
trap 'rm -rf "$new" "$repository/example/automaticrostering"' EXIT
fail() { echo "$*" >&2; exit 1; }

# What an earlier run took must not count.
rm -rf "$repository/example/automaticrostering"
cp -R "$root/host-example/java" "$new/program"
cd "$new/program"
mvn --batch-mode --no-transfer-progress --quiet -Dmaven.repo.local="$repository" -Dpackages="$root/dist/maven" \
	compile dependency:build-classpath -Dmdep.outputFile=classpath
classpath=target/classes:$(tr : '\n' <classpath | grep -v jedis | paste -sd :) # Jobs does without
case $classpath in *"$here"*) fail "the class path leads into the repository: $classpath" ;; esac
"$root/build/sandbox" java -cp "$classpath" demo.Jobs >shown || fail "the program failed"
grep -q '"jobs":\[{"id":"sandbox-job-1"' shown || { cat shown; fail "the program listed no jobs"; }

# The library is the package's, and needs no optional dependency.
files=$root/dist/maven/example/automaticrostering/automatic-rostering/$(cat "$root/VERSION")
jar=$(basename "$files"/*[0-9].jar)
cmp "$files/$jar" "$repository"/example/automaticrostering/automatic-rostering/*/"$jar"
jar tf "$files/$jar" >entries
for entry in META-INF/LICENSE META-INF/THIRD_PARTY_NOTICES.md example/automaticrostering/rostering-nowasi.wasm; do
	grep -qx "$entry" entries || fail "the jar lacks $entry"
done
! grep -E '^(demo|example/[^a])' entries || fail "the jar has examples"
(cd "$new" && for file in "$files"/*.sha1; do echo "$(cat "$file")  ${file%.sha1}"; done | sha1sum --quiet --check)

DIST=$new/again "$here/package.sh"
diff -r "$new/again/maven" "$root/dist/maven" || fail "the package is another one now"
echo "Java: a package of $(stat -c %s "$files/$jar") bytes works"
