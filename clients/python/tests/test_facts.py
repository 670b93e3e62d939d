"""Facts that a run records, and the setting that turns them off."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import time

import pytest

import plotline
from conftest import python_environment
from plotline import facts, recorder
from plotline.hparams import flatten
from plotline.redact import HIDDEN, names_a_secret, redact, redact_arguments
from plotline.system import Amd, Linux, Nvidia, System
from test_event_writer import events_of, values_of


def system_file(folder):
    [path] = [path for path in folder.iterdir() if path.name.endswith(".system")]
    return path


def messages_of(path):
    texts = [e.log_message.message for e in events_of(path) if e.HasField("log_message")]
    return [json.loads(text.split(" ", 1)[1]) for text in texts]


def test_facts_and_load_go_to_an_event_file_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "RECORD_EVERY", 0.05)
    run = plotline.init("a", logdir=tmp_path, upload=False, facts=True)
    run.log({"loss": 1.0})
    deadline = time.monotonic() + 60
    tags = set()
    while "system/cpu/percent" not in tags and time.monotonic() < deadline:
        tags = {tag for _, _, tag, _ in values_of(run._recorder.path)}
    run.finish()
    read = values_of(system_file(run.folder))
    assert {tag.split("/")[0] for _, _, tag, _ in read} == {"system"}
    loads = {tag: float(value) for _, _, tag, value in read if not value.dtype.hasobject}
    assert 0 <= loads["system/memory/used_percent"] <= 100
    assert 0 <= loads["system/cpu/percent"] <= 100
    assert loads["system/process/memory_gib"] > 0
    texts = {tag: str(value.item().decode()) for _, _, tag, value in read if value.dtype.hasobject}
    assert sys.version.split()[0] in texts[facts.FACTS_TAG]
    assert "pytest==" in texts[facts.PACKAGES_TAG]
    [main] = [path for path in run.folder.iterdir() if not path.name.endswith(".system")]
    assert [tag for _, _, tag, _ in values_of(main)] == ["loss"]


@pytest.mark.parametrize("by", ["argument", "environment", "rank"])
def test_one_setting_disables_everything(by, tmp_path, monkeypatch):
    monkeypatch.delenv("PLOTLINE_FACTS")
    options = {}
    if by == "argument":
        options = {"facts": False}
    elif by == "environment":
        monkeypatch.setenv("PLOTLINE_FACTS", "off")
    else:
        monkeypatch.setenv("LOCAL_RANK", "1")
    with plotline.init("a", logdir=tmp_path, upload=False, **options) as run:
        run.log({"loss": 1.0})
    [path] = run.folder.iterdir()
    assert [tag for _, _, tag, _ in values_of(path)] == ["loss"]


def test_names_of_people_and_machines_are_in_no_value(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "orig_argv", ["/usr/bin/python3", "train.py", "--token", "s3cret"])
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    remote = "https://me:pw@git.example/lab/repo.git"
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", remote], check=True)
    monkeypatch.chdir(tmp_path)
    with plotline.init("a", logdir=tmp_path / "runs", upload=False, facts=True) as run:
        run.log({"loss": 1.0})
    path = system_file(run.folder)
    shown = " ".join(str(value) for *_, value in values_of(path))
    assert socket.gethostname() not in shown
    assert str(tmp_path) not in shown
    assert "git.example" not in shown
    assert "train.py" not in shown
    private, ended = messages_of(path)
    assert f"python3 train.py --token {HIDDEN}" in private["command"].replace("'", "")
    assert private["host"] == socket.gethostname()
    assert private["folder"] == os.getcwd()
    assert private["status"] == "running"
    assert private["heartbeat_seconds"] == 10
    assert ended == {"status": "success"}
    assert private["git_remote"] == "https://git.example/lab/repo.git"
    assert b"s3cret" not in path.read_bytes()


def test_commit_state_and_diff_of_the_repository(tmp_path, monkeypatch):
    def git(*arguments):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        return subprocess.run(
            ["git", *names, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    (tmp_path / "train.py").write_text("lr = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "begin")
    monkeypatch.chdir(tmp_path)
    assert facts.private_facts()["git_commit"] == git("rev-parse", "HEAD")
    assert facts.private_facts()["git_dirty"] is False
    assert facts.git_diff() is None
    (tmp_path / "train.py").write_text("lr = 2\napi_key = 'abc123'\n")
    assert facts.private_facts()["git_dirty"] is True
    options = {"logdir": tmp_path / "runs", "upload": False, "facts": True, "git_diff": True}
    with plotline.init("a", **options) as run:
        pass
    texts = {tag: str(value) for _, _, tag, value in values_of(system_file(run.folder))}
    assert "+lr = 2" in texts[facts.DIFF_TAG]
    assert "abc123" not in texts[facts.DIFF_TAG]
    monkeypatch.setenv("PATH", "")
    assert facts.git("status") is None


def test_a_resumed_run_continues_its_steps(tmp_path):
    (tmp_path / "events.out.tfevents.1000000000.host.1.0").touch()
    resumed = recorder.Recorder(tmp_path)
    resumed.stop()
    steps = [step for step, *_ in values_of(resumed.path)]
    assert min(steps) > 700_000_000


def test_secrets_are_redacted():
    for name in ("--hub-token", "db.password", "AWS_SECRET_ACCESS_KEY", "apiKey", "client_secret"):
        assert names_a_secret(name), name
    for name in ("tokenizer", "max_tokens", "secretary", "lr", "author"):
        assert not names_a_secret(name), name
    for text in (
        "hf_" + "a" * 30,
        "plt_" + "a" * 36,
        "ghp_" + "a" * 36,
        "AKIA" + "A" * 16,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ):
        assert redact(f"before {text} after") == f"before {HIDDEN} after"
    assert redact("password=x lr=1") == f"password={HIDDEN} lr=1"
    assert redact("-H 'Authorization: Bearer abc.def'") == f"-H 'Authorization: {HIDDEN}'"
    assert redact("git clone https://me:pw@host/x") == "git clone https://host/x"
    command = ["train.py", "--token", "abc", "--lr", "1", "--api-key=abc", "--password", "--amp"]
    assert redact_arguments(command) == (
        ["train.py", "--token", HIDDEN, "--lr", "1", f"--api-key={HIDDEN}", "--password", "--amp"]
    )
    config = flatten({"hub": {"token": "abc"}, "max_tokens": 5, "token": 7, "secret": ""})
    assert config == {"hub.token": HIDDEN, "max_tokens": 5, "token": 7, "secret": ""}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_rates_are_those_of_the_machine(tmp_path):
    proc, block = tmp_path / "proc", tmp_path / "sys/block/sda"
    for folder in (proc / "self/net", block):
        folder.mkdir(parents=True)

    def write(idle, busy, sectors, received):
        (proc / "stat").write_text(f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n")
        (proc / "meminfo").write_text("MemTotal: 4194304 kB\nMemAvailable: 1048576 kB\n")
        (proc / "self/statm").write_text("100 50 10 1 0 30 0\n")
        (proc / "self/stat").write_text("1 (a (b) c) " + "0 " * 40)
        disk = f"8 0 sda 1 0 {sectors} 0 1 0 0 0\n8 1 sda1 1 0 {sectors} 0 1 0 0 0\n"
        (proc / "diskstats").write_text(disk)
        lines = f"h\nh\n lo: 9 0 0 0 0 0 0 0 9\neth0: {received} 0 0 0 0 0 0 0 0\n"
        (proc / "self/net/dev").write_text(lines)

    write(100, 100, 0, 0)
    linux = Linux(proc)
    linux()
    write(150, 250, 2048, 0)
    values = linux()
    assert values["cpu/percent"] == pytest.approx(75)
    assert values["memory/used_gib"] == pytest.approx(3)
    assert values["memory/used_percent"] == pytest.approx(75)
    # A partition is not counted beside its disk, nor the loopback interface.
    assert values["disk/read_mib_per_second"] > 0
    assert values["network/received_mib_per_second"] == 0


class Nvml:
    """A device as the driver's library reports it."""

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetCount_v2(self, count):
        count._obj.value = 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, device):
        device._obj.value = 7 + index
        return 0

    def nvmlDeviceGetName(self, device, name, size):
        name.value = b"NVIDIA H100"
        return 0

    def nvmlDeviceGetUtilizationRates(self, device, rates):
        rates._obj[0], rates._obj[1] = 93, 40
        return 0

    def nvmlDeviceGetMemoryInfo(self, device, memory):
        memory._obj[0], memory._obj[2] = 80 * 2**30, 20 * 2**30
        return 0

    def nvmlDeviceGetTemperature(self, device, sensor, number):
        number._obj.value = 65
        return 0

    def nvmlDeviceGetPowerUsage(self, device, number):
        assert isinstance(number._obj, ctypes.c_uint)
        return 3  # NVML_ERROR_NOT_SUPPORTED


