"""Where bugs are planted, how many, and which tests are run against them, the nearest first."""
import collections

# command: @tree and @build stand for the copy and its build. passed: what the output of a good run holds.
# tells: it says by itself that it hangs. folder, configure: a build of its own within the build.
Test = collections.namedtuple("Test", "targets command settings passed tells folder configure",
                              defaults=({}, "", False, ".", None))
Room = collections.namedtuple("Room", "count files tests")

TALLY = r"^[1-9]\d* passed, 0 failed$"
# A job that hangs says so.
CHECKED = {"OPENBLACS_CHECK": "2", "OPENBLACS_CHECK_SECONDS": "2"}


def program(path, processes=5, *words, **settings):
    """A program of tests/ under obrun."""
    return Test([f"openblacs_test_{path.split('/')[-1]}", "openblacs_obrun"],
                ["@build/obrun", "-n", str(processes), f"@build/tests/{path}", *words],
                {**CHECKED, **settings}, TALLY, True)


def limited(test):
    """With so many KiB of its own at most for each process."""
    return test._replace(command=["bash", "-c", 'ulimit -d 200000; exec "$@"', "limited", *test.command])


def orders(model):
    """The models of tests/orders whose names begin so."""
    return Test(["orders"], ["@build/orders/orders", model], {}, TALLY, True, "orders",
                ["cmake", "-G", "Ninja", "-S", "@tree/tests/orders", "-B", "@build/orders", "-DCMAKE_C_COMPILER=clang",
                 "-DCMAKE_C_FLAGS=-w"])


# Leaks, and bytes beside an array.
SANITIZED = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99"}


def sanitized(test):
    """A unit test, or a program under obrun, in a build with sanitizers."""
    return test._replace(command=[word.replace("@build", "@build/sanitized") for word in test.command],
                         settings={**test.settings, **SANITIZED}, folder="sanitized",
                         configure=["cmake", "-G", "Ninja", "-S", "@tree", "-B", "@build/sanitized",
                                    "-DOPENBLACS_SANITIZE=address,undefined", "-DCMAKE_C_COMPILER=gcc",
                                    "-DCMAKE_C_FLAGS=-w -O1 -g -fno-sanitize-recover=all", "-DCMAKE_BUILD_TYPE=Plain",
                                    "-DOPENBLACS_FORTRAN=OFF", "-DOPENBLACS_BENCH=OFF", "-DOPENBLACS_EXAMPLES=OFF"])


def under_mpi(path, processes, *settings, more=(), words=()):
    """A program in a job of Open MPI's."""
    script = '. @tree/scripts/common.sh && n=$0 && ob_launch openmpi "$n" 600 "$@"'
    return Test([f"openblacs_test_{path.split('/')[-1]}", "openblacs_mpi_openmpi", *more],
                ["bash", "-c", script, str(processes), "OPENBLACS_CHECK=2", "OPENBLACS_CHECK_SECONDS=2", *settings,
                 "--", f"@build/tests/{path}", *words], {}, TALLY, True)


def over_mpi(path, processes, *settings, **more):
    """The same, with every message through MPI."""
    return under_mpi(path, processes, "OPENBLACS_TRANSPORT=mpi", *settings, **more)


def replaced(processes, *settings, words=("replaced",)):
    """MPI's calls that do not wait, in the replacement library."""
    return under_mpi("icc/icc_mpi_begun_openmpi", processes, "LD_PRELOAD=@build/libicc-mpi-openmpi.so",
                     "OPENBLACS_ICC_MPI=all", *settings,
                     more=["openblacs_icc_mpi_openmpi"], words=words)


NATIVE = "OPENBLACS_PLAN=broadcast=native,combine=native,combine-all=native"


UNITS = """agree background begin begin_wrong board broadcast broken carried check choose claimed claimed_wrong combine direct exact fence form gather group heap kernel lent link
link_full lines lists lock message near no_memory offer operators pattern pieces private request request_end request_stress route
schedule scheme scheme_windows shm sleep spare step straight superstep table tiers together_ends traffic trial unlike unread view wait""".split()
TESTS = {f"{name}_test": Test([f"openblacs_test_{name}_test"], [f"@build/tests/{name}_test"], {}, r"\[  PASSED  \]")
         for name in UNITS}
TESTS |= {f"orders {model}": orders(model)
          for model in "ring area block sleep offer later parking threads lock matching courses claims".split()}
