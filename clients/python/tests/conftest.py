"""A real service for the tests, embedded as with `npm start`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
NODE = REPOSITORY / "node_modules/.bin/node"
MAIN = REPOSITORY / "dist/apps/standalone/src/main.js"


class Service:
    """The embedded service on its own port. Tests may kill and restart it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def token(self) -> str:
        return str(json.loads((self.folder / "data/credentials.json").read_text())["token"])

    def start(self) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PLOTLINE_PORT": str(self.port),
            "PLOTLINE_DATA_DIR": str(self.folder / "data"),
        }
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [NODE, "--heap-growing-percent=100", "--max-semi-space-size=8", MAIN],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
            )
        # A start takes seconds, but the machine may be busy with other tests.
        for _ in range(3000):
            if self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            try:
                with urllib.request.urlopen(f"{self.origin}/readyz", timeout=1) as answer:
                    if answer.status == 200 and (self.folder / "data/credentials.json").exists():
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("the service is not ready after five minutes")

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory):
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def without_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns facts off, so that runs have one event file; the tests of facts turn them on."""
    monkeypatch.setenv("PLOTLINE_FACTS", "off")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: Service) -> Path:
    """A working folder with credentials in the environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLOTLINE_SERVER", service.origin)
    monkeypatch.setenv("PLOTLINE_TOKEN", service.token)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def node_command(
    service: Service, home: Path, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command of the Node command line."""
    return subprocess.run(
        [NODE, REPOSITORY / "dist/apps/cli/src/main.js", *arguments],
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
            "PLOTLINE_SERVER": service.origin,
            "PLOTLINE_TOKEN": service.token,
        },
        capture_output=True,
        timeout=300,
    )


def node_cli(service: Service, home: Path, *arguments: str) -> dict:
    """Returns the JSON document that a command of the Node command line prints."""
    answer = node_command(service, home, *arguments, "--json")
    assert answer.returncode == 0, answer.stderr.decode()
    return json.loads(answer.stdout)


def python_environment(**more: str) -> dict[str, str]:
    """Environment of a Python process with the import paths of this one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}
