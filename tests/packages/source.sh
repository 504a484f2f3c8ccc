# shellcheck shell=bash
# shellcheck disable=SC2154 # ob_root is of scripts/common.sh
# The Debian source package, for tests (to be sourced by bash, after scripts/common.sh).

# ob_debian_source FOLDER: makes it of this tree, as it is now, in an empty folder; prints the unpacked tree's name.
ob_debian_source() {
    local version name
    version=$(sed -n '1s/^openblacs (\(.*\)-[^-]*) .*/\1/p' "$ob_root/packaging/debian/changelog")
    name=openblacs-$version
    mkdir -p "$1/$name" && (cd "$ob_root" && tar -c --exclude='./build*' --exclude=./.git --exclude=./packaging/debian \
        --exclude=__pycache__ --exclude='*.egg-info' .) | tar -x -C "$1/$name" &&
        tar -czf "$1/openblacs_$version.orig.tar.gz" -C "$1" "$name" &&
        cp -r "$ob_root/packaging/debian" "$1/$name/debian" && echo "$name"
}
