"""openblacs.launch: processes that a notebook runs functions in."""
import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import openblacs
from openblacs import _launch


@pytest.fixture(scope="module")
def job():
    with openblacs.launch(3) as job:
        yield job


def test_results_come_back_by_number(job):
    assert len(job) == 3
    assert [info[:2] for info in job.run(openblacs.pinfo)] == [(0, 3), (1, 3), (2, 3)]


def test_names_are_kept_and_can_be_asked_for(job):
    assert job.run("grid = openblacs.Grid(1, 3)\nx = np.full(2, grid.col)") == [None] * 3
    assert [list(x) for x in job["x"]] == [[0, 0], [1, 1], [2, 2]]
    assert job.run("grid.sum(x)[0]") == [3, 3, 3]
    assert job.run("grid.close()") == [None] * 3


def test_an_error_of_all_leaves_the_job_usable(job):
    with pytest.raises(openblacs.Error, match=r"^the work has failed in 3 of 3 processes \[OB-9619\]\nprocesses 0, 1, 2:\n") as caught:
        job.run("nothing + 1")
    assert str(caught.value).count("NameError: name 'nothing' is not defined") == 1
    assert job.run("1 + 1") == [2, 2, 2]


def test_tracebacks_that_differ_are_all_shown(job):
    with pytest.raises(openblacs.Error, match=r"(?s)2 of 3 processes.*\nprocess [02]:\n.*ValueError: [02]\n.*\nprocess [02]:\n.*ValueError: [02]\n") as caught:
        job.run("n = openblacs.pinfo().number\nif n != 1: raise ValueError(n)")
    assert {"ValueError: 0", "ValueError: 2"} <= set(str(caught.value).split("\n"))


def test_what_processes_print_is_shown_while_they_run(job, capfd, folder):
    end, out = folder / "end", ""
    work = "import os, time\nprint('said by', openblacs.pinfo().number)\nwhile not os.path.exists(%r): time.sleep(0.01)" % str(end)
    run = threading.Thread(target=job.run, args=(work,))
    run.start()
    try:
        for _ in range(300):
            out += capfd.readouterr().out
            if out.count("\n") >= 3:
                break
            time.sleep(0.1)
    finally:
        end.touch()
        run.join()
    assert sorted(out.splitlines()) == ["said by 0", "said by 1", "said by 2"]


def test_a_result_that_cannot_be_made_here_leaves_none_for_the_next_run(job):
    with pytest.raises(openblacs.Error, match="result of process 0 cannot be made here: ModuleNotFoundError.*only_there"):
        job.run("import sys, types\nm = sys.modules['only_there'] = types.ModuleType('only_there')\nexec('class A: pass', m.__dict__)\nm.A()")
    assert job.run("1 + 2") == [3, 3, 3]


def test_strangers_who_find_the_socket_do_not_hinder_the_start(monkeypatch):
    strangers = [socket.socket(socket.AF_UNIX) for _ in range(4)]
    silent, rude, gone, foreign = strangers
    start = subprocess.Popen

    def popen(*arguments, env, **named):
        place = "\0" + env["OB_SERVE_AT"]
        for stranger in (silent, rude, gone):
            stranger.connect(place)
        rude.sendall(b"\0\0\0\5hello")
        gone.close()
        if os.getuid() == 0:
            os.seteuid(65534)
            foreign.connect(place)
            os.seteuid(0)
        return start(*arguments, env=env, **named)
    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(_launch, "GREETING", 2)
    with openblacs.launch(4) as job:
        assert job.run("openblacs.pinfo().number") == [0, 1, 2, 3]
        if os.getuid() == 0:
            assert foreign.recv(100) == b""  # not even a challenge
    for stranger in strangers:
        stranger.close()


def test_an_error_of_one_ends_those_who_wait_for_it():
    job = openblacs.launch(2)
    with pytest.raises(openblacs.Error, match="(?s)have not come back.*ZeroDivisionError"):
        job.run("g = openblacs.Grid()\ng.recv(np.zeros(1), (0, 0)) if g.col else 1 / 0")
    with pytest.raises(openblacs.Error, match="launch others"):
        job.run("1")


def test_a_process_that_dies_is_an_error_not_a_wait():
    with openblacs.launch(2) as job:
        with pytest.raises(openblacs.Error, match="a process has ended|not come back"):
            job.run("import os\nos._exit(3)")


PROGRAM = """
import openblacs
def residual(n, shift=1.0):
    with openblacs.Grid() as grid:
        a = openblacs.DistributedMatrix.from_function(grid, (n, n), lambda i, j: 1 / (1 + abs(i - j)) + shift * (i == j), 4)
        return abs(a.to_numpy() @ a.solve(np.ones(n)) - 1).max()
if __name__ == "__main__":
    found = openblacs.launch(2, residual, 20)
    assert len(found) == 2 and max(found) < 1e-12, found
    job = openblacs.launch(2)
    print("fine", job.run("openblacs.pinfo().size"))
"""


def test_a_function_of_the_program_itself_and_an_end_without_close(folder):
    path = folder / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "fine [2, 2]\n"), done.stderr


BUSY = ["pass", "while 1: pass", "import time\ntime.sleep(300)", "sum(range(10**12))", "import time\ntime.sleep(300 * openblacs.pinfo().number)\nopenblacs.Grid().sum(1)",
        "import signal\nfor s in range(1, 32):\n    if s not in (9, 17, 19): signal.signal(s, signal.SIG_IGN)\nwhile 1: pass"]


@pytest.mark.parametrize("work", BUSY)
def test_nothing_is_left_when_the_caller_is_killed(work):
    child = subprocess.Popen([sys.executable, "-c", "import openblacs, time\njob = openblacs.launch(2)\n"
                              "print(*job.run('import os\\nos.getpid(), os.getppid()'), flush=True)\njob.run(%r)\ntime.sleep(300)" % work],
                             stdout=subprocess.PIPE, text=True)
    numbers = [int(word.strip("(,)")) for word in child.stdout.readline().split()]
    assert len(numbers) == 4
    time.sleep(0.5)
    child.kill()
    child.communicate()
    for _ in range(600):
        if not any(os.path.exists("/proc/%d" % number) for number in numbers):
            break
        time.sleep(0.1)
    else:
        for number in numbers:
            os.kill(number, 9)
        raise AssertionError("processes %s are left" % numbers)


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        openblacs.launch(0)
    assert np.allclose(openblacs.launch(1, np.arange, 3), [[0, 1, 2]])


def test_who_waited_for_one_that_failed_ends_without_a_word(capfd):
    with openblacs.launch(3) as job:
        with pytest.raises(openblacs.Error, match="(?s)have not come back.*ZeroDivisionError"):
            job.run("grid = openblacs.Grid(1, 3)\nif grid.col == 0: 1 / 0\ngrid.sum(1)")
    assert "BrokenPipe" not in capfd.readouterr().err
