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
    return test._replace(command=["bash", "-c", 'ulimit -d 1000000; exec "$@"', "limited", *test.command])


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


def over_mpi(path, processes):
    """The same, with every message through MPI."""
    script = (". @tree/scripts/common.sh && ob_launch openmpi $0 600 OPENBLACS_TRANSPORT=mpi "
              "OPENBLACS_CHECK=2 OPENBLACS_CHECK_SECONDS=2 -- $1")
    return Test([f"openblacs_test_{path}", "openblacs_mpi_openmpi"],
                ["bash", "-c", script, str(processes), f"@build/tests/{path}"], {}, TALLY, True)


UNITS = """agree background board broadcast check choose combine direct exact fence form group heap kernel link
link_full lines message near offer operators pattern pieces request request_end request_stress route schedule scheme
shm spare straight superstep table tiers traffic trial view wait""".split()
TESTS = {f"{name}_test": Test([f"openblacs_test_{name}_test"], [f"@build/tests/{name}_test"], {}, r"\[  PASSED  \]")
         for name in UNITS}
TESTS |= {f"orders {model}": orders(model)
          for model in "ring area block sleep offer later parking threads lock".split()}
TESTS |= {f"orders board {few}": orders(f"board: {few}") for few in ("a broadcast", "all", "sleep")}
TESTS |= {
    "collective": program("core_collective"),
    "collective of two": program("core_collective", 2),
    "collective over MPI": over_mpi("core_collective", 4),
    "combine over MPI": over_mpi("blacs_combine", 4),
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
    "registers in 1 GB": limited(program("bsp/bsp_registers")),
    "dialects": program("bsp/bsp_dialects"),
    "dialects traced": program("bsp/bsp_dialects", OPENBLACS_TRACE="trace"),
    "bsp grids": program("bsp/bsp_grids"),
    "words": program("bsp/bsp_words"),
    "rules": program("bsp/bsp_rules"),
    "lapack": program("lu/lu_lapack", 6),
    "lapack 4": program("lu/lu_lapack", 4),
    "pieces": program("lu/lu_pieces", 4),
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
TESTS["bsp step"] = step("run/bsp.sh library", [f"bsp_{name}" for name in (
    "bad_grids bad_input dialects grids level1 registers rules starts words".split())])
TESTS["lu step"] = step("run/lu.sh", ["lu_lapack", "lu_cholesky", "lu_qr", "lu_pieces"], ["openblacs_example_lu_solve",
                             "openblacs_example_cholesky_solve"], LU_WAYS="self obrun")
TESTS["trace step"] = step("trace/run.sh", ["trace_talk", "trace_faces", "trace_examine", "core_descriptors"],
                           ["openblacs_obtrace", "openblacs_mpi_openmpi"])
TESTS |= {f"sanitized {name}": sanitized(test) for name, test in TESTS.items()
          if test.folder == "." and not name.endswith((" step", " GB", " MPI", "lines_test")) and name != "traced"}

MESSAGES = ["mlacs modes", "point", "stress", "mlacs point"]
CALLS = ["collective", "combine", "broadcast", "reproducible", "extensions"]


def room(count, files, tests, with_sanitizers=()):
    return Room(count, files, [*tests, *(f"sanitized {name}" for name in with_sanitizers)])


ROOMS = {
    "messages, matching": room(32, ["src/message/*.c"], [
        "table_test", "request_test", "request_end_test", "message_test", "background_test", "orders later",
        "orders parking", *MESSAGES, "mlacs background", "collective", "request_stress_test", "threads", "conform",
        "traced"], [
        "table_test", "request_test", "request_end_test", "message_test", "background_test", "point", "stress"]),
    "shared memory": room(26, ["src/transport/channel/*.[ch]", "src/node/wait.c", "src/node/heap.c",
                               "src/node/segment.c", "src/node/near.c"], [
        "orders ring", "orders area", "orders sleep", "orders threads", "offer_test", "wait_test", "shm_test",
        "link_full_test", *MESSAGES, "straight_test", "link_test", "orders offer", "message_test", "point one copy",
        "collective", "heap_test", "near_test", "conform one copy"], [
        "wait_test", "shm_test", "link_full_test", "straight_test", "heap_test", "stress"]),
    "board, fence": room(24, ["src/collective/board/*.[ch]"], [
        "fence_test", "board_test", "orders board a broadcast", "orders board all", "orders board sleep", *CALLS,
        "barrier", "traced", "direct_test", "broadcast_test", "combine_test", "pieces_test", "icc move"], [
        "board_test", "direct_test", "pieces_test", "collective", "combine"]),
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
        "collective over MPI"], [
        "schedule_test", "pieces_test", "icc move", "icc combine"]),
    "LU": room(9, ["lu/*.c"], ["pieces", "lapack 4", "lapack", "lu step"], ["pieces", "lapack 4"]),
    "BSP registry": room(7, ["interfaces/bsp/registry.c"], [
        "registers in 1 GB", "dialects", "words", "bsp grids", "rules", "bsp step"], ["registers", "dialects"]),
    "trace writer": room(8, ["src/trace/write.c", "src/trace/record.c", "src/trace/chunk.c", "src/trace/file.c"],
                         ["traced", "trace step"]),
    "locks": room(0, ["src/core/lock.h"], ["orders lock", "request_stress_test", "threads", "board_test"]),
}
