#!/bin/bash
# No room of the house includes what it may not (docs/architecture.md, "Rooms").
# Reads every C source of the tree, compares each #include with the table
# below, then plants violations in a copy of the tree and makes sure that each
# of them is found.
#
#   tests/layers/run.sh [SOURCE_DIR]
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

# What a room may include beyond its own folder and the system's headers. The
# first row whose file pattern fits decides. Patterns are the shell's.
#   files | headers
core='openblacs/core.h openblacs/profile.h hooks/job.h hooks/system.h hooks/profile.h core/*'
below="$core transport/transport.h"
rules="
*_test.[ch]                  | openblacs/* hooks/* core/* message/* transport/* collective/* launch/* trace/* tests/*
src/core/job.h               | $below
src/core/job.c               | $below check/check.h collective/plans.h transport/self.h transport/shm/* transport/mpi/mpi_job.h message/message.h message/background.h trace/trace.h
src/core/group.c             | $core check/check.h transport/mpi/mpi_job.h message/message.h message/board.h trace/trace.h
src/core/*                   | $core
src/transport/transport.h    | core/view.h
src/transport/self.*         | $below transport/self.h
src/transport/shm/*          | $below transport/shm/*
src/transport/mpi/*          | $below transport/mpi/* transport/shm/shm.h transport/shm/segment.h trace/trace.h
src/message/wait.c           | $below check/check.h message/* transport/shm/* transport/mpi/mpi_job.h
src/message/stall.c          | $below check/check.h message/* transport/shm/shm.h
src/message/leftover.c       | $below hooks/check.h message/*
src/message/wait_sim.c       | $below message/* transport/mpi/mpi_sim.h transport/mpi/mpi_job.h
src/message/*                | $below message/* trace/trace.h
src/collective/pattern/*     | openblacs/core.h collective/pattern/*
src/collective/shape/*       | collective/shape/*
src/collective/*             | $core hooks/collective.h hooks/model.h hooks/planner.h hooks/superstep.h message/message.h message/request.h message/board.h collective/* trace/trace.h
src/trace/*                  | $core openblacs/trace.h hooks/trace.h trace/*
src/check/*                  | $below hooks/check.h trace/trace.h check/*
src/launch/*                 | openblacs/launch.h $core transport/shm/segment.h trace/trace.h launch/*
interfaces/*                 | openblacs/* hooks/*
lu/*                         | openblacs/* lu.h state.h
tools/*                      | openblacs/* hooks/*
include/hooks/*              | openblacs/* hooks/*
include/*                    | openblacs/*
examples/*                   | openblacs/* bsp.h bsp2d.h
bench/obbench_mpi.c          | obbench/face.h
bench/*                      | openblacs/* hooks/* bsp.h bsp2d.h bench/*
"
# Why the rows that look like exceptions stand there:
#   job.h    a peer names the transport that reaches it, so the job knows what a
#            transport is, but none in particular.
#   job.c    starting a job is choosing its transports; one file must know them
#            all, and closing a peer drops what it has not delivered. And whether
#            OPENBLACS_PLAN can be read is said at the start, by who knows its words.
#   trace.h  who sends, receives, combines, makes a group or reads a clock says so to the recorder.
#   group.c  members of an MPI job that meet for the first time exchange their
#            memories; a group that ends drops what has arrived for it.
#   mpi/     processes of one node talk through shared memory, so a meeting
#            attaches segments; how a channel works is not its business.
#   wait.c   who waits sleeps on the bell of the shared memory, and gives the MPI
#            library its turn; matching itself knows no transport.
#   stall.c  who waits for long says so in its segment.
#   check/   waits are put down where they happen: wait.c; in group.c, where MPI waits.
#   hooks/   what our own libraries and tools ask of the library beside the public headers. They
#            are not installed: no public header includes one, nor does an example.
#   launch/  the launcher makes the shared memory its processes inherit, and prints the
#            statistics that nobody of them was left to print.

# Where mpi.h may be included.
mpi_files='src/transport/mpi/* interfaces/mpi/* include/openblacs/mlacs_mpi.h tests/* bench/* examples/*'

fits() # WORD PATTERN...: does the word fit one of the patterns?
{
    local word=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053
        [[ $word == $pattern ]] && return 0
    done
    return 1
}

allowed_for() # FILE: the header patterns of its row
{
    local pattern headers
    while IFS='|' read -r pattern headers; do
        read -r pattern <<< "$pattern"
        [ -n "$pattern" ] || continue
        # shellcheck disable=SC2053
        if [[ $1 == $pattern ]]; then
            echo "$headers"
            return 0
        fi
    done <<< "$rules"
    return 1
}

check_include() # TREE FILE HEADER QUOTED: prints a line when it is forbidden
{
    local tree=$1 file=$2 header=$3 quoted=$4 headers
    if [ "$header" = mpi.h ]; then
        fits "$file" $mpi_files || echo "$file includes mpi.h"
        return
    fi
    [ "$quoted" = 1 ] || [ -e "$tree/src/$header" ] || [ -e "$tree/include/$header" ] || return
    case $header in
    *..*) echo "$file includes $header: name it from src/ or include/" && return ;;
    */*) ;;
    *) [ -e "$tree/$(dirname "$file")/$header" ] && return ;;
    esac
    headers=$(allowed_for "$file") || { echo "$file lies in no room of the table"; return; }
    fits "$header" $headers || echo "$file includes $header"
}

