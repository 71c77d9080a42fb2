#!/usr/bin/env bash
# Makes the package: a Maven repository in dist/maven, or in $DIST/maven, with the jar, its sources and its Javadoc,
# which must build without a warning. The same files give the same bytes. Run make build (in the top folder) first.
set -euo pipefail
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
dist=${DIST:-$root/dist}
version=$(cat "$root/VERSION")
./setup.sh

grep -q "^  <version>$version</version>" pom.xml || { echo "pom.xml has another version than VERSION" >&2; exit 1; }
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# A copy: a jar has the modes of the files in it, which vary with the umask.
umask 022
copy=$stage/copy/sdk/java
mkdir -p "$copy"/{src,target} "$stage/maven"
cp "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$stage/copy"
cp pom.xml "$copy"
cp -R src/main "$copy/src"
cp -R target/classes "$copy/target"
chmod -R u=rwX,go=rX "$stage/copy"
mvn --batch-mode --no-transfer-progress --quiet -f "$copy/pom.xml" jar:jar source:jar-no-fork javadoc:jar deploy:deploy \
	-DaltDeploymentRepository="dist::file://$stage/maven"
# It has a timestamp, and nothing that the POM does not say.
rm "$stage"/maven/example/automaticrostering/automatic-rostering/maven-metadata.xml*
mkdir -p "$dist"
rm -rf "$dist/maven"
cp -R "$stage/maven" "$dist/maven"
