"""The ``plotline`` command. Messages and exit codes match the Node command line where the
two overlap."""

from __future__ import annotations

import argparse
import getpass
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from types import FrameType
from typing import Any, Callable, NoReturn

from . import verbs
from ._version import __version__
from .credentials import (
    Credentials,
    find_credentials,
    forget_login,
    parse_origin,
    require_credentials,
    store_login,
)
from .errors import ApiError, NetworkError, NotFound, NotSignedIn, PlotlineError, UsageError
from .http import Http
from .report import Report, counted, format_bytes, plural
from .upload.scan import scan
from .upload.uploader import UploadOptions, UploadResult, nothing_found, upload
from .upload.watcher import Watcher

DONE, FAILED, USAGE, NOT_SIGNED_IN, NOT_FOUND, OVER_LIMIT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

_device_grant = "urn:ietf:params:oauth:grant-type:device_code"
#: Rows of the table of a dry run; the document has them all.
_most_rows = 50


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
    except (PlotlineError, OSError, ImportError) as error:
        return _explain(error, report)


def _explain(error: Exception, report: Report) -> int:
    code, message = getattr(error, "code", "failed"), str(error)
    request = None
    if isinstance(error, ApiError):
        request = error.request_id
        if error.status == 401:
            message += " Sign in with `plotline login`, or check PLOTLINE_TOKEN."
    elif isinstance(error, NetworkError):
        code, message = "unreachable", f"Cannot reach the service: {message}"
    document = {"code": code, "detail": message}
    if request:
        document["request_id"] = str(request)
    report.say(message + (f" (request {request})" if request else ""))
    report.document({"error": document})
    return _exit_code(error)


def _exit_code(error: Exception) -> int:
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, NotSignedIn):
        return NOT_SIGNED_IN
    if isinstance(error, NotFound):
        return NOT_FOUND
    if isinstance(error, ApiError):
        if error.status == 401:
            return NOT_SIGNED_IN
        if error.status == 404:
            return NOT_FOUND
        if error.status in (413, 429) or error.code in ("name-too-long", "quota-exceeded"):
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


