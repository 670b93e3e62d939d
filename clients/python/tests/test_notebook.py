"""The example notebook runs, and shows a chart."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from conftest import REPOSITORY, python_environment

NOTEBOOK = REPOSITORY / "clients/python/examples/quickstart.ipynb"


def test_all_cells_of_the_notebook_run(service, home, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    monkeypatch.setenv("PYTHONPATH", python_environment()["PYTHONPATH"])
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(home)}}
    ).execute()
    shown = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    html = [data["text/html"] for data in shown if "text/html" in data]
    assert any("data:image/svg+xml;base64," in text for text in html)
    assert any("train/loss" in text for text in html), "the table of points"


LIVE = """
import plotline
with plotline.init("r", output=False) as run:
    run.log({"loss": 1.0}, step=0)
    run.log({"loss": 0.5}, step=1)
frame = plotline.experiment(run.url).frame("http://localhost:8888", tags="loss")
frame
"""


def test_a_live_frame_has_a_picture_for_where_frames_are_blocked(service, home, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", python_environment()["PYTHONPATH"])
    cells = [nbformat.v4.new_code_cell(LIVE), nbformat.v4.new_code_cell("frame.revoke()")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(home)}}
    )
    with client.setup_kernel():
        client.execute_cell(notebook.cells[0], 0)
        (html,) = [
            output["data"]["text/html"]
            for output in notebook.cells[0].outputs
            if "text/html" in output.get("data", {})
        ]
        (address,) = re.findall(r'<iframe [^>]*src="([^"]+)"', html)
        assert "data:image/svg+xml;base64," in html
        embed = urlsplit(address).path
        with urllib.request.urlopen(f"{service.origin}{embed}") as page:
            assert "http://localhost:8888" in page.headers["content-security-policy"]
            content = page.read().decode()
        assert "loss" in content
        assert 'class="plot"' in content, "charts, not only lists of runs and tags"
        client.execute_cell(notebook.cells[1], 1)
        assert _ends(f"{service.origin}{embed}")


def _ends(address, seconds=15):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(address).close()
        except urllib.error.HTTPError:
            return True
        time.sleep(0.2)
    return False
