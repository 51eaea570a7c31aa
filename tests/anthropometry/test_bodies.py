"""A body with mass: total, place, symmetry and physics, on made and on real skeletons."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mocap_reroot.analysis import analyze
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.anthropometry.proportions import Proportions
from mocap_reroot.anthropometry.segment_table import PARTS, load_table
from mocap_reroot.errors import FileError, MocapRerootError, UnknownNameError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.types import Anatomy, BodyModel, JointType, Motion, Skeleton, Source
from tests.inference.people import tree

WORDS = {
    "Hips": "pelvis",
    "Spine": "trunk",
    "Spine1": "trunk",
    "Neck": "neck",
    "Head": "head",
    "UpLeg": "thigh",
    "Leg": "shank",
    "Foot": "foot",
    "ToeBase": "toes",
    "Shoulder": "clavicle",
    "Arm": "upper_arm",
    "ForeArm": "forearm",
    "Hand": "hand",
}
LEG = ("UpLeg", "Leg", "Foot", "ToeBase")
HUMAN_PROPORTIONS = (0.58, 0.79)  # trunk / leg; de Leva's men and women have 0.70 and 0.77


def segment(name: str) -> str:
    for side in ("Left", "Right"):
        if name.startswith(side):
            return f"{side.lower()}_{WORDS[name.removeprefix(side)]}"
    return WORDS[name]


def person(without: tuple[str, ...] = (), scale: float = 1.0, human: bool = True) -> Skeleton:
    """Return a person of 1.70 m; ``without`` names parts (``Hand``) that the skeleton lacks."""
    rows, sites = tree()
    rows = [row for row in rows if not any(row[0].endswith(part) for part in without)]
    names = [name for name, *_ in rows]
    sites = [site for site in sites if site[0] in names]
    words = tuple(segment(name) for name in names)
    n = len(names)
    return Skeleton(
        tuple(names),
        np.array([names.index(parent) if parent else -1 for _, parent, _ in rows]),
        scale * np.array([offset for *_, offset in rows]),
        site_body=np.array([names.index(name) for name, _ in sites], int),
        site_offset=scale * np.array([offset for _, offset in sites]).reshape(-1, 3),
        anatomy=Anatomy(words, np.ones(n), ("made",) * n, human),
    )


def standing(skeleton: Skeleton) -> Motion:
    """Return one frame of the rest pose with the arms hanging down."""
    proportions, rest = Proportions(skeleton), np.array(skeleton.rest)
    for side in ("left", "right"):
        arm, elbow = proportions.first(f"{side}_upper_arm"), proportions.first(f"{side}_forearm")
        if arm is None or elbow is None:
            continue
        along = proportions.rest_position[elbow] - proportions.rest_position[arm]
        parent = proportions.rest_rotation[skeleton.parents[arm]]
        lower, _ = Rotation.align_vectors(
            [parent.T @ -proportions.upward], [parent.T @ along / np.linalg.norm(along)]
        )
        turned = lower * Rotation.from_quat(rest[arm], scalar_first=True)
        rest[arm] = turned.as_quat(scalar_first=True)
    slides = np.zeros((len(skeleton.translating), 3, 1))
    return Motion(skeleton, 100.0, [0.0, 1, 0], rest[:, :, None], slides)


def com_height(body: BodyModel) -> float:
    """Return the centre of mass over the ground, standing, as a share of stature."""
    skeleton, proportions = body.skeleton, Proportions(body.skeleton)
    world = forward(standing(skeleton))
    com = world.position[..., 0] + np.einsum("nij,nj->ni", world.matrix[:, 0], body.com)
    centre = body.mass @ com / body.total_mass
    ankles = [b for s in ("left", "right") if (b := proportions.first(f"{s}_foot")) is not None]
    ankle = (
        world.position[ankles, :, 0].mean(axis=0)
        if ankles
        else proportions.mid_hip - proportions.leg_length * proportions.upward
    )
    return float((centre - ankle) @ proportions.upward / body.height + 0.039)


def assert_physical(body: BodyModel) -> None:
    moments = np.linalg.eigvalsh(body.inertia)
    assert (body.mass >= 0).all()
    assert (moments[:, 0] >= -1e-12).all()
    assert (moments[:, 2] <= moments[:, 0] + moments[:, 1] + 1e-12).all()
    assert (moments[body.mass > 0, 0] > 0).all()
    assert np.abs(body.inertia[body.mass == 0]).max(initial=0) == 0


@pytest.mark.parametrize("table", ["deleva", "winter"])
@pytest.mark.parametrize("sex", [None, "male", "female"])
def test_tables_weigh_one_body_and_match_the_published_sums(table: str, sex: str | None) -> None:
    found = load_table(table, sex)
    total = sum(found[p].mass * (1 if p == "head" or "trunk" in p else 2) for p in PARTS)
    assert total == pytest.approx(1, abs=1e-12)
    for part in PARTS:
        fore, left, long = (r**2 for r in found[part].radii)
        assert max(fore, left, long) < fore + left + long - max(fore, left, long), part


def test_tables_agree_with_the_reference_files(shared_data) -> None:
    """Masses, centres of mass and radii against an independent transcription."""
    rows = {
        "head": "Head 2", "upper_trunk": "Upper trunk 2", "middle_trunk": "Middle trunk",
        "lower_trunk": "Lower trunk", "upper_arm": "Upper arm", "forearm": "Forearm",
        "hand": "Hand", "thigh": "Thigh", "shank": "Shank", "foot": "Foot",
    }  # fmt: skip
    for sex in ("male", "female"):
        path = shared_data / "gold" / "segment_parameters" / f"BSP{sex}_ZdeLeva.txt"
        reference = pd.read_csv(path, sep="\t", index_col=0)
        ours = load_table("deleva", sex)
        for part, row in rows.items():
            mass, com, *radii = reference.loc[row].iloc[1:].astype(float)
            assert ours[part].mass == pytest.approx(mass, rel=2e-4)
            assert (ours[part].com, *ours[part].radii) == pytest.approx((com, *radii))
    path = shared_data / "gold" / "segment_parameters" / "BSP_DempsterWinter.txt"
    reference = pd.read_csv(path, sep="\t", index_col=0)
    ours = load_table("winter")
    for part, row in {"thigh": "Thigh", "shank": "Leg", "upper_arm": "Upper arm"}.items():
        assert ours[part].mass == pytest.approx(reference.loc[row, "Mass"])
        assert ours[part].com == pytest.approx(reference.loc[row, "CM prox"])
        assert ours[part].radii[0] == pytest.approx(reference.loc[row, "Rg CM"])


@pytest.mark.parametrize("table", ["deleva", "winter"])
@pytest.mark.parametrize("sex", [None, "male", "female"])
def test_a_person_weighs_what_was_asked_and_is_balanced(table: str, sex: str | None) -> None:
    body = body_model(person(), mass=71.3, height=1.70, sex=sex, segment_table=table)
    assert body.total_mass == pytest.approx(71.3, abs=1e-12)
    assert 0.55 <= com_height(body) <= 0.58
    assert_physical(body)
    assert not body.warnings
    table_of = body.bodies.set_index("body")
    for name in ("UpLeg", "Leg", "Foot", "ToeBase", "Arm", "ForeArm", "Hand"):
        left, right = table_of.loc[f"Left{name}"], table_of.loc[f"Right{name}"]
        for column in ("mass", "com_y", "com_z", "ixx", "iyy", "izz", "iyz"):
            assert left[column] == pytest.approx(right[column], abs=1e-12)
        for column in ("com_x", "ixy", "ixz"):
            assert left[column] == pytest.approx(-right[column], abs=1e-12)
    assert table_of.loc["LeftShoulder", "mass"] == 0
    trunk = table_of.loc[["Hips", "Spine", "Spine1"], "mass"].sum() / 71.3
    parts = load_table(table, sex)
    expected = sum(parts[f"{p}_trunk"].mass for p in ("upper", "middle", "lower"))
    assert trunk == pytest.approx(expected, abs=1e-9)


def test_a_skeleton_met_again_gets_the_same_body_and_a_changed_one_its_own() -> None:
    first, again, longer = body_model(person()), body_model(person()), body_model(person(scale=1.1))
    assert again.skeleton is not first.skeleton
    for name in ("mass", "com", "inertia"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
        assert not getattr(again, name).flags.writeable
    assert longer.height == pytest.approx(1.1 * first.height)
    lighter, renamed = body_model(person(), mass=50.0), body_model(person(human=False))
    assert lighter.total_mass == pytest.approx(50.0)
    assert renamed.table != first.table


def test_a_thigh_is_the_published_thigh() -> None:
    """Mass, centre of mass and inertia of one segment, by hand from the printed numbers."""
    body = body_model(person(), mass=80.0, height=1.8, sex="male")
    thigh = body.skeleton.index("LeftUpLeg")
    length = 0.42
    assert body.mass[thigh] == pytest.approx(0.1416 * 80)
    np.testing.assert_allclose(body.com[thigh], [0, -0.4095 * length, 0], atol=1e-12)
    across, along = (0.329 * length) ** 2, (0.149 * length) ** 2
    expected = 0.1416 * 80 * np.diag([across, along, across])
    np.testing.assert_allclose(body.inertia[thigh], expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    parts=st.sets(st.sampled_from(["Hand", "ToeBase", "Head", "Neck", "Shoulder"])),
    scale=st.floats(0.5, 1.3),
    table=st.sampled_from(["deleva", "winter"]),
)
def test_missing_parts_ride_on_their_neighbours(parts: set, scale: float, table: str) -> None:
    if "Neck" in parts or "Shoulder" in parts:  # their children would be orphans
        parts = (parts | {"Head"}) - {"Shoulder"}
    whole = body_model(person(scale=scale), mass=50.0, segment_table=table)
    body = body_model(person(tuple(parts), scale), mass=50.0, segment_table=table)
    assert body.total_mass == pytest.approx(50.0, abs=1e-12)
    assert_physical(body)
    assert com_height(body) * body.height == pytest.approx(
        com_height(whole) * whole.height, abs=0.02 * scale
    )


@pytest.mark.parametrize(
    "without",
    [
        ("Hand", "ForeArm"),
        ("Arm", "ForeArm", "Hand", "Shoulder"),
        ("ToeBase", "Foot"),
        ("Spine1", "Neck", "Head", "Shoulder", "Arm", "ForeArm", "Hand"),
    ],
)
def test_skeletons_that_end_early_still_weigh_a_whole_person(without: tuple[str, ...]) -> None:
    body = body_model(person(without), mass=70.0, height=1.7)
    assert body.total_mass == pytest.approx(70.0, abs=1e-12)
    assert_physical(body)
    assert 0.5 < com_height(body) < 0.62


def test_an_upper_body_nobody_saw_does_not_turn_with_the_pelvis() -> None:
    """Its mass sits where pelvis and spine join; its inertia would swing with every hip drop."""
    unseen = ("Spine", "Spine1", "Neck", "Head", "Shoulder", "Arm", "ForeArm", "Hand")
    legs = body_model(person(unseen), mass=70.0, height=1.7)
    whole = body_model(person(), mass=70.0, height=1.7)
    hips = legs.skeleton.index("Hips")
    assert legs.total_mass == pytest.approx(70.0)
    assert legs.mass[hips] == pytest.approx(
        70.0 - 2 * sum(whole.mass[whole.skeleton.index(f"Left{n}")] for n in LEG)
    )
    assert np.linalg.norm(legs.com[hips]) < 0.2
    assert np.linalg.eigvalsh(legs.inertia[hips]).max() < 0.25
    assert any("ends at the pelvis" in warning for warning in legs.warnings)
    assert not any("ends at the pelvis" in warning for warning in whole.warnings)


def test_a_head_nobody_saw_does_not_lean_with_the_trunk() -> None:
    """People look ahead: its mass is at the base of the neck, and does not turn with the trunk."""
    whole = body_model(person(), mass=70.0, height=1.7)
    body = body_model(person(("Neck", "Head")), mass=70.0, height=1.7)
    trunk, neck = body.skeleton.index("Spine1"), whole.skeleton.index("Neck")
    head = whole.mass[neck] + whole.mass[whole.skeleton.index("Head")]
    old = whole.skeleton.index("Spine1")
    added = body.mass[trunk] - whole.mass[old]
    assert added == pytest.approx(head, rel=0.15)  # the trunk's end moves a little with the neck
    place = (body.mass[trunk] * body.com[trunk] - whole.mass[old] * whole.com[old]) / added
    assert place[1] == pytest.approx(whole.skeleton.offset[neck][1], abs=0.05)
    arm = whole.com[old] - whole.skeleton.offset[neck]
    rigid = whole.inertia[old][0, 0] + whole.mass[old] * head / (whole.mass[old] + head) * arm @ arm
    assert body.inertia[trunk][0, 0] == pytest.approx(rigid, rel=0.15)


def test_the_pressure_of_slow_squats_is_below_the_centre_of_mass(shared_data, capsys) -> None:
    """Plates know where the mass is: nothing else is tuned, and four people lean as they like."""
    errors = {}
    for number in (2, 3, 4, 5):
        home = shared_data / "atlas" / "opencap" / f"subject{number}"
        if not home.exists():
            pytest.skip("the recordings of squats are not here")
        info = json.loads((home / "subject.json").read_text())
        run = analyze(
            home / "squats1" / "markers.trc",
            mass=info["plateMassKg"],
            height=info["heightM"],
            plates=str(home / "squats1" / "grf.mot"),
            forces="measured",
        )
        world = forward(run.motion)
        com = world.position + np.einsum("nfij,nj->nif", world.matrix, run.body.com)
        centre = np.einsum("n,nif->if", run.body.mass, com) / run.body.total_mass
        feet = [c.removesuffix("_on") for c in run.plates if c.endswith("_on")]
        load = run.plates[[f"{f}_fy" for f in feet]].to_numpy()
        whole = np.where(load.sum(axis=1) > 0, load.sum(axis=1), np.nan)
        place = run.plates[[f"{f}_px" for f in feet]].to_numpy()
        pressure = np.nansum(load * place, axis=1) / whole
        height = centre[1]
        middle = slice(50, -50)
        apart = ((pressure - centre[0]) * 1e3)[middle]
        low = height[middle] < np.quantile(height[middle], 0.1)
        tall = height[middle] > np.quantile(height[middle], 0.9)
        errors[number] = np.nanmean(apart[low]) - np.nanmean(apart[tall])
    with capsys.disabled():
        print("\npressure behind the centre of mass, deep against standing, mm:", errors)
    assert np.median(list(errors.values())) > -22  # 34 mm behind with a head that leans along


def test_a_pelvis_beside_the_spine_is_a_pelvis() -> None:
    """Some rigs hang pelvis and spine side by side from a root that weighs nothing."""
    plain = person()
    names = ("Base", *plain.names)
    parents = np.concatenate([[-1], np.array(plain.parents) + 1])
    parents[names.index("Hips")] = parents[names.index("Spine")] = 0
    assert plain.anatomy is not None
    n = len(names)
    words = ("", *plain.anatomy.segments)
    beside = Skeleton(
        names,
        parents,
        np.concatenate([np.zeros((1, 3)), plain.offset]),
        site_body=plain.site_body + 1,
        site_offset=plain.site_offset,
        anatomy=Anatomy(words, np.ones(n), ("made",) * n, True),
    )
    here, there = (body_model(s, mass=60.0, height=1.7) for s in (plain, beside))
    assert there.mass[0] == 0
    np.testing.assert_allclose(there.mass[1:], here.mass, atol=1e-9)
    np.testing.assert_allclose(there.com[1:], here.com, atol=1e-9)


def test_toes_and_fingers_share_foot_and_hand() -> None:
    table = load_table("deleva", "male")
    with_toes = body_model(person(), mass=1.0, height=1.7, sex="male").bodies.set_index("body")
    without = body_model(person(("ToeBase",)), mass=1.0, height=1.7, sex="male")
    feet = with_toes.loc[["LeftFoot", "LeftToeBase"], "mass"]
    assert feet.min() > 0
    assert feet.sum() == pytest.approx(table["foot"].mass)
    assert without.mass[without.skeleton.index("LeftFoot")] == pytest.approx(table["foot"].mass)


def test_a_child_and_a_rest_rotation_change_nothing_but_size_and_axes() -> None:
    """Turning every body's axes in the rest pose turns the model with them."""
    plain = person()
    rng = np.random.default_rng(1)
    turns = Rotation.from_quat(rng.normal(size=(plain.n_bodies, 4)))
    parents = plain.parents
    rest, offset, sites = [], [], []
    for body in range(plain.n_bodies):
        above = turns[parents[body]] if parents[body] >= 0 else Rotation.identity()
        rest.append((above.inv() * turns[body]).as_quat(scalar_first=True))
        offset.append(above.inv().apply(np.array(plain.offset[body])))
    for body, site in zip(plain.site_body, plain.site_offset, strict=True):
        sites.append(turns[body].inv().apply(np.array(site)))
    other = replace(
        plain, rest=np.array(rest), offset=np.array(offset), site_offset=np.array(sites)
    )
    here, there = (body_model(s, mass=60.0, height=1.7) for s in (plain, other))
    np.testing.assert_allclose(there.mass, here.mass, atol=1e-12)
    for body in range(plain.n_bodies):
        R = turns[body].as_matrix()
        np.testing.assert_allclose(R @ there.com[body], here.com[body], atol=1e-9)
        np.testing.assert_allclose(R @ there.inertia[body] @ R.T, here.inertia[body], atol=1e-9)


