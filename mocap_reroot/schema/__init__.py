"""Every table: its columns with unit, axes and meaning, and where in the nouns their numbers are.

A table is one entry of ``tables.toml``. Writers, DataFrames, the metadata of Parquet files, the
reference pages, the report, the data set of a batch and its index are made from it. Columns are
views of the arrays of a noun, so that writing a file copies nothing; a DataFrame, which copies, is
made when somebody asks for one.

``layout`` says what a table is, ``tables`` holds them all and the index of a batch, ``frames``
gives them by name and lets no number that is none leave unmarked.
"""

from mocap_reroot.schema.frames import (
    Blocks,
    Columns,
    Tables,
    columns_of,
    data_frame,
    describe,
    table,
)
from mocap_reroot.schema.layout import Column, Each, Table, attribute
from mocap_reroot.schema.tables import CORE, INDEX, TABLES, WRITTEN

XYZ = ("x", "y", "z")
