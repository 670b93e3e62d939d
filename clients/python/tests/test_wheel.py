"""The built wheel in a new virtual environment: from nothing to a curve in three lines.

PYTHON_VERSIONS lists interpreters to test, separated by commas; the default with CI set is the one
that runs the tests. pip downloads the two dependencies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

import plotline
from conftest import REPOSITORY

INTERPRETERS = os.environ.get(
    "PYTHON_VERSIONS", sys.executable if os.environ.get("CI") else ""
).split(",")


@pytest.fixture(scope="module")
def wheel():
    found = sorted((REPOSITORY / "clients/python/dist").glob("plotline-*.whl"))
    if not found:
        pytest.skip("no wheel is built: npm run build:python")
    return found[-1]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_from_nothing_to_a_curve_in_three_lines(interpreter, wheel, service, home):
    if not interpreter:
        pytest.skip("no CI, and PYTHON_VERSIONS names no interpreter")
    environment = home / "environment"
    subprocess.run([interpreter, "-m", "venv", environment], check=True, timeout=120)
    python = environment / "bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    subprocess.run(pip, check=True, timeout=120)
    lines = "import plotline\nwith plotline.init() as run: run.log({'loss': 1.0})\nprint(run.url)\n"
    answer = subprocess.run(
        [python, "-W", "error", "-c", lines],
        env={k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PLOTLINE_FACTS")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stderr
    read = plotline.experiment(answer.stdout.strip())
    assert read.scalars("loss")["value"].tolist() == [1.0]
    assert "system/facts" in {text.tag for text in read.texts()}
    command = [environment / "bin/plotline", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == plotline.__version__


def test_the_wheel_is_pure_typed_and_light(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    assert "plotline/py.typed" in names
    assert all(name.startswith(("plotline/", "plotline-")) for name in names)
    required = [line for line in lines if line.startswith("Requires-Dist") and "extra" not in line]
    assert len(required) == 2
    assert wheel.stat().st_size < 200_000
