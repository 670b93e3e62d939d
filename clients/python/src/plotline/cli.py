"""The ``plotline`` command. Messages and exit codes are those of the Node command line where the
two overlap."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import json
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any, Callable

from ._version import __version__
from .credentials import (
    Credentials,
    find_credentials,
    forget_login,
    parse_origin,
    require_credentials,
    store_login,
)
from .errors import ApiError, NotSignedIn, PlotlineError, UsageError
from .http import Http
from .upload.memory import UploadMemory
from .upload.scan import ScanResult, scan
from .upload.sieve import Sieve
from .upload.uploader import UploadOptions, UploadResult, upload
from .upload.watcher import Watcher

DONE, FAILED, USAGE, NOT_SIGNED_IN, NOT_FOUND, OVER_LIMIT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

_device_grant = "urn:ietf:params:oauth:grant-type:device_code"
_remote_logdirs = ("gs://", "s3://", "hdfs://", "az://", "abfs://", "http://", "https://")


class Report:
    """Results go to standard output, remarks to standard error; with ``--json`` one document."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, line: str) -> None:
        print(_shown(line), file=sys.stderr if self.as_json else sys.stdout, flush=True)

    def say(self, line: str) -> None:
        print(_shown(line), file=sys.stderr, flush=True)

    def document(self, value: object) -> None:
        if self.as_json:
            print(json.dumps(value, indent=2), flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        flags = _parser().parse_args(arguments)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else USAGE
    report = Report(getattr(flags, "json", False))
    try:
        command: Callable[[argparse.Namespace, Report], int] = flags.command
        return command(flags, report)
    except KeyboardInterrupt:
        report.say("Stopped.")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (PlotlineError, OSError) as error:
        report.document({"error": {"code": getattr(error, "code", "failed"), "detail": str(error)}})
        report.say(str(error))
        return _exit_code(error)


def _exit_code(error: Exception) -> int:
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, NotSignedIn):
        return NOT_SIGNED_IN
    if isinstance(error, ApiError):
        if error.status == 401:
            return NOT_SIGNED_IN
        if error.status in (404, 410):
            return NOT_FOUND
        if error.code == "quota-exceeded" or error.status == 413:
            return OVER_LIMIT
    return FAILED


