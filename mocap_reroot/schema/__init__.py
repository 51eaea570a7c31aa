"""Tables: every column with unit, axes and meaning, and the attribute that holds its values.

A table is one entry of ``tables.toml``, the one place where a column's unit is written. Writers,
DataFrames, the metadata of Parquet files, the reference pages, the report, the data set of a batch
and its index are made from it. Columns are views of arrays, so that writing a file copies nothing;
a DataFrame, which copies, is made when one is asked for.

``layout`` says what a table is, ``tables`` reads them all and the index of a batch, ``frames``
gives them by name and flags every row whose numbers are not finite.
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
