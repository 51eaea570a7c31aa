"""Studies: a table of subjects, its proposal, means over people, and two stories of users."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.batch.proposal import stillness
from mocap_reroot.batch.subjects import Subjects, read_subjects
from mocap_reroot.cli import main
from mocap_reroot.config import Config
from mocap_reroot.errors import ConfigError
from mocap_reroot.reading import read_recording
from mocap_reroot.report.means import mean_and_sd
from mocap_reroot.resources.clips import Clip

ROOT = Path(__file__).resolve().parents[2]
CHILDREN = ROOT.parent / "shared/data/c3d/plug_in_gait"
here = pytest.mark.skipif(not CHILDREN.is_dir(), reason="the shared recordings are not here")


def run(*words, code=0):
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert left.value.code == code


def table(tmp_path, text) -> Subjects:
    (tmp_path / "who.csv").write_text(text)
    return read_subjects(tmp_path / "who.csv", Config())


def clips(*names):
    return [Clip(Path("/data") / name, Path(name).with_suffix("")) for name in names]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two children with their statics, a group each, by the commands a user types."""
    if not CHILDREN.is_dir():
        pytest.skip("the shared recordings are not here")
    home = tmp_path_factory.mktemp("study")
    for child in ("HC030A", "HC044A"):
        shutil.copytree(CHILDREN / child, home / "data" / child)
    run("subjects", home / "data", "-o", home / "who.csv")
    who = pd.read_csv(home / "who.csv", dtype=str).assign(group=["short", "shorter"])
    who.to_csv(home / "who.csv", index=False)
    run("batch", home / "data", "-o", home / "out", "--subjects", home / "who.csv", "--quiet")
    return home


@here
def test_story_of_a_doctoral_student(study):
    """From two children with statics to cycles, peaks and a figure."""
    found = mr.load(study / "out")
    cycles = found.table("cycles")
    peaks = found.mean("peaks", by="group")
    found.plot.cycles("knee", by="group").savefig(study / "knee.svg")

    assert list(cycles)[:5] == ["clip", "subject", "stride", "side", "percent"]
    assert set(cycles["subject"]) == {"HC030A", "HC044A"}
    assert not any("01" in clip[-2:] for clip in found.index["clip"])  # statics are not analysed
    assert found.index["gait"].tolist() == ["walking"] * 4
    assert found.index["activity"].tolist() == ["walking"] * 4
    knee = peaks.set_index(["group", "quantity"])["greatest_mean"].xs("knee_flexion_deg", level=1)
    assert knee.between(50, 70).all()  # degrees that knees of children bend in swing
    assert "short (n = 1)" in (study / "knee.svg").read_text()
    page = found._repr_html_()
    assert "4" in page
    assert "<svg" in page


@here
def test_static_trials_calibrate_and_subjects_bring_their_masses(study):
    who = pd.read_csv(study / "who.csv", dtype=str, index_col="subject")
    assert who["static"].tolist() == ["data/HC030A/HC030A01.c3d", "data/HC044A/HC044A01.c3d"]
    assert who["mass"].tolist() == ["45.8", "39.4"]
    summary = mr.load(study / "out/HC044A/HC044A15").summary
    assert summary["mass"] == 39.4
    assert summary["config"]["reading"]["static"].endswith("HC044A01.c3d")
    alone = mr.analyze(
        CHILDREN / "HC044A/HC044A15.c3d",
        static=CHILDREN / "HC044A/HC044A01.c3d",
        mass=39.4,
        height=1.45,
    )
    saved = mr.load(study / "out")["HC044A/HC044A15"]
    pd.testing.assert_frame_equal(alone.torques, saved.torques)
    pd.testing.assert_frame_equal(alone.peaks, saved.peaks)


@here
@pytest.mark.parametrize("child", ["HC030A", "HC032A", "HC038A", "HC044A"])
def test_statics_are_found_by_stillness(child):
    found = [stillness(read_recording(path)) for path in sorted((CHILDREN / child).glob("*.c3d"))]
    assert found[0] < 0.001
    assert min(found[1:]) > 1


