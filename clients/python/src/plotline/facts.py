"""Facts about a run: command line, commit, packages, hardware. Collected once, in the background.

The list in docs/python.md is complete: nothing else is collected. Environment variables are read
only to find ranks. What names people, machines and code goes to a log message of the event file,
from which the service makes fields of the run. Anonymous links do not show them.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import platform
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from .redact import redact, redact_arguments

#: Tags of the texts.
FACTS_TAG = "system/facts"
PACKAGES_TAG = "system/packages"
DIFF_TAG = "system/git_diff"
#: A longer diff is cut, in characters.
MAX_DIFF = 256 * 1024
_git_seconds = 5.0
_rank_variables = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS")


def shown_facts(accelerators: Sequence[str] = ()) -> dict[str, str]:
    """Facts that everyone who can read the experiment may see, in the order of display."""
    facts = {
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "CPUs": str(os.cpu_count() or "unknown"),
    }
    memory = total_memory()
    if memory:
        facts["memory"] = f"{memory / 2**30:.1f} GiB"
    if accelerators:
        facts["accelerators"] = ", ".join(accelerators)
    ranks = [f"{name}={os.environ[name]}" for name in _rank_variables if name in os.environ]
    if ranks:
        facts["ranks"] = " ".join(ranks)
    return facts


def private_facts() -> dict[str, Any]:
    """Facts that name people, machines and code; see :func:`record`."""
    facts: dict[str, Any] = {
        "command": command_line(),
        "host": socket.gethostname(),
        "folder": os.getcwd(),
    }
    with contextlib.suppress(Exception):  # no user name for this user id
        facts["person"] = getpass.getuser()
    remote = git("config", "--get", "remote.origin.url")
    if remote:
        facts["git_remote"] = redact(remote.strip())
    branch = git("rev-parse", "--abbrev-ref", "HEAD")
    if branch:
        facts["git_branch"] = branch.strip()
    commit = git("rev-parse", "HEAD")
    if commit:
        facts["git_commit"] = commit.strip()
        facts["git_dirty"] = bool(git("status", "--porcelain", "--untracked-files=no"))
    return facts


def command_line() -> str:
    """The program and its arguments: secrets redacted, the home folder as ``~``."""
    arguments = list(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])
    arguments[0] = os.path.basename(arguments[0]) or "python"
    if arguments[1:2] == ["-c"]:
        arguments[2:3] = ["…"]
    home = str(Path.home())
    return shlex.join(_without_home(argument, home) for argument in redact_arguments(arguments))


def _without_home(text: str, home: str) -> str:
    return text.replace(home, "~") if len(home) > 1 else text


def packages() -> str:
    """``name==version`` of every installed package, one a line."""
    found = {}
    for distribution in distributions():
        with contextlib.suppress(Exception):  # damaged metadata
            name = distribution.metadata["Name"]
            if name:
                found[name.lower()] = f"{name}=={distribution.version}"
    return "\n".join(found[name] for name in sorted(found))


def git_diff() -> str | None:
    """Uncommitted changes of tracked files, secrets redacted; None without any."""
    diff = git("diff", "HEAD", "--no-color", "--no-ext-diff")
    if not diff:
        return None
    text = redact(diff)
    return text if len(text) <= MAX_DIFF else text[:MAX_DIFF] + "\n… cut"


def git(*arguments: str) -> str | None:
    """Output of git for the repository of the working folder; None if there is none."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        answer = subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_git_seconds,
            env=environment,
            check=False,
        )
    except (OSError, RuntimeError, subprocess.SubprocessError):
        return None  # RuntimeError: no process is started while the interpreter ends
    return answer.stdout.decode("utf-8", "replace") if answer.returncode == 0 else None


def total_memory() -> int | None:
    """Bytes of memory of this machine."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def as_table(facts: Mapping[str, str]) -> str:
    """Markdown."""
    rows = (f"| {name} | {_cell(value)} |" for name, value in facts.items())
    return "\n".join(("| fact | value |", "| --- | --- |", *rows))


def as_code(text: str, language: str = "") -> str:
    """Markdown: a fenced block, whatever ``text`` contains."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def record(facts: Mapping[str, Any]) -> str:
    """The text of a log message from which the service makes fields of the run: ``command``,
    ``git_commit``, ``git_dirty``, ``git_branch``, ``git_remote``, ``folder``, ``person``, ``host``,
    ``display_name``, ``job_type``, ``labels``, ``heartbeat_seconds`` and ``status`` (running,
    success or failure)."""
    return "plotline " + json.dumps(facts, ensure_ascii=False, sort_keys=True)


def _cell(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")
    return escaped.replace("<", "&lt;").replace("\n", " ")
