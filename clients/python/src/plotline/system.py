"""Load of the machine during a run, as scalars below ``system/`` in an event file of its
own, so that a page or a reader can leave them out.

Linux is read from ``/proc`` and ``/sys``; elsewhere ``psutil`` is used if it is installed. NVIDIA
is read through the driver's own library (NVML), AMD from the files of its kernel driver. A source
that is missing or fails gives no values and no error.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

Values = dict[str, float]
Source = Callable[[], Values]

_gib = float(2**30)


class System:
    """Reads the load of this machine.

    Args:
        folder: whose file system ``system/disk/used_percent`` is about.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        self.accelerators: list[str] = []
        self._sources: list[Source] = []
        self._add(lambda: Linux() if sys.platform.startswith("linux") else Psutil())
        for make in (Nvidia, Amd):
            accelerator = self._add(make)
            if accelerator is not None:
                self.accelerators.extend(accelerator.names)
                break

    def _add(self, make: Callable[[], Any]) -> Any:
        try:
            source = make()
        except Exception:  # not on this machine
            return None
        self._sources.append(source)
        return source

    def read(self) -> Values:
        """Current values; rates are averages since the last call.

        Returns:
            Tag to value. ``_percent``: 0 to 100; ``_gib``: GiB; ``_mib_per_second``: MiB/s;
            ``_celsius``, ``_watts``.
        """
        values: Values = {}
        for source in self._sources:
            with contextlib.suppress(Exception):
                values.update(source())
        with contextlib.suppress(OSError):
            usage = shutil.disk_usage(self._folder)
            values["disk/used_percent"] = 100 * usage.used / usage.total
        return {f"system/{tag}": value for tag, value in values.items()}


class _Rates:
    """Rates of counters that only grow."""

    def __init__(self) -> None:
        self._before: dict[str, float] = {}
        self._at = 0.0

    def of(self, counters: dict[str, float], now: float) -> Values:
        before, self._before = self._before, counters
        seconds, self._at = now - self._at, now
        if not before or seconds <= 0:
            return {}
        return {
            name: (value - before[name]) / seconds
            for name, value in counters.items()
            if name in before and value >= before[name]
        }


class Linux:
    """``/proc``: CPU, memory, disk and network of the machine; CPU and memory of this process."""

    def __init__(self, proc: str | os.PathLike[str] = "/proc") -> None:
        self._proc = Path(proc)
        self._rates = _Rates()
        self._process_rates = _Rates()
        self._ticks: tuple[float, float] | None = None
        self._tick = 1 / os.sysconf("SC_CLK_TCK")
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._cpu()

    def __call__(self) -> Values:
        values: Values = {}
        for read in (self._cpu, self._memory, self._process, self._traffic):
            with contextlib.suppress(OSError, ValueError, IndexError, KeyError):
                values.update(read())
        return values

    def _text(self, name: str) -> str:
        return (self._proc / name).read_text(encoding="ascii", errors="replace")

    def _cpu(self) -> Values:
        fields = [float(n) for n in self._text("stat").split("\n", 1)[0].split()[1:9]]
        # user nice system idle iowait irq softirq steal
        idle, total = fields[3] + fields[4], sum(fields)
        before, self._ticks = self._ticks, (idle, total)
        if before is None or total <= before[1]:
            return {}
        return {"cpu/percent": 100 * (1 - (idle - before[0]) / (total - before[1]))}

    def _memory(self) -> Values:
        lines = dict(
            line.split(":", 1) for line in self._text("meminfo").splitlines() if ":" in line
        )
        total, free = (float(lines[key].split()[0]) for key in ("MemTotal", "MemAvailable"))
        return {
            "memory/used_percent": 100 * (1 - free / total),
            "memory/used_gib": (total - free) * 1024 / _gib,
        }

    def _process(self) -> Values:
        used = self._rates_of_process()
        pages = float(self._text("self/statm").split()[1])
        return {**used, "process/memory_gib": pages * self._page / _gib}

    def _rates_of_process(self) -> Values:
        # The name in parentheses may contain anything.
        fields = self._text("self/stat").rpartition(")")[2].split()
        seconds = (float(fields[11]) + float(fields[12])) * self._tick
        rates = self._process_rates.of({"cpu": seconds}, time.monotonic())
        return {"process/cpu_percent": 100 * rates["cpu"]} if rates else {}

    def _traffic(self) -> Values:
        counters = {
            "disk/read": 0.0,
            "disk/write": 0.0,
            "network/received": 0.0,
            "network/sent": 0.0,
        }
        for line in self._text("diskstats").splitlines():
            fields = line.split()
            # Whole disks only: their partitions count the same bytes again.
            if len(fields) > 9 and (self._sys_block() / fields[2]).is_dir():
                counters["disk/read"] += float(fields[5]) * 512
                counters["disk/write"] += float(fields[9]) * 512
        for line in self._text("self/net/dev").splitlines()[2:]:
            name, _, rest = line.partition(":")
            fields = rest.split()
            if name.strip() != "lo" and len(fields) > 8:
                counters["network/received"] += float(fields[0])
                counters["network/sent"] += float(fields[8])
        rates = self._rates.of(counters, time.monotonic())
        return {f"{name}_mib_per_second": rate / 2**20 for name, rate in rates.items()}

    def _sys_block(self) -> Path:
        return self._proc.parent / "sys/block"


