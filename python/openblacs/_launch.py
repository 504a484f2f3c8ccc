"""openblacs.launch: processes under obrun that a notebook, or any program, runs functions in.

Each process is a server that waits for work (_serve.py). They and the caller talk through a socket without a name in any
folder, whose key obrun's environment carries. Others may find that socket: who is another user, is silent, or does not
have the key is sent away. Work is a function or a text; a process answers with its result or its traceback.
"""
import atexit
import marshal
import os
import pickle
import secrets
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge, wait
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._library import Error, folder, installed

START = 60.0  # seconds for all processes to come
GREETING = 5.0  # seconds for one who has come to show the key
GRACE = 5.0  # seconds for the others, when one has failed


def _obrun() -> str:
    """Our own obrun, else that in PATH."""
    beside = installed("PROGRAMS")
    path = beside and shutil.which("obrun", path=beside) or shutil.which("obrun")
    if path is None:
        raise Error("obrun is not found beside the package and not in PATH; it is needed to launch processes [OB-9616]")
    return path


def _packed(work: Union[str, Callable[..., Any]]) -> Tuple[str, Any]:
    """Work as it travels: a text as it is; a function by its name in a module that the processes can import; one of the
    program itself (of a notebook) by its code."""
    if isinstance(work, str):
        return "text", work
    if isinstance(work, types.FunctionType) and work.__module__ == "__main__":
        if work.__closure__:
            raise ValueError("%s uses variables of a function around it (%s); pass them as arguments [OB-9617]" % (work.__name__, ", ".join(work.__code__.co_freevars)))
        return "code", (work.__name__, marshal.dumps(work.__code__), pickle.dumps((work.__defaults__, work.__kwdefaults__)))
    return "pickle", pickle.dumps(work)


def _listen(place: str, count: int) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0" + place)
    listener.listen(count)
    listener.settimeout(0.2)
    return listener


def _limit(guest: socket.socket, seconds: float) -> None:
    """How long a read or write may take; 0: without end."""
    for which in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        guest.setsockopt(socket.SOL_SOCKET, which, struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6)))