TESTS |= {f"orders board {few}": orders(f"board: {few}") for few in ("a broadcast", "all", "sleep", "broken")}
TESTS |= {
    "collective": program("core_collective"),
    "apart": program("core_apart"),
    "collective of two": program("core_collective", 2),
    "collective over MPI": over_mpi("core_collective", 4),
    "combine over MPI": over_mpi("blacs_combine", 4),
    "native calls": over_mpi("core_collective", 4, NATIVE),
    **{f"native calls, {word}": over_mpi("mpi/mpi_native_openmpi", processes, words=[word])._replace(passed="passed$")
       for word, processes in {"used": 3, "pieces": 3, "unlike": 3, "answers": 3, "kept": 2, "serialized": 3}.items()},
    "together": program("core_together"),
    "together of two": program("core_together", 2),
    "together, grids": program("blacs_together"),
    "two lists": program("core_collective", 4, OPENBLACS_LISTS="2"),
    "many grids": program("blacs_many_grids", 4, OPENBLACS_LISTS="2"),
    "begun": replaced(3),
    "begun of two": replaced(2),
    "begun of five": replaced(5),
    "begun, met": replaced(2, "OPENBLACS_VERBOSE=1", words=())._replace(
        passed=r"^OpenBLACS:   MPI_Iallreduce +[1-9][0-9]* +0( |$)"),
    "begun, passed": replaced(2, "OPENBLACS_TRANSPORT=mpi", "OPENBLACS_VERBOSE=1", words=())._replace(
        passed=r"^OpenBLACS:   MPI_Igatherv +0 +[1-9][0-9]*  members on several nodes [1-9][0-9]*$"),
    "conform": program("core_conform"),
    "conform one copy": program("core_conform", 2, OPENBLACS_ONE_COPY="1"),
    "stress": program("core_stress"),
    "point": program("blacs_point"),
    "point one copy": program("blacs_point", 2, OPENBLACS_ONE_COPY="1"),
    "combine": program("blacs_combine"),
    "broadcast": program("blacs_broadcast"),
    "barrier": program("blacs_barrier"),
    "extensions": program("blacs_extensions"),
    "reproducible": program("blacs_reproducible"),
    "threads": program("blacs_threads"),
    "registers": program("bsp/bsp_registers"),
    # Tables that grow without end are refused memory, which says so before it takes long.
    "registers in 200 MB": limited(program("bsp/bsp_registers")),
    "dialects": program("bsp/bsp_dialects"),
    "dialects traced": program("bsp/bsp_dialects", OPENBLACS_TRACE="trace"),
    "bsp grids": program("bsp/bsp_grids"),
    "words": program("bsp/bsp_words"),
    "rules": program("bsp/bsp_rules"),
    "overlap": program("core_overlap"),
    "overlap of two": program("core_overlap", 2),
    "overlap over MPI": over_mpi("core_overlap", 5),
    "begun grids": program("blacs_begun", 4),
    "redistribution": program("redist/redist_moves", 4),
    "redistribution in rounds": program("redist/redist_moves_short", 3),
    "redistribution over MPI": over_mpi("redist/redist_moves_short", 4),
    "cholesky": program("lu/lu_cholesky", 6),
    "lapack": program("lu/lu_lapack", 6),
    "lapack 4": program("lu/lu_lapack", 4),
    "pieces": program("lu/lu_pieces", 4),
    "ScaLAPACK's names": program("lu/lu_factor_openmpi", 4),
    "PBLAS' names": program("lu/lu_product_openmpi", 4),
    "Q times a matrix": program("lu/lu_transform_openmpi", 4),
    "tridiagonal matrices": program("lu/lu_tridiagonal_openmpi", 4),
    "secular equations": program("lu/lu_secular_openmpi", 4),
    "bidiagonal matrices": program("lu/lu_bidiagonal_openmpi", 4),
    "singular values": program("lu/lu_singular_openmpi", 4),
    "mlacs point": program("mlacs/mlacs_point", 3),
    "mlacs modes": program("mlacs/mlacs_modes", 3),
    "mlacs background": program("mlacs/mlacs_modes", 3, OPENBLACS_BACKGROUND="1"),
    "icc combine": program("icc/icc_combine"),
    "icc move": program("icc/icc_move"),
}


def step(script, programs, more=(), **settings):
    """A script of ./check, without what it does under MPI."""
    return Test([*(f"openblacs_test_{name}" for name in programs), "openblacs_obrun", *more],
                [f"@tree/tests/{script.split()[0]}", *script.split()[1:]], settings, TALLY)


