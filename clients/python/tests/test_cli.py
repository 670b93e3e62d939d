"""The commands: the same results, messages and exit codes as the Node command line."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys

import pytest

import plotline
from conftest import node_command, python_environment
from plotline import bridge, cli
from plotline.event_writer import EventWriter, field
from plotline.upload import UploadOptions, upload


@pytest.fixture
def uploaded(service, home):
    for run in ("a", "b"):
        writer = EventWriter(home / "runs" / run)
        for step in range(100):
            writer.scalars({"loss": step / 7, "acc": step / 9}, step)
        writer.close()
    return upload(UploadOptions(str(home / "runs")))


def ours(capsys, *arguments):
    """Runs a command; returns its exit status, standard output and standard error."""
    capsys.readouterr()
    code = cli.main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def without_what_differs(text):
    """Removes times, durations, and ids and secrets of links."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "UUID", text)
    text = re.sub(r"/s/\w+", "/s/SECRET", text)
    text = re.sub(r"\d+\.\d+ s", "N s", text)
    return re.sub(r" +", " ", text)


@pytest.mark.parametrize(
    "arguments",
    [
        ["whoami"],
        ["status", "{id}"],
        ["status", "--logdir", "runs"],
        ["list", "--filter", "name = 'no such name'"],
        ["share", "{id}", "--tag", "loss", "--anonymous", "--expires", "7"],
        ["share", "{id}", "--list"],
        ["open", "{id}"],
        ["export", "{id}", "--outdir", "back-{client}"],
        ["upload", "--logdir", "runs", "--one-shot"],
        ["verify", "--logdir", "runs", "--exclude", "a"],
    ],
    ids=" ".join,
)
def test_results_equal_those_of_the_node_client(arguments, uploaded, service, home, capsys):
    filled = [
        [part.format(id=uploaded.experiment_id, client=client) for part in arguments]
        for client in ("python", "node")
    ]
    code, out, err = ours(capsys, *filled[0])
    theirs = node_command(service, home, *filled[1])
    assert code == theirs.returncode
    expected = theirs.stdout.decode().replace("back-node", "back-python")
    # The Node command line also prints the source of the token and counts points.
    expected = re.sub(r" \(token from .*\)|Points of 1 run were not compared.*\n", "", expected)
    assert without_what_differs(out) == without_what_differs(expected)
    assert without_what_differs(err) == without_what_differs(theirs.stderr.decode())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["status", "x" * 22], 4),
        (["open", "no-id"], 4),
        (["status", "--logdir", "elsewhere"], 4),
        (["unshare", "no-id"], 2),
        (["share", "x" * 22, "--public", "--list"], 2),
        (["share", "x" * 22, "--expires", "0"], 2),
        (["upload", "--logdir", "empty", "--one-shot"], 1),
        (["upload", "--logdir", "missing", "--one-shot"], 1),
        (["upload", "--logdir", "runs", "--experiment", "x" * 22, "--new"], 2),
        (["no-such-verb"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_errors_have_the_exit_codes_and_messages_of_the_node_client(
    arguments, code, service, home, capsys
):
    for folder in ("empty", "elsewhere"):
        (home / folder).mkdir()
    got, out, err = ours(capsys, *arguments)
    assert got == code
    assert out == ""
    theirs = node_command(service, home, *arguments)
    assert theirs.returncode == code
    if code != 2:  # each argument parser words wrong usage itself
        said = re.sub(r"\(request \S+\)", "", err).strip()
        assert said == re.sub(r"\(request \S+\)", "", theirs.stderr.decode()).strip()


def test_without_a_login_the_exit_code_is_3(service, home, monkeypatch, capsys):
    monkeypatch.delenv("PLOTLINE_TOKEN")
    code, _, err = ours(capsys, "list")
    assert code == 3
    assert "plotline login" in err
    monkeypatch.setenv("PLOTLINE_TOKEN", "plt_" + "x" * 36)
    code, out, _ = ours(capsys, "list", "--json")
    assert code == 3
    assert json.loads(out)["error"]["code"] == "unauthenticated"


def test_a_token_from_standard_input_is_tested_and_stored(service, home, monkeypatch, capsys):
    monkeypatch.delenv("PLOTLINE_TOKEN")
    monkeypatch.delenv("PLOTLINE_SERVER")
    monkeypatch.setattr(sys, "stdin", io.StringIO("plt_wrong\n"))
    assert ours(capsys, "login", "--server", service.origin, "--token")[0] == 3
    assert not (home / "config/plotline").exists()
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{service.token}\n"))
    code, out, _ = ours(capsys, "login", "--server", service.origin, "--token")
    assert code == 0
    assert f"Signed in to {service.origin}" in out
    assert service.token not in out
    assert ours(capsys, "list")[0] == 0


def test_links_and_snapshots_are_created_listed_and_revoked(uploaded, capsys):
    id = uploaded.experiment_id
    made = json.loads(ours(capsys, "share", id, "--frozen", "--expires", "never", "--json")[1])
    assert made["expires_at"] is None
    visitor = plotline.experiment(made["url"])
    assert len(visitor.scalars()) == 400
    links = json.loads(ours(capsys, "share", id, "--list", "--json")[1])["share_links"]
    assert [link["id"] for link in links] == [made["id"]]
    code, out, _ = ours(capsys, "unshare", made["id"])
    assert (code, out) == (0, f"Revoked {made['id']}: it stops working within five seconds.\n")
    copy = json.loads(ours(capsys, "snapshot", id, "--run", "a", "--json")[1])
    assert len(plotline.experiment(copy["url"]).scalars()) == 200
    assert "Anyone can read" in ours(capsys, "share", id, "--public")[1]
    assert "Only the workspace" in ours(capsys, "share", id, "--private")[1]


def test_verify_names_every_difference(uploaded, home, capsys):
    assert ours(capsys, "verify", "--logdir", "runs")[0] == 0
    [a] = (home / "runs/a").iterdir()
    [b] = (home / "runs/b").iterdir()
    with open(a, "ab") as file:
        file.write(bytes(7))
    b.write_bytes(b.read_bytes()[:-1])
    EventWriter(home / "runs/c").close()
    code, out, _ = ours(capsys, "verify", "--logdir", "runs", "--json")
    document = json.loads(out)
    assert code == 1
    assert {(item["run"], item["what"]) for item in document["differences"]} == {
        ("a", "not-uploaded"),
        ("b", "shorter-here"),
        ("c", "missing-there"),
    }
    b.unlink()
    code, out, _ = ours(capsys, "verify", "--logdir", "runs")
    assert code == 1
    assert "the log directory does not contain the file" in out


def test_stock_tensorboard_reads_through_the_bridge(uploaded):
    grpc = pytest.importorskip("grpc")
    provider = pytest.importorskip("tensorboard.data.grpc_provider")
    from tensorboard.context import RequestContext

    process = subprocess.Popen(
        [sys.executable, "-m", "plotline", "tensorboard", uploaded.url, "--bridge-only"],
        env=python_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("Ready for TensorBoard until Ctrl-C: tensorboard"), (
            process.stderr.read()
        )
        address = line.split()[-1]
        with grpc.insecure_channel(address) as channel:
            data = provider.GrpcDataProvider(address, provider.make_stub(channel))
            read = data.read_scalars(
                RequestContext(), experiment_id="", plugin_name="scalars", downsample=1000
            )
            assert sorted(read) == ["a", "b"]
            assert [point.step for point in read["a"]["loss"]] == list(range(100))
            with pytest.raises(Exception, match="another experiment"):
                data.list_scalars(RequestContext(), experiment_id="x" * 22, plugin_name="scalars")
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


def test_the_bridge_forwards_requests_about_one_experiment_only():
    own, other = "E" * 22, "O" * 22
    rest = field(2, field(1, b"scalars")) + b"\x18\xff\x01\x21abcdefgh\x2dabcd"
    for named in ("", "defaultExperimentId", own):
        request = (field(1, named.encode()) if named else b"") + rest
        assert bridge.pinned_request(request, own) == field(1, own.encode()) + rest
    for request in (field(1, other.encode()) + rest, rest + field(1, other.encode())):
        assert bridge.pinned_request(request, own) is None
    last_counts = field(1, other.encode()) + rest + field(1, b"")
    assert bridge.pinned_request(last_counts, own) == field(1, own.encode()) + rest
    for broken in (b"\x0a", b"\x0a\x05a", b"\x0b", b"\x21a", b"\x12" + b"\xff" * 11):
        with pytest.raises(ValueError, match=r"incomplete|ends early|wire type"):
            bridge.pinned_request(broken, own)
        assert not bridge.names_blob_of(broken, own)
    import base64

    for experiment, expected in ((own, True), (other, False)):
        key = base64.urlsafe_b64encode(json.dumps([1, experiment, "2"]).encode()).rstrip(b"=")
        assert bridge.names_blob_of(field(1, key), own) is expected
    assert not bridge.names_blob_of(field(1, b"no key"), own)