def test_stature_and_mass_are_estimated_with_a_warning() -> None:
    adult, child = body_model(person()), body_model(person(scale=0.75))
    assert adult.height == pytest.approx(1.70, rel=0.04)
    assert 55 < adult.total_mass < 75
    assert child.height == pytest.approx(1.275, rel=0.04)
    assert 20 < child.total_mass < 32
    assert [w.split(":")[0] for w in adult.warnings] == [
        "Stature is not known",
        "Mass is not known",
    ]


def test_the_file_knows_before_we_guess_and_the_user_before_the_file() -> None:
    source = Source(mass=31.5, height=1.36)
    body = body_model(person(scale=0.8), source=source)
    assert (body.total_mass, body.height) == pytest.approx((31.5, 1.36))
    assert body_model(person(scale=0.8), mass=30.0, source=source).total_mass == 30.0
    odd = body_model(person(), mass=70.0, height=2.5)
    assert "check the unit" in odd.warnings[0]


@pytest.mark.parametrize("arguments", [{"mass": 0.0}, {"mass": -1.0}, {"height": np.nan}])
def test_impossible_people_are_refused(arguments: dict) -> None:
    with pytest.raises(MocapRerootError, match="must be a positive number"):
        body_model(person(), **arguments)


def test_unknown_tables_and_sexes_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="deleva"):
        body_model(person(), segment_table="delava")
    with pytest.raises(UnknownNameError, match="male"):
        body_model(person(), sex="mail")


