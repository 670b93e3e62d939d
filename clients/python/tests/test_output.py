"""Standard output and error of a run as a log."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import plotline
from plotline.output import LineFilter, is_log_name
from plotline.upload.uploader import UploadOptions, upload

pytestmark = pytest.mark.usefixtures("with_output")


@pytest.fixture
def with_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLOTLINE_FACTS", "on")


def _logs(folder):
    return sorted(path for path in folder.rglob("*") if is_log_name(path.name))


def _run(home, code, **environment):
    """Runs a script whose run's folder is runs/r; returns what it printed."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=home,
        env={**os.environ, "PLOTLINE_MODE": "offline", **environment},
        capture_output=True,
        timeout=120,
    )


def test_prints_and_errors_are_in_the_log_and_where_they_were(home):
    code = """
import sys, logging
logging.basicConfig(level="INFO", format="%(message)s")
import plotline
run = plotline.init("r")
print("epoch", 1)
logging.info("from a handler that was made before")
sys.stderr.write("a warning\\n")
print("without an end", end="")
run.finish()
print("after the run")
"""
    done = _run(home, code)
    assert done.returncode == 0, done.stderr
    (log,) = _logs(home)
    assert log.read_text().splitlines()[-4:] == [
        "epoch 1",
        "from a handler that was made before",
        "a warning",
        "without an end",
    ]
    assert b"epoch 1\nwithout an endafter the run\n" in done.stdout
    assert b"from a handler" in done.stderr


def test_the_error_that_ends_a_run_is_in_its_log(home):
    in_block = 'import plotline\nwith plotline.init("r"):\n    print("a")\n    1 / 0'
    without = 'import plotline\nplotline.init("s")\nprint("b")\nint("x")'
    assert _run(home, in_block).returncode == 1
    assert _run(home, without).returncode == 1
    first, second = (log.read_text() for log in _logs(home))
    assert first.rstrip().endswith("ZeroDivisionError: division by zero")
    assert second.rstrip().endswith("ValueError: invalid literal for int() with base 10: 'x'")


def test_a_killed_process_leaves_what_it_printed_a_second_ago(home):
    code = """
import os, signal, time, plotline
plotline.init("r")
print("before")
time.sleep(2.5)
os.kill(os.getpid(), signal.SIGKILL)
"""
    _run(home, code)
    (log,) = _logs(home)
    assert log.read_text().splitlines()[-1] == "before"


def test_each_setting_turns_it_off(home):
    code = 'import plotline\nwith plotline.init("r", {}):\n    print("hello")'
    for settings, arguments in (
        ({"PLOTLINE_OUTPUT": "off"}, ""),
        ({"PLOTLINE_FACTS": "off"}, ""),
        ({}, "output=False"),
        ({}, "facts=False"),
    ):
        assert _run(home, code.replace("{}", arguments), **settings).returncode == 0
        assert _logs(home) == []


def test_ranks_and_forked_processes_have_logs_of_their_own(home):
    code = """
import os, sys, time, plotline
run = plotline.init("r")
print("parent")
child = os.fork()
if child == 0:
    print("child")
    time.sleep(2.5)
    os._exit(0)
os.waitpid(child, 0)
run.finish()
"""
    for rank in ("0", "1"):
        assert _run(home, code, RANK=rank, LOCAL_RANK=rank).returncode == 0
    logs = {(log.name.split(".rank")[1][0], log.read_text()) for log in _logs(home)}
    assert logs == {("0", "parent\n"), ("0", "child\n"), ("1", "parent\n"), ("1", "child\n")}


def test_progress_bars_leave_their_last_state():
    now = [0.0]
    lines = LineFilter(lambda: now[0])
    assert lines.take("  1%|#   |\r 50%|##  |\r") == ""
    now[0] = 11.0
    assert lines.take(" 60%|### |\r") == " 60%|### |\n"
    assert lines.take("100%|####|\ndone\r\n") == "100%|####|\ndone\n"
    assert lines.take("open") == ""
    assert lines.end() == "open\n"


def test_secrets_of_whole_lines_are_redacted():
    lines = LineFilter()
    text = "key hf_" + "a" * 30 + "\nAPI_KEY=abc --hub-token xyz --lr 0.1\nhttps://u:p@host/\n"
    out = lines.take(text[:10]) + lines.take(text[10:])
    assert (
        out == "key [redacted]\nAPI_KEY=[redacted] --hub-token [redacted] --lr 0.1\nhttps://host/\n"
    )
    pem = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAbCd\n-----END RSA PRIVATE KEY-----\nb\n"
    assert LineFilter().take(pem) == "a\n[redacted]\nb\n"


def test_a_log_is_uploaded_exactly_once_and_read_back(service, home):
    run = plotline.init("r")
    print("live ü")
    run.log({"loss": 1.0})
    run.flush()
    experiment = _wait_for(lambda: run.url and plotline.experiment(run.url))
    live = _wait_for(lambda: experiment.logs("r"))
    assert live[0]["lines"] >= 1
    for line in range(1000):
        print("line", line)
    run.finish()
    (log,) = _logs(home)
    (stored,) = experiment.logs("r")
    assert stored["bytes"] == log.stat().st_size
    assert experiment.log_lines("r")[-2:] == ["line 998", "line 999"]
    assert "\n".join(experiment.log_lines("r", tail=None)) + "\n" == log.read_text()
    files = [file for file in experiment.receipt()["files"] if file["name"] == log.name]
    assert [file["bytes"] for file in files] == [log.stat().st_size]


def test_ranks_that_print_the_same_have_two_logs(service, home):
    folder = home / "runs" / "r"
    folder.mkdir(parents=True)
    plotline.init("r", logdir=home / "runs", upload=False, output=False).finish()
    for rank, text in ((0, "same\n"), (1, "same\nmore\n")):
        (folder / f"output.1795261058.host.{rank}.0.rank{rank}.plotline.log").write_text(text)
    result = upload(UploadOptions(str(home / "runs")))
    logs = plotline.experiment(result.experiment_id).logs()
    assert {(log["rank"], log["lines"]) for log in logs} == {(0, 1), (1, 2)}


def _wait_for(found, seconds=30.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = found()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError("not in time")