class _Parser(argparse.ArgumentParser):
    """A parser of exact flags whose errors are one line."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{**named, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"error: {message}\n(see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="plotline", description="Upload training logs, share a URL, read every point back."
    )
    parser.add_argument("-V", "--version", action="version", version=__version__)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    def verb(name: str, help: str, command: Callable[..., int]) -> argparse.ArgumentParser:
        sub = subparsers.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
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
    logout = verb("logout", "revoke and remove the stored token for a server", _logout)
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

    listed = verb("list", "list experiments", verbs.list_experiments)
    listed.add_argument(
        "--filter", action=_Once, metavar="EXPRESSION", help="only experiments that match"
    )
    listed.add_argument("--order-by", action=_Once, metavar="FIELDS", help="sort order")
    status = verb("status", "show ingest progress and unreadable data", verbs.status)
    status.add_argument("experiment", nargs="?")
    status.add_argument("--logdir", action=_Once, default=".", metavar="DIR")
    logs = verb("logs", "show the output of a run's processes", verbs.logs)
    logs.add_argument("experiment")
    logs.add_argument("run")
    logs.add_argument("--tail", action=_Once, type=_lines, default=100, metavar="N")
    logs.add_argument("--rank", action=_Once, type=_lines, metavar="N", help="only of this rank")
    logs.add_argument("--follow", action="store_true", help="keep showing new lines until Ctrl-C")
    verify = verb("verify", "compare what the service stored with the local files", verbs.verify)
    verify.add_argument("experiment", nargs="?")
    verify.add_argument("--logdir", action=_Once, default=".", metavar="DIR")
    verify.add_argument("--experiment", dest="experiment", metavar="ID", default=argparse.SUPPRESS)
    verify.add_argument("--include", action="append", default=[], metavar="GLOB")
    verify.add_argument("--exclude", action="append", default=[], metavar="GLOB")
    verify.add_argument("--follow-links", action="store_true")
    share = verb("share", "create a link to an experiment, or list its links", verbs.share)
    share.add_argument("experiment")
    share.add_argument("--name", action=_Once, help="name of the link, shown only to the workspace")
    share.add_argument("--run", action="append", metavar="NAME", help="show only this run")
    share.add_argument("--tag", action="append", metavar="NAME", help="show only this tag")
    share.add_argument(
        "--frozen", action="store_true", help="show a permanent copy of the current state"
    )
    share.add_argument(
        "--anonymous",
        action="store_true",
        help="hide the names of people, the workspace, files and hosts",
    )
    share.add_argument("--logs", action="store_true", help="also show the runs' output")
    share.add_argument(
        "--embed",
        action="append",
        metavar="ORIGIN",
        help="create an embed for frames on this site",
    )
    share.add_argument(
        "--expires", action=_Once, type=_days, metavar="DAYS", help="days until the link expires"
    )
    share.add_argument("--list", action="store_true", help="list active links")
    share.add_argument("--public", action="store_true", help="let anyone with the address read it")
    share.add_argument("--private", action="store_true", help="make the experiment private again")
    unshare = verb("unshare", "revoke a link", verbs.unshare)
    unshare.add_argument("link")
    snapshot = verb("snapshot", "create a permanent copy of an experiment", verbs.snapshot)
    snapshot.add_argument("experiment")
    snapshot.add_argument("--name", action=_Once, help="name of the copy")
    snapshot.add_argument("--run", action="append", metavar="NAME", help="copy only this run")
    snapshot.add_argument("--tag", action="append", metavar="NAME", help="copy only this tag")
    export = verb(
        "export", "write the event files byte for byte, or the scalars as a table", verbs.export
    )
    export.add_argument("experiment")
    export.add_argument(
        "--format",
        action=_Once,
        choices=["raw", "csv", "arrow", "parquet"],
        default="raw",
        help="raw: the event files; others: one long table",
    )
    export.add_argument("--outdir", action=_Once, metavar="DIR", help="folder to write to")
    export.add_argument(
        "--superseded", action="store_true", help="tables: include superseded points"
    )
    opened = verb("open", "open an experiment's page", verbs.open_page)
    opened.add_argument("experiment")
    board = verb(
        "tensorboard",
        "show an experiment or a share link in stock TensorBoard on this machine",
        _tensorboard,
    )
    board.add_argument("experiment")
    board.add_argument("arguments", nargs="*", help="after --: arguments for tensorboard")
    board.add_argument("--port", action=_Once, type=_port, metavar="N", help="TensorBoard port")
    board.add_argument(
        "--bridge-only",
        action="store_true",
        help="start only the bridge, and print how to start TensorBoard",
    )
    return parser


def _connections(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError("give a number from 1 to 64")
    return number


def _lines(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError("give a number of 0 or more")
    return int(text)


def _days(text: str) -> int | str:
    if text == "never":
        return text
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 3650:
        raise argparse.ArgumentTypeError("give a number from 1 to 3650, or never")
    return int(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError("give a number from 0 (any free port) to 65535")
    return int(text)


def _tensorboard(flags: argparse.Namespace, report: Report) -> int:
    from .bridge import tensorboard

    return tensorboard(flags, report)


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
        f"Signed in to {origin} as {person}, workspace {workspace}. The token is stored in {path} "
        "and sent to no other server."
    )
    if os.environ.get("PLOTLINE_TOKEN"):
        report.say("PLOTLINE_TOKEN is set and takes precedence over the stored token.")
    return DONE


def _read_token(origin: str) -> str:
    asked = f"Token for {origin}: "
    text = getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.read(4096)
    token = text.strip() or os.environ.get("PLOTLINE_TOKEN", "").strip()
    if not token:
        raise UsageError(
            "No token given: pipe it in (`plotline login --token < file`), type it, or set "
            "PLOTLINE_TOKEN."
        )
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
    report.say(f"and approve the sign-in if the page shows this code: {begun['user_code']}")
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
        report.result(f"There is no stored token for {origin}.")
        return DONE
    http = Http(Credentials(origin, None), give_up_after=5)
    try:
        http.json("POST", "/revoke", "Revoking the token", {"token": token})
    except PlotlineError as error:
        report.document({"server": origin, "forgotten": True, "revoked": False})
        report.say(
            f"Removed the token for {origin}, but could not revoke it: {error}. It stays valid "
            "until it is revoked there or expires."
        )
        return FAILED
    report.document({"server": origin, "forgotten": True, "revoked": True})
    report.result(f"Signed out of {origin}: the token is revoked and removed.")
    return DONE


def _whoami(_flags: argparse.Namespace, report: Report) -> int:
    http = Http(require_credentials(), give_up_after=3)
    about = http.get("/whoami", "Reading your account")
    report.document({"server": http.origin, **about})
    report.result(f"Signed in to {http.origin}.")
    for title, field in (("Person:   ", "person"), ("Workspace:", "workspace")):
        named = about.get(field) or {}
        report.result(f"{title} {named.get('name')} ({named.get('id')})")
    may_write = "" if about.get("may_write", True) else " (read-only)"
    report.result(f"Role:      {about.get('role')}{may_write}")
    return DONE


def _logdirs(given: list[str]) -> list[str]:
    """The folders to upload.

    Raises:
        UsageError: an address, another program's syntax for a log directory, or no folder.
    """
    folders = []
    for logdir in given:
        if not logdir:
            raise UsageError("--logdir is empty. Pass the folder that contains the runs.")
        path = os.path.expanduser(logdir)
        advice = None if os.path.exists(path) else _advice_for(logdir)
        if advice is not None:
            raise UsageError(advice)
        if os.path.exists(path) and not os.path.isdir(path):
            raise PlotlineError(
                f"{path} is a file; --logdir must be the folder that contains the runs."
            )
        folders.append(os.path.abspath(path))
    return folders


def _advice_for(logdir: str) -> str | None:
    """Advice for a log directory in another program's syntax; None: it is a path."""
    address = re.match(r"([a-z][a-z0-9+.-]+)://", logdir, re.IGNORECASE)
    scheme = address[1].lower() if address else ""
    copy = {"gs": "gcloud storage rsync --recursive", "s3": "aws s3 sync"}.get(scheme)
    if copy:
        return (
            f"--logdir takes a folder on this machine, not {logdir}. Copy it first, and copy again "
            f"to get new data: {copy} {logdir} DIR"
        )
    if scheme == "file":
        return f"--logdir takes a path, not an address: {logdir[len('file://') :]}"
    if scheme:
        return (
            f"--logdir takes a folder on this machine, not {logdir}. Copy or mount it here, and "
            "pass that folder."
        )
    if "," in logdir:
        return (
            f"There is no folder {logdir}, and --logdir takes a single folder. Upload the parent "
            "folder, or repeat --logdir."
        )
    named = re.fullmatch(r"([^/\\:]{2,}):(.+)", logdir)
    if named:
        return (
            f"--logdir takes a folder without a name prefix, not {logdir}. Write --logdir "
            f"{named[2]} --name {named[1]}"
        )
    return None


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
    for folder in folders:
        if not os.path.isdir(folder):
            missing = PlotlineError(f"There is no log directory {folder} (ENOENT).")
            missing.code = "no-event-files"
            raise missing
    if flags.dry_run:
        return _dry_run(options, report)
    if flags.one_shot:
        return _upload_once(options, report)
    return _watch(options, report)


