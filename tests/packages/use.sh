#!/bin/bash
# obinfo --use: Debian's ScaLAPACK programs (package scalapack-mpi-test) run on OpenBLACS under each launcher without
# LD_PRELOAD, and on their own BLACS again, and nothing is left behind. All of that happens in a copy of /etc and with
# an empty /var/lib, which no other process sees.
#
#   tests/packages/use.sh BUILD_DIR
set -u
if [ "${OB_USE_ALONE-}" != 1 ]; then
    [ "$(id -u)" = 0 ] || as_root="--user --map-root-user"
    # shellcheck disable=SC2086 # words
    if ! why=$(unshare ${as_root-} --mount true 2>&1); then
        echo "left out, since nothing can be mounted for these processes alone: $why" # as in a chroot
        echo "0 passed, 0 failed"
        exit 0
    fi
    # shellcheck disable=SC2086
    OB_USE_ALONE=1 exec unshare ${as_root-} --mount "$0" "$@"
fi
. "$(dirname "$0")/../../scripts/common.sh"
build=$(cd "${1:?usage: tests/packages/use.sh BUILD_DIR}" && pwd)
export OB_BUILD=$build
obinfo=$build/obinfo
work=$(mktemp -d)
trap 'umount -l /etc "$work/copy" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/copy" "$work/run" && cp "$ob_root/tests/packages/QR.dat" "$work/run"
mount --make-rprivate / && mount -t tmpfs none "$work/copy" && mkdir "$work/copy/"{etc,upper,work} &&
    mount -t overlay overlay -o "lowerdir=/etc,upperdir=$work/copy/upper,workdir=$work/copy/work" /etc &&
    mount -t tmpfs none /var/lib || { ob_fail "a copy of /etc"; ob_tally; exit 1; }

says() { # STATUS LINE COMMAND...: it ends with this status, and this is its only line
    local status=$1 line=$2
    shift 2
    "$@" >"$work/log" 2>&1 </dev/null
    # shellcheck disable=SC2053 # the line may be a pattern
    if [ $? = "$status" ] && [[ $(grep -v '^/sbin/ldconfig: File .* is empty' "$work/log") = $line ]]; then ob_pass; else ob_fail "$*" "$work/log"; fi
}

runs() { # WAY YES|NO: on OpenBLACS?
    local flavour=$1 verbose
    [ "$1" != obrun ] || flavour=openmpi
    (cd "$work/run" && ob_launch "$1" 2 120 OPENBLACS_VERBOSE=1 -- "$ob_lib_dir/scalapack/$flavour-tests/xdqr") >"$work/log" 2>&1
    verbose=$(grep -c '^OpenBLACS .*: started by .*, 2 processes' "$work/log")
    if grep -q 'END OF TESTS' "$work/log" && ! grep -q 'WALL.*FAILED' "$work/log" && grep -q 'WALL.*PASSED' "$work/log" &&
        [ "$verbose" = "$([ "$2" = yes ] && echo 1 || echo 0)" ]; then
        ob_pass
    else
        ob_fail "xdqr, $1, on OpenBLACS: $2" "$work/log"
    fi
}

ldconfig && cp /etc/ld.so.cache "$work/cache"
find /etc/ld.so.conf.d /var/lib | sort >"$work/files"

says 2 "obinfo: --use is 'netlib', must be openblacs or system \[OB-9601\]" "$obinfo" --use netlib
says 2 "obinfo: --use takes openblacs or system, alone*" "$obinfo" --use
says 2 "obinfo: --use takes openblacs or system, alone*" "$obinfo" --use system now
if [ "$(id -u nobody 2>/dev/null)" ] && setpriv --reuid nobody true 2>/dev/null; then
    cp "$obinfo" "$work/obinfo" && chmod 755 "$work"
    says 1 "obinfo: --use: this changes what programs of all users load, so it is for root: sudo obinfo --use ... \[OB-3025\]" \
        setpriv --reuid nobody --clear-groups env LD_LIBRARY_PATH="$build" "$work/obinfo" --use openblacs
fi
says 0 "" "$obinfo" --use system
for way in $ob_mpis; do runs "$way" no; done

"$obinfo" --use openblacs >"$work/log" 2>&1 && "$obinfo" --use openblacs >"$work/log" 2>&1 &&
    grep -qE "^libscalapack-openmpi\.so\.[0-9.]*: $build/libopenblacs\.so\.0, then /[^ ]*/libscalapack-openmpi\.so" "$work/log"
