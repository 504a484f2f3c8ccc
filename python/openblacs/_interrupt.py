"""Ctrl-C in a job of several processes, also while this one waits in a call of the library.

Python acts on a signal between two steps of the program. A receive is one step, however long it waits. But the
number of a signal is written to a pipe at once, and a thread reads it. If the main thread is still in the
library then, the thread says where, and ends the job.
"""
import os
import signal
import sys
import threading
import traceback
from types import FrameType
from typing import Any, Callable, Optional

SECONDS = 0.5  # for the main thread to take the interrupt itself
_HERE = os.path.dirname(os.path.abspath(__file__))


def watch(end: Callable[[str], None]) -> None:
    """From now on an interrupt while the main thread is in the library calls end(where). Does nothing in another thread, or
    in a program that handles SIGINT, or wants to be woken by signals, itself."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
        return
    taken = threading.Event()

    def take(number: int, frame: Optional[FrameType]) -> Any:
        taken.set()
        return signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, take)
    threading.Thread(target=_read, args=(reader, taken, end), name="openblacs interrupts", daemon=True).start()


def _read(reader: int, taken: threading.Event, end: Callable[[str], None]) -> None:
    while True:
        if signal.SIGINT not in os.read(reader, 64):
            continue
        if not taken.wait(SECONDS):
            frame = sys._current_frames().get(threading.main_thread().ident or 0)
            if frame is not None and frame.f_code.co_filename.startswith(_HERE):
                end("Traceback (most recent call last):\n" + "".join(traceback.format_stack(frame)) + "KeyboardInterrupt\n")
        taken.clear()
