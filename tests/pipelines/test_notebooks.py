"""The notebooks run from top to bottom, on the sample data, and are stored without outputs."""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "pipelines").glob("*.ipynb"))


def test_all_four_are_there():
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    (tmp_path / "pipelines").mkdir()
    book = nbformat.read(path, as_version=4)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    NotebookClient(
        book, timeout=240, resources={"metadata": {"path": tmp_path / "pipelines"}}
    ).execute()
    shown = [cell for cell in cells if cell.outputs]
    assert len(shown) > len(cells) / 2
    plots = [o.data for cell in cells for o in cell.outputs if "data" in o and _is_plot(o.data)]
    assert plots or path.stem[:2] == "02"
    # What an export to HTML can show; plotly's own type alone is left out of it.
    assert all("text/html" in data or "image/svg+xml" in data for data in plots)
    pages = "".join(o.data.get("text/html", "") for c in cells for o in c.outputs if "data" in o)
    assert not re.search(r"<script[^>]+src=[^>]+plotly", pages), "plots need a network"
    if any("plotly" in kind for data in plots for kind in data):
        assert "plotly.js v" in pages


def _is_plot(data):
    return any("plotly" in kind or kind.startswith("image/") for kind in data)