# Each receive has its send, and each call its name, in the trace of a program that sends, combines and posts.
TESTS["traced"] = Test(
    ["openblacs_test_trace_talk", "openblacs_test_trace_examine", "openblacs_obrun"],
    ["bash", "-c", "OPENBLACS_TRACE=$TMPDIR/t @build/obrun -n 3 @build/tests/trace_talk long && @build/tests/trace_examine $TMPDIR/t"],
    CHECKED, r"^sends (\d+)\nreceives \1\nmatched \1\n(?s:.*)^0 calls ob_send 2 bytes 8$(?s:.*)^2 calls ob_wait 6 bytes 12$", True)
TESTS["ahead, traced"] = Test(
    ["openblacs_test_lu_lapack", "openblacs_test_trace_examine", "openblacs_obrun"],
    ["bash", "-c", "OPENBLACS_TRACE=$TMPDIR/t @build/obrun -n 6 @build/tests/lu/lu_lapack ahead && "
     "@build/tests/trace_examine $TMPDIR/t | grep -cE '^[0-5] calls (ob_ibroadcast|ob_wait) 8 bytes'"],
    CHECKED, "^12$", True)
TESTS["bsp step"] = step("run/bsp.sh library", [f"bsp_{name}" for name in (
    "bad_grids bad_input dialects grids level1 registers rules starts words".split())])
TESTS["lu step"] = step("run/lu.sh", ["lu_lapack", "lu_cholesky", "lu_qr", "lu_least", "lu_pieces", "lu_ilp64", "lu_factor_openmpi", "lu_product_openmpi", "lu_transform_openmpi", "lu_tridiagonal_openmpi", "lu_bidiagonal_openmpi", "lu_secular_openmpi", "lu_singular_openmpi"], ["openblacs_example_lu_solve",
                             "openblacs_example_cholesky_solve", "openblacs_example_least_squares", "openblacs_test_trace_examine"], LU_WAYS="self obrun")
TESTS["redist step"] = step("run/redist.sh", [f"redist_{name}" for name in "moves moves_short wrong large".split()],
                            ["openblacs_example_new_grid"], REDIST_WAYS="self obrun")
TESTS["trace step"] = step("trace/run.sh", ["trace_talk", "trace_faces", "trace_examine", "trace_origins", "trace_naps", "core_descriptors"],
                           ["openblacs_obtrace", "openblacs_mpi_openmpi", "openblacs_mpi_mpich"])
TESTS |= {f"sanitized {name}": sanitized(test) for name, test in TESTS.items()
          if test.folder == "." and not name.endswith((" step", " MB", " MPI", "lines_test")) and name not in ("traced", "ahead, traced")}

MESSAGES = ["mlacs modes", "point", "stress", "mlacs point"]
CALLS = ["collective", "combine", "broadcast", "reproducible", "extensions"]


def room(count, files, tests, with_sanitizers=()):
    return Room(count, files, [*tests, *(f"sanitized {name}" for name in with_sanitizers)])


