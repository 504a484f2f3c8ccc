#!/bin/bash
# Builds everything in another way than ./check does, warnings being errors, and runs the unit tests and the
# conformance programs alone and under obrun.
#   tests/run/ways.sh WAY...   a WAY is a compiler (clang, clang-16, gcc-11), or
#     musl       musl's C library, with no MPI: musl-gcc of Debian's musl-tools
#     hardened   the options with which Debian builds packages (hardening=+all), and more of their kind
#     lto        optimised at link time by gcc; lto-clang: by clang, linked by lld
#     O0         not optimised
# The folder of a build is $OB_BUILD-WAY.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
base=$OB_BUILD
fewer=(-DOPENBLACS_BENCH=OFF -DOPENBLACS_EXAMPLES=OFF)

options_of() { # WAY: leaves the options for CMake in `options`
    local c="-Werror" plain="-DOPENBLACS_FORTRAN=OFF"
    options=(-DCMAKE_C_COMPILER=gcc)
    case $1 in
    clang) options=(-DCMAKE_C_COMPILER=clang "$plain") ;;
    clang-* | gcc-*) options=(-DCMAKE_C_COMPILER="$1" "$plain" "${fewer[@]}") ;;
    musl)
        # cmocka is one of the host's C library: our own few lines stand in for it.
        options=(-DCMAKE_C_COMPILER=musl-gcc -DOPENBLACS_MPI=OFF -DOPENBLACS_OTF2=OFF "$plain" "${fewer[@]}")
        ;;
    hardened)
        c="$c $(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS) -U_FORTIFY_SOURCE"
        c="$c -D_FORTIFY_SOURCE=3 -fstack-clash-protection -fcf-protection -Wdate-time"
        options+=("-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro,-z,now" "-DCMAKE_MODULE_LINKER_FLAGS=-Wl,-z,relro,-z,now"
            "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now" "${fewer[@]}")
        ;;
    lto) c="$c -O2 -flto=auto"; options+=(-DCMAKE_AR="$(command -v gcc-ar)" -DCMAKE_RANLIB="$(command -v gcc-ranlib)" "${fewer[@]}") ;;
    lto-clang)
        c="$c -O2 -flto"
        options=(-DCMAKE_C_COMPILER=clang -DCMAKE_AR="$(command -v llvm-ar-14)" -DCMAKE_RANLIB="$(command -v llvm-ranlib-14)"
            -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld
            -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "$plain" "${fewer[@]}")
        ;;
    O0) c="$c -O0"; options+=(-DCMAKE_BUILD_TYPE=Debug "${fewer[@]}") ;;
    *) return 1 ;;
    esac
    options+=("-DCMAKE_C_FLAGS=$c")
}

ran() { # NAME COMMAND...: adds up what a script of tests says in its last line
    local name=$1
    shift
    "$@" >"$log" 2>&1
    sed '$d' "$log" | grep -vE '^(PASS|SKIP) '
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        ob_passed=$((ob_passed + BASH_REMATCH[1]))
        ob_failed=$((ob_failed + BASH_REMATCH[2]))
    else
        ob_fail "$name: did not come to its end" "$log"
    fi
}

for way; do
    if ! options_of "$way"; then
        ob_fail "no way to build is called '$way'"
        continue
    fi
    export OB_BUILD=$base-$way
    log=$OB_BUILD/log
    mkdir -p "$OB_BUILD"
    ob_renew "$OB_BUILD" Ninja
    if cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" "${options[@]}" >"$log" 2>&1 </dev/null &&
        nice cmake --build "$OB_BUILD" --parallel "$ob_cores" >"$log" 2>&1 </dev/null; then
        ob_pass
    else
        ob_fail "build: $way" "$log"
        continue
    fi
    ran "$way: unit tests" "$ob_root/tests/run/unit.sh"
    CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="1 3" ran "$way: conformance" "$ob_root/tests/run/conformance.sh"
    # What is optimised as a whole must export the same names.
    case $way in lto*) ran "$way: symbols" "$ob_root/tests/symbols/run.sh" "$OB_BUILD" ;; esac
done
ob_tally