def test_other_creatures_have_solid_bones() -> None:
    """A chain of two rods of 0.4 m: cylinders of density 1000 and a radius of 0.05 m."""
    chain = Skeleton(
        ("a", "b"),
        np.array([-1, 0]),
        np.array([[0, 0, 0], [0.4, 0, 0]]),
        joint_types=np.array([JointType.FREE, JointType.REVOLUTE]),
        site_body=np.array([1]),
        site_offset=np.array([[0, 0.4, 0]]),
    )
    body = body_model(chain)
    rod = 1000 * np.pi * 0.05**2 * 0.4
    np.testing.assert_allclose(body.mass, rod)
    np.testing.assert_allclose(body.com, [[0.2, 0, 0], [0, 0.2, 0]], atol=1e-12)
    cross, along = rod * (0.4**2 / 12 + 0.05**2 / 4), rod * 0.05**2 / 2
    np.testing.assert_allclose(body.inertia[0], np.diag([along, cross, cross]), atol=1e-12)
    assert "1000 kg/m³" in body.warnings[0]
    assert body_model(chain, mass=5.0).total_mass == pytest.approx(5.0)
    point = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(MocapRerootError, match="No bone of this skeleton has a length"):
        body_model(point)


def test_bodies_csv_goes_in_as_it_came_out(tmp_path) -> None:
    body = body_model(person(), mass=64.0, sex="female")
    path = tmp_path / "bodies.csv"
    body.bodies.to_csv(path, index=False)
    again = body_model(person(), mass=64.0, bodies=path)
    np.testing.assert_allclose(again.mass, body.mass, rtol=1e-12)
    np.testing.assert_allclose(again.com, body.com, atol=1e-12)
    np.testing.assert_allclose(again.inertia, body.inertia, atol=1e-12)
    assert again.table == "bodies.csv"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t.assign(weight=1.0), r"line 1: There is no column named 'weight'"),
        (lambda t: t.drop(columns="ixx"), r"the columns ixx are missing"),
        (lambda t: t.replace("LeftLeg", "LeftKnee"), r"no body named 'LeftKnee'.*Did you mean"),
        (lambda t: t.assign(mass="much"), r"line 2: mass of Hips is 'much'"),
        (lambda t: t.assign(mass=-1.0), r"Hips has a negative mass"),
        (lambda t: t.assign(ixx=9.0), r"no body can have the inertia of Hips"),
        (lambda t: pd.concat([t, t.iloc[:1]]), r"body 'Hips' has two rows"),
    ],
)
def test_files_that_do_not_fit_are_refused_in_words(tmp_path, edit, message: str) -> None:
    path = tmp_path / "mine.csv"
    edit(body_model(person(), mass=60.0).bodies).to_csv(path, index=False)
    with pytest.raises(FileError, match=message):
        body_model(person(), mass=60.0, bodies=path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileError, match="no such file"):
        body_model(person(), bodies="nowhere/bodies.csv")


