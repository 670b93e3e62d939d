"""What a script logged is uploaded however the script ends, and processes may fork at any time."""

from __future__ import annotations

import subprocess
import sys

import pytest

import plotline
from conftest import python_environment

START = "import sys, plotline; run = plotline.init('m')\n"
LOG = "[run.log({'a': float(step)}, step=step) for step in range(5000)]\n"
WATCH = """
import sys, plotline
from plotline.event_writer import EventWriter
watch = plotline.watch('runs')
watch._background.watcher.ready.wait()
writers = [EventWriter(f'runs/{name}') for name in 'mnop']
for writer in writers:
    writer.scalars({'a': 1.0}, 0)
    writer.close()
"""


def script(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=python_environment(**environment),
    )


@pytest.mark.parametrize(
    ("code", "status", "runs", "points"),
    [
        (START + LOG, 0, 1, 5000),
        (START + LOG + "sys.exit(3)", 3, 1, 5000),
        (START + LOG + "raise KeyError('uncaught')", 1, 1, 5000),
        (START + LOG + "run.finish()", 0, 1, 5000),
        (START + "import atexit; atexit.register(lambda: run.log({'a': 1.0}))\n" + LOG, 0, 1, 5001),
        ("import threading\n" + WATCH, 0, 4, 4),
    ],
    ids=["end", "exit", "exception", "finish", "handler", "watch"],
)
def test_everything_is_uploaded_however_a_script_ends(code, status, runs, points, service, home):
    # With facts and output, a run has three files.
    ended = script(code, PLOTLINE_FACTS="on")
    assert ended.returncode == status, ended.stderr
    assert "upload ended" not in ended.stderr
    assert "shutdown" not in ended.stderr
    (experiment,) = [
        word for word in ended.stderr.split() if word.startswith(f"{service.origin}/")
    ] or [None]
    if experiment is None:  # the script ended before it was said
        experiment = plotline.experiments()[0].id
    found = plotline.experiment(experiment)
    series = [item for item in found.receipt()["series"] if item["tag"] == "a"]
    assert len(series) == runs
    assert sum(int(item["points"]) for item in series) == points


def test_an_upload_that_ends_early_says_how_to_send_the_rest(service, home):
    ended = script(START + LOG, PLOTLINE_TOKEN="plt_revoked")
    assert ended.returncode == 0
    last = ended.stderr.splitlines()[-1]
    assert "The files stay on disk" in last
    assert f"plotline upload --logdir {home / 'runs'}" in last


def test_the_upload_of_a_run_imports_no_modules(service, home):
    """A fork while another thread imports leaves half a module to the child."""
    code = (
        "import sys, plotline.run\nbefore = set(sys.modules)\n"
        + START
        + LOG
        + "run.finish()\nprint(*sorted(set(sys.modules) - before))"
    )
    # Facts are not for children, which record none.
    ended = script(code)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == []
