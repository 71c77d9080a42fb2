#!/usr/bin/env bash
# Makes the package: a Maven repository in dist/maven, or in $DIST/maven, with the jar, its sources and its Javadoc,
# which holds without a warning. The same files give the same bytes. Run make build (in the top folder) first.
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
chmod go+rx "$stage" # it becomes dist/maven
rm -rf target/*.jar target/reports target/javadoc-bundle-options # to make them anew
mvn --batch-mode --no-transfer-progress --quiet jar:jar source:jar-no-fork javadoc:jar deploy:deploy \
	-DaltDeploymentRepository="dist::file://$stage"
# It has a time stamp, and names no version that a POM does not name itself.
rm "$stage"/example/automaticrostering/automatic-rostering/maven-metadata.xml*
mkdir -p "$dist"
rm -rf "$dist/maven"
cp -R "$stage" "$dist/maven"