class Psutil:
    """The same through ``psutil``, where it is installed."""

    def __init__(self) -> None:
        import psutil

        self._psutil = psutil
        self._process = psutil.Process()
        self._rates = _Rates()
        psutil.cpu_percent()
        self._process.cpu_percent()

    def __call__(self) -> Values:
        psutil, process = self._psutil, self._process
        memory = psutil.virtual_memory()
        disk, network = psutil.disk_io_counters(), psutil.net_io_counters()
        counters: dict[str, float] = {}
        if disk is not None:
            counters |= {"disk/read": float(disk.read_bytes), "disk/write": float(disk.write_bytes)}
        if network is not None:
            counters["network/received"] = float(network.bytes_recv)
            counters["network/sent"] = float(network.bytes_sent)
        rates = self._rates.of(counters, time.monotonic())
        return {
            "cpu/percent": psutil.cpu_percent(),
            "memory/used_percent": memory.percent,
            "memory/used_gib": (memory.total - memory.available) / _gib,
            "process/cpu_percent": process.cpu_percent(),
            "process/memory_gib": process.memory_info().rss / _gib,
            **{f"{name}_mib_per_second": rate / 2**20 for name, rate in rates.items()},
        }


class Nvidia:
    """NVML, the library of the NVIDIA driver (``nvml.h``).

    Raises:
        OSError: there is no driver, or no device.
    """

    def __init__(self, library: Any = None) -> None:
        self._nvml = library or ctypes.CDLL(
            "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
        )
        self._check(self._nvml.nvmlInit_v2())
        count = ctypes.c_uint()
        self._check(self._nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)))
        if count.value == 0:
            raise OSError("no NVIDIA device")
        self._devices: list[ctypes.c_void_p] = []
        self.names: list[str] = []
        for index in range(count.value):
            device = ctypes.c_void_p()
            self._check(self._nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)))
            name = ctypes.create_string_buffer(96)
            self._check(self._nvml.nvmlDeviceGetName(device, name, 96))
            self._devices.append(device)
            self.names.append(name.value.decode("utf-8", "replace"))

    @staticmethod
    def _check(status: int) -> None:
        if status != 0:  # NVML_SUCCESS
            raise OSError(f"NVML: status {status}")

    def __call__(self) -> Values:
        values: Values = {}
        for index, device in enumerate(self._devices):
            for name, value in self._of(device):
                values[f"gpu/{index}/{name}"] = value
        return values

    def _of(self, device: ctypes.c_void_p) -> Iterator[tuple[str, float]]:
        nvml = self._nvml
        rates = (ctypes.c_uint * 2)()  # nvmlUtilization_t: gpu, memory
        if nvml.nvmlDeviceGetUtilizationRates(device, ctypes.byref(rates)) == 0:
            yield "percent", float(rates[0])
        memory = (ctypes.c_ulonglong * 3)()  # nvmlMemory_t: total, free, used
        if nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)) == 0:
            yield "memory_used_gib", memory[2] / _gib
            yield "memory_used_percent", 100 * memory[2] / memory[0] if memory[0] else 0.0
        number = ctypes.c_uint()
        # 0: NVML_TEMPERATURE_GPU
        if nvml.nvmlDeviceGetTemperature(device, 0, ctypes.byref(number)) == 0:
            yield "celsius", float(number.value)
        if nvml.nvmlDeviceGetPowerUsage(device, ctypes.byref(number)) == 0:
            yield "watts", number.value / 1000


class Amd:
    """Files of the amdgpu kernel driver.

    Raises:
        OSError: there is no such device.
    """

    def __init__(self, folder: str | os.PathLike[str] = "/sys/class/drm") -> None:
        busy = sorted(Path(folder).glob("card[0-9]*/device/gpu_busy_percent"))
        self._devices = [path.parent for path in busy]
        if not self._devices:
            raise OSError("no AMD device")
        self.names = [self._name(device) for device in self._devices]

    @staticmethod
    def _name(device: Path) -> str:
        with contextlib.suppress(OSError):
            return (device / "product_name").read_text().strip() or "AMD GPU"
        return "AMD GPU"

    def __call__(self) -> Values:
        values: Values = {}
        for index, device in enumerate(self._devices):
            prefix = f"gpu/{index}/"
            with contextlib.suppress(OSError, ValueError):
                values[prefix + "percent"] = float((device / "gpu_busy_percent").read_text())
            with contextlib.suppress(OSError, ValueError):
                used = float((device / "mem_info_vram_used").read_text())
                total = float((device / "mem_info_vram_total").read_text())
                values[prefix + "memory_used_gib"] = used / _gib
                values[prefix + "memory_used_percent"] = 100 * used / total if total else 0.0
            for file, tag, scale in (
                ("temp1_input", "celsius", 1e3),
                ("power1_average", "watts", 1e6),
            ):
                for path in sorted((device / "hwmon").glob(f"hwmon*/{file}"))[:1]:
                    with contextlib.suppress(OSError, ValueError):
                        values[prefix + tag] = float(path.read_text()) / scale
        return values