def _dry_run(options: list[UploadOptions], report: Report) -> int:
    documents = []
    for option in options:
        seen = scan(option.logdir, option.include, option.exclude, option.follow_links)
        if not seen.files:
            raise nothing_found(option.logdir, seen)
        runs: dict[str, list[int]] = {}
        for file in seen.files:
            runs.setdefault(file.run, []).append(file.size)
        total = sum(file.size for file in seen.files)
        documents.append(
            {
                "logdir": option.logdir,
                "runs": [{"run": r, "files": len(n), "bytes": sum(n)} for r, n in runs.items()],
                "files": len(seen.files),
                "bytes": total,
                "skipped": [{"path": path, "reason": reason} for path, _, reason in seen.remarks],
            }
        )
        rows = [[run, len(sizes), sum(sizes)] for run, sizes in runs.items()]
        report.table(["RUN", "FILES", "BYTES"], rows[:_most_rows])
        if len(rows) > _most_rows:
            report.result(f"… and {plural(len(rows) - _most_rows, 'more run')}")
        report.result(
            f"Would upload {plural(len(seen.files), 'file')} from {plural(len(runs), 'run')}: "
            f"{format_bytes(total)}."
        )
        for path, detail, _ in seen.remarks:
            report.say(f"{path}: {detail}")
    report.document(documents[0] if len(documents) == 1 else documents)
    return DONE


def _upload_once(options: list[UploadOptions], report: Report) -> int:
    results = [upload(option, say=report.say) for option in options]
    documents = [_document(result) for result in results]
    report.document(documents[0] if len(documents) == 1 else documents)
    for result in results:
        _summarize(result, report)
    return DONE if all(result.ok for result in results) else FAILED


def _document(result: UploadResult) -> dict[str, Any]:
    document = asdict(result)
    del document["stored_runs"]
    for name in ("failed", "visible_seconds"):  # present only if there is something to say
        if not document[name]:
            del document[name]
    return document


def _summarize(result: UploadResult, report: Report) -> None:
    for item in result.damaged:
        report.say(f"{item['file']}: {item['reason']} at byte {item['offset']}")
    what = f"{plural(result.files, 'file')} in {plural(result.runs, 'folder')}"
    report.result(
        f"Uploaded {format_bytes(result.uploaded_bytes)} of {format_bytes(result.bytes)} ({what}) "
        f"in {result.seconds:.1f} s."
    )
    if result.points is not None:
        counts = counted(
            (result.points, "point"),
            (result.tensors or 0, "tensor"),
            (result.blobs or 0, "blob"),
        )
        report.result(
            f"{', '.join(counts)} in {plural(result.stored_runs or 0, 'run')} are visible, "
            f"{result.visible_seconds or 0:.2f} s after the last byte was acknowledged."
        )
    if result.superseded:
        report.result(
            f"{result.superseded} of them are superseded: the same steps were logged again, by a "
            "restart, later in the same file, or in a newer version of the file. Charts show what "
            "was logged last; superseded points are kept (plotline export --superseded)."
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
        report.say("Stopping after the current requests (press Ctrl-C again to stop immediately).")
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
                # With --json the document comes at the end.
                show = report.say if report.as_json else report.result
                show(f"View your experiment at: {watcher.url}")
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
