"""Every dialect of BVH that users meet, each with its exact outcome."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.types import FLAGS
from tests.importers.bvh_files import FIRST_ROW, HEADER, MOTION, PLAIN, edit, read

VALUES = np.array(
    [
        [1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 1.5, 2.5, 3.5],
        [1.1, 2.1, 3.1, 11.0, 21.0, 31.0, 1.6, 2.6, 3.6],
        [1.2, 2.2, 3.2, 12.0, 22.0, 32.0, 1.7, 2.7, 3.7],
    ]
).T


def test_plain_file_needs_no_repair(tmp_path):
    recording = read(tmp_path, PLAIN)
    tree = recording.hierarchy
    assert recording.repairs == recording.warnings == ()
    assert (recording.n_frames, recording.fps) == (3, 100.0)
    assert tree.names == ("Hips", "Spine")
    assert tree.parents.tolist() == [-1, 0]
    assert tree.offset.tolist() == [[0, 90, 0], [0, 10, 1]]
    assert tree.site_body.tolist() == [1]
    assert tree.site_offset.tolist() == [[0, 30, 0]]
    assert tree.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert tree.values.flags.c_contiguous
    np.testing.assert_array_equal(tree.values, VALUES)
    assert not recording.flags.any()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: HEADER.replace("\n", "\r\n") + MOTION,
        lambda text: HEADER + MOTION.replace("\n", "\r\n"),
        lambda text: text.replace("\t", "        "),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text + "\n\n \t \n",
        lambda text: text.replace("Frames: 3", "Frames:3").replace("Time: ", "Time:\t"),
        lambda text: text.replace("\n", " ", 13).replace("{", "\n{"),
    ],
    ids=[
        "CRLF", "CR", "CRLF header", "CRLF rows", "blanks", "tabs", "blank lines",
        "trailing blanks", "blank end", "no blank behind colon", "words on other lines",
    ],
)  # fmt: skip
def test_layout_needs_no_repair(tmp_path, change):
    recording = read(tmp_path, change(PLAIN))
    assert recording.repairs == ()
    assert recording.hierarchy.names == ("Hips", "Spine")
    np.testing.assert_array_equal(recording.hierarchy.values, VALUES)


REPAIRED = {
    "byte-order mark": (
        "\ufeff" + PLAIN,
        ["Line 1: a byte-order mark was passed over."],
    ),
    "UTF-16": (
        PLAIN.encode("utf-16"),
        ["Line 1: the file is in UTF-16; it was read as text all the same."],
    ),
    "lower case": (
        PLAIN.lower(),
        [
            "Line 1 and 7 more: words in unusual case were read as the format spells them.",
            "Line 16: 'motion' was read as MOTION.",
            "Line 17: 'frames' is in unusual case.",
            "Line 18: 'frame time' is in unusual case.",
        ],
    ),
    "time in the plural": (
        edit("Frame Time:", "Frame Times:"),
        ["Line 18: 'Frame Times' was read as Frame Time."],
    ),
    "lower-case channels": (
        edit("3 Zrotation Xrotation", "3 zrotation xrotation"),
        ["Line 9: words in unusual case were read as the format spells them."],
    ),
    "brace on the line of its joint": (
        edit("ROOT Hips\n{", "ROOT Hips {"),
        ["Line 2: '{' stands on the line of its joint."],
    ),
    "comments": (
        edit("HIERARCHY\n", "# made by hand\nHIERARCHY // yes\n"),
        ["Line 1 and 1 more: comments were passed over."],
    ),
    "HIERARCHY missing": (
        edit("HIERARCHY\n", ""),
        ["Line 1: HIERARCHY is missing before the root."],
    ),
    "MOTION missing": (
        edit("MOTION\n", ""),
        ["Line 16: MOTION is missing before Frames."],
    ),
    "brace missing": (
        edit("\t}\n}\nMOTION", "\t}\nMOTION"),
        ["Line 14: 1 closing brace is missing before MOTION."],
    ),
    "brace too many": (
        edit("\t}\n}\nMOTION", "\t}\n}\n}\nMOTION"),
        ["Line 16: 1 closing brace too many passed over."],
    ),
    "End Site missing": (
        re.sub(r"\t\tEnd Site\n.*\n.*\n\t\t}\n", "", PLAIN),
        ["No End Site below 'Spine': the length of the last body is unknown."],
    ),
    "CHANNELS in an End Site": (
        edit("30.0 0.0\n", "30.0 0.0\n\t\t\tCHANNELS 0\n"),
        ["Line 13: CHANNELS 0 in an End Site was passed over."],
    ),
    "End Site without OFFSET": (
        edit("\t\t\tOFFSET 0.0 30.0 0.0\n", ""),
        ["Line 12: the End Site has no OFFSET; zero was taken."],
    ),
    "OFFSET missing": (
        edit("\t\tOFFSET 0.0 10.0 1.0\n", ""),
        ["Line 6: joint 'Spine' has no OFFSET; zero was taken."],
    ),
    "number of channels": (
        edit("CHANNELS 3", "CHANNELS 4"),
        ["Line 9: CHANNELS says 4 but names 3; the names count."],
    ),
    "number of channels missing": (
        edit("CHANNELS 3", "CHANNELS"),
        ["Line 9: CHANNELS gives no number but names 3; the names count."],
    ),
    "name missing": (
        edit("JOINT Spine", "JOINT"),
        ["Line 6: a joint without a name was called 'joint_1'."],
    ),
    "name twice": (
        edit("JOINT Spine", "JOINT Hips"),
        ["Line 6: a joint is named 'Hips' like that of line 2; it was called 'Hips_2'."],
    ),
    "not UTF-8": (
        PLAIN.replace("Spine", "Rücken").encode("latin-1"),
        ["Line 6: the text is not UTF-8; it was read as Latin-1."],
    ),
    "Frames too small": (
        edit("Frames: 3", "Frames: 2"),
        ["Frames: says '2'; the file has 3 rows, and these count."],
    ),
    "Frames too large": (
        edit("Frames: 3", "Frames: 5"),
        ["Frames: says '5'; the file has 3 rows, and these count."],
    ),
    "a billion frames": (
        edit("Frames: 3", "Frames: 1000000000"),
        ["Frames: says '1000000000'; the file has 3 rows, and these count."],
    ),
    "Frames missing": (
        edit("Frames: 3\n", ""),
        ["Frames: is missing; the file has 3 rows, and these count."],
    ),
    "no number of frames": (
        edit("Frames: 3", "Frames: many"),
        ["Frames: says 'many'; the file has 3 rows, and these count."],
    ),
    "Frame Time missing": (
        edit("Frame Time: 0.01\n", ""),
        ["Frame Time is missing; 30 frames per second were assumed. See --rate."],
    ),
    "Frame Time zero": (
        edit("Time: 0.01", "Time: 0.000"),
        ["Line 18: Frame Time is '0.000'; 30 frames per second were assumed. See --rate."],
    ),
    "Frame Time negative": (
        edit("Time: 0.01", "Time: -1"),
        ["Line 18: Frame Time is '-1'; 30 frames per second were assumed. See --rate."],
    ),
    "Frame Time nan": (
        edit("Time: 0.01", "Time: nan"),
        ["Line 18: Frame Time is 'nan'; 30 frames per second were assumed. See --rate."],
    ),
    "words behind the rows": (
        PLAIN + "the end\n",
        ["Line 22: words instead of numbers; the line was passed over."],
    ),
    "no line break at the end": (
        PLAIN[:-1],
        ["Line 21: no line break ends the last row; its last number was taken as complete."],
    ),
    "wrapped rows": (
        edit(" 1.5 ", "\n1.5 ", edit(" 1.6 ", "\n1.6 ", edit(" 1.7 ", "\n1.7 "))),
        ["Line 19: rows and lines do not coincide; every 9 values were taken as a row."],
    ),
    "two of three rows on one line": (
        edit("3.5\n", "3.5 "),
        ["Line 19: rows and lines do not coincide; every 9 values were taken as a row."],
    ),
    "all rows on one line": (
        edit("3.5\n", "3.5 ", edit("3.6\n", "3.6 ")),
        ["Line 19: rows and lines do not coincide; every 9 values were taken as a row."],
    ),
}


@pytest.mark.parametrize("dialect", REPAIRED)
def test_repaired(tmp_path, dialect):
    text, repairs = REPAIRED[dialect]
    recording = read(tmp_path, text)
    assert list(recording.repairs) == repairs
    assert recording.n_frames == 3
    assert recording.fps == (30.0 if "Frame Time" in dialect else 100.0)
    np.testing.assert_array_equal(recording.hierarchy.values, VALUES)


def test_an_assumed_rate_is_also_a_warning(tmp_path):
    recording = read(tmp_path, edit("Frame Time: 0.01\n", ""))
    assert recording.warnings == recording.repairs


def test_last_row_that_breaks_off_is_left_out(tmp_path):
    recording = read(tmp_path, PLAIN[: PLAIN.index(" 1.7")] + "\n")
    assert recording.repairs == (
        "Line 21: the last row breaks off after 6 of 9 values; it was left out.",
        "Frames: says '3'; the file has 2 rows, and these count.",
    )
    np.testing.assert_array_equal(recording.hierarchy.values, VALUES[:, :2])


def test_number_that_may_be_cut_short_is_not_believed(tmp_path):
    text = edit("Frames: 3", "Frames: 9")[:-2]  # the last row ends in "3." and no line break
    recording = read(tmp_path, text)
    assert recording.repairs == (
        "Line 21: the file breaks off in this row; it was left out.",
        "Frames: says '9'; the file has 2 rows, and these count.",
    )
    np.testing.assert_array_equal(recording.hierarchy.values, VALUES[:, :2])


def test_wrapped_rows_that_break_off(tmp_path):
    rows = MOTION.replace(" 1.5 ", "\n1.5 ").replace(" 1.6 ", "\n1.6 ").replace(" 1.7 2.7 3.7", "")
    recording = read(tmp_path, HEADER + rows)
    assert recording.repairs[:2] == (
        "Line 19: rows and lines do not coincide; every 9 values were taken as a row.",
        "Line 23: the last row breaks off after 6 of 9 values; it was left out.",
    )
    np.testing.assert_array_equal(recording.hierarchy.values, VALUES[:, :2])


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan", "inf", "-INF", "Infinity", "1e999"])
def test_missing_values_flag_their_frame(tmp_path, word):
    recording = read(tmp_path, edit("21.0", word))
    assert recording.repairs == (
        "1 of 3 frames lack values (nan, inf or no credible number) and were flagged: 1.",
    )
    assert [FLAGS[flag] for flag in recording.flags] == ["", "not_finite", ""]
    expected = VALUES.copy()
    expected[4, 1] = np.nan
    np.testing.assert_array_equal(recording.hierarchy.values, expected)


def test_word_that_is_no_number_flags_its_frame(tmp_path):
    recording = read(tmp_path, edit("21.0", "21.0.0"))
    assert recording.repairs == (
        "Line 20: '21.0.0' is not a number.",
        "1 of 3 frames lack values (nan, inf or no credible number) and were flagged: 1.",
    )
    assert np.isnan(recording.hierarchy.values[4, 1])


def rows(count: int, broken: dict[int, str]) -> str:
    good = "1 2 3 4 5 6 7 8 9"
    lines = [broken.get(row, good) for row in range(count)]
    return HEADER + f"MOTION\nFrames: {count}\nFrame Time: 0.01\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("row", ["1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9 10"])
def test_one_row_of_the_wrong_length_keeps_its_place(tmp_path, row):
    recording = read(tmp_path, rows(30, {7: row}))
    assert recording.repairs == (
        f"Line {FIRST_ROW + 7}: {len(row.split())} values instead of 9; the frame was left empty.",
        "1 of 30 frames lack values (nan, inf or no credible number) and were flagged: 7.",
    )
    assert recording.n_frames == 30
    assert np.isnan(recording.hierarchy.values[:, 7]).all()
    assert (np.delete(recording.hierarchy.values, 7, axis=1)[8] == 9).all()


REFUSED = {
    "empty": ("", 1, "the file is empty"),
    "blank": (" \n\t\r\n", 1, "the file is empty"),
    "only a byte-order mark": (b"\xef\xbb\xbf", 1, "the file is empty"),
    "rubbish": (bytes(range(128, 256)) * 50, 1, "begins with HIERARCHY; found '\\x80"),
    "zeros": (b"\0" * 5000, 1, "the file is empty"),
    "half a UTF-16 letter": (b"\xff\xfe\x00", 1, "begins as UTF-16 but is not"),
    "another format": ("\n\nsolid cube\n", 3, "begins with HIERARCHY; found 'solid'"),
    "rubbish in the hierarchy": (
        edit("\tJOINT Spine", "\t\x00\x07%& Spine"), 6, "found '\\x00\\x07%&' where JOINT",
    ),
    "only HIERARCHY": ("HIERARCHY\n", 1, "the file ends before its ROOT"),
    "no ROOT": (edit("ROOT", "JOINT"), 2, "JOINT 'Hips' stands outside the tree"),
    "word before ROOT": (edit("ROOT", "STEM"), 2, "found 'STEM' where ROOT was expected"),
    "cut off in the hierarchy": (HEADER[:-2], 14, "the file ends inside joint 'Hips'"),
    "brace too early": (edit("\tJOINT Spine", "}\nJOINT Spine"), 7, "'Spine' stands outside"),
    "no opening brace": (edit("Hips\n{", "Hips\n"), 4, "expected '{' after 'Hips'; found 'OFFSET'"),
    "ROOT inside": (edit("JOINT", "ROOT"), 6, "ROOT 'Spine' stands inside another joint"),
    "OFFSET too short": (edit("10.0 1.0", "10.0"), 9, "found 'CHANNELS' as number 3"),
    "OFFSET no number": (edit("10.0 1.0", "ten 1.0"), 8, "three numbers; found 'ten' as number 2"),
    "OFFSET nan": (edit("10.0 1.0", "nan 1.0"), 8, "three numbers; found 'nan' as number 2"),
    "OFFSET too long": (edit("10.0 1.0", "10.0 1.0 5"), 8, "three numbers, or six"),
    "OFFSET twice": (edit("10.0 1.0", "10.0 1.0\nOFFSET 0 0 0"), 9, "a second OFFSET in joint"),
    "unknown channel": (edit("3 Zrotation", "3 Zscale"), 9, "'Zscale' is no channel"),
    "position twice": (edit("6 Xposition Y", "6 Yposition Y"), 5, "repeat themselves"),
    "every row too short": (rows(5, dict.fromkeys(range(5), "1 2 3 4 5 6 7")), FIRST_ROW,
                            "holds 7 values, but the hierarchy has 9 channels; 4 of 4 rows"),
    "many rows too long": (rows(9, dict.fromkeys(range(3, 6), "1 2 3 4 5 6 7 8 9 10")),
                           FIRST_ROW + 3, "holds 10 values, but the hierarchy has 9"),
    "words for numbers": (rows(9, dict.fromkeys(range(3, 6), "1 2 3 4 x 6 7 8 9")), FIRST_ROW + 3,
                          "'x' is not a number; 3 rows"),
    "decimal commas": (rows(9, dict.fromkeys(range(9), "1,5 2 3 4 5 6 7 8 9")), FIRST_ROW,
                       "'1,5' is not a number; 9 rows"),
    "commas between numbers": (rows(9, dict.fromkeys(range(9), "1, 2, 3, 4, 5, 6, 7, 8, 9")),
                               FIRST_ROW, "apart by blanks: take the commas out"),
    "a hierarchy for every take": (HEADER + HEADER, 16, "a second HIERARCHY where MOTION"),
}  # fmt: skip


@pytest.mark.parametrize("dialect", REFUSED)
def test_refused_with_the_line(tmp_path, dialect):
    text, line, found = REFUSED[dialect]
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    assert found in str(caught.value)
    assert caught.value.line == line
    assert f"clip.bvh, line {line}: " in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))  # as from a worker process
    assert str(again) == str(caught.value)


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match=r"cannot be read .No such file"):
        read_bvh(tmp_path / "none.bvh")
    with pytest.raises(FileError, match=r"cannot be read .(Is a directory|Permission)"):
        read_bvh(tmp_path)
