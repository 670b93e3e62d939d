"""Uploads to a real service return the same receipt as with the Node command line."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import operator
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import google_crc32c
import numpy as np
import pytest
import urllib3

import plotline
from conftest import REPOSITORY, node_cli, node_command, python_environment
from plotline import cli
from plotline.credentials import Credentials, find_credentials
from plotline.errors import NotSignedIn, PlotlineError
from plotline.event_writer import EventWriter, record
from plotline.http import Http
from plotline.upload import UploadOptions, sieve, upload
from plotline.upload.api import WIRE_VERSION, UploadApi, check_wire_version
from plotline.upload.scan import scan
from plotline.upload.temporary_names import temporary_tool

#: Folders of real event files; PYTHON_LOGS overrides them.
LOGS = Path(os.environ.get("PYTHON_LOGS") or REPOSITORY / "test/data/logs")
#: Number of kills: of an upload, and of the service during a training run.
KILLS = int(os.environ.get("PYTHON_KILLS", "5"))


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "plotline", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=python_environment(),
        **options,
    )


def receipt_of(experiment):
    """A receipt without ids, which differ between experiments, and without SHA-256, which the
    service computes later."""
    receipt = plotline.experiment(experiment).receipt()
    ids = {"series_id", "file_id", "experiment_id", "sha256"}
    bare = {
        part: [{k: v for k, v in item.items() if k not in ids} for item in receipt[part]]
        for part in ("files", "series", "problems")
    }
    names = {file["file_id"]: file["name"] for file in receipt["files"]}
    for file in bare["files"]:
        file["copy_of"] = names.get(file["copy_of"])
    # Files are in the order of their ids.
    for part in bare.values():
        part.sort(key=lambda item: json.dumps(item, sort_keys=True))
    return bare | {"digest": receipt["digest"], "totals": receipt["totals"]}


@pytest.mark.parametrize("name", sorted(path.name for path in LOGS.iterdir() if path.is_dir()))
def test_real_logs_have_the_same_receipt_as_with_the_node_client(name, service, home):
    folder = home / "logs"
    shutil.copytree(LOGS / name, folder)
    for packed in folder.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    ours = upload(UploadOptions(str(folder)))
    theirs = node_cli(service, home, "upload", "--logdir", str(folder), "--one-shot", "--new")
    assert receipt_of(ours.experiment_id) == receipt_of(theirs["experiment_id"])
    assert (ours.points, ours.tensors) == (theirs["points"], theirs["tensors"])


def test_each_client_resumes_uploads_of_the_other(service, home):
    writer = EventWriter(home / "runs/a")
    for step in range(100):
        writer.scalars({"x": step / 3}, step)
    writer.flush()
    first = upload(UploadOptions(str(home / "runs")))
    for step in range(100, 200):
        writer.scalars({"x": step / 3}, step)
    writer.close()
    second = node_cli(service, home, "upload", "--logdir", "runs", "--one-shot")
    assert second["experiment_id"] == first.experiment_id
    third = upload(UploadOptions(str(home / "runs")))
    assert third.uploaded_bytes == 0
    frame = plotline.experiment(first.experiment_id).scalars()
    assert list(frame["step"]) == list(range(200))
    assert np.array_equal(frame["value"], np.arange(200) / 3)


def test_kills_at_random_moments_lose_and_duplicate_nothing(service, home):
    rng = random.Random(5)
    writers = {run: EventWriter(home / "runs" / run) for run in ("a", "b", "c")}
    steps, killed = 0, 0
    while killed < KILLS:
        for writer in writers.values():
            for step in range(steps, steps + 2000):
                writer.scalars({"loss": rng.random(), "acc": rng.random()}, step)
            writer.flush()
        steps += 2000
        process = subprocess.Popen(
            [sys.executable, "-m", "plotline", "upload", "--logdir", "runs", "--one-shot"],
            env=python_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert process.wait(rng.uniform(0.15, 0.6)) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
    for writer in writers.values():
        writer.close()
    result = upload(UploadOptions(str(home / "runs")))
    assert (result.points, result.superseded) == (6 * steps, 0)
    assert cli.main(["verify", "--logdir", "runs"]) == 0
    frame = plotline.experiment(result.experiment_id).scalars(tags="loss")
    assert dict(frame.groupby("run", observed=True).size()) == dict.fromkeys("abc", steps)
    undisturbed = upload(UploadOptions(str(home / "runs"), new=True))
    assert receipt_of(result.experiment_id) == receipt_of(undisturbed.experiment_id)


def test_a_run_is_logged_uploaded_and_read_back(service, home):
    values = np.random.default_rng(3).standard_normal(1000)
    with plotline.init("baseline", config={"lr": 0.001}) as run:
        for value in values:
            run.log({"loss": value})
    read = plotline.experiment(run.url)
    frame = read.scalars(tags="loss")
    assert list(frame.columns) == ["run", "tag", "step", "wall_time", "value"]
    assert np.array_equal(frame["value"], values)
    assert list(frame["step"]) == list(range(1000))
    [listed] = read.runs()
    assert listed["hparams"] == {"lr": 0.001}
    assert listed["status"] == "success"
    buckets = read.scalars(tags="loss", buckets=10)
    assert buckets["count"].sum() == 1000
    assert buckets["max"].max() == values.max()
    assert "data:image/svg+xml" in read._repr_html_()


def test_eight_processes_log_separate_tags_and_a_shared_tag_of_one_run(service, home):
    script = (
        "import multiprocessing, os, sys, plotline\n"
        "def rank(number, ready):\n"
        "    run = plotline.init('ddp-' + sys.argv[1])\n"
        "    ready.wait()\n"
        "    for step in range(200):\n"
        "        run.log({f'rank{number}/loss': step + number, 'loss': number}, step=step)\n"
        "    run.finish()\n"
        "    os.write(1, f'{run.url}\\n'.encode())\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context(sys.argv[1])\n"
        "    ready = context.Barrier(8)\n"
        "    ranks = [context.Process(target=rank, args=(n, ready)) for n in range(8)]\n"
        "    [process.start() for process in ranks]\n"
        "    [process.join() for process in ranks]\n"
        "    sys.exit(max(process.exitcode for process in ranks))\n"
    )
    (home / "train.py").write_text(script)
    urls = set()
    for method in ("fork", "spawn"):
        # Processes that inherit this module, and processes that import it.
        answer = subprocess.run(
            [sys.executable, "train.py", method],
            env=python_environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert answer.returncode == 0, answer.stderr
        urls |= set(answer.stdout.split())
    assert len(urls) == 1
    read = plotline.experiment(urls.pop())
    frame = read.scalars()
    assert len(frame) == 6400
    for rank in range(8):
        own = frame[frame["tag"] == f"rank{rank}/loss"]
        assert list(own["value"]) == [step + rank for step in range(200)] * 2
    shared = frame[frame["tag"] == "loss"]
    assert sorted(shared["writer"].unique()) == list(range(8))
    assert sorted(shared["value"]) == sorted(list(range(8)) * 400)
    assert sum(series["superseded_points"] for series in read.receipt()["series"]) == 0


def test_the_next_start_uploads_what_a_killed_process_logged(service, home):
    script = (
        "import os, plotline, time\n"
        "run = plotline.init('first')\n"
        "for step in range(500): run.log({'x': step}, step=step)\n"
        "run.flush()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    environment = python_environment(PLOTLINE_MODE="offline")
    killed = subprocess.run([sys.executable, "-c", script], env=environment, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with plotline.init("second") as run:
        run.log({"x": 1.0})
    frame = plotline.experiment(run.url).scalars(runs="first")
    assert list(frame["step"]) == list(range(500))


def test_a_child_that_inherits_a_run_uploads_what_it_logs(service, home):
    script = (
        "import multiprocessing, plotline\n"
        "run = plotline.init('parent')\n"
        "def child(number):\n"
        "    for step in range(100): run.log({f'child{number}': step}, step=step)\n"
        "context = multiprocessing.get_context('fork')\n"
        "children = [context.Process(target=child, args=(n,)) for n in range(2)]\n"
        "[process.start() for process in children]\n"
        "[process.join() for process in children]\n"
        "run.log({'own': 1.0}, step=0)\n"
        "run.finish()\n"
        "print(run.url)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        env=python_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stderr
    frame = plotline.experiment(answer.stdout.strip()).scalars()
    sizes = dict(frame.groupby("tag", observed=True).size())
    assert sizes == {"child0": 100, "child1": 100, "own": 1}


# A start of the service takes seconds
@pytest.mark.timeout(180 + 6 * KILLS)
def test_a_training_continues_while_the_service_is_killed(service, home):
    kills = max(1, KILLS * 30 // 100)
    run = plotline.init("outage")
    for step in range(3000):
        run.log({"x": float(step)}, step=step)
        if step % (3000 // kills) == 500 // kills:
            run.flush()
            service.kill()
            service.start()
    run.finish(timeout=120)
    frame = plotline.experiment(run.url).scalars()
    assert list(frame["step"]) == list(range(3000))


def test_without_a_service_logs_stay_on_disk_and_are_uploaded_later(service, home, monkeypatch):
    monkeypatch.delenv("PLOTLINE_TOKEN")
    monkeypatch.delenv("PLOTLINE_SERVER")
    with plotline.init("offline") as run:
        run.log({"x": 1.0})
    assert run.url is None
    with pytest.raises(PlotlineError, match="no service has answered"):
        plotline.experiment(run.url)
    monkeypatch.setenv("PLOTLINE_SERVER", service.origin)
    monkeypatch.setenv("PLOTLINE_TOKEN", service.token)
    with plotline.watch("runs") as watching:
        pass
    assert len(plotline.experiment(watching.url).scalars()) == 1


def test_a_watching_upload_follows_a_growing_file_and_ends_on_sigterm(service, home):
    environment = python_environment()
    process = subprocess.Popen(
        [sys.executable, "-m", "plotline", "upload", "--logdir", "runs", "--name", "live"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    (home / "runs").mkdir()
    writer = EventWriter(home / "runs/a")
    for step in range(50):
        writer.scalars({"x": step}, step)
    writer.flush()
    url = process.stdout.readline().split()[-1]
    read = plotline.experiment(url)
    deadline = time.monotonic() + 60
    while len(read.scalars()) < 50 and time.monotonic() < deadline:
        time.sleep(0.2)
    for step in range(50, 100):
        writer.scalars({"x": step}, step)
    writer.close()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    while len(read.scalars()) < 100 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert list(read.scalars()["step"]) == list(range(100))


def test_other_files_and_link_targets_outside_the_folder_are_not_sent(service, home):
    secret = home / "secret.tfevents"
    EventWriter(home / "elsewhere").close()
    secret.write_text("root:x:0:0:root:/root:/bin/bash\n")
    writer = EventWriter(home / "runs/a")
    writer.scalars({"x": 1}, 1)
    writer.close()
    (home / "runs/a/link.tfevents").symlink_to(secret)
    (home / "runs/a/notes.tfevents.md").write_text("# These are only notes about a training.\n")
    result = upload(UploadOptions(str(home / "runs")))
    assert result.failed == []
    files = plotline.experiment(result.experiment_id).receipt()["files"]
    assert [file["name"] for file in files if file["bytes"]] == [writer.path.name]


def test_both_clients_leave_out_the_same_and_say_why(service, home):
    def write(run):
        writer = EventWriter(home / "runs" / run)
        writer.scalars({"x": 1.0}, 0)
        writer.close()
        return writer.path

    for run in ("a", "a/b", "wandb/run-1", "mine/wandb", "__MACOSX", ".snapshot/d", ".snapshots",
                ".zfs", "a/plugins/profile/1", "profile"):  # fmt: skip
        write(run)
    runs = home / "runs"
    (runs / "projector_config.pbtxt").write_text("embeddings {}")
    (runs / "notes.tfevents").write_text("only some notes about a training")
    (runs / "zeros.tfevents").write_bytes(bytes(40))
    (runs / "short.tfevents").write_bytes(b"short")
    (runs / "a/b/up").symlink_to(runs / "a")
    (runs / "self").symlink_to("self")
    (runs / "twice").symlink_to("mine")
    (runs / "thrice").symlink_to("mine")
    write("../elsewhere")
    (runs / "outside").symlink_to(home / "elsewhere")
    arguments = ("upload", "--logdir", str(runs), "--dry-run")
    ours = command(*arguments, "--json", cwd=home)
    theirs = node_cli(service, home, *arguments)
    document = json.loads(ours.stdout)
    key = operator.itemgetter("path")
    assert sorted(document["skipped"], key=key) == sorted(theirs["skipped"], key=key)
    assert [run["run"] for run in document["runs"]] == [run["run"] for run in theirs["runs"]]
    lines = node_command(service, home, *arguments).stderr.decode().splitlines()
    said = {line for line in lines if line.startswith(str(runs))}
    assert said == {line for line in ours.stderr.splitlines() if line.startswith(str(runs))}
    assert len(said) == len(document["skipped"]) == 14
    for arguments in (("upload", "--logdir", "gone"), ("upload", "--logdir", "gone", "--one-shot")):
        ours, theirs = command(*arguments, cwd=home), node_command(service, home, *arguments)
        assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr.decode())
        assert ours.returncode == 1
    assert not (home / "gone").exists()


def test_a_copy_beside_its_file_is_skipped(service, home, monkeypatch):
    monkeypatch.setattr(sieve, "STILL_SECONDS", 0.5)
    writer = EventWriter(home / "runs/a")
    for step in range(100):
        writer.scalars({"x": step}, step)
    writer.close()
    data = writer.path.read_bytes()
    for suffix in (".5C6dABbe", ".partial", ".bak", "~", " (1)", "_.gstmp", ".second"):
        (home / "runs/a" / (writer.path.name + suffix)).write_bytes(data[: len(data) // 2])
    result = upload(UploadOptions(str(home / "runs")))
    assert (result.files, result.points, result.superseded) == (1, 100, 0)
    other = EventWriter(home / "runs/a")
    other.scalars({"y": 1}, 1)
    other.close()
    other.path.rename(other.path.with_name(other.path.name + ".bak"))
    assert upload(UploadOptions(str(home / "runs"))).points == 101


def test_temporary_names_equal_those_of_the_node_client():
    cases = json.loads((REPOSITORY / "test/data/temporary-names.json").read_text())
    for case in cases["temporary"]:
        name = case["name"].replace("{plain}", cases["plain"])
        assert temporary_tool("a/b", name) == case["tool"], name
    for name in cases["written_by_tools_that_log"]:
        assert temporary_tool("a/b", name.replace("{plain}", cases["plain"])) is None, name
    assert temporary_tool("a/.rsync-partial", cases["plain"]) == "rsync"


def test_a_file_with_a_temporary_name_waits_until_it_stops_changing(tmp_path):
    writer = EventWriter(tmp_path)
    writer.scalars({"x": 1}, 1)
    writer.flush()
    temporary = writer.path.rename(writer.path.with_name(f".{writer.path.name}.Ab3xYz"))
    now, said = [0.0], []
    sieved = sieve.Sieve(said.append, lambda: now[0])

    def look():
        return [file.name for file in sieved.sift(scan(tmp_path).files).files]

    assert look() == []
    now[0] = 29
    assert look() == []
    temporary.write_bytes(temporary.read_bytes() + record(b"\x09" + bytes(8)))
    now[0] = 31
    assert look() == []
    now[0] = 62
    assert look() == [temporary.name]
    assert ["is named as rsync" in line for line in said] == [True, False]
    plain = tmp_path / writer.path.name
    plain.write_bytes(temporary.read_bytes() + record(b"\x09" + bytes(8)))
    assert look() == [plain.name]


def test_a_credentials_file_in_the_working_folder_gets_no_token(home, monkeypatch):
    (home / ".plotline").mkdir()
    hostile = home / ".plotline/credentials.json"
    hostile.write_text('{"server": "http://attacker.example", "token": "plt_x"}')
    hostile.chmod(0o600)
    assert find_credentials().origin != "http://attacker.example"
    monkeypatch.delenv("PLOTLINE_SERVER")
    for token in ("plt_secret", ""):
        monkeypatch.setenv("PLOTLINE_TOKEN", token)
        with pytest.raises(NotSignedIn):
            find_credentials()


def test_a_service_of_this_user_in_the_working_folder_needs_no_login(service, home, monkeypatch):
    monkeypatch.delenv("PLOTLINE_SERVER")
    monkeypatch.delenv("PLOTLINE_TOKEN")
    data = service.folder / "data"
    monkeypatch.setenv("PLOTLINE_DATA_DIR", str(data))
    assert find_credentials() == Credentials(service.origin, service.token)
    monkeypatch.chdir(service.folder)
    monkeypatch.setenv("PLOTLINE_DATA_DIR", "data")
    with pytest.raises(NotSignedIn):
        find_credentials()
    monkeypatch.setenv("XDG_STATE_HOME", str(service.folder / ".local/state"))
    assert find_credentials() == Credentials(service.origin, service.token)


def test_wrong_usage_is_reported_with_advice(home):
    for arguments, words in (
        (["--logdir", "gs://bucket/runs"], "gcloud storage rsync --recursive gs://bucket/runs DIR"),
        (["--logdir", "hdfs://host/logs"], "Copy or mount it here"),
        (["--logdir", "file:///data/runs"], "takes a path, not an address: /data/runs"),
        (["--logdir", "a:one,b:two"], "There is no folder a:one,b:two"),
        (["--logdir", ".", "--exp", "x"], "unrecognized arguments: --exp x"),
        (["--connections", "2"], "error: the following arguments are required: --logdir"),
        (["--logdir", f"name:{home}"], "--name name"),
        (["--logdir", ".", "--name", "a", "--name", "b"], "given twice"),
        (["--logdir", "."], "No event files"),
    ):
        answer = command("upload", "--one-shot", *arguments, cwd=home)
        assert answer.returncode in (1, 2)
        assert words in answer.stderr
        assert "Traceback" not in answer.stderr
        assert "usage:" not in answer.stderr


def test_an_experiment_is_exported_byte_for_byte_and_as_a_table(service, home):
    writer = EventWriter(home / "runs/a")
    for step in range(1000):
        writer.scalars({"x": step / 7}, step)
    writer.close()
    result = upload(UploadOptions(str(home / "runs")))
    assert cli.main(["export", result.experiment_id, "--outdir", "back"]) == 0
    assert (home / "back/a" / writer.path.name).read_bytes() == writer.path.read_bytes()
    assert cli.main(["export", result.experiment_id, "--outdir", "t", "--format", "parquet"]) == 0
    import pandas

    frame = pandas.read_parquet(home / "t/scalars.parquet")
    assert np.array_equal(frame["value"], np.arange(1000) / 7)


def test_a_client_of_the_first_wire_version_still_uploads(service, home):
    """The exchange as version 1 of the protocol had it, byte by byte; do not change it."""
    writer = EventWriter(home / "runs/a")
    writer.scalars({"x": 0.5}, 1)
    writer.close()
    data = writer.path.read_bytes()
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    pool, api = urllib3.PoolManager(), f"{service.origin}/api/v1"
    token = {"Authorization": f"Bearer {service.token}"}
    as_json = {**token, "Content-Type": "application/json"}

    def post(path, body):
        answer = pool.request("POST", api + path, body=json.dumps(body).encode(), headers=as_json)
        assert answer.status in (200, 201), answer.data
        return json.loads(answer.data)

    experiment = post("/experiments", {"name": "first"})["id"]
    file = post(f"/experiments/{experiment}/files", {"run": "a", "name": writer.path.name})
    assert file["offset"] == 0
    ranges = {"Upload-Offset": "0", "Content-Digest": f"sha-256=:{digest}:"}
    path = f"{api}/files/{file['file_id']}"
    sent = pool.request("PATCH", path, body=data, headers={**token, **ranges})
    assert (sent.status, sent.headers["Upload-Offset"]) == (204, str(len(data)))
    crc32c = f"{google_crc32c.value(data):08x}"
    post(f"/files/{file['file_id']}/complete", {"bytes": len(data), "crc32c": crc32c})
    epoch = sent.headers["Upload-Epoch"]
    waits = f"{api}/experiments/{experiment}/frontier?wait_for={epoch}&timeout=60"
    assert pool.request("GET", waits, headers=token).status == 200
    read = plotline.experiment(experiment, server=service.origin, token=service.token)
    assert read.scalars()["value"].tolist() == [0.5]


def test_wire_versions_that_do_not_fit_say_what_to_update():
    check_wire_version({}, "http://a")  # a service from before the field
    check_wire_version({"wireVersion": 9, "oldestWireVersion": 1, "more": 1}, "http://a")
    with pytest.raises(PlotlineError, match="update the client"):
        check_wire_version({"wireVersion": 9, "oldestWireVersion": WIRE_VERSION + 1}, "http://a")
    with pytest.raises(PlotlineError, match="too old for this client"):
        check_wire_version({"wireVersion": WIRE_VERSION - 1}, "http://a")


@pytest.mark.parametrize(
    ("limits", "routed", "expected"),
    [
        ({"uploadsVersion": 1}, True, ["/uploads", "/uploads"]),
        ({"uploadsVersion": 1}, False, ["/uploads", "", ""]),
        ({}, True, ["", ""]),
    ],
)
def test_uploads_use_the_prefix_if_service_and_proxy_have_it(limits, routed, expected):
    asked = []

    class Proxy(BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.removeprefix("/api/v1")
            if path != "/limits":
                asked.append("/uploads" if path.startswith("/uploads/") else "")
            unknown = not routed and path.startswith("/uploads/")
            body = {"code": "not-found"} if unknown else limits if path == "/limits" else file
            data = json.dumps(body).encode()
            self.send_response(404 if unknown else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    file = {"file_id": "1", "version": 1, "offset": 0, "crc32c": "00000000"}
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        api = UploadApi(Http(Credentials(origin, "token")))
        assert api.announce("e", "run", "events.out.tfevents.1", 0).file_id == "1"
        api.complete("1", 0, 0)
        server.shutdown()
    assert asked == expected