class _Once(argparse.Action):
    """A flag that takes one value and is given once: the second one would hide the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given: set[str] = getattr(namespace, "_given", set())
        if self.dest in given:
            parser.error(f"{option_string} is given twice; it takes one value")
        namespace._given = given | {self.dest}
        setattr(namespace, self.dest, values)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plotline", description="Upload training logs, share a URL, read every point back."
    )
    parser.add_argument("-V", "--version", action="version", version=__version__)
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)

    def verb(name: str, help: str, command: Callable[..., int]) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        sub.add_argument(
            "--json", action="store_true", help="print one JSON document on standard output"
        )
        sub.set_defaults(command=command)
        return sub

    login = verb("login", "sign in to a server through a browser on any machine", _login)
    login.add_argument("--server", action=_Once, metavar="URL", help="server to sign in to")
    login.add_argument(
        "--token",
        action="store_true",
        help="no browser: read a token from standard input or a prompt",
    )
    logout = verb("logout", "revoke the stored token of a server and remove it", _logout)
    logout.add_argument("--server", action=_Once, metavar="URL", help="server to sign out of")
    verb("whoami", "show who the token belongs to", _whoami)

    up = verb("upload", "upload a log directory and keep uploading while it grows", _upload)
    up.add_argument("--logdir", action="append", required=True, metavar="DIR")
    up.add_argument("--name", action=_Once, help="name of the experiment")
    up.add_argument("--description", action=_Once, help="description of the experiment (Markdown)")
    up.add_argument("--experiment", action=_Once, metavar="ID", help="upload to this experiment")
    up.add_argument("--new", action="store_true", help="start a new experiment")
    up.add_argument("--include", action="append", default=[], metavar="GLOB")
    up.add_argument("--exclude", action="append", default=[], metavar="GLOB")
    up.add_argument(
        "--one-shot", action="store_true", help="end when everything is uploaded and visible"
    )
    up.add_argument("--dry-run", action="store_true", help="say what would be uploaded")
    up.add_argument("--connections", action=_Once, type=_connections, default=4, metavar="N")
    up.add_argument("--no-wait", action="store_true", help="do not wait until points are visible")
    up.add_argument("--compress", action=_Once, choices=["auto", "gzip", "none"], default="auto")
    up.add_argument(
        "--follow-links", action="store_true", help="follow links out of the log directory"
    )

    listed = verb("list", "list experiments", _list)
    listed.add_argument("--filter", action=_Once, metavar="EXPRESSION")
    status = verb("status", "show how far ingest is and what it could not read", _status)
    status.add_argument("experiment", nargs="?")
    status.add_argument("--logdir", action=_Once, default=".", metavar="DIR")
    verify = verb("verify", "compare what the service stored with the local files", _verify)
    verify.add_argument("experiment", nargs="?")
    verify.add_argument("--logdir", action=_Once, default=".", metavar="DIR")
    share = verb("share", "make a link that shows an experiment", _share)
    share.add_argument("experiment")
    share.add_argument("--name", action=_Once)
    share.add_argument("--run", action="append", metavar="NAME")
    share.add_argument("--tag", action="append", metavar="NAME")
    share.add_argument("--frozen", action="store_true", help="show a copy that never changes")
    share.add_argument("--anonymous", action="store_true", help="hide people, files and hosts")
    share.add_argument("--expires", action=_Once, type=int, metavar="DAYS")
    export = verb("export", "write the event files byte for byte, or a table", _export)
    export.add_argument("experiment")
    export.add_argument(
        "--format", action=_Once, choices=["raw", "csv", "arrow", "parquet"], default="raw"
    )
    export.add_argument("--outdir", action=_Once, metavar="DIR")
    opened = verb("open", "open the page of an experiment", _open)
    opened.add_argument("experiment")
    return parser


def _connections(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError("give a number from 1 to 64")
    return number


def _login(flags: argparse.Namespace, report: Report) -> int:
    origin = parse_origin(flags.server) if flags.server else find_credentials().origin
    token = _read_token(origin) if flags.token else _ask_person(origin, report)
    about = Http(Credentials(origin, token), give_up_after=5).get("/whoami", "Checking the token")
    path = store_login(origin, token)
    person = (about.get("person") or {}).get("name")
    workspace = (about.get("workspace") or {}).get("name")
    report.document(
        {
            "server": origin,
            "stored_in": str(path),
            "person": about.get("person"),
            "workspace": about.get("workspace"),
        }
    )
    report.result(
        f"Signed in to {origin} as {person}, workspace {workspace}. The token is kept in "
        f"{path} and goes to no other server."
    )
    return DONE


def _read_token(origin: str) -> str:
    asked = f"Token for {origin}: "
    text = getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.read(4096)
    token = text.strip() or os.environ.get("PLOTLINE_TOKEN", "").strip()
    if not token:
        raise UsageError("No token: pipe it in (`plotline login --token < file`) or type it.")
    if not all("!" <= c <= "~" for c in token):
        raise UsageError("That is not a token: it contains spaces or invalid characters.")
    return token


def _ask_person(origin: str, report: Report) -> str:
    """Shows a code and waits until a person approves it in a browser (RFC 8628)."""
    http = Http(Credentials(origin, None), give_up_after=30)
    client = f"plotline on {socket.gethostname()}"[:100]
    body = {"client_name": client, "scope": "read upload manage"}
    begun = http.json("POST", "/device", "Signing in", body)
    report.say("To sign in, open this address in any browser:")
    report.say(f"  {begun['verification_uri_complete']}")
    report.say(f"and approve the program that shows this code: {begun['user_code']}")
    interval = float(begun.get("interval") or 5)
    grant = {"grant_type": _device_grant, "device_code": begun["device_code"]}
    while True:
        time.sleep(interval)
        try:
            return str(http.json("POST", "/token", "Signing in", grant)["access_token"])
        except ApiError as error:
            if error.code == "slow-down":
                interval += 5  # RFC 8628, 3.5
            elif error.code in ("access-denied", "device-code-expired"):
                raise NotSignedIn(str(error)) from error
            elif error.code != "authorization-pending":
                raise


def _logout(flags: argparse.Namespace, report: Report) -> int:
    origin = parse_origin(flags.server) if flags.server else find_credentials().origin
    token = forget_login(origin)
    if token is None:
        report.document({"server": origin, "forgotten": False, "revoked": False})
        report.result(f"No token for {origin} is stored.")
        return DONE
    http = Http(Credentials(origin, None), give_up_after=5)
    try:
        http.json("POST", "/revoke", "Revoking the token", {"token": token})
    except PlotlineError as error:
        report.document({"server": origin, "forgotten": True, "revoked": False})
        report.say(f"Forgot the token for {origin}, but could not revoke it: {error}")
        return FAILED
    report.document({"server": origin, "forgotten": True, "revoked": True})
    report.result(f"Signed out of {origin}: the token is revoked and removed.")
    return DONE


def _whoami(_flags: argparse.Namespace, report: Report) -> int:
    http = Http(require_credentials(), give_up_after=30)
    about = http.get("/whoami", "Asking who this is")
    report.document({"server": http.origin, **about})
    person, workspace = about.get("person") or {}, about.get("workspace") or {}
    report.result(f"{person.get('name')} in workspace {workspace.get('name')} at {http.origin}")
    return DONE


def _logdirs(given: list[str]) -> list[str]:
    """The folders to upload.

    Raises:
        UsageError: an address of a cloud store, TensorBoard's ``name:path``, or no folder.
    """
    folders = []
    for logdir in given:
        if logdir.startswith(_remote_logdirs):
            raise UsageError(
                f"{logdir} is not a folder of this machine. Mount it or copy it here first; a "
                "watching upload follows a folder that a sync tool writes to."
            )
        path = os.path.expanduser(logdir)
        if not os.path.exists(path) and ":" in path and os.path.isdir(path.split(":", 1)[1]):
            name, folder = path.split(":", 1)
            raise UsageError(
                f"{logdir} looks like TensorBoard's NAME:PATH. Upload the folder alone: "
                f"--logdir {folder} --name {name}"
            )
        if os.path.exists(path) and not os.path.isdir(path):
            raise UsageError(
                f"{logdir} is a file; --logdir takes the folder that contains the runs."
            )
        folders.append(path)
    return folders


def _upload(flags: argparse.Namespace, report: Report) -> int:
    if flags.experiment and flags.new:
        raise UsageError("Use either --experiment or --new, not both.")
    folders = _logdirs(flags.logdir)
    options = [
        UploadOptions(
            folder,
            name=flags.name,
            description=flags.description,
            experiment=flags.experiment,
            new=flags.new,
            include=flags.include,
            exclude=flags.exclude,
            connections=flags.connections,
            wait=not flags.no_wait,
            compress=flags.compress,
            follow_links=flags.follow_links,
        )
        for folder in folders
    ]
    if flags.dry_run:
        return _dry_run(options, report)
    if flags.one_shot:
        return _upload_once(options, report)
    return _watch(options, report)


def _dry_run(options: list[UploadOptions], report: Report) -> int:
    documents = []
    for option in options:
        seen = scan(option.logdir, option.include, option.exclude, option.follow_links)
        documents.append(_scan_document(option.logdir, seen))
        for file in seen.files:
            report.result(f"{file.label}  {_bytes(file.size)}")
        for path, reason in seen.remarks:
            report.say(f"{path}: {reason}")
        total = _bytes(sum(file.size for file in seen.files))
        report.result(f"{_plural(len(seen.files), 'file')}, {total}: nothing was uploaded.")
    report.document(documents[0] if len(documents) == 1 else documents)
    return DONE if all(document["files"] for document in documents) else FAILED


def _scan_document(logdir: str, seen: ScanResult) -> dict[str, Any]:
    return {
        "logdir": logdir,
        "files": [{"run": f.run, "name": f.name, "bytes": f.size} for f in seen.files],
        "left_out": [{"path": path, "reason": reason} for path, reason in seen.remarks],
    }


def _upload_once(options: list[UploadOptions], report: Report) -> int:
    results = [upload(option, say=report.say) for option in options]
    documents = [{k: v for k, v in asdict(r).items() if v is not None} for r in results]
    report.document(documents[0] if len(documents) == 1 else documents)
    for result in results:
        _summarize(result, report)
    return DONE if all(result.ok for result in results) else FAILED


def _summarize(result: UploadResult, report: Report) -> None:
    for item in result.damaged:
        report.say(f"{item['file']}: {item['reason']} at byte {item['offset']}")
    what = f"{_plural(result.files, 'file')} in {_plural(result.runs, 'folder')}"
    report.result(
        f"Uploaded {_bytes(result.uploaded_bytes)} of {_bytes(result.bytes)} ({what}) in "
        f"{result.seconds:.1f} s."
    )
    if result.points is not None:
        replaced = f" ({result.superseded} replaced by later ones)" if result.superseded else ""
        report.result(
            f"{_plural(result.points, 'point')}{replaced}, {_plural(result.tensors or 0, 'tensor')}"
            f", {_plural(result.blobs or 0, 'blob')} are visible, {result.visible_seconds:.2f} s "
            "after the last byte was acknowledged."
        )
    report.result(f"View your experiment at: {result.url}")


def _watch(options: list[UploadOptions], report: Report) -> int:
    watchers = [Watcher(option, say=report.say) for option in options]
    faults: list[Exception] = []

    def run(watcher: Watcher) -> None:
        try:
            watcher.run()
        except Exception as error:
            faults.append(error)
            for other in watchers:
                other.stop(now=True)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        again = any(watcher._stop.is_set() for watcher in watchers)
        report.say("Stopping after the current requests (Ctrl-C again to stop at once).")
        for watcher in watchers:
            watcher.stop(now=again)

    threads = [threading.Thread(target=run, args=(w,), daemon=True) for w in watchers]
    previous = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        for thread in threads:
            thread.start()
        for watcher in watchers:
            while not watcher.ready.wait(0.2) and not faults:
                pass
            if watcher.url:
                report.result(f"View your experiment at: {watcher.url}")
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if faults:
        raise faults[0]
    report.document([{"experiment_id": w.experiment, "url": w.url} for w in watchers])
    return INTERRUPTED


def _experiment(flags: argparse.Namespace, http: Http) -> str:
    if flags.experiment:
        return str(flags.experiment)
    known = UploadMemory(http.origin, flags.logdir).recall()
    if known is None or known[0] != "id":
        raise UsageError(
            f"{flags.logdir} was not uploaded from here; name an experiment or give --logdir."
        )
    return known[1]


def _list(flags: argparse.Namespace, report: Report) -> int:
    from .reading import experiments

    found = experiments(flags.filter)
    report.document({"experiments": found})
    for item in found:
        report.result(f"{item['id']}  {item.get('name') or '-'}  {item.get('url', '')}")
    if not found:
        report.result("No experiments yet.")
    return DONE


def _status(flags: argparse.Namespace, report: Report) -> int:
    http = Http(require_credentials(), give_up_after=30)
    experiment = _experiment(flags, http)
    path = f"/experiments/{experiment}"
    frontier = http.get(f"{path}/frontier", f"Experiment {experiment}")
    problems = list(http.pages(f"{path}/problems", "problems", "Reading the problems"))
    visible = frontier["visible_bytes"] >= frontier["acknowledged_bytes"]
    report.document({"experiment_id": experiment, **frontier, "problems": problems})
    for problem in problems[:100]:
        where = f"{problem.get('run')}/{problem.get('file')}"
        report.say(f"{where}: {problem.get('reason')} at byte {problem.get('offset')}")
    if visible:
        report.result(
            f"Everything that was uploaded ({_bytes(frontier['visible_bytes'])}) is visible."
        )
    else:
        rest = frontier["acknowledged_bytes"] - frontier["visible_bytes"]
        report.result(f"{_bytes(rest)} are uploaded and not visible yet.")
    return DONE


def _verify(flags: argparse.Namespace, report: Report) -> int:
    import google_crc32c

    http = Http(require_credentials(), give_up_after=30)
    experiment = _experiment(flags, http)
    receipt = http.get(f"/experiments/{experiment}/receipt", "Reading the receipt")
    stored: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for file in receipt.get("files") or []:
        key = (str(file["run"]), str(file.get("name", file.get("file"))))
        stored.setdefault(key, []).append((int(file["bytes"]), int(str(file["crc32c"]), 16)))
    differing = []
    files = Sieve(report.say).sift(scan(flags.logdir).files, no_waiting=True).files
    for found in files:
        versions = stored.get((found.run, found.name), [])
        with open(found.path, "rb") as file_:
            crc, size = 0, 0
            while data := file_.read(1 << 20):
                crc = google_crc32c.extend(crc, data)
                size += len(data)
        if (size, crc) not in versions:
            differing.append(found.label)
            report.say(f"{found.label}: the service does not have these {_bytes(size)}")
    report.document({"experiment_id": experiment, "files": len(files), "differ": differing})
    if differing:
        report.result(
            f"{len(differing)} of {_plural(len(files), 'file')} differ. Run "
            "`plotline upload` to send what is missing."
        )
        return FAILED
    report.result(f"{_plural(len(files), 'file')}: the service has every byte.")
    return DONE


def _share(flags: argparse.Namespace, report: Report) -> int:
    http = Http(require_credentials(), give_up_after=30)
    body: dict[str, Any] = {}
    for key, value in (("name", flags.name), ("runs", flags.run), ("tags", flags.tag)):
        if value is not None:
            body[key] = value
    for key in ("frozen", "anonymous"):
        if getattr(flags, key):
            body[key] = True
    if flags.expires is not None:
        body["expires_in_days"] = flags.expires
    path = f"/experiments/{flags.experiment}/share-links"
    made = http.json("POST", path, "Making a link", body)
    report.document(made)
    report.result(f"Anyone with this link can view it: {made['url']}")
    return DONE


def _export(flags: argparse.Namespace, report: Report) -> int:
    from .export import export_raw, export_table
    from .reading import Experiment

    http = Http(require_credentials(), give_up_after=30)
    source = Experiment(http, flags.experiment)
    folder = Path(flags.outdir or flags.experiment)
    if flags.format == "raw":
        files = export_raw(http, flags.experiment, folder)
        report.result(f"{_plural(files, 'file')} written to {folder}")
        report.document({"outdir": str(folder), "files": files})
    else:
        path, rows = export_table(source, folder, flags.format)
        report.result(f"{_plural(rows, 'row')} written to {path}")
        report.document({"outfile": str(path), "rows": rows})
    return DONE


def _open(flags: argparse.Namespace, report: Report) -> int:
    url = f"{find_credentials().origin}/e/{flags.experiment}"
    report.document({"url": url})
    report.result(url)
    with contextlib.suppress(Exception):
        webbrowser.open(url)
    return DONE


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{count} B"


def _shown(line: str) -> str:
    """Names come from event files: control and bidirectional characters must not reach a
    terminal."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in line)