def test_accelerators_are_read_as_their_drivers_report(tmp_path):
    nvidia = Nvidia(Nvml())
    assert nvidia.names == ["NVIDIA H100"]
    assert nvidia() == {
        "gpu/0/percent": 93,
        "gpu/0/memory_used_gib": 20,
        "gpu/0/memory_used_percent": 25,
        "gpu/0/celsius": 65,
    }
    device = tmp_path / "card0/device"
    (device / "hwmon/hwmon3").mkdir(parents=True)
    for name, text in (
        ("gpu_busy_percent", "50"),
        ("product_name", "MI300X"),
        ("mem_info_vram_used", str(2**30)),
        ("mem_info_vram_total", str(2**32)),
        ("hwmon/hwmon3/temp1_input", "55000"),
        ("hwmon/hwmon3/power1_average", "250000000"),
    ):
        (device / name).write_text(text + "\n")
    amd = Amd(tmp_path)
    assert amd.names == ["MI300X"]
    assert amd() == {
        "gpu/0/percent": 50,
        "gpu/0/memory_used_gib": 1,
        "gpu/0/memory_used_percent": 25,
        "gpu/0/celsius": 55,
        "gpu/0/watts": 250,
    }
    with pytest.raises(OSError, match="no AMD device"):
        Amd(tmp_path / "none")


