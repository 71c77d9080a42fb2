# For a runtime's test-package.sh to source, in its folder: finds the package of package.sh and makes an empty folder for a
# user of it.
#   sdk, root, package, folder  paths: sdk/javascript, the repository, the package, and the folder, removed at the end
#   pinned NAME                 NAME@VERSION of a tool, as the package.json of the library pins it
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
