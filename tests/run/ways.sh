#!/bin/bash
# Builds everything in another way than ./check does, warnings being errors, and runs the unit tests and the
# conformance programs alone and under obrun.
#   tests/run/ways.sh WAY...   a WAY is a compiler (clang-16, gcc-11), or
#     clang      the system's: the core and BSPlib are built, and the conformance programs of $OB_BUILD run on them in
#                place of gcc's; every other file is compiled without an object, for its warnings. No unit tests: those
#                are clang-14's, which is all of Debian 12's, and in the step orders clang compiles the protocols
#     musl       musl's C library, with no MPI: musl-gcc of Debian's musl-tools
#     hardened   the options with which Debian builds packages (hardening=+all), and more of their kind
#     lto        optimised at link time by gcc; lto-clang: by clang, linked by lld. No unit tests, each of which would
#                have the whole library optimised again
#     kinds      what other kinds of processor and their systems have: cache lines of 256 bytes, pages of 64 KiB, char
#                without a sign
#     O0         not optimised; without the two warnings that need the optimiser to be right
# The folder of a build is $OB_BUILD-WAY.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
base=$OB_BUILD
fewer=(-DOPENBLACS_BENCH=OFF -DOPENBLACS_EXAMPLES=OFF)

musl_files() { # FOLDER: what its build takes from there
    mkdir -p "$1/cmocka" "$1/kernel"
    ln -sfn "$ob_root/tests/standin/cmocka.h" "$1/cmocka/cmocka.h"
    ln -sfn /usr/include/linux "$1/kernel/linux"
    ln -sfn /usr/include/asm-generic "$1/kernel/asm-generic"
    ln -sfn "/usr/include/$(gcc -print-multiarch)/asm" "$1/kernel/asm"
    printf 'Name: cmocka\nDescription: a stand-in\nVersion: 1\nCflags: -I%s -I%s\n' "$1/cmocka" "$1/kernel" >"$1/cmocka.pc"
    printf '#!/bin/sh\nPKG_CONFIG_LIBDIR=%s exec pkg-config "$@"\n' "$1" >"$1/pkg-config"
    chmod +x "$1/pkg-config"
}

options_of() { # WAY: leaves the options for CMake in `options`
    local c="-Werror" plain="-DOPENBLACS_FORTRAN=OFF" no_units="-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON"
    options=(-DCMAKE_C_COMPILER=gcc)
    case $1 in
    clang) options=(-DCMAKE_C_COMPILER=clang "$plain") ;;
    clang-* | gcc-*)
        command -v "$1" >/dev/null || "$ob_root/scripts/setup.sh" compilers
        c=$(ob_strict "$1")
        options=(-DCMAKE_C_COMPILER="$1" "$plain" "${fewer[@]}")
        ;;
    musl)
        # Debian has no cmocka for it: a header of ours stands in. And some tests, as no part of the library, need headers of
        # Linux, which Alpine has in a package.
        musl_files "$base-$1"
        options=(-DCMAKE_C_COMPILER=musl-gcc -DOPENBLACS_MPI=OFF -DOPENBLACS_OTF2=OFF "$plain" "${fewer[@]}"
            -DPKG_CONFIG_EXECUTABLE="$base-$1/pkg-config")
        ;;
    hardened)
        c="$c $(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS) -U_FORTIFY_SOURCE"
        c="$c -D_FORTIFY_SOURCE=3 -fstack-clash-protection -fcf-protection -Wdate-time"
        options+=("-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro,-z,now" "-DCMAKE_MODULE_LINKER_FLAGS=-Wl,-z,relro,-z,now"
            "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now" "${fewer[@]}")
        ;;
    lto) c="$c -O2 -flto"; options+=(-DCMAKE_AR="$(command -v gcc-ar)" -DCMAKE_RANLIB="$(command -v gcc-ranlib)" "$no_units" "${fewer[@]}") ;;
    lto-clang)
        c="$c -O2 -flto"
        options=(-DCMAKE_C_COMPILER=clang -DCMAKE_AR="$(command -v llvm-ar-14)" -DCMAKE_RANLIB="$(command -v llvm-ranlib-14)"
            -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld
            -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "$plain" "$no_units" "${fewer[@]}")
        ;;
    kinds) c="$c -funsigned-char -DOB_LINE_BYTES=256 -DOB_PAGE_BYTES=65536"; options+=("${fewer[@]}") ;;
    O0) c="$c -O0 -Wno-format-truncation -Wno-maybe-uninitialized"; options+=(-DCMAKE_BUILD_TYPE=Debug "${fewer[@]}") ;;
    *) return 1 ;;
    esac
    # Nobody debugs it.
    options+=("-DCMAKE_C_FLAGS=$c" "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG")
}

# What is built of the way `clang`, in words of CMake.
few="openblacs openblacs_bsp errors_page.c obtrace_page.c" # sources that the build makes
objects() { # TARGET...: a line for each object they need, the command that compiles it
    ninja -C "$OB_BUILD" -t commands "$@" | grep -E -e ' -o [^ ]+ -c ' | sort
}
build() { # WAY
    [ "$1" = clang ] || { nice cmake --build "$OB_BUILD" --parallel "$ob_cores"; return; }
    # shellcheck disable=SC2086 # a list of words
    nice cmake --build "$OB_BUILD" --parallel "$ob_cores" --target $few &&
        comm -13 <(objects $few) <(objects all) |
        sed -E 's/ -MD -MT [^ ]+ -MF [^ ]+//; s/ -o [^ ]+ -c / -fsyntax-only /' >"$OB_BUILD/others" &&
        [ -s "$OB_BUILD/others" ] &&
        (cd "$OB_BUILD" && nice xargs -a others -d '\n' -P "$ob_cores" -I{} sh -c '{}')
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

# The programs of $base, with this way's libraries in place of their own.
on_its_libraries() {
    local libraries=$OB_BUILD found
    found=$(LD_LIBRARY_PATH=$libraries ldd "$base/tests/bsp/bsp_dialects" | grep -cF "=> $libraries/libopenblacs")
    if [ "$found" != 2 ]; then
        ob_fail "$way: programs of $base do not take its libraries"
        return
    fi
    LD_LIBRARY_PATH=$libraries OB_BUILD=$base CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="1 3" \
        ran "$way: conformance" "$ob_root/tests/run/conformance.sh"
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
        build "$way" >"$log" 2>&1 </dev/null; then
        ob_pass
    else
        ob_fail "build: $way" "$log"
        continue
    fi
    if [ "$way" = clang ]; then on_its_libraries; continue; fi
    case $way in lto*) ;; *) ran "$way: unit tests" "$ob_root/tests/run/unit.sh" ;; esac
    CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="1 3" ran "$way: conformance" "$ob_root/tests/run/conformance.sh"
    # What is optimised as a whole must export the same names.
    [ "$way" != lto ] || ran "$way: symbols" "$ob_root/tests/symbols/run.sh" "$OB_BUILD"
done
ob_tally
