"""Readers return what was logged: raw, complete, in every format."""

from __future__ import annotations

import io
import math
import socket

import numpy as np
import pytest

import plotline
from plotline import values
from plotline.errors import ApiError, UsageError
from plotline.event_writer import EventWriter
from plotline.reading import PAGE_POINTS, _filter
from plotline.upload import UploadOptions, upload


@pytest.fixture(scope="module")
def logged(service, tmp_path_factory):
    """Logs two runs with every kind of value; returns the expected values."""
    home = tmp_path_factory.mktemp("reading")
    rng = np.random.default_rng(11)
    picture = rng.integers(0, 255, (6, 4, 3), dtype=np.uint8)
    samples = np.sin(np.arange(800) / 10)
    numbers = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("PLOTLINE_SERVER", service.origin)
        patch.setenv("PLOTLINE_TOKEN", service.token)
        for name, lr in (("a", 0.01), ("b", 0.1)):
            config = {"lr": lr, "model": {"depth": 3}}
            run = plotline.init(
                name, logdir=home / "runs", experiment="all", config=config, upload=False
            )
            for step in range(35):
                numbers[(name, step)] = rng.standard_normal(40)
                run.log(
                    {
                        "val/loss": lr * step,
                        "weights": plotline.Histogram(numbers[(name, step)], bins=8),
                    },
                    step=step,
                )
            run.log(
                {
                    "note": f"*{name}*",
                    "picture": plotline.Image(picture, caption="c"),
                    "clip": plotline.Audio(samples, 8000),
                    "table": plotline.Table(["x"], [[1]]),
                    "odd": math.nan,
                },
                step=35,
            )
            run.finish()
        result = upload(UploadOptions(str(home / "runs/all")))
    read = plotline.experiment(result.url, server=service.origin, token=service.token)
    return read, numbers, picture


@pytest.fixture
def read(logged, home):
    return plotline.experiment(logged[0].id)


def test_runs_are_filtered_by_configuration_and_by_values(read):
    names = [run["run"] for run in read.runs("last('val/loss') < 1 and config.lr = 0.01")]
    assert names == ["a"]
    assert [run["run"] for run in read.runs("config.model.depth = 3")] == ["a", "b"]
    frame = read.runs_frame()
    assert list(frame["config.lr"]) == [0.01, 0.1]
    assert list(frame["config.model.depth"]) == [3, 3]
    assert list(frame["status"]) == ["success", "success"]
    assert _filter("label = 'config.lr' and \"config.x\" = config.y") == (
        "label = 'config.lr' and \"config.x\" = hparam('y')"
    )
    with pytest.raises(ApiError):
        read.runs("no such field = 1")


@pytest.mark.parametrize("most", [100_000, 10])
def test_histograms_are_read_across_several_responses(most, read, logged, monkeypatch):
    monkeypatch.setattr(values, "_most_points", most)
    got = read.histograms("weights")
    assert [(value.run, value.step) for value in got] == [
        (run, step) for run in "ab" for step in range(35)
    ]
    for value in got:
        counts, edges = np.histogram(logged[1][(value.run, value.step)], 8)
        assert value.value.dtype == np.float64
        assert np.array_equal(value.value[:, 2], counts)
        assert np.array_equal(value.value[:, 0], edges[:-1])
    part = list(read.tensors("weights", "b", from_step=10, to_step=12))
    assert [(value.run, value.step) for value in part] == [("b", 10), ("b", 11), ("b", 12)]


def test_texts_images_and_clips_read_back_as_logged(read, logged, tmp_path):
    from PIL import Image

    texts = {(text.run, text.tag): text.value for text in read.texts()}
    assert texts[("a", "note")] == "*a*"
    assert texts[("b", "table")].splitlines() == ["| x |", "| --- |", "| 1 |"]
    images = read.images("picture")
    assert [(image.run, image.step) for image in images] == [("a", 35), ("b", 35)]
    blob = images[0].value
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(blob.bytes()))), logged[2])
    assert (blob.content_type, blob.size) == ("image/png", len(blob.bytes()))
    assert "image/png" in blob._repr_mimebundle_()
    [clip] = read.audio(runs="b")
    clip.value.save(tmp_path / "clip.wav")
    assert (tmp_path / "clip.wav").read_bytes()[:4] == b"RIFF"


