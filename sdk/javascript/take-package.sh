# For a test-package.sh to source, in the folder of its runtime: finds the JavaScript package of package.sh and makes an
# empty folder for a user of it.
#   root, package, folder  the paths of the repository, of the package and of the folder, which goes when the test ends
#   pinned NAME            NAME@VERSION of a tool, as the runtime's package.json pins it; read by $bun where that is set
root=$(realpath ../..)
package=$root/dist/automatic-rostering-$(cat "$root/VERSION").tgz
if [ ! -e "$package" ]; then
	"$root/tests/setup/setup.sh" node # without Node there is no package
	echo "$package is missing: run make packages first" >&2
	exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pinned() { "${bun:-node}" -p "'$1@' + require('./package.json').devDependencies['$1']"; }