ob_status=$?
if [ $ob_status = 0 ]; then ob_pass; else ob_fail "obinfo --use openblacs, twice" "$work/log"; fi
if "$obinfo" | grep -q "^ScaLAPACK programs of this system run on $build/libopenblacs.so.0 (obinfo --use system" &&
    ! "$obinfo" | grep -q '^ScaLAPACK:'; then ob_pass; else ob_fail "obinfo says so"; fi
for way in $ob_mpis obrun; do runs "$way" yes; done
mkdir "$work/lib" && ln -s "$build/libopenblacs.so.0" "$work/lib" && echo "$work/lib/libopenblacs.so.0" >"$work/manifest"
cmake -DMANIFEST="$work/manifest" -P "$ob_root/cmake/uninstall.cmake" >"$work/log" 2>&1
if [ -e "$work/lib/libopenblacs.so.0" ] && grep -q 'first run: obinfo --use system' "$work/log"; then ob_pass; else ob_fail "uninstall" "$work/log"; fi

says 0 "" "$obinfo" --use system
for way in $ob_mpis; do runs "$way" no; done
if "$obinfo" | grep -q '^ScaLAPACK programs'; then ob_fail "obinfo still says so"; else ob_pass; fi
find /etc/ld.so.conf.d /var/lib | sort >"$work/log"
if cmp -s "$work/files" "$work/log" && cmp -s "$work/cache" /etc/ld.so.cache; then ob_pass; else ob_fail "something is left" "$work/log"; fi

# A copy that others may change, or not read: the library, a module, a folder above. The last copy is right.
copy=$work/prefix/lib
mkdir -p "$copy/openblacs" "$work/prefix/bin" && chmod 755 "$work" && cp "$build"/libopenblacs.so.0 "$copy" && cp "$obinfo" "$work/prefix/bin" &&
    cp "$build"/mpi-*.so "$copy/openblacs" 2>/dev/null
mine="env LD_LIBRARY_PATH=$copy $work/prefix/bin/obinfo"
for wrong in o+w,lib/libopenblacs.so.0 g+w,lib o+w,. o-x,. o-r,lib/libopenblacs.so.0 o+w,lib/openblacs; do
    name=$(realpath "$work/prefix/${wrong#*,}")
    before=$(stat -c %a "$name")
    chmod "${wrong%,*}" "$name"
    [[ $wrong = *openblacs ]] && [ -z "$(ls "$copy/openblacs")" ] ||
        says 1 "obinfo: --use: all programs would load $name: *\[OB-3025\]" $mine --use openblacs
    chmod "$before" "$name"
done
mkdir "$work/elsewhere" && ln -s "$work/elsewhere" /var/lib/openblacs
says 1 "obinfo: --use: there is something else than a folder at /var/lib/openblacs: remove it \[OB-3025\]" $mine --use openblacs
rm /var/lib/openblacs
$mine --use openblacs >"$work/log" 2>&1 && mv "$work/prefix/lib" "$work/prefix/gone" &&
    if "$obinfo" | grep -q "^ScaLAPACK programs of this system run on $copy/libopenblacs.so.0, which is missing"; then ob_pass; else ob_fail "a library that is gone" "$work/log"; fi
mv "$work/prefix/gone" "$work/prefix/lib"
# Where nothing can be removed the programs go on, and the loader's cache and the files agree.
mount --bind /var/lib /var/lib && mount -o remount,bind,ro /var/lib
"$obinfo" --use system >"$work/log" 2>&1
if ldconfig -p | grep -q /var/lib/openblacs; then ob_fail "the cache names what is taken back" "$work/log"; else ob_pass; fi
umount /var/lib
says 0 "" "$obinfo" --use system

# Where there is no ScaLAPACK, or another folder comes first.
echo /var/lib/first >/etc/ld.so.conf.d/00-first.conf
mkdir /var/lib/first && cp "$ob_lib_dir"/libscalapack-*.so.?.? /var/lib/first
sed -i '1i include /etc/ld.so.conf.d/00-first.conf' /etc/ld.so.conf
"$obinfo" --use openblacs 2>&1 >/dev/null | grep '' >"$work/log"
if [[ $(cat "$work/log") = "obinfo: --use: the loader does not take /var/lib/openblacs: another folder comes first, see"* ]] &&
    [ ! -e /etc/ld.so.conf.d/00-openblacs.conf ]; then ob_pass; else ob_fail "a folder that comes first" "$work/log"; fi
rm -r /var/lib/first
for file in "$ob_lib_dir"/libscalapack*.so.*; do mount --bind /dev/null "$file" 2>/dev/null; done
says 1 "obinfo: --use: the loader knows no libscalapack: there is nothing to change \[OB-3025\]" "$obinfo" --use openblacs
ob_tally