ROOMS = {
    # A bug belongs to the first room that has its file.
    "put together": room(9, ["src/message/together*.c", "src/message/bundle.c", "src/collective/together.c"], [
        "together_ends_test", "together of two", "together", "together, grids"], ["together_ends_test", "together"]),
    "native calls": room(6, ["src/collective/scheme/native.c"], [
        "native calls, unlike", "native calls, used", "native calls, pieces", "native calls, answers", "native calls, kept",
        "native calls, serialized", "native calls"]),
    "LU ahead": room(4, ["lu/ahead.c"], ["ahead, traced", "lapack 4", "lapack", "pieces", "lu step"], ["lapack 4"]),
    "Cholesky ahead": room(3, ["lu/cholesky_ahead.c"], ["cholesky", "lu step"], ["cholesky"]),
    "calls begun": room(5, ["src/collective/begin.c", "src/collective/overlap/*.[ch]"], [
        "begin_test", "begin_wrong_test", "claimed_test", "claimed_wrong_test", "orders claims", "overlap of two", "overlap", "begun grids", "overlap over MPI"], ["begin_test", "overlap"]),
    "BLACS begun": room(3, ["interfaces/blacs/begun.c"], ["begun grids", "point"], ["begun grids"]),
    "redistribution": room(4, ["redist/*.c"], [
        "redistribution in rounds", "redistribution", "redistribution over MPI", "redist step"], ["redistribution"]),
    "messages, matching": room(32, ["src/message/*.c"], [
        "table_test", "request_test", "request_end_test", "message_test", "background_test", "orders later",
        "orders parking", "orders matching", "orders courses", "begin_test", "unlike_test", *MESSAGES, "mlacs background", "collective", "request_stress_test", "threads", "conform",
        "traced"], [
        "table_test", "request_test", "request_end_test", "message_test", "background_test", "point", "stress"]),
    "shared memory": room(26, ["src/transport/channel/*.[ch]", "src/node/wait.c", "src/node/heap.c",
                               "src/node/segment.c", "src/node/near.c", "src/node/fence.[ch]"], [
        "orders ring", "orders area", "orders sleep", "orders threads", "offer_test", "wait_test", "sleep_test",
        "fence_test", "shm_test", "link_full_test", *MESSAGES, "straight_test", "link_test", "orders offer", "message_test", "point one copy",
        "collective", "heap_test", "near_test", "tiers_test", "conform one copy"], [
        "wait_test", "sleep_test", "shm_test", "link_full_test", "straight_test", "heap_test", "stress"]),
    "all-to-all": room(8, ["src/collective/board/exchange_board.c", "src/collective/all_to_all.c"], [
        "direct_test", "no_memory_test", "broken_test", "apart", "icc move", "collective"], ["direct_test", "apart"]),
    "board, fence": room(24, ["src/collective/board/*.[ch]"], [
        "fence_test", "board_test", "broken_test", "orders board a broadcast", "orders board all", "orders board sleep", "orders board broken", *CALLS,
        "barrier", "traced", "pieces_test", "direct_test", "private_test", "broadcast_test", "combine_test", "unread_test", "step_test", "gather_test", "icc move"], [
        "board_test", "direct_test", "gather_test", "private_test", "pieces_test", "collective", "combine"]),
    "exchange": room(8, ["src/superstep/*.c"], [
        "superstep_test", "registers", "dialects", "bsp grids", "words", "rules", "dialects traced"], [
        "superstep_test", "dialects", "dialects traced"]),
    "pack kernels": room(14, ["src/core/view.c", "src/collective/data/*.c", "src/kernel/*.c"], [
        "view_test", "kernel_test", "operators_test", "exact_test", "pieces_test", "point", *CALLS,
        "collective of two", "conform"], [
        "view_test", "kernel_test", "exact_test", "collective"]),
    "topologies": room(9, ["src/collective/topology/*.c"], [
        "route_test", *CALLS, "barrier", "pattern_test", "broadcast_test", "combine_test",
        "combine over MPI"], [
        "pattern_test", "combine"]),
    "schemes": room(13, ["src/collective/scheme/*.c"], [
        "form_test", "pieces_test", "schedule_test", "icc move", "icc combine", *CALLS, "choose_test", "scheme_test",
        "scheme_windows_test", "collective over MPI"], [
        "schedule_test", "pieces_test", "icc move", "icc combine"]),
    "ScaLAPACK's names": room(3, ["interfaces/factor/*.c", "lu/offer.c"], ["ScaLAPACK's names", "PBLAS' names", "Q times a matrix", "tridiagonal matrices", "bidiagonal matrices", "secular equations", "singular values"], ["ScaLAPACK's names"]),
    "products": room(3, ["lu/multiply.c", "lu/product.c", "lu/transform.c", "lu/tridiagonal.c", "lu/bidiagonal.c", "lu/vectors.c", "lu/secular.c", "lu/singular.c"], ["PBLAS' names", "Q times a matrix", "tridiagonal matrices", "bidiagonal matrices", "secular equations", "singular values"], ["PBLAS' names", "Q times a matrix", "tridiagonal matrices", "bidiagonal matrices", "secular equations", "singular values"]),
    "LU": room(9, ["lu/*.c"], ["pieces", "lapack 4", "lapack", "lu step"], ["pieces", "lapack 4"]),
    "BSP registry": room(7, ["interfaces/bsp/registry.c"], [
        "registers in 200 MB", "dialects", "words", "bsp grids", "rules", "bsp step"], ["registers", "dialects"]),
    "trace writer": room(8, ["src/trace/write.c", "src/trace/record.c", "src/trace/chunk.c", "src/trace/file.c"],
                         ["traced", "trace step"]),
    "lists": room(5, ["src/group/contexts.c"], ["lists_test", "group_test", "two lists", "many grids"], [
        "lists_test", "two lists"]),
    "begun under MPI": room(7, ["interfaces/mpi/begun.c"], ["begun of two", "begun", "begun of five", "begun, met", "begun, passed"]),
    "fences of the system": room(0, ["src/core/port_linux.c"], ["fence_test", "board_test"]),
    "locks": room(0, ["src/core/lock.h"], ["orders lock", "lock_test", "request_stress_test", "threads", "board_test"]),
}