def test_files_belong_to_whom_the_table_says(tmp_path):
    who = table(tmp_path, "subject,mass,files\nAnna,60,day?/anna*\nS1,70,\nBen,80,ben/**/*.c3d\n")
    files = clips(
        "day1/anna_walk.c3d", "S1/run.c3d", "S1_jump.bvh", "ben/2024/a/x.c3d", "ben/y.c3d"
    )
    assert [one.name for one in who.of(files)] == ["Anna", "S1", "S1", "Ben", "Ben"]
    assert who.of(clips("S10_walk.bvh", "S1_walk.bvh"))[0].name == ""  # another person


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,mass\nA,70\n", "no column 'subject'"),
        ("subject,mass\nA,heavy\n", "line 2: mass of A is 'heavy'; expected a number"),
        ("subject,mass\nA,7000\n", r"line 2 \(A\): mass is 7000 kg"),
        ("subject,static\nA,gone.c3d\n", "there is no such file"),
        ("subject,sex\nA,male\nA,male\n", "two rows"),
        ("subject,grade\nA,good\n", "a column 'grade' of its own"),
        ("subject,mass\n,70\n", "line 2: has no subject"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        table(tmp_path, text)


def test_tables_of_spreadsheets_and_of_nobody(tmp_path):
    who = table(tmp_path, "\ufeffsubject;mass;sex;group\nA;70,5;m;elite\n\n;;;\n")
    assert who.rows[0].options == {"mass": 70.5, "sex": "male"}
    assert who.rows[0].more == {"group": "elite"}
    two = table(tmp_path, "subject,files\nA,*\nB,*.bvh\n")
    with pytest.raises(ConfigError, match="belongs to A and B"):
        two.of(clips("walk.bvh"))
    with pytest.raises(ConfigError, match="none of the 1 files"):
        table(tmp_path, "subject\nA\nB\n").of(clips("walk.bvh"))


def test_a_group_is_averaged_over_people_not_over_strides():
    rows = {
        "clip": ["a", "a", "a", "b"],
        "subject": ["A", "A", "A", "B"],
        "group": ["g"] * 4,
        "stride": [0, 1, 2, 0],
        "side": ["left"] * 4,
        "quantity": ["knee_flexion_deg"] * 4,
        "greatest": [60.0, 62.0, 64.0, 50.0],
    }
    group = mean_and_sd("peaks", pd.DataFrame(rows), "group").iloc[0]
    assert (group["n"], group["greatest_mean"]) == (2, 56.0)
    assert group["greatest_sd"] == pytest.approx(np.std([62, 50], ddof=1))
    person = mean_and_sd("peaks", pd.DataFrame(rows), "subject").iloc[0]
    assert (person["n"], person["greatest_mean"], person["greatest_sd"]) == (3, 62.0, 2.0)


def test_a_folder_of_neither_is_refused(tmp_path):
    with pytest.raises(mr.MocapRerootError, match=r"neither summary\.json"):
        mr.load(tmp_path)


def test_a_table_is_not_replaced_unasked(tmp_path, capsys):
    (tmp_path / "who.csv").write_text("subject\nmine\n")
    run("subjects", ROOT / "sample_data", "-o", tmp_path / "who.csv", code=2)
    assert "--fresh" in capsys.readouterr().err
    run("subjects", ROOT / "sample_data", "-o", tmp_path / "who.csv", "--fresh")
    assert "mine" not in (tmp_path / "who.csv").read_text()


def test_summaries_say_the_activity(tmp_path):
    analysis = mr.analyze(ROOT / "sample_data/run.bvh", mass=70.0, report=False)
    assert analysis.save(tmp_path / "run")["activity"] == "running"
    assert json.loads((tmp_path / "run/summary.json").read_text())["gait"]["gait"] == "running"


@here
def test_story_of_an_engineer(study, tmp_path):
    """From a folder to a filtered data set that pandas, polars and DuckDB read."""
    import duckdb
    import polars

    run("batch", study / "data", "-o", tmp_path, "--dataset", "--float32", "--quiet")
    index = pd.read_parquet(tmp_path / "index.parquet")
    walks = index.query("activity == 'walking' and grade in ['A', 'B'] and height < 1.5")["clip"]
    torques = pd.read_parquet(tmp_path / "dataset/torques", filters=[("clip", "in", list(walks))])
    lazily = polars.scan_parquet(str(tmp_path / "dataset/torques/*.parquet"))
    count = lazily.filter(polars.col("clip").is_in(walks.to_list())).select(polars.len()).collect()
    parts = tmp_path / "dataset/peaks/*.parquet"
    most = duckdb.sql(f"select clip, max(greatest) from '{parts}' group by clip").df()

    assert len(torques) == index.set_index("clip").loc[walks, "frames"].sum() == count.item()
    assert torques["left_shank_mx"].dtype == np.float32
    assert torques["time"].dtype == np.float64
    assert set(most["clip"]) <= set(index["clip"])
    assert len(most)


def test_models_and_statics_of_the_table_count_as_inputs(tmp_path):
    """A model that changes is another result; one in a person's own folder is proposed."""
    from mocap_reroot.batch.fingerprint import fingerprint

    atlas = ROOT.parent / "shared/data/atlas/hamner/subject01"
    if not atlas.is_dir():
        pytest.skip("the shared recordings are not here")
    data = tmp_path / "data/S1"
    (data / "run200").mkdir(parents=True)
    shutil.copy(atlas / "run200/markers.trc", data / "run200")
    for name in ("static.trc", "model.osim"):
        shutil.copy(atlas / name, data)
    run("subjects", tmp_path / "data", "-o", tmp_path / "who.csv")
    who = read_subjects(tmp_path / "who.csv", Config())
    assert Path(who.rows[0].options["model"]).name == "model.osim"
    clip = Clip(data / "run200/markers.trc", Path("S1/run200/markers"))
    static = Clip(data / "static.trc", Path("S1/static"))
    assert who.without_statics([clip, static]) == [clip]
    config = Config().with_options(who.of([clip])[0].options)
    before = fingerprint(clip.path, config, "S1")
    (data / "model.osim").write_text((data / "model.osim").read_text() + "\n")
    assert fingerprint(clip.path, config, "S1") != before
    assert fingerprint(clip.path, config, "S2") != fingerprint(clip.path, config, "S1")


@here
def test_a_data_set_alone_is_a_study_too(study, tmp_path):
    run("batch", study / "data/HC044A", "-o", tmp_path, "--dataset", "only", "--quiet")
    found, whole = mr.load(tmp_path), mr.load(study / "out")
    assert not list((tmp_path / "HC044A15").glob("*.parquet"))
    clip = found["HC044A15"]
    assert set(clip.torques) == set(whole["HC044A/HC044A15"].torques)
    clip.plot.torques("Knee")
    assert len(found.table("cycles")) == 101 * found.table("strides")["sound"].sum()


def test_keywords_of_analyze_are_explicit():
    import inspect

    from mocap_reroot.config import all_options

    shown = inspect.signature(mr.analyze).parameters
    for one in all_options().values():
        assert shown[one.name].default == one.default
        assert shown[one.name].annotation == one.annotation
    with pytest.raises(mr.MocapRerootError, match="Did you mean cutoff"):
        mr.analyze(ROOT / "sample_data/walk.bvh", cutof=6)


@here
def test_who_is_not_in_a_figure_is_named(study, caplog):
    found = mr.load(study / "out")
    with pytest.raises(mr.MocapRerootError, match="Add one to the table of subjects"):
        found.plot.cycles("knee", by="ward")
    lost = study / "lost"
    shutil.copytree(study / "out", lost)
    clip = lost / found.index["clip"].iloc[0]
    for name in ("cycles.parquet", "peaks.csv"):
        (clip / name).unlink()
    caplog.clear()
    mr.load(lost).mean("peaks", by="group")
    assert f"1 of 4 clips have no sound stride and are not in this: {found.index['clip'][0]}" in (
        caplog.text
    )