def _greet(guest: socket.socket, key: bytes) -> Optional[Tuple[int, Connection]]:
    """The process that has come, by its number, and the connection to it; None: it is a stranger, or has gone."""
    guest.setblocking(True)
    user = struct.unpack("3i", guest.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    connection = Connection(os.dup(guest.fileno()))
    try:
        if user == os.getuid():
            _limit(guest, GREETING)
            deliver_challenge(connection, key)
            answer_challenge(connection, key)
            number = int(connection.recv())
            _limit(guest, 0)
            return number, connection
    except (AuthenticationError, EOFError, OSError, ValueError):
        pass
    connection.close()
    return None


def _unpacked(answer: bytes) -> Tuple[bool, bytes]:
    """Has the work gone well, and its pickled result or its traceback (_serve)."""
    return answer[:1] == b"+", answer[1:]


def _result(number: int, pickled: bytes) -> Any:
    try:
        return pickle.loads(pickled)
    except Exception as error:
        raise Error("the result of process %d cannot be made here: %s: %s [OB-9617]" % (number, type(error).__name__, error)) from error


def _named(numbers: List[int]) -> str:
    return "process%s %s" % ("" if len(numbers) == 1 else "es", ", ".join(map(str, sorted(numbers))))


class Launch:
    """Processes that wait for work. run(f, ...) calls f in all of them and gives their results; job["x"] gives their
    variables x. Names are kept from call to call; openblacs and numpy are known as openblacs and numpy, and as np.
    A context manager; close() ends the processes, as the end of the program does."""

    def __init__(self, processes: int) -> None:
        if processes < 1:
            raise ValueError("processes is %d; it must be at least 1 [OB-2003]" % processes)
        key, place = secrets.token_bytes(32), "openblacs-" + secrets.token_hex(16)
        self._listener = _listen(place, 2 * processes)
        path = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment = dict(os.environ, OB_SERVE_KEY=key.hex(), OB_SERVE_AT=place,
                           PYTHONPATH=os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")])))
        beside = folder()
        if beside:
            environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [beside, os.environ.get("LD_LIBRARY_PATH")]))
        for name in ("OPENBLACS_JOB",):  # of a job that the caller is in
            environment.pop(name, None)
        self._child: Optional[subprocess.Popen[str]] = subprocess.Popen(
            [_obrun(), "-n", str(processes), sys.executable, "-m", "openblacs._serve"], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self._readers = [threading.Thread(target=self._pass_on, args=(k,), daemon=True) for k in (1, 2)]
        for reader in self._readers:
            reader.start()
        self._servers: List[Connection] = []
        # A second connection of each process: when it closes, as this process ends in any way, the kernel kills that process.
        self._guards: List[Connection] = []
        atexit.register(self.close)
        try:
            self._servers = self._arrivals(processes, key)
        except BaseException:
            self.close()
            raise

    def _pass_on(self, stream: int) -> None:
        """What the processes print, line by line, to where the caller prints."""
        child = self._child
        source = None if child is None else child.stdout if stream == 1 else child.stderr
        for line in source or ():
            to = sys.stdout if stream == 1 else sys.stderr
            to.write(line)
            to.flush()

    def _arrivals(self, processes: int, key: bytes) -> List[Connection]:
        """Connections by number of the process. The guards have numbers from -1 downwards."""
        found: Dict[int, Connection] = {}
        timer = threading.Timer(START, self._kill)
        timer.start()
        try:
            while len(found) < 2 * processes:
                try:
                    guest = self._listener.accept()[0]
                except socket.timeout:
                    if self._child is None or self._child.poll() is not None:
                        raise Error("the processes have ended as they started; their lines say why, or they took longer than %g s [OB-9618]" % START) from None
                    continue
                with guest:
                    found.update(filter(None, [_greet(guest, key)]))
        finally:
            timer.cancel()
        self._guards = [found[-1 - k] for k in range(processes)]
        return [found[k] for k in range(processes)]

    def run(self, work: Union[str, Callable[..., Any]], *arguments: Any, **named: Any) -> List[Any]:
        """Calls a function in all processes, with these arguments, and gives the list of what it returns. A function of the
        program or notebook itself sees the processes' names, not the caller's: it imports what it uses. A text is executed;
        its value is that of its last line if that is an expression. Error: processes have failed, with their tracebacks, equal
        ones once; if the others then do not answer within 5 s, all are ended."""
        if not self._servers:
            raise Error("the processes have ended; launch others [OB-9618]")
        message = pickle.dumps((_packed(work), arguments, named))
        try:
            for server in self._servers:
                server.send_bytes(message)
            return self._answers()
        except (EOFError, OSError):
            self.close()
            raise Error("a process has ended; the lines above say why [OB-9618]") from None
        except KeyboardInterrupt:
            self.close()
            raise

    def _answers(self) -> List[Any]:
        """Of all processes; each is read before any is unpickled, so that none is left for the next run."""
        answers: Dict[int, bytes] = {}
        failed: Dict[str, List[int]] = {}  # the tracebacks, and whose they are
        ended = ""
        end: Optional[float] = None
        waited, count = {server: number for number, server in enumerate(self._servers)}, len(self._servers)
        while waited:
            ready = wait(list(waited), None if end is None else max(0.0, end - time.monotonic()))
            if not ready:
                self.close()
                ended = "; the others have not come back within %g s, so all processes are ended" % GRACE
                break
            for server in ready:
                number = waited.pop(server)  # type: ignore[arg-type]
                fine, answers[number] = _unpacked(server.recv_bytes())  # type: ignore[union-attr]
                if not fine:
                    failed.setdefault(answers[number].decode(errors="replace"), []).append(number)
                    end = end or time.monotonic() + GRACE
        if failed:
            raise Error("the work has failed in %d of %d processes%s [OB-9619]\n%s" % (
                sum(map(len, failed.values())), count, ended, "\n".join("%s:\n%s" % (_named(failed[text]), text) for text in failed)))
        return [_result(k, answers[k]) for k in range(len(self._servers))]

    def __getitem__(self, name: str) -> List[Any]:
        """The variable of that name in each process."""
        return self.run(name)

    def __len__(self) -> int:
        return len(self._servers)

    def __enter__(self) -> "Launch":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes and waits for them. Closing again does nothing."""
        servers, self._servers = self._servers, []
        for server in servers:
            server.close()
        child, self._child = self._child, None
        self._listener.close()
        if child is not None:
            atexit.unregister(self.close)
            try:
                child.wait(GRACE if servers else 0)
            except subprocess.TimeoutExpired:
                child.terminate()
                try:
                    child.wait(2 * GRACE)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
        for guard in self._guards:
            guard.close()
        if child is not None:
            for reader in self._readers:
                if reader is not threading.current_thread():
                    reader.join(GRACE)
            for stream in (child.stdout, child.stderr):
                if stream is not None:
                    stream.close()

    def _kill(self) -> None:
        if self._child is not None:
            self._child.terminate()


def launch(processes: int, function: Optional[Callable[..., Any]] = None, *arguments: Any) -> Any:
    """Starts processes under obrun, on this machine, for a notebook or a program. Without a function: a Launch. With one: calls
    it in all processes, ends them, and gives the list of results."""
    if function is None:
        return Launch(processes)
    with Launch(processes) as job:
        return job.run(function, *arguments)
