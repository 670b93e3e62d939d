"""Times `log` calls of 20 scalars; prints a JSON document. Arguments: library, calls, folder."""

import json
import random
import sys
import time
from pathlib import Path


def plotline_logger(folder):
    import plotline

    run = plotline.init("run", logdir=folder, upload=False)
    return (lambda values, step: run.log(values, step=step)), run.finish


def tensorboardx_logger(folder):
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder)

    def log(values, step):
        for tag, value in values.items():
            writer.add_scalar(tag, value, step)

    return log, writer.close


def wandb_logger(folder):
    import wandb

    run = wandb.init(project="bench", mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    return (lambda values, step: run.log(values, step=step)), run.finish


def trackio_logger(folder):
    import os

    os.environ["TRACKIO_DIR"] = folder
    import trackio

    run = trackio.init(project="bench")
    return (lambda values, step: run.log(values, step=step)), trackio.finish


def swanlab_logger(folder):
    import swanlab

    run = swanlab.init(project="bench", mode="offline", logdir=folder)
    return (lambda values, step: run.log(values, step=step)), swanlab.finish


def mlflow_logger(folder):
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment("bench")
    mlflow.start_run()
    return (lambda values, step: mlflow.log_metrics(values, step=step)), mlflow.end_run


def main():
    library, calls, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    log, finish = globals()[f"{library}_logger"](folder)
    rng = random.Random(1)
    tags = [f"layer{index}/value" for index in range(20)]
    nanoseconds = []
    for step in range(calls):
        values = {tag: rng.random() for tag in tags}
        started = time.perf_counter_ns()
        log(values, step)
        nanoseconds.append(time.perf_counter_ns() - started)
    finishing = time.perf_counter()
    finish()
    nanoseconds.sort()
    print(
        json.dumps(
            {
                "median_us": nanoseconds[calls // 2] / 1000,
                "p99_us": nanoseconds[calls * 99 // 100] / 1000,
                "total_s": sum(nanoseconds) / 1e9,
                "finish_s": time.perf_counter() - finishing,
                "bytes": sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file()),
            }
        )
    )


main()
