"""The verbs of the command about experiments that exist."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote

import google_crc32c

from .credentials import require_credentials
from .errors import NotFound, UsageError
from .http import Http, Json
from .logs import follow, list_logs, shown, tail_lines
from .report import Report, format_bytes, plural
from .upload.memory import UploadMemory
from .upload.scan import FoundFile, scan
from .upload.sieve import Sieve

DONE, FAILED = 0, 1
#: Rows of a table that is shown; the documents have them all.
MAX_ROWS = 100

_page = re.compile(r"^https?://[^/]+/e/([A-Za-z0-9]{22})(?:[/?#].*)?$")
_id = re.compile(r"^[A-Za-z0-9]{22}$")
_read_bytes = 1 << 20


def open_http() -> Http:
    """For interactive commands, which do not wait long for a server."""
    return Http(require_credentials(), give_up_after=3)


def parse_experiment(text: str) -> str:
    """An experiment's id, from it or from the address of its page.

    Raises:
        NotFound: it is neither.
    """
    match = _page.match(text)
    found = match[1] if match else text
    if not _id.match(found):
        raise NotFound(
            f'There is no experiment "{text}". An id consists of 22 letters and digits. You can '
            "also use the URL of its page."
        )
    return found


def _experiment(flags: argparse.Namespace, http: Http) -> str:
    """The named experiment, or the one that the log directory was uploaded to."""
    if flags.experiment:
        return parse_experiment(flags.experiment)
    known = UploadMemory(http.origin, flags.logdir).recall()
    if known is None or known[0] != "id":
        raise NotFound(
            f"Nothing has been uploaded from {os.path.realpath(flags.logdir)} to {http.origin} "
            "yet. Specify the experiment."
        )
    return known[1]


def list_experiments(flags: argparse.Namespace, report: Report) -> int:
    http = open_http()
    query = [("filter", flags.filter), ("order_by", flags.order_by)]
    text = "&".join(f"{key}={quote(value, safe='')}" for key, value in query if value is not None)
    path = "/experiments" + (f"?{text}" if text else "")
    found = list(http.pages(path, "experiments", "Listing experiments"))
    report.document({"experiments": found})
    if not found:
        report.result("No experiments yet. Upload one: plotline upload --logdir DIR")
        return DONE
    fields = ("id", "name", "created", "runs", "points", "bytes")
    rows = [[item.get(field) for field in fields] for item in found]
    report.table([field.upper() for field in fields], rows)
    return DONE


def logs(flags: argparse.Namespace, report: Report) -> int:
    http = open_http()
    experiment = parse_experiment(flags.experiment)
    chosen = [
        log
        for log in list_logs(http, experiment, [flags.run])
        if flags.rank is None or log["rank"] == flags.rank
    ]
    if not chosen and not flags.follow:
        raise NotFound(f"Run {flags.run!r} of experiment {experiment} has no log.")
    found = [(log, list(tail_lines(http, experiment, log, flags.tail))) for log in chosen]
    report.document({"logs": [{**log, "content": lines} for log, lines in found]})
    colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for log, lines in found:
        if len(found) > 1:
            report.say(f"==> {log['name']} <==")
        for line in lines:
            report.line(shown(line, colors))
    if flags.follow and not flags.json:
        for line in follow(http, experiment, [flags.run], chosen):
            report.line(shown(line, colors))
    return DONE


def status(flags: argparse.Namespace, report: Report) -> int:
    http = open_http()
    experiment = _experiment(flags, http)
    path = f"/experiments/{experiment}"
    frontier = http.get(f"{path}/frontier", f"Experiment {experiment}")
    files = list(http.pages(f"{path}/files", "files", "Listing files"))
    problems = list(http.pages(f"{path}/problems", "problems", "Reading the problems"))
    runs = http.get(f"{path}/runs?page_size=1", "Reading which runs are behind")
    behind: list[Json] = runs.get("behind") or []
    acknowledged = int(frontier["acknowledged_bytes"])
    pending = acknowledged - int(frontier["visible_bytes"])
    incomplete = [file for file in files if not file["complete"]]
    ignored = not_counted(files)
    report.document(
        {
            "experiment_id": experiment,
            "frontier": frontier,
            "pending_bytes": pending,
            "behind": behind,
            "files": len(files),
            "files_not_counted": [_version(file) | {"why": why} for file, why, _ in ignored],
            "incomplete_files": [
                _version(file) | {"bytes": int(file["bytes"])} for file in incomplete
            ],
            "problems": problems,
        }
    )
    if pending > 0:
        report.result(
            f"{format_bytes(pending)} of {format_bytes(acknowledged)} are not visible yet."
        )
    else:
        report.result(f"Everything uploaded is visible ({format_bytes(acknowledged)}).")
    report.result(f"Frontier: epoch {frontier['epoch']} of {frontier['acknowledged_epoch']}.")
    rest = f", {len(incomplete)} of them incomplete" if incomplete else ""
    report.result(f"{plural(len(files), 'file')}{rest}.")
    for file, _, why in ignored[:MAX_ROWS]:
        report.result(f"{label(file)}: {why}.")
    tail, rejected = (int(frontier[f"{name}_bytes"]) for name in ("incomplete_tail", "rejected"))
    if tail > 0:
        report.result(f"{format_bytes(tail)} belong to incomplete records.")
    if rejected > 0:
        report.result(f"{format_bytes(rejected)} could not be read.")
    if behind:
        report.result("")
        report.table(
            ["RUN", "NOT VISIBLE", "SINCE", "WHY"],
            [[r["run"], format_bytes(int(r["bytes"])), r["since"], r["why"]] for r in behind],
        )
    if problems:
        report.result("")
        report.table(
            ["RUN", "FILE", "BYTE", "REASON", "DETAIL"],
            [
                [p["run"], p["file"], int(p["offset"]), p["reason"], p["detail"]]
                for p in problems[:MAX_ROWS]
            ],
        )
        if len(problems) > MAX_ROWS:
            report.result(f"… and {len(problems) - MAX_ROWS} more (--json has them all)")
    return DONE


def not_counted(files: list[Json]) -> list[tuple[Json, str, str]]:
    """Files whose points do not count: why, for scripts and for people."""
    by_id = {str(file["file_id"]): file for file in files}
    ignored = []
    for file in files:
        original = by_id.get(str(file.get("copy_of")))
        if file.get("copy_of") is not None and original is not None:
            ignored.append(
                (file, "copy", f"a copy of {label(original)}; its points are counted once")
            )
        elif file.get("replaced"):
            why = "was replaced by a newer one; its points are superseded"
            ignored.append((file, "replaced", f"version {file['version']} {why}"))
    return ignored


def label(file: Json) -> str:
    """``run/name``; the run ``.`` is omitted."""
    return str(file["name"]) if file["run"] == "." else f"{file['run']}/{file['name']}"


def _version(file: Json) -> Json:
    return {key: file[key] for key in ("run", "name", "version")}


def verify(flags: argparse.Namespace, report: Report) -> int:
    """Compares the bytes of the local files with those at the service, by checksum."""
    http = open_http()
    experiment = _experiment(flags, http)

    def look() -> list[FoundFile]:
        return scan(flags.logdir, flags.include, flags.exclude, flags.follow_links).files

    before = look()
    receipt = http.get(f"/experiments/{experiment}/receipt", f"Experiment {experiment}")
    stored: list[Json] = receipt["files"]
    logs = Sieve(lambda line: None).sift(before, no_waiting=True).files
    differences, agreeing = _compare(logs, stored, look())
    digest = receipt_digest(stored)
    if receipt.get("digest") not in (None, digest):
        detail = f"its digest is {receipt['digest']}, but its list of files has the digest {digest}"
        differences.append(_difference("digest", "", None, detail))
    ignored = not_counted(stored)
    total = sum(int(file["bytes"]) for file in agreeing)
    report.document(
        {
            "experiment_id": experiment,
            "verified": not differences,
            "files": len(agreeing),
            "bytes": total,
            "digest": digest,
            "points_compared": False,
            "files_not_counted": [_version(file) | {"why": why} for file, why, _ in ignored],
            "differences": differences,
        }
    )
    for difference in differences:
        where = "receipt" if difference["what"] == "digest" else label(difference)
        report.result(f"{where}: {difference['detail']}")
    for file, _, why in ignored:
        report.result(f"{label(file)}: {why}.")
    if differences:
        report.result(plural(len(differences), "difference"))
        return FAILED
    report.result(
        f"Verified: {plural(len(agreeing), 'file')}, {format_bytes(total)}, byte for byte. "
        f"Receipt {digest}"
    )
    return DONE


def receipt_digest(files: list[Json]) -> str:
    """SHA-256 over run, name, version, bytes and CRC-32C of each file (docs/api.md, Upload)."""
    fields = ("run", "name", "version", "bytes", "crc32c")
    lines = sorted("\0".join(str(file[f]) for f in fields).encode() + b"\n" for file in files)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def _difference(what: str, run: str, name: str | None, detail: str) -> Json:
    return {"what": what, "run": run, "name": name, "tag": None, "detail": detail}


def _compare(
    before: list[FoundFile], stored: list[Json], after: list[FoundFile]
) -> tuple[list[Json], list[Json]]:
    """Differences, and the stored files whose bytes are here. Logs grow meanwhile: what ``before``
    saw must be stored, and what is stored must be in ``after``."""
    differences: list[Json] = []
    agreeing: list[Json] = []
    earlier = {(file.run, file.name): file for file in before}
    here = {(file.run, file.name): file for file in after}
    versions: dict[tuple[str, str], list[Json]] = {}
    for file in stored:
        versions.setdefault((str(file["run"]), str(file["name"])), []).append(file)
    for (run, name), all_versions in versions.items():
        found = here.get((run, name))
        if found is None:
            if not _are_copies(all_versions, [file for file in after if file.run == run]):
                total = sum(int(file["bytes"]) for file in all_versions)
                detail = (
                    f"the service has {total} bytes of this file, but the log directory does not "
                    "contain the file"
                )
                differences.append(_difference("missing-here", run, name, detail))
            continue
        match = _first_match(found, all_versions)
        if match is None:
            latest = int(max(all_versions, key=lambda file: int(file["version"]))["bytes"])
            if found.size < latest:
                detail = f"the service has {latest} bytes, but the local file has only {found.size}"
                differences.append(_difference("shorter-here", run, name, detail))
            else:
                detail = f"the first {latest} bytes differ from the bytes on the service"
                differences.append(_difference("bytes", run, name, detail))
            continue
        agreeing.append(match)
        seen = earlier.get((run, name))
        wanted = min(found.size, seen.size if seen else 0)
        if int(match["bytes"]) < wanted:
            missing = wanted - int(match["bytes"])
            detail = f"the last {missing} of {wanted} bytes are not uploaded"
            differences.append(_difference("not-uploaded", run, name, detail))
    for file_here in before:
        if (file_here.run, file_here.name) not in versions:
            detail = f"the service does not have this file ({file_here.size} bytes)"
            differences.append(_difference("missing-there", file_here.run, file_here.name, detail))
    return differences, agreeing


def _are_copies(versions: list[Json], others: list[FoundFile]) -> bool:
    """Whether the bytes of each version are the first bytes of a local file of its run."""
    return all(any(_first_match(other, [file]) for other in others) for file in versions)


def _first_match(found: FoundFile, versions: list[Json]) -> Json | None:
    """The longest version whose bytes the local file begins with."""
    for file in sorted(versions, key=lambda f: (-int(f["bytes"]), -int(f["version"]))):
        size = int(file["bytes"])
        if size > found.size:
            continue
        # A file from which points were deleted is here as it was sent, or as it was exported.
        if f"{_crc_of_start(found.path, size):08x}" in (file["crc32c"], file.get("content_crc32c")):
            return file
    return None


def _crc_of_start(path: str, size: int) -> int:
    crc, left = 0, size
    with open(path, "rb") as file:
        while left > 0:
            data = file.read(min(_read_bytes, left))
            if not data:
                break
            crc = google_crc32c.extend(crc, data)
            left -= len(data)
    return crc


def share(flags: argparse.Namespace, report: Report) -> int:
    experiment = parse_experiment(flags.experiment)
    limits = {
        "name": flags.name,
        "runs": flags.run,
        "tags": flags.tag,
        "frozen": flags.frozen or None,
        "anonymous": flags.anonymous or None,
        "logs": flags.logs or None,
        "embed_origins": flags.embed,
        "expires_in_days": flags.expires,
    }
    body = {key: value for key, value in limits.items() if value is not None}
    others = sum((flags.list, flags.public, flags.private))
    if others > 1 or (others == 1 and body):
        raise UsageError("Use --list, --public or --private alone, or specify what the link shows.")
    http = open_http()
    path = f"/experiments/{experiment}"
    if flags.list:
        return _show_links(http.get(f"{path}/share-links", f"Links to {experiment}"), report)
    if others:
        visibility = "public" if flags.public else "private"
        changed = http.json("PATCH", path, f"Experiment {experiment}", {"visibility": visibility})
        report.document(changed)
        report.result(
            f"Anyone can read {changed['url']}"
            if flags.public
            else f"Only the workspace and people with a link can read {experiment}."
        )
        return DONE
    if flags.expires == "never":
        body["expires_in_days"] = None
    made = http.json("POST", f"{path}/share-links", f"Experiment {experiment}", body)
    report.document(made)
    report.result(str(made["url"]))
    end = made.get("expires_at")
    until = f" until {end}" if end else ""
    report.say(
        f"Anyone with this link can view the experiment{until}. The link is not shown again. "
        f"To revoke it: plotline unshare {made['id']}"
    )
    return DONE


def _show_links(answer: Json, report: Report) -> int:
    links: list[Json] = answer["share_links"]
    report.document({"share_links": links})
    if not links:
        report.result("No links.")
        return DONE
    report.table(
        ["ID", "NAME", "SHOWS", "CREATED", "EXPIRES"],
        [
            [
                link["id"],
                link.get("name"),
                _what(link),
                link["created_at"],
                link.get("expires_at") or "never",
            ]
            for link in links
        ],
    )
    return DONE


def _what(link: Json) -> str:
    """A short summary of what a link shows."""
    words = [
        plural(len(link[field]), field[:-1])
        for field in ("runs", "tags")
        if isinstance(link.get(field), list)
    ]
    words += [flag for flag in ("frozen", "anonymous", "logs") if link.get(flag)]
    if link.get("kind") == "embed":
        words.append("embed")
    return ", ".join(words) or "all"


def unshare(flags: argparse.Namespace, report: Report) -> int:
    try:
        link = str(uuid.UUID(flags.link))
    except ValueError:
        raise UsageError(
            "Use the id of the link. To list ids: plotline share EXPERIMENT --list"
        ) from None
    open_http().json("DELETE", f"/share-links/{link}", f"Link {link}")
    report.document({"id": link, "revoked": True})
    report.result(f"Revoked {link}: it stops working within five seconds.")
    return DONE


def snapshot(flags: argparse.Namespace, report: Report) -> int:
    experiment = parse_experiment(flags.experiment)
    wanted = (("name", flags.name), ("runs", flags.run), ("tags", flags.tag))
    made = open_http().json(
        "POST",
        f"/experiments/{experiment}/snapshots",
        f"Experiment {experiment}",
        {key: value for key, value in wanted if value is not None},
        headers={"idempotency-key": str(uuid.uuid4())},
    )
    report.document(made)
    report.result(str(made["url"]))
    return DONE


def export(flags: argparse.Namespace, report: Report) -> int:
    from .export import export_raw, export_table
    from .reading import Experiment

    experiment = parse_experiment(flags.experiment)
    if flags.outdir == "":
        raise UsageError("--outdir is empty. Pass a folder.")
    http = Http(require_credentials(), give_up_after=30)
    folder = Path(flags.outdir or experiment).absolute()
    document: dict[str, Any] = {
        "experiment_id": experiment,
        "format": flags.format,
        "outdir": str(folder),
    }
    if flags.format == "raw":
        done = export_raw(http, experiment, folder)
        report.document(document | done.document())
        already = f"; {done.unchanged} already existed" if done.unchanged else ""
        report.result(
            f"Wrote {plural(len(done.files) - done.unchanged, 'file')} "
            f"({format_bytes(done.bytes)}) to {folder}{already}."
        )
        return DONE
    source = Experiment(http, experiment)
    path, rows = export_table(source, folder, flags.format, superseded=flags.superseded)
    size = path.stat().st_size
    files = [{"path": path.name, "bytes": size}]
    report.document(document | {"files": files, "points": rows, "bytes": size})
    report.result(f"Wrote {plural(rows, 'point')} to {path} ({format_bytes(size)}).")
    return DONE


def open_page(flags: argparse.Namespace, report: Report) -> int:
    experiment = parse_experiment(flags.experiment)
    http = open_http()
    found = http.get(f"/experiments/{experiment}", f"Experiment {experiment}")
    url = str(found.get("url") or f"{http.origin}/e/{experiment}")
    report.document({"id": experiment, "url": url})
    report.result(url)
    if not report.as_json:
        _open_browser(url)
    return DONE


def _open_browser(url: str) -> None:
    # The URL comes from the server and goes to a program.
    if not re.match(r"^https?://[\w.:\[\]-]+/e/[A-Za-z0-9]{22}$", url):
        return
    on_desktop = sys.platform in ("darwin", "win32")
    if not on_desktop and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    program = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
    with contextlib.suppress(OSError):  # the printed URL is enough
        subprocess.Popen(
            [program, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
