"""A process that openblacs.launch has started: does what it is told until its caller closes the connection."""
import ast
import builtins
import fcntl
import io
import marshal
import os
import pickle
import signal
import sys
import traceback
import types
from multiprocessing.connection import Client, Connection
from typing import Any, Dict

import numpy

import openblacs


def _execute(text: str, names: Dict[str, Any]) -> Any:
    """Runs a text; its value is that of its last line, if that is an expression."""
    tree = ast.parse(text, "<launch>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<launch>", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "<launch>", "eval"), names)
    return None


def _carry_out(message: bytes, names: Dict[str, Any]) -> Any:
    (kind, work), arguments, named = pickle.loads(message)
    if kind == "text":
        return _execute(work, names)
    if kind == "pickle":
        return pickle.loads(work)(*arguments, **named)
    name, code, defaults = work
    function = types.FunctionType(marshal.loads(code), names, name)
    function.__defaults__, function.__kwdefaults__ = pickle.loads(defaults)
    names[name] = function
    return function(*arguments, **named)


def _answer(message: bytes, names: Dict[str, Any]) -> bytes:
    """"+" and the pickled result, or "-" and the traceback."""
    try:
        return b"+" + pickle.dumps(_carry_out(message, names))
    except Exception:
        return b"-" + traceback.format_exc().encode(errors="replace")


def _end_with(guard: Connection) -> None:
    """From now on the kernel kills this process when the other end of guard closes, whatever this process does. No data may
    come there."""
    number = guard.fileno()
    fcntl.fcntl(number, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(number, getattr(fcntl, "F_SETSIG", 10), signal.SIGKILL)
    fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_ASYNC)


def main() -> None:
    number = openblacs.pinfo().number  # before the connections: they have little time for their first words
    place, key = "\0" + os.environ.pop("OB_SERVE_AT"), bytes.fromhex(os.environ.pop("OB_SERVE_KEY"))
    guard = Client(place, family="AF_UNIX", authkey=key)
    guard.send(-1 - number)  # at once: the next one is greeted then
    caller = Client(place, family="AF_UNIX", authkey=key)
    # Only now: the kernel tells of data after it can be read, so the last words of the guard's greeting could end this process
    # while the caller was still within its send. It greets one after the other, so that send is over.
    _end_with(guard)
    if guard.poll():
        return  # the caller has gone
    caller.send(number)
    # As it is printed, though not to a terminal; what others print between comes between whole lines.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    names: Dict[str, Any] = {"__builtins__": builtins, "__name__": "__launched__", "openblacs": openblacs, "numpy": numpy, "np": numpy}
    while True:
        try:
            message = caller.recv_bytes()
        except EOFError:
            return
        answer = _answer(message, names)
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            caller.send_bytes(answer)
        except OSError:  # it has ended the job meanwhile
            return


if __name__ == "__main__":
    main()