def test_a_damaged_blob_is_an_error(read, monkeypatch):
    [image] = read.images("picture", "a")

    class Answer:
        data = b"not the image"

    monkeypatch.setattr(image.value._http, "request", lambda *_, **__: Answer)
    with pytest.raises(plotline.PlotlineError, match="whole"):
        image.value.bytes()


def test_scalars_are_complete_in_pages_and_in_every_format(service, home):
    writer = EventWriter(home / "runs/long")
    points = PAGE_POINTS + 5
    for step in range(points):
        writer.scalars({"x": step / 3}, step, wall_time=1e9 + step)
    writer.close()
    read = plotline.experiment(upload(UploadOptions(str(home / "runs"))).experiment_id)
    pages = list(read.scalar_batches("x"))
    assert len(pages) > 1
    table = read.scalars_arrow("x")
    expected = np.arange(points) / 3
    assert np.array_equal(table["value"].to_numpy(), expected)
    frame = read.scalars("x")
    assert np.array_equal(frame["value"], expected)
    assert np.array_equal(frame["wall_time"], 1e9 + np.arange(points))
    assert (str(frame["step"].dtype), str(frame["value"].dtype)) == ("int64", "float64")
    polars = pytest.importorskip("polars")
    assert isinstance(read.scalars_polars("x"), polars.DataFrame)
    assert read.scalars("x", from_step=10, to_step=12)["step"].tolist() == [10, 11, 12]


def test_what_a_run_records_about_itself_reads_back(service, home):
    given = {"display_name": "Baseline", "job_type": "train", "labels": ["paper"]}
    options = {"logdir": home / "runs", "upload": False, "facts": True, "config": {"lr": 0.5}}
    with plotline.init("a", group="sweep", **options, **given) as run:
        run.log({"loss": 1.0})
    read = plotline.experiment(upload(UploadOptions(str(home / "runs"))).experiment_id)
    [found] = read.runs(filter="last('loss') < 2 and config.lr = 0.5 and host != ''")
    assert {name: found[name] for name in given} == given
    assert found["host"] == socket.gethostname()
    assert found["group"] == "sweep"
    assert found["state"] == "finished"
    assert found["source"]["command"]
    assert read.runs_frame()["source.command"].tolist() == [found["source"]["command"]]


def test_a_snapshot_does_not_change(read):
    copy = read.snapshot("kept", tags=["val/loss"])
    assert copy.id != read.id
    assert copy.scalars()["value"].tolist() == read.scalars("val/loss")["value"].tolist()
    assert {tag["tag"] for tag in copy.tags()} == {"val/loss"}


def test_a_plot_is_the_image_that_the_service_renders(read, tmp_path):
    chart = plotline.plot(read, "val/loss", runs="a", smoothing=0.5, theme="dark", width=400)
    assert chart.svg.startswith("<svg")
    assert 'width="400"' in chart.svg
    chart.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8") == chart.svg
    # As an image, so that the notebook's page executes nothing in it.
    assert chart._repr_html_().startswith('<img alt="chart" src="data:image/svg+xml;base64,')
    assert plotline.plot(read.id, "val/loss").svg != chart.svg
    with pytest.raises(plotline.NotFound, match="There are no scalars of the tag"):
        plotline.plot(read, "no/such/tag")
    with pytest.raises(ValueError, match=r"smoothing is 5; it must be from 0 to 0\.999"):
        plotline.plot(read, "val/loss", smoothing=5)
    with pytest.raises(ValueError, match="width is 20"):
        plotline.plot(read, "val/loss", width=20)
    with pytest.raises(ValueError, match=r"does not end with \.svg"):
        chart.save(tmp_path / "chart.xyz")
    with plotline.init("local", logdir=tmp_path, upload=False) as run, pytest.raises(UsageError):
        plotline.plot(run, "x")


def test_notebooks_show_charts_with_names_escaped(read):
    html = read._repr_html_()
    assert html.count("<img ") == len({"val/loss", "odd"})
    assert "<svg" not in html


def test_a_table_without_its_packages_says_how_to_install_them(logged, monkeypatch):
    read, _, _ = logged
    monkeypatch.setattr("plotline.extras.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pandas pyarrow"):
        read.scalars()
    with pytest.raises(ImportError, match="pip install pandas"):
        read.runs_frame()
    with pytest.raises(ImportError, match="pip install polars pyarrow"):
        read.scalars_polars()
    with pytest.raises(ImportError, match="pip install pyarrow"):
        next(read.scalar_batches())