def test_a_source_that_fails_gives_no_values_and_no_error(tmp_path):
    system = System(tmp_path)

    def fails():
        raise RuntimeError("the device is lost")

    system._sources.append(fails)
    assert "system/disk/used_percent" in system.read()


def test_an_anonymous_link_does_not_show_who_and_where(service, home, monkeypatch):
    monkeypatch.setattr(facts.getpass, "getuser", lambda: "marie-curie")
    with plotline.init("a", facts=True) as run:
        run.log({"loss": 1.0})
    mine = plotline.experiment(run.url)
    link = mine._http.json(
        "POST", f"/experiments/{mine.id}/share-links", "Sharing", {"anonymous": True}
    )
    visitor = plotline.experiment(link["url"])
    texts = " ".join(str(value.value) for value in visitor.texts())
    assert "Python" in texts
    assert socket.gethostname() not in texts
    assert "marie-curie" not in texts
    assert visitor.scalars(tags="loss")["value"].tolist() == [1.0]
    # The load of the machine is a writer beside, and no series of the run has several for it.
    assert "writer" not in mine.scalars().columns


def test_a_killed_training_keeps_its_facts(service, home):
    script = (
        "import os, time, plotline\n"
        "run = plotline.init('first', facts=True)\n"
        "run.log({'x': 1.0})\n"
        "run._recorder._thread.join(0.01)\n"
        "while run._recorder.path.stat().st_size < 500: time.sleep(0.01)\n"
        "run.flush()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        env=python_environment(PLOTLINE_MODE="offline"),
        timeout=60,
    )
    with plotline.init("second") as run:
        run.log({"x": 2.0})
    texts = plotline.experiment(run.url).texts(runs="first")
    assert facts.FACTS_TAG in {text.tag for text in texts}


@pytest.mark.parametrize("recorded", [True, False])
def test_names_that_the_caller_gives_are_recorded(recorded, tmp_path):
    given = {"display_name": "Baseline", "job_type": "train", "labels": ["a", "b"]}
    with plotline.init("a", logdir=tmp_path, upload=False, facts=recorded, **given) as run:
        path = system_file(run.folder) if recorded else run._writer.path
    first = messages_of(path)[0]
    assert {name: first.get(name) for name in given} == given


def test_a_failed_run_has_that_status(tmp_path):
    options = {"logdir": tmp_path, "upload": False, "facts": True}
    with pytest.raises(ValueError, match="diverged"), plotline.init("a", **options) as run:
        raise ValueError("diverged")
    assert messages_of(system_file(run.folder))[-1] == {"status": "failure"}


def test_labels_are_a_list(tmp_path):
    with pytest.raises(plotline.UsageError, match="list"):
        plotline.init("a", logdir=tmp_path, upload=False, labels="abc")
