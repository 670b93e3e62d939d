"""Code blocks in the documentation run verbatim."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import plotline
from conftest import REPOSITORY, python_environment
from plotline import cli
from plotline.event_writer import EventWriter
from plotline.upload import UploadOptions, upload

EXAMPLE_SERVER = "https://plots.example.org"


def section(path: Path, title: str | None) -> str:
    text = path.read_text(encoding="utf-8")
    if title is None:
        return text
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{path} has no section {title}"
    return found[1]


DOCUMENTS = {
    "README.md": section(REPOSITORY / "README.md", "Use it from Python"),
    "docs/python.md": section(REPOSITORY / "docs/python.md", None),
    "clients/python/README.md": section(REPOSITORY / "clients/python/README.md", None),
}


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{name} {number}", block)
        for name, text in DOCUMENTS.items()
        for number, block in enumerate(
            re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL), 1
        )
    ]


def cases(language: str):
    return pytest.mark.parametrize(
        "block", [pytest.param(block, id=name) for name, block in blocks(language)]
    )


@cases("python")
def test_python_runs_verbatim(block, service, home):
    """Replaces only the address of the example server and the experiment id."""
    with plotline.init("seen", logdir="earlier", config={"lr": 0.01}) as run:
        for step in range(10):
            run.log(
                {
                    "train/loss": 1 / (step + 1),
                    "val/loss": 0.1,
                    "samples": plotline.Image(bytes_of_a_pixel()),
                    "notes": "text",
                },
                step=step,
            )
    id = run.url.rsplit("/", 1)[1]
    code = block.replace(f"{EXAMPLE_SERVER}/e/EXPERIMENT", f"{service.origin}/e/{id}")
    if "SECRET" in code:
        link = plotline.experiment(id)._http.json(
            "POST", f"/experiments/{id}/share-links", "Sharing", {}
        )
        code = code.replace(f"{EXAMPLE_SERVER}/s/SECRET", link["url"])
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=python_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, f"{code}\n{answer.stderr}"


def bytes_of_a_pixel() -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (1, 1)).save(out, "PNG")
    return out.getvalue()


@cases("sh")
def test_documented_commands_exist(block, service, home, capsys):
    """Parses every `plotline` line, and runs those that end by themselves."""
    writer = EventWriter(home / "runs/a")
    writer.scalars({"val/acc": 1}, 1)
    writer.close()
    (home / "runs/a/rank0.plotline.log").write_text("epoch 1\n")
    id = upload(UploadOptions(str(home / "runs"))).experiment_id
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    commands = [words[1:] for words in lines if words[:1] == ["plotline"]]
    assert commands or "pip install" in block
    for words in commands:
        names = {"EXPERIMENT": id, "RUN": "a"}
        arguments = [names.get(word, word) for word in words]
        cli._parser().parse_args(arguments)
        ends = arguments[0] not in ("login", "tensorboard") and not (
            arguments[0] == "upload" and "--one-shot" not in arguments
        )
        if ends:
            arguments = [word for word in arguments if word != "--follow"]
            assert cli.main(arguments) == 0, (arguments, capsys.readouterr().err)


def test_every_document_has_runnable_code():
    assert {name.split()[0] for name, _ in blocks("python")} == set(DOCUMENTS)


def test_every_public_name_is_documented():
    """Everything that `plotline` exports has a docstring."""
    for name in plotline.__all__:
        if name.startswith("__"):
            continue
        item = getattr(plotline, name)
        assert item.__doc__, name
        for member, value in vars(item).items() if isinstance(item, type) else ():
            if not member.startswith("_") and callable(value) and member != "summary_value":
                assert value.__doc__, f"{name}.{member}"
