"""How a job of Python programs ends: an exception, an exit status, a signal. Each program here is started under obrun."""
import os
import signal
import subprocess

import pytest


def job(processes, program):
    # A shell starts what it does not wait for, as ./check does its steps, with SIGINT ignored.
    return subprocess.Popen(["obrun", "-n", str(processes), os.environ["OB_PYTHON"], "-c", program], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def ended(processes, program):
    child = job(processes, program)
    out, err = child.communicate(timeout=300)
    return child.returncode, out, err


WAIT = """
import openblacs, numpy
grid = openblacs.Grid()
if grid.col == 0 and grid.row == 0:
    %s
grid.recv(numpy.zeros(1), (0, 0))
"""


def test_an_exception_in_one_process_ends_all_with_its_traceback_and_one_line():
    status, out, err = ended(4, WAIT % "numpy.zeros(3)[5]")
    assert status == 1
    assert "IndexError: index 5 is out of bounds" in err
    assert err.count("OpenBLACS: process 0 of 4 has ended with IndexError; it ends the job") == 1


def test_what_all_find_is_said_once():
    status, out, err = ended(4, "import openblacs, numpy\n"
                                "g = openblacs.Grid()\n"
                                "g.sum(numpy.zeros((2, 2), order='C' if g.row == 0 else 'F'))")
    assert status == 1
    assert err.count("openblacs.Error: the processes") == 1 and err.count("Traceback") == 1, err


def test_what_one_finds_and_all_raise_is_said_once():
    status, out, err = ended(4, "import openblacs\nopenblacs.DistributedMatrix.read(openblacs.Grid(), '/nowhere/a.mtx')")
    assert status == 1
    assert err.count("FileNotFoundError: ") == 1 and err.count("it ends the job") == 1, err


def test_abort_ends_all_with_its_code():
    status, out, err = ended(4, WAIT % "openblacs.abort(7)")
    assert status == 7
    assert "OpenBLACS: openblacs.abort: process 0 of 4 ends the job with code 7" in err


def test_a_process_that_exits_leaves_an_error_to_those_who_wait_for_it():
    status, out, err = ended(2, WAIT % "raise SystemExit(0)")
    assert status == 1
    assert "openblacs.Error: " in err and "has ended" in err


def test_output_before_an_exception_is_not_lost():
    status, out, err = ended(2, WAIT % "print('before'); raise KeyError('x')")
    assert status == 1 and out == "before\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", ["g.recv(numpy.zeros(1))", "time.sleep(200)"])
def test_an_interrupt_of_the_launcher_ends_all_and_is_said_once(number, what):
    child = job(4, "import openblacs, numpy, time\ng = openblacs.Grid()\nprint('ready', flush=True)\n" + what)
    for _ in range(4):
        assert child.stdout.readline() == "ready\n"
    child.send_signal(number)
    out, err = child.communicate(timeout=100)
    assert child.returncode != 0
    if number == signal.SIGINT:
        assert child.returncode == 130 and err.count("KeyboardInterrupt\n") == 1, err


def test_an_interrupt_of_a_process_that_computes_ends_the_job():
    child = job(2, "import openblacs, numpy, os, time\n"
                   "g = openblacs.Grid()\n"
                   "if g.col: g.recv(numpy.zeros(1), (0, 0))\n"
                   "print(os.getpid(), flush=True)\n"
                   "time.sleep(200)")
    os.kill(int(child.stdout.readline()), signal.SIGINT)
    out, err = child.communicate(timeout=100)
    assert child.returncode == 130 and "KeyboardInterrupt" in err


def test_a_forked_child_is_no_member_and_its_end_is_not_the_parents():
    status, out, err = ended(2, """
import openblacs, os, sys
grid = openblacs.Grid()
child = os.fork()
if child == 0:
    try:
        grid.sum(1)
    except openblacs.Error:
        try:
            openblacs.Grid()
        except openblacs.Error as error:
            sys.exit(5 if "fork" in str(error) else 6)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
print(grid.sum(1))
""")
    assert (status, out) == (0, "2\n2\n"), err


def test_threads_use_grids_of_their_own_at_once():
    status, out, err = ended(2, """
import openblacs, threading, numpy
grids = [openblacs.Grid() for _ in range(3)]
def work(grid, k):
    for turn in range(200):
        assert grid.sum(k) == 2 * k
threads = [threading.Thread(target=work, args=(g, k)) for k, g in enumerate(grids)]
for t in threads: t.start()
for t in threads: t.join()
print("done")
""")
    assert (status, out) == (0, "done\ndone\n"), err