violations() # TREE [FILE]: one line for each forbidden include, of this file alone
{
    local tree=$1 where=${2:-src include interfaces tools bench examples lu} file line
    cd "$tree" || return
    set -f
    # tests/ may see everything and are not looked at.
    # shellcheck disable=SC2086 # a list of folders
    grep -rnHE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' \
        $where 2>/dev/null |
    while IFS= read -r line; do
        file=${line%%:*}
        if [[ $line =~ \"([^\"]+)\" ]]; then
            check_include "$tree" "$file" "${BASH_REMATCH[1]}" 1
        elif [[ $line =~ \<([^\>]+)\> ]]; then
            check_include "$tree" "$file" "${BASH_REMATCH[1]}" 0
        fi
    done
}

passed=0 failed=0
report() # STATUS NAME
{
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "PASS $2"
    else failed=$((failed + 1)); echo "FAIL $2"; fi
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for dir in src include interfaces tools bench examples lu; do
    [ -d "$root/$dir" ] && cp -r "$root/$dir" "$copy/"
done
found=$(violations "$copy")
[ -n "$found" ] && printf '%s\n' "$found" | sed 's/^/  /'
[ -z "$found" ]; report $? "every include of the tree is allowed"

planted() # FILE INCLUDE: a file with this include must be found out
{
    mkdir -p "$copy/$(dirname "$1")"
    printf '#include %s\n' "$2" > "$copy/$1"
    violations "$copy" "$1" | grep -q "^$1 "
    report $? "found: $1 with #include $2"
    rm -f "$copy/$1"
}
for header in core/job.h message/message.h transport/transport.h transport/shm/segment.h \
              transport/shm/channel.h; do
    mkdir -p "$copy/src/$(dirname $header)"
    [ -e "$copy/src/$header" ] || : > "$copy/src/$header"
done
planted interfaces/blacs/planted.c '"core/job.h"'
planted interfaces/icc/planted.c '"core/job.h"'
planted interfaces/icc/planted.c '<mpi.h>'
planted interfaces/mpi/planted.c '"transport/mpi/module.h"'
planted interfaces/bsp/planted.c '"core/job.h"'
planted interfaces/picl/planted.c '"core/job.h"'
planted lu/planted.c '"core/job.h"'
planted interfaces/mlacs/planted.c '"core/job.h"'
planted interfaces/mlacs/planted.c '<mpi.h>'
planted interfaces/blacs/planted.c '<core/job.h>'
planted interfaces/blacs/planted.c '"../../src/core/job.h"'
planted tools/planted.c '"transport/shm/segment.h"'
planted src/core/planted.c '"transport/shm/segment.h"'
planted src/core/planted.c '<mpi.h>'
planted src/message/planted.c '"transport/shm/segment.h"'
planted src/message/planted.c '  <mpi.h>'
planted src/collective/planted.c '"transport/transport.h"'
planted src/collective/algorithm/planted.c '"transport/shm/segment.h"'
planted src/transport/shm/planted.c '"message/message.h"'
planted src/transport/mpi/planted.c '"transport/shm/channel.h"'
planted include/openblacs/planted.h '"core/job.h"'
planted include/openblacs/planted.h '<mpi.h>'
planted include/openblacs/planted.h '"hooks/check.h"'
planted include/planted.h '"hooks/check.h"'
planted include/hooks/planted.h '"core/job.h"'
planted examples/planted.c '"hooks/superstep.h"'
planted lu/planted.c '"hooks/superstep.h"'
planted src/nowhere/planted.c '"core/job.h"'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