def test_every_shared_human_is_within_anatomy(shared_data, capsys) -> None:
    """Print a table of every human BVH; assert mass, symmetry, physics and the centre of mass."""
    from mocap_reroot.reading import read

    lines = []
    for path in sorted((shared_data / "bvh").glob("*/*.bvh")):
        motion = read(path)
        skeleton = motion.skeleton
        if skeleton.anatomy is None or not skeleton.anatomy.human:
            continue
        body = body_model(skeleton, mass=70.0)
        proportions, name = Proportions(skeleton), f"{path.parent.name}/{path.stem}"
        assert body.total_mass == pytest.approx(70.0, abs=1e-9), name
        assert_physical(body)
        sides: dict[str, list[float]] = {}
        for word, mass in zip(skeleton.anatomy.segments, body.mass, strict=True):
            limb = word.replace("left_", "").replace("right_", "")
            if limb != word:
                sides.setdefault(limb, [0.0, 0.0])[word.startswith("right")] += mass
        for limb, (left, right) in sides.items():
            assert left == pytest.approx(right, abs=1e-9), f"{name}: {limb}"
        proportion = proportions.trunk_length / proportions.leg_length
        hips, ankle = proportions.mid_hip, proportions.rest_position[proportions.first("left_foot")]
        stands = (hips - ankle) @ proportions.upward > 0.9 * proportions.leg_length
        height = com_height(body) if stands else np.nan
        lines.append(f"{name:45s} {body.height:5.2f} m {proportion:5.2f} {height:6.3f}")
        if stands and HUMAN_PROPORTIONS[0] < proportion < HUMAN_PROPORTIONS[1]:
            assert 0.55 <= height <= 0.58, name
    with capsys.disabled():
        print("\nclip, stature, trunk / leg, centre of mass / stature")
        print("\n".join(lines))
    assert sum("cmu" in line for line in lines) >= 5
    assert len(lines) >= 20
