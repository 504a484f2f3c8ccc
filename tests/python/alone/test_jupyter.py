"""openblacs.launch from a notebook: a kernel of Jupyter's."""
import os
import sys
import time

import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

LIMIT = 60 * int(os.environ.get("OB_SLOW", "1"))  # seconds


@pytest.fixture
def kernel():
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], language="python")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=LIMIT)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def shown(client, cell):
    """What a cell shows below it, of all kinds; and its error, after which the kernel takes the next cell at once."""
    out = {"text": "", "stream": "", "error": ""}

    def add(message):
        content = message["content"]
        out["text"] += content.get("data", {}).get("text/plain", "") if message["msg_type"] == "execute_result" else ""
        out["stream"] += content["text"] if message["msg_type"] == "stream" else ""
        out["error"] += "\n".join(content["traceback"]) if message["msg_type"] == "error" else ""
    client.execute_interactive(cell, timeout=LIMIT, stop_on_error=False, output_hook=add)
    return out


def test_cells_run_functions_in_processes_and_show_results_and_errors(kernel):
    manager, client = kernel
    assert shown(client, "import openblacs\njob = openblacs.launch(2)\ndef ones(n):\n    return openblacs.Grid(1, 2).sum(n)")["error"] == ""
    assert shown(client, "job.run(ones, 3)")["text"] == "[6, 6]"
    assert "ZeroDivisionError: division by zero" in shown(client, "job.run('1 / 0')")["error"]
    assert shown(client, "job.run(ones, 1)")["text"] == "[2, 2]"


def test_interrupt_leaves_the_kernel_usable_and_its_end_leaves_nothing(kernel):
    manager, client = kernel
    shown(client, "import openblacs, os\njob = openblacs.launch(2)")
    numbers = eval(shown(client, "job.run('__import__(\"os\").getpid()')")["text"])
    # While no cell runs, a kernel ignores interrupts: so not before the processes say that they run it.
    client.execute("job.run('print(\"sleeps\", flush=True); __import__(\"time\").sleep(1000)')", stop_on_error=False)
    while "sleeps" not in client.get_iopub_msg(timeout=LIMIT)["content"].get("text", ""):
        pass
    manager.interrupt_kernel()
    assert client.get_shell_msg(timeout=LIMIT)["content"]["ename"] == "KeyboardInterrupt"
    assert shown(client, "1 + 1")["text"] == "2"
    manager.shutdown_kernel(now=True)
    until = time.monotonic() + LIMIT
    while any(os.path.exists("/proc/%d" % number) for number in numbers) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(os.path.exists("/proc/%d" % number) for number in numbers)
