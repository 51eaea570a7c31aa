"""Parquet files hold the columns they were given, to the last bit, for every reader at hand."""

import errno
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mocap_reroot.export import tables
from mocap_reroot.export.tables import write_table
from mocap_reroot.schema import Blocks, describe

NUMBERS = ["f8", "f4", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def by_pyarrow(columns: dict, path: Path, name: str) -> pa.Table:
    """Write a table with pyarrow, slowly and surely, and return it."""
    arrays = [pa.array(column, from_pandas=True) for column in columns.values()]
    arrays = [a.combine_chunks() if isinstance(a, pa.ChunkedArray) else a for a in arrays]
    words = {pa.null(), pa.large_string()}
    arrays = [a.cast(pa.string()) if a.type in words else a for a in arrays]
    pairs = zip(columns, arrays, strict=True)
    fields = [pa.field(n, a.type, metadata=describe(name, n)) for n, a in pairs]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    pq.write_table(table, path, write_statistics=False)
    return table


def bits(table: pa.Table) -> list:
    """Return every value of a table so that only what is the same to the last bit is equal."""

    def exact(value):
        return value.hex() if isinstance(value, float) else value

    return [[exact(value) for value in column.to_pylist()] for column in table.columns]


def assert_same(columns: dict, folder: Path, name: str = "torques") -> pq.FileMetaData:
    """Compare a table with the same written by pyarrow, in pyarrow and pandas."""
    ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
    write_table(columns, ours, name)
    by_pyarrow(columns, theirs, name)
    found, expected = pq.read_table(ours), pq.read_table(theirs)
    assert found.schema.equals(expected.schema, check_metadata=True)
    assert bits(found) == bits(expected)
    found.validate(full=True)
    metadata, reference = pq.read_metadata(ours), pq.read_metadata(theirs)
    assert metadata.metadata == reference.metadata
    assert metadata.schema.equals(reference.schema)
    assert metadata.num_rows == reference.num_rows == len(found)
    pd.testing.assert_frame_equal(pd.read_parquet(ours), pd.read_parquet(theirs), check_exact=True)
    return metadata


def assert_others_read(folder: Path) -> None:
    """Compare the two files of a folder in polars and in DuckDB."""
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
    found, expected = polars.read_parquet(ours), polars.read_parquet(theirs)
    assert found.schema == expected.schema
    assert bits(found.to_arrow()) == bits(expected.to_arrow())
    with duckdb.connect() as base:
        found, expected = (base.read_parquet(str(file)).fetchall() for file in (ours, theirs))
    assert [list(map(repr, row)) for row in found] == [list(map(repr, row)) for row in expected]


@st.composite
def tables_of_all_kinds(draw, least: int, most: int) -> dict:
    rows = draw(st.integers(least, most))
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
    words = st.lists(st.none() | st.sampled_from(["", "single", "Füße"]) | text, max_size=6)
    names = draw(st.lists(text.filter(bool), min_size=1, max_size=6, unique_by=str.lower))
    columns: dict = {}
    for name in names:
        kind = draw(st.sampled_from([*NUMBERS, "words", "category", "list"]))
        if kind in NUMBERS:
            column = draw(hnp.arrays(kind, rows, fill=st.nothing()))
            if kind in ("f8", "f4"):
                column[np.isinf(column)] = np.nan  # tables hold none
            if kind in ("f8", "f4") and draw(st.booleans()):
                column[draw(hnp.arrays(bool, rows))] = np.nan
            columns[name] = column
            continue
        few = draw(words) or [None]
        chosen = [draw(st.sampled_from(few)) for _ in range(rows)]
        if kind == "words":
            columns[name] = np.array(chosen, dtype=object)
        elif kind == "list":
            columns[name] = chosen
        else:
            known = [word for word in dict.fromkeys(["", *few]) if word is not None]
            columns[name] = pd.Categorical(chosen, known)
    return columns


@settings(max_examples=150, deadline=None)
@given(columns=tables_of_all_kinds(0, 70))
def test_the_same_table_as_pyarrow_writes(columns, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    assert_same(columns, folder)
    if len(next(iter(columns.values()))):
        assert_others_read(folder)


@settings(max_examples=40, deadline=None)
@given(columns=tables_of_all_kinds(1, 40), size=st.integers(1, 60))
def test_the_same_in_several_row_groups(columns, size, tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    rows = len(next(iter(columns.values())))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_GROUP", size)
        metadata = assert_same(columns, folder)
    each = max(size // len(columns), 1)
    groups = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
    assert groups == [min(each, rows - start) for start in range(0, rows, each)]
    assert_others_read(folder)


def test_numbers_that_are_easily_lost(tmp_path):
    least = np.nextafter(0.0, 1.0)
    values = np.array([0.0, -0.0, 1e-300, -1e300, np.nan, least, 1.7976931348623157e308])
    whole = np.array([0, -1, 1, 2**63 - 1, -(2**63), 5, 6])
    assert_same({"value": values, "clean": np.nan_to_num(values), "whole": whole}, tmp_path)
    assert_others_read(tmp_path)
    found = pq.read_table(tmp_path / "ours.parquet")["value"]
    assert found.null_count == 1
    assert np.signbit(found[1].as_py())


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 63, 64, 65, 127, 128, 8191, 8192, 70_000, 1_100_000])
def test_counts_of_every_length(rows, tmp_path):
    # Lengths are written in seven bits a byte, levels and truth values in eight.
    value = np.sin(np.arange(rows))
    gaps, edges = value.copy(), value.copy()
    gaps[::3], edges[: rows // 3], edges[rows - rows // 4 :] = np.nan, np.nan, np.nan
    empty, on = np.full(rows, np.nan), value > 0
    columns = {"value": value, "gaps": gaps, "edges": edges, "empty": empty, "on": on}
    write_table(columns, tmp_path / "table.parquet", "grf")
    found = pd.read_parquet(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(found, pd.DataFrame(columns), check_exact=True)


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 65_536, 65_537])
def test_dictionaries_of_every_size(count, tmp_path):
    words = np.array([f"Körper {k}" for k in range(count)] * 2 + [None], dtype=object)
    assert_same({"word": words, "category": pd.Categorical(words)}, tmp_path)
    assert_others_read(tmp_path)


def test_columns_need_not_be_tidy(tmp_path):
    block = np.arange(40.0).reshape(10, 4)
    block[3] = np.nan
    strided = {"strided": block[:, 1], "backwards": block[::-1, 2].copy()[::-1]}
    assert_same(strided, tmp_path)
    assert_others_read(tmp_path)


def test_data_frames_with_types_of_pandas(tmp_path):
    frame = pd.DataFrame(
        {
            "count": pd.array([1, None, 3], dtype="Int64"),
            "on": pd.array([True, None, False], dtype="boolean"),
            "word": pd.array(["a", None, "ä"], dtype="string"),
            "plain": ["x", "y", None],
            "missing": [pd.NA, "y", np.nan],
            "value": [0.5, np.nan, 2.0],
        }
    )
    write_table(frame, tmp_path / "table.parquet", "grf")
    found = pq.read_table(tmp_path / "table.parquet")
    types = ["int64", "bool", "string", "string", "string", "double"]
    assert [str(field.type) for field in found.schema] == types
    assert found.to_pydict() == {
        "count": [1, None, 3],
        "on": [True, None, False],
        "word": ["a", None, "ä"],
        "plain": ["x", "y", None],
        "missing": [None, "y", None],
        "value": [0.5, None, 2.0],
    }


@pytest.mark.parametrize(
    "columns", [{}, {"value": np.empty(0), "word": np.empty(0, object), "on": np.empty(0, bool)}]
)
def test_tables_of_nothing(columns, tmp_path):
    assert assert_same(columns, tmp_path).num_rows == 0
    if columns:
        assert_others_read(tmp_path)


def test_words_have_dictionaries_and_numbers_none(tmp_path):
    words = np.repeat(np.array(["single", "double", None], dtype=object), 300)
    columns = {"frame": np.arange(900), "value": np.linspace(0, 1, 900), "mode": words}
    group = assert_same(columns, tmp_path).row_group(0)
    found = {c.path_in_schema: c for c in (group.column(k) for k in range(3))}
    assert {name: c.has_dictionary_page for name, c in found.items()} == {
        "frame": False,
        "value": False,
        "mode": True,
    }
    assert not any(c.is_stats_set for c in found.values())


def test_columns_of_several_lengths_are_refused(tmp_path):
    with pytest.raises(ValueError, match="same length"):
        write_table({"a": np.zeros(3), "b": np.zeros(2)}, tmp_path / "table.parquet", "grf")


def test_one_layout_serves_all_clips_of_a_skeleton(tmp_path):
    before = tables._layout.cache_info()
    for k in range(3):
        write_table({"x_mx": np.full(4, float(k))}, tmp_path / f"{k}.parquet", "torques")
    after = tables._layout.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 2)


def blocks(*made: dict) -> Blocks:
    return Blocks(sum(len(b["a"]) for b in made), len(made[0]), lambda rows: iter(made))


def test_blocks_follow_each_other(tmp_path):
    some = {"a": np.arange(3.0), "word": np.array([None, None, None])}
    more = {"a": np.array([np.nan, 4.0]), "word": np.array(["x", None], object)}
    write_table(blocks(some, more), tmp_path / "table.parquet", "grf")
    found = pq.read_table(tmp_path / "table.parquet").to_pydict()
    assert found == {"a": [0, 1, 2, None, 4], "word": [None, None, None, "x", None]}


@pytest.mark.parametrize(
    "other", [{"a": np.arange(3)}, {"b": np.arange(3.0)}, {"a": np.zeros(3), "b": np.zeros(3)}]
)
def test_blocks_of_other_columns_are_refused(other, tmp_path):
    made = Blocks(6, 1, lambda rows: iter([{"a": np.arange(3.0)}, other]))
    with pytest.raises(TypeError, match="table grf do not all have the same columns"):
        write_table(made, tmp_path / "table.parquet", "grf")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("rows", [1, 100_000])
def test_a_full_disk_is_an_error_of_the_system(rows):
    with pytest.raises(OSError, match="No space") as caught:
        write_table({"value": np.random.default_rng(0).random(rows)}, Path("/dev/full"), "grf")
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs to see open files")
def test_files_are_closed_when_a_table_breaks_off(tmp_path):
    def make(rows):
        yield {"a": np.zeros(5)}
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_table(Blocks(10, 1, make), tmp_path / "table.parquet", "grf")
    open_files = [k.readlink() for k in Path("/proc/self/fd").iterdir() if k.is_symlink()]
    assert tmp_path / "table.parquet" not in open_files
