#!/bin/bash
# The Debian packages' lists (packaging/debian) against what is built here: every file that `cmake --install` puts in
# place belongs to one package, every list finds its files, and the symbols files have just what the libraries export.
# Takes seconds; packages are built by tests/packages/debian.sh.
#
#   tests/packages/files.sh BUILD_DIR [--renew]      --renew writes the symbols files
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$(cd "${1:?usage: tests/packages/files.sh BUILD_DIR [--renew]}" && pwd) renew=${2-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
version=$(sed -n '1s/^openblacs (\(.*\)-[^-]*) .*/\1/p' "$ob_root/packaging/debian/changelog")

# As the package's rules leave it: libraries below the folder of the architecture.
cp -r "$ob_root/packaging/debian" "$work/debian"
DESTDIR=$work/debian/tmp cmake --install "$build" --prefix /usr >"$work/log" 2>&1 || ob_fail "cmake --install" "$work/log"
cd "$work" || exit 1
mkdir "debian/tmp/usr/$triplet"
mv debian/tmp/usr/lib/* "debian/tmp/usr/$triplet" && mv "debian/tmp/usr/$triplet/python3" debian/tmp/usr/lib &&
    mv "debian/tmp/usr/$triplet" debian/tmp/usr/lib
# What is so only with the prefix that was configured, and what the rules take away.
rm -rf "debian/tmp/usr/lib/$triplet"/python3.*
rm debian/tmp/usr/lib/python3/dist-packages/openblacs/_installed.py

[ "$version" = "$(sed -n 's/^Version: //p' "$build/openblacs.pc")" ] && ob_pass || ob_fail "packaging/debian/changelog is of another version"

if dh_install >"$work/log" 2>&1 && dh_missing --fail-missing 2>&1 | grep -E '^dh_missing: (warning|error)' >"$work/log"; [ ! -s "$work/log" ]; then
    ob_pass
else
    ob_fail "packaging/debian/*.install and what cmake --install puts in place" "$work/log"
fi
# A file in two packages makes them refuse each other.
find debian -mindepth 2 -path 'debian/*/usr/*' -not -path 'debian/tmp/*' -not -type d | cut -d/ -f3- | sort | uniq -d >"$work/log"
if [ -s "$work/log" ]; then ob_fail "files in two packages" "$work/log"; else ob_pass; fi

for list in debian/*.symbols; do
    package=$(basename "$list" .symbols)
    library=$(find "debian/$package" -name "lib*.so.$version")
    if [ "$renew" = --renew ]; then
        # From the old list: a symbol keeps the version in which it came. What is gone is left out.
        dpkg-gensymbols -p"$package" -v"$version" -e"$library" -O"$work/new" >/dev/null 2>&1
        sed -i '/^#MISSING/d' "$work/new"
        grep -q '^\* Build-Depends-Package' "$work/new" || sed -i '1a* Build-Depends-Package: libopenblacs-dev' "$work/new"
        cp "$work/new" "$ob_root/packaging/debian/$package.symbols"
        rm "$work/new"
    elif dpkg-gensymbols -c4 -p"$package" -v"$version" -e"$library" -O"$work/new.$package" >"$work/log" 2>&1; then
        ob_pass
    else
        ob_fail "packaging/debian/$package.symbols; if that is as meant: tests/packages/files.sh $build --renew" "$work/log"
    fi
done
ob_tally
