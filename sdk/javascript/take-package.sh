# Sourced by the test-package.sh of a runtime, in its folder: finds the package of package.sh, and creates an empty folder for
# its user.
#   sdk, root, package, folder  paths: sdk/javascript, the repository, the package, and the folder, which is removed at the end
#   pinned NAME                 prints NAME@VERSION of a tool, as the package.json of the library pins it
sdk=$(realpath ../..)
root=$(realpath "$sdk/../..")
package=$root/dist/automatic-rostering-$(cat "$root/VERSION").tgz
if [ ! -e "$package" ]; then
	echo "$package is missing: run make packages first" >&2
	exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pinned() { node -p "'$1@' + require('$sdk/package.json').devDependencies['$1']"; }
