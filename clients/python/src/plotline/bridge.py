"""Shows an experiment in stock TensorBoard: a bridge on this machine adds the credentials to its
requests and forwards them to the service.

Stock TensorBoard sends no credentials, and does not know which experiment it shows. The bridge
accepts its calls on a loopback port, and rejects calls about any other experiment. Messages are
forwarded as bytes. It needs ``grpcio``, which comes with TensorBoard.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any, Callable
from urllib.parse import urlsplit

from .credentials import parse_origin, require_credentials
from .errors import PlotlineError
from .event_writer import field
from .http import Http
from .reading import open_link
from .report import Report
from .verbs import DONE, parse_experiment

_service = "tensorboard.data.TensorBoardDataProvider"
_unary = (
    "GetExperiment",
    "ListPlugins",
    "ListRuns",
    "ListScalars",
    "ReadScalars",
    "ListTensors",
    "ReadTensors",
    "ListBlobSequences",
    "ReadBlobSequences",
)
#: Stock TensorBoard accepts messages up to this size.
_max_message_bytes = 256 * 1024 * 1024
#: TensorBoard waits without limit; the bridge waits this long, in seconds, for a service that
#: restarts.
_call_seconds = 60.0
_check_seconds = 10.0
_stop_seconds = 3.0
#: Ids that stock TensorBoard uses for "the" experiment.
_unnamed = ("", "defaultExperimentId")
_link = re.compile(r"^(https?://[^/]+)/s/([A-Za-z0-9_-]+)/?$")
_on_this_machine = re.compile(r"^(?:dns:/{3})?(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$")


def pinned_request(request: bytes, experiment: str) -> bytes | None:
    """``request`` with ``experiment_id`` (field 1) set to ``experiment``, otherwise unchanged; None
    if it is for another experiment.

    Raises:
        ValueError: the bytes are not a protobuf message.
    """
    named, others = _split_first_field(request)
    if named not in _unnamed and named != experiment:
        return None
    return field(1, experiment.encode()) + others


def names_blob_of(request: bytes, experiment: str) -> bool:
    """Whether the key of a ReadBlobRequest belongs to this experiment."""
    try:
        key = _split_first_field(request)[0]
        parts = json.loads(base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(parts, list) and parts[1:2] == [experiment]


def _split_first_field(message: bytes) -> tuple[str, bytes]:
    """The last value of field 1, which is the one that counts, and all other fields unchanged."""
    named, others, at = "", bytearray(), 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            if at >= len(message) or shift > 63:
                raise ValueError("a varint is incomplete or too long")
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        start = at
        key = varint()
        content = at
        if key & 7 == 0:
            varint()
        elif key & 7 in (1, 5):
            at += 8 if key & 7 == 1 else 4
        elif key & 7 == 2:
            length = varint()
            content = at
            at += length
        else:
            raise ValueError(f"wire type {key & 7}")
        if at > len(message):
            raise ValueError("a field ends early")
        if key == 0x0A:
            named = message[content:at].decode("utf-8", "replace")
        else:
            others += message[start:at]
    return named, bytes(others)


class Bridge:
    """Forwards TensorBoard's calls for one experiment; ``address`` is ``127.0.0.1:PORT``.

    Args:
        target: the service's gRPC address.
        encrypted: whether it uses TLS.
        experiment: id.
        headers: the caller's credentials.
        on_trouble: called with a message when the service is unreachable or rejects the caller.
    """

    def __init__(
        self,
        target: str,
        encrypted: bool,
        experiment: str,
        headers: tuple[tuple[str, str], ...],
        on_trouble: Callable[[str], None],
    ) -> None:
        import grpc

        self._grpc = grpc
        self._experiment = experiment
        self._headers = headers
        self._on_trouble = on_trouble
        options = [
            ("grpc.max_receive_message_length", _max_message_bytes),
            ("grpc.max_send_message_length", _max_message_bytes),
        ]
        self._channel = (
            grpc.secure_channel(target, grpc.ssl_channel_credentials(), options)
            if encrypted
            else grpc.insecure_channel(target, options)
        )
        handlers: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(self._unary(name)) for name in _unary
        }
        handlers["ReadBlob"] = grpc.unary_stream_rpc_method_handler(self._read_blob)
        self._server = grpc.server(ThreadPoolExecutor(16, "plotline-bridge"), options=options)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_service, handlers),)
        )
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def check(self) -> None:
        """Calls the service once, so that errors show before TensorBoard starts.

        Raises:
            PlotlineError: the service cannot be read over gRPC.
        """
        request = pinned_request(b"", self._experiment)
        try:
            self._call("GetExperiment")(request, timeout=_check_seconds, metadata=self._headers)
        except self._grpc.RpcError as error:
            raise PlotlineError(
                f"The service cannot be read over gRPC: {error.details() or error.code()}"
            ) from error

    def start(self) -> None:
        self._server.start()

    def close(self) -> None:
        self._server.stop(None)
        self._channel.close()

    def _call(self, name: str) -> Any:
        return self._channel.unary_unary(f"/{_service}/{name}")

    def _unary(self, name: str) -> Callable[[bytes, Any], bytes]:
        call = self._call(name)

        def forward(request: bytes, context: Any) -> bytes:
            try:
                pinned = pinned_request(request, self._experiment)
            except ValueError:
                context.abort(
                    self._grpc.StatusCode.INVALID_ARGUMENT,
                    "The request body is not a valid message for this service.",
                )
            if pinned is None:
                self._not_here(context)
            try:
                answer: bytes = call(
                    pinned,
                    timeout=min(context.time_remaining() or _call_seconds, _call_seconds),
                    metadata=self._headers,
                    wait_for_ready=True,
                )
            except self._grpc.RpcError as error:
                self._explain(error, context)
                raise
            return answer

        return forward

    def _read_blob(self, request: bytes, context: Any) -> Iterator[bytes]:
        if not names_blob_of(request, self._experiment):
            self._not_here(context)
        call = self._channel.unary_stream(f"/{_service}/ReadBlob")
        try:
            yield from call(request, timeout=_call_seconds, metadata=self._headers)
        except self._grpc.RpcError as error:
            self._explain(error, context)

    def _not_here(self, context: Any) -> None:
        context.abort(
            self._grpc.StatusCode.NOT_FOUND,
            "This TensorBoard shows one experiment, but the request is for another experiment. "
            "Open TensorBoard at /.",
        )

    def _explain(self, error: Any, context: Any) -> None:
        codes, code = self._grpc.StatusCode, error.code()
        if code in (codes.UNAVAILABLE, codes.DEADLINE_EXCEEDED):
            self._on_trouble(f"The service did not respond to TensorBoard: {error.details()}")
        if code == codes.UNAUTHENTICATED:
            self._on_trouble(
                "The service no longer accepts this token. Sign in again with `plotline login`, "
                "then restart this command."
            )
            code = codes.PERMISSION_DENIED
        context.abort(code, error.details() or "")


def tensorboard(flags: argparse.Namespace, report: Report) -> int:
    """``plotline tensorboard``: until Ctrl-C."""
    try:
        import grpc  # noqa: F401
    except ImportError:
        raise PlotlineError(
            "`plotline tensorboard` needs TensorBoard: pip install tensorboard"
        ) from None
    http, experiment, headers = _find(flags.experiment)
    target, encrypted = _grpc_target(http)
    said: set[str] = set()

    def say_once(line: str) -> None:
        if line not in said:
            said.add(line)
            report.say(line)

    bridge = Bridge(target, encrypted, experiment, headers, say_once)
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopped.set()

    previous = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        bridge.check()
        bridge.start()
        report.document({"experiment": experiment, "grpc_data_provider": bridge.address})
        return _show(bridge.address, flags, report, stopped)
    finally:
        bridge.close()
        http.close()
        for number, handler in previous.items():
            signal.signal(number, handler)


def _show(address: str, flags: argparse.Namespace, report: Report, stopped: threading.Event) -> int:
    port = [] if flags.port is None else ["--port", str(flags.port)]
    arguments = ["--grpc_data_provider", address, *port, *flags.arguments]
    program = None if flags.bridge_only else shutil.which("tensorboard")
    if program is None:
        if flags.bridge_only:
            report.result(f"Ready for TensorBoard until Ctrl-C: tensorboard {' '.join(arguments)}")
        else:
            report.say("tensorboard is not on the PATH. Install it: pip install tensorboard")
            line = f"tensorboard {' '.join(arguments)}"
            report.result(f"Run this in another terminal, until Ctrl-C here: {line}")
        while not stopped.wait(0.5):
            pass
        return DONE
    # It does not need our secrets, and its gRPC would send even loopback traffic through a proxy.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PLOTLINE_")}
    environment |= {"no_grpc_proxy": "127.0.0.1", "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen([program, *arguments], env=environment, stdout=2)
    while child.poll() is None and not stopped.wait(0.2):
        pass
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_stop_seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    if stopped.is_set() or child.returncode == 0:
        return DONE
    how = f"with code {child.returncode}" if child.returncode > 0 else "by a signal"
    raise PlotlineError(f"tensorboard exited: {how}")


def _find(named: str) -> tuple[Http, str, tuple[tuple[str, str], ...]]:
    """The experiment of an id, an address or a share link, and the credentials to read it."""
    link = _link.match(named)
    if link is None:
        experiment = parse_experiment(named)
        credentials = require_credentials()
        http = Http(credentials, give_up_after=3)
        http.get(f"/experiments/{experiment}", f"Experiment {experiment}")
        return http, experiment, (("authorization", f"Bearer {credentials.token}"),)
    http, experiment = open_link(parse_origin(link[1]), link[2])
    return http, experiment, (("plotline-share", link[2]),)


def _grpc_target(http: Http) -> tuple[str, bool]:
    """The gRPC address of the service.

    Raises:
        PlotlineError: there is none, or a token could be read on the way.
    """
    origin = http.origin
    grpc = http.get("/server", "Reading the server's gRPC address").get("grpc")
    if not grpc:
        raise PlotlineError(
            f"{origin} does not serve gRPC, which TensorBoard needs. Its operator can enable it "
            "with PLOTLINE_GRPC_PORT."
        )
    target, encrypted = str(grpc.get("target") or ""), grpc.get("tls") is True
    local = bool(_on_this_machine.match(target))
    if not target:
        raise PlotlineError(f"{origin} does not announce a gRPC address.")
    if local and not _on_this_machine.match(urlsplit(origin).netloc):
        raise PlotlineError(
            f"{origin} serves gRPC only on its own machine. Its operator can change that with "
            "PLOTLINE_GRPC_HOST."
        )
    if not encrypted and origin.startswith("https:") and not local:
        raise PlotlineError(
            f"{origin} serves gRPC at {target} without encryption, so others could read your token."
        )
    return target, encrypted
