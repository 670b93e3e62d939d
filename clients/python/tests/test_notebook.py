"""The example notebook runs, and shows a chart."""

from __future__ import annotations

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
