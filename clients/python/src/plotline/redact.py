"""Removes what looks like a secret from texts that describe a run.

The rules are in docs/python.md. They catch the usual forms; no list catches all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[redacted]"

#: Names whose values are hidden, as last words of a name such as ``--hub-token``.
_names = (
    r"api_?key|access_key|auth|authorization|bearer|client_secret|credentials?|passphrase|passwd"
    r"|password|private_key|pwd|secret|secret_key|token"
)
_name = re.compile(rf"(?:^|[^a-z0-9])(?:{_names})$")
#: Secrets that are known by their form.
_forms = re.compile(
    r"\bplt_[A-Za-z0-9]{20,}"  # Plotline
    r"|\bhf_[A-Za-z0-9]{20,}"  # Hugging Face
    r"|\bsk-[A-Za-z0-9_-]{20,}"  # OpenAI and others
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|\bglpat-[A-Za-z0-9_-]{20,}"  # GitLab
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # AWS
    r"|\bAIza[A-Za-z0-9_-]{35}"  # Google
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\b[Bb]earer\s+[A-Za-z0-9._~+/=-]+"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"  # JWT
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
)
_user_of_url = re.compile(r"(?<=://)[^/\s@]+@")
_assignment = re.compile(
    r"""(?P<name>[A-Za-z_][\w.-]*)(?P<sign>["']?\s*[=:]\s*)(?P<value>[^\s,;]+)"""
)
_flag = re.compile(r"(?P<flag>(?<!\S)--?[A-Za-z][\w.-]*)(?P<gap>\s+)(?P<value>[^\s-]\S*)")


def names_a_secret(name: str) -> bool:
    """Whether a flag, a variable or a key is named as secrets are."""
    return bool(_name.search(re.sub(r"[-\s]+", "_", name.lower().lstrip("-"))))


def redact(text: str) -> str:
    """``text`` without user names and passwords of addresses, secrets of known forms, and values
    assigned to names of secrets."""
    text = _user_of_url.sub("", text)
    text = _forms.sub(HIDDEN, text)

    def assigned(match: re.Match[str]) -> str:
        if not names_a_secret(match["name"]) or match["value"].startswith(HIDDEN):
            return match[0]
        return f"{match['name']}{match['sign']}{HIDDEN}"

    return _assignment.sub(assigned, text)


def redact_line(line: str) -> str:
    """A line of output: as :func:`redact`, and the word after a flag that names a secret."""

    def flagged(match: re.Match[str]) -> str:
        if not names_a_secret(match["flag"]):
            return match[0]
        return f"{match['flag']}{match['gap']}{HIDDEN}"

    return _flag.sub(flagged, redact(line))


def redact_arguments(arguments: Iterable[str]) -> list[str]:
    """A command line: as :func:`redact`, and the argument after a flag that names a secret."""
    redacted: list[str] = []
    hide_next = False
    for argument in arguments:
        if hide_next and not argument.startswith("-"):
            redacted.append(HIDDEN)
            hide_next = False
            continue
        hide_next = argument.startswith("-") and "=" not in argument and names_a_secret(argument)
        redacted.append(redact(argument))
    return redacted
