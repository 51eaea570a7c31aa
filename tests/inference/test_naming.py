"""Names: conventions, prefixes, words, lies; and shape where names say nothing."""

import numpy as np
import pytest

from mocap_reroot.errors import ConfigError, FileError, UnknownNameError
from mocap_reroot.inference.inference import infer_hierarchy
from mocap_reroot.inference.naming import SEGMENTS, conventions, recognise, stripped

from .people import recording, renamed, tree, walk

PERSON = tuple(name for name, *_ in tree()[0])


def segments(clip):
    return dict(zip(clip.hierarchy.names, infer_hierarchy(clip).anatomy.segments, strict=True))


def moving(rows, sites, fps=60.0):
    """Rows and sites as a clip that walks, whatever they are."""
    return walk(2.0, fps, [rows, sites])


@pytest.mark.parametrize("convention", conventions(), ids=lambda c: c.name)
def test_a_convention_knows_its_own_names(convention):
    assert set(convention.segment_of.values()) - {"helper"} <= set(SEGMENTS)
    for side in ("left", "right"):
        for part in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand"):
            assert convention.canonical[f"{side}_{part}"]
    names = [convention.prefix + n for n in sum(convention.canonical.values(), ())]
    naming = recognise(names)
    assert naming.coverage == 1.0
    said = dict(zip(names, naming.segments, strict=True))
    for segment, written in convention.canonical.items():
        if segment != "helper":
            assert {said[convention.prefix + name] for name in written} == {segment}


@pytest.mark.parametrize(
    "prefix", ["mixamorig:", "mixamorig12:", "mixamorig", "Character1_", "a:b:", "Model_Actor1_"]
)
def test_prefixes_come_off(prefix):
    assert stripped([prefix + name for name in PERSON])[0] == list(PERSON)
    assert recognise([prefix + name for name in PERSON]).segments == recognise(PERSON).segments


@pytest.mark.parametrize("suffix", ["_JNT", ".bind", "_jnt", " bone"])
def test_suffixes_come_off(suffix):
    assert recognise([name + suffix for name in PERSON]).segments == recognise(PERSON).segments


def test_any_mixamo_prefix_tells_mixamo():
    for prefix in ("mixamorig:", "mixamorig3:", "mixamorig"):
        assert recognise([prefix + name for name in PERSON]).convention.name == "Mixamo"


def test_sides_are_no_prefix():
    names = ["L_Hip", "L_Knee", "L_Ankle", "L_Foot"]
    assert stripped(names)[0] == names


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("thigh_L", "left_thigh"),
        ("upperleg.R", "right_thigh"),
        ("r_shin_jnt", "right_shank"),
        ("LegLower_L", "left_shank"),
        ("leftWrist", "left_hand"),
        ("RForearm", "right_forearm"),
        ("lfemur", "left_thigh"),
        ("handThumb2_R", "right_fingers"),
        ("toe_big_l", "left_toes"),
        ("lumbar3", "trunk"),
        ("cervical_1", "neck"),
        ("sacrum", "pelvis"),
        ("l_wrist_twist", "left_forearm"),
        ("b_l_foot_twist", "left_shank"),
        ("LHandR1", "left_fingers"),
        ("RHandTip", "right_fingers"),
        ("SpineBase", "pelvis"),
        ("ShoulderCenter", "trunk"),
        ("左ひざ", "left_shank"),
        ("右手首", "right_hand"),
        ("首", "neck"),
        ("ik_foot_l", ""),
        ("sword", ""),
        ("L_SkirtBack_01", ""),
    ],
)
def test_words_without_a_convention(name, segment):
    assert recognise([name, "something", "else"]).segments[0] == segment


def test_neighbours_settle_words_of_two_meanings():
    with_arm = recognise(["hero shoulder_L", "hero arm_L", "hero elbow_L"])
    assert with_arm.segments == ("left_clavicle", "left_upper_arm", "left_forearm")
    without = recognise(["hero shoulder_L", "hero elbow_L", "hero wrist_L"])
    assert without.segments == ("left_upper_arm", "left_forearm", "left_hand")


def test_nameless_people_are_found_by_shape():
    clip = walk(2.0)
    found = infer_hierarchy(renamed(clip, [f"bone{k}" for k in range(len(PERSON))]))
    assert found.anatomy.segments == infer_hierarchy(clip).anatomy.segments
    assert found.anatomy.human
    assert found.anatomy.convention == ""


@pytest.mark.parametrize("seed", range(10))
def test_scrambled_names_are_caught(seed):
    clip = walk(2.0)
    names = list(PERSON)
    np.random.default_rng(seed).shuffle(names)
    found = infer_hierarchy(renamed(clip, names))
    assert any("contradict the shape" in w for w in found.warnings)
    assert found.anatomy.segments == infer_hierarchy(clip).anatomy.segments


def test_swapped_sides_are_caught():
    clip = walk(2.0)
    names = [n.replace("Left", "@").replace("Right", "Left").replace("@", "Right") for n in PERSON]
    found = infer_hierarchy(renamed(clip, names))
    assert any("swapped" in w for w in found.warnings)
    assert found.anatomy.segments == infer_hierarchy(clip).anatomy.segments


def test_arms_and_legs_that_disagree_on_left_are_caught():
    clip = walk(2.0)
    arms = ("Shoulder", "Arm", "Hand")
    swap = {"Left": "Right", "Righ": "Left"}
    names = [
        swap[n[:4]] + n.removeprefix("Left").removeprefix("Right") if n.endswith(arms) else n
        for n in PERSON
    ]
    found = infer_hierarchy(renamed(clip, names))
    assert any("both sides" in w for w in found.warnings)
    assert found.anatomy.segments == infer_hierarchy(clip).anatomy.segments


def test_a_tree_rooted_at_the_foot_is_the_same_person():
    """The tree of a file written after re-rooting: bodies keep their names, the root is a foot."""
    rows = [
        ("LeftFoot", "", (0, 0, 0)),
        ("LeftToeBase", "LeftFoot", (0, -0.06, 0.13)),
        ("LeftLeg", "LeftFoot", (0, 0, 0)),
        ("LeftUpLeg", "LeftLeg", (0, 0.41, 0)),
        ("Hips", "LeftUpLeg", (0, 0.42, 0)),
    ]
    upper, sites = tree()
    from_hip = np.array([-0.09, 0.05, 0.0])
    for name, parent, offset in upper[1:]:
        if name.startswith("Left") and parent in ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"):
            continue
        rows.append((name, parent, tuple(from_hip + offset) if parent == "Hips" else offset))
    root = np.tile([[0.0], [0.07], [0.0]], 30)
    found = segments(recording(rows, sites, root, {}, 60.0))
    assert found == segments(recording(*tree(), root, {}, 60.0))


def test_twist_bones_belong_to_their_bone():
    rows, sites = tree()
    for side in ("Left", "Right"):
        k = next(k for k, row in enumerate(rows) if row[0] == f"{side}Leg")
        half = (rows[k][0], f"{side}UpLegRoll", (0, -0.21, 0))
        rows[k : k + 1] = [(f"{side}UpLegRoll", f"{side}UpLeg", (0, -0.21, 0)), half]
        rows.append(
            (f"{side}ForeArmTwist", f"{side}ForeArm", (0.12 if side == "Left" else -0.12, 0, 0))
        )
    clip = moving(rows, sites)
    for names in (clip.hierarchy.names, [f"b{k}" for k in range(len(rows))]):
        found = infer_hierarchy(renamed(clip, list(names))).anatomy
        for side in ("left", "right"):
            assert len(found.find(f"{side}_thigh")) == 2
            assert len(found.find(f"{side}_shank")) == 1
            assert len(found.find(f"{side}_forearm")) == 2


def test_a_root_above_helpers_and_a_sword_do_not_hide_the_person():
    rows, sites = tree()
    rows = [("root", "", (0, 0, 0)), ("Hips", "root", (0, 0, 0)), *rows[1:]]
    rows += [("ik_foot_l", "root", (0.1, 0, 0)), ("thing", "RightHand", (-0.1, 0, 0))]
    clip = moving(rows, [*sites, ("thing", (0, 0, 1.0))])
    for names in (clip.hierarchy.names, [f"b{k}" for k in range(len(rows))]):
        found = infer_hierarchy(renamed(clip, list(names))).anatomy
        assert found.human
        whose = dict(zip(clip.hierarchy.names, found.segments, strict=True))
        assert whose["root"] == whose["ik_foot_l"] == whose["thing"] == ""
        assert {k: v for k, v in whose.items() if v} == segments(walk(1.0))


def test_joints_without_bones_beyond_them_are_hands_and_heads():
    """SMPL has no End Sites: the last joints are points."""
    rows, _ = tree()
    nameless = renamed(moving(rows, []), [f"b{k}" for k in range(len(rows))])
    assert infer_hierarchy(nameless).anatomy.segments == tuple(segments(walk(1.0)).values())


def test_legs_alone_are_a_person_that_can_be_stood_up():
    rows, sites = tree(arms=False)
    keep = {"Spine", "Spine1", "Neck", "Head"}
    rows = [row for row in rows if row[0] not in keep]
    sites = [site for site in sites if site[0] not in keep]
    for names in ([row[0] for row in rows], [f"b{k}" for k in range(len(rows))]):
        found = infer_hierarchy(renamed(moving(rows, sites), names))
        assert found.anatomy.human
        assert found.unit == "m"
        assert len(found.anatomy.find("left_shank")) == len(found.anatomy.find("right_shank")) == 1


def test_one_arm_is_named_but_no_person():
    rows = [("Shoulder_R", "", (0, 0, 0)), ("UpperArm_R", "Shoulder_R", (0.14, 0, 0))]
    rows += [("LowerArm_R", "UpperArm_R", (0.29, 0, 0)), ("Hand_R", "LowerArm_R", (0.25, 0, 0))]
    clip = recording(rows, [("Hand_R", (0.18, 0, 0))], np.zeros((3, 20)), {}, 60.0)
    found = infer_hierarchy(clip)
    assert segments(clip) == {
        "Shoulder_R": "right_clavicle",
        "UpperArm_R": "right_upper_arm",
        "LowerArm_R": "right_forearm",
        "Hand_R": "right_hand",
    }
    assert not found.anatomy.human
    assert any("not taken for a whole person" in w for w in found.warnings)


@pytest.mark.parametrize("name", ["Ponytail1", "pigtail_L", "coat_tail", "f_index_01_L", "Swing"])
def test_words_of_animals_hide_in_those_of_people(name):
    assert recognise([*PERSON, name]).animal == ()


@pytest.mark.parametrize(
    "name", ["Tail1", "mTail1", "dogtail", "LeftHindPaw", "wing_01.R", "Hoof", "L HorseLink"]
)
def test_words_of_animals(name):
    assert recognise([*PERSON, name]).animal == (name,)


def dog(names):
    """A dog of 60 cm: four legs of equal length, a level trunk, a tail."""
    rows = [
        (names[0], "", (0, 0, 0)),
        (names[1], names[0], (0, 0, 0.25)),
        (names[2], names[1], (0, 0, 0.3)),
    ]
    rows += [(names[3], names[2], (0, 0.1, 0.15)), (names[4], names[0], (0, 0.02, -0.1))]
    k = 5
    sites = [(names[3], (0, 0, 0.15)), (names[4], (0, 0.05, -0.25))]
    for sign in (1, -1):
        for base in (names[0], names[2]):
            parent = base
            for offset in (
                (0.08 * sign, -0.05, 0),
                (0, -0.2, 0.05),
                (0, -0.2, -0.06),
                (0, -0.1, 0.02),
            ):
                rows.append((names[k], parent, offset))
                parent, k = names[k], k + 1
            sites.append((parent, (0, -0.02, 0.06)))
    root = np.array([np.zeros(60), np.full(60, 0.62), np.linspace(0, 1, 60)])
    return recording(rows, sites, root, {}, 60.0)


def test_a_dog_is_no_person():
    found = infer_hierarchy(dog([f"b{k}" for k in range(21)]))
    assert not found.anatomy.human
    np.testing.assert_array_equal(found.up, [0, 1, 0])


def test_a_dog_with_human_names_and_a_tail_is_no_person():
    names = ["Hips", "Spine", "Spine1", "Head", "Tail"]
    for side in ("Left", "Right"):
        names += [side + part for part in ("UpLeg", "Leg", "Foot", "Toe")]
        names += [side + part for part in ("Shoulder", "Arm", "ForeArm", "Hand")]
    assert not infer_hierarchy(dog(names)).anatomy.human


def test_the_user_says_who_is_who(tmp_path):
    file = tmp_path / "segments.toml"
    file.write_text('[bodies]\nSpine1 = "neck"\nHead = ""\n')
    found = infer_hierarchy(walk(1.0), segments=file).anatomy
    assert found.segments[PERSON.index("Spine1")] == "neck"
    assert found.segments[PERSON.index("Head")] == ""
    assert found.reasons[PERSON.index("Head")] == "stated by the user"


def test_the_user_adds_a_convention(tmp_path):
    words = {"Left": "g", "Right": "d"}  # gauche, droite
    parts = {"UpLeg": "cuisse", "Leg": "jambe", "Foot": "pied", "ToeBase": "orteils"}
    parts |= {"Shoulder": "epaule", "Arm": "bras", "ForeArm": "avantbras", "Hand": "main"}
    centre = {"Hips": "bassin", "Spine": "dos", "Spine1": "dos1", "Neck": "cou", "Head": "tete"}
    names = []
    for name in PERSON:
        side = "Left" if name.startswith("Left") else "Right"
        names.append(centre.get(name) or f"{words[side]}_{parts[name.removeprefix(side)]}")
    file = tmp_path / "french.toml"
    file.write_text(
        'name = "French"\nsides = { left = ["g_"], right = ["d_"] }\n[segments]\n'
        'pelvis = ["bassin"]\ntrunk = ["dos", "dos1"]\nneck = ["cou"]\nhead = ["tete"]\n'
        'thigh = ["{side}cuisse"]\nshank = ["{side}jambe"]\nfoot = ["{side}pied"]\n'
        'toes = ["{side}orteils"]\nclavicle = ["{side}epaule"]\nupper_arm = ["{side}bras"]\n'
        'forearm = ["{side}avantbras"]\nhand = ["{side}main"]\n'
    )
    found = infer_hierarchy(renamed(walk(1.0), names), segments=file).anatomy
    assert found.convention == "French"
    assert found.segments == infer_hierarchy(walk(1.0)).anatomy.segments


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ('[bodies]\nHips = "tummy"\n', FileError, "no such segment"),
        ('[bodies]\nNobody = "head"\n', UnknownNameError, "Nobody"),
        ("[bodies\n", FileError, "not TOML"),
        ('name = "x"\nsegments = {}\n', ConfigError, "sides"),
        ('name = "x"\nsides = {}\n[segments]\nelbow = ["e"]\n', ConfigError, "elbow"),
    ],
)
def test_a_wrong_segments_file_is_explained(tmp_path, text, error, says):
    file = tmp_path / "segments.toml"
    file.write_text(text)
    with pytest.raises(error, match=says):
        infer_hierarchy(walk(1.0), segments=file)


def test_a_missing_segments_file_is_explained(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        infer_hierarchy(walk(1.0), segments=tmp_path / "none.toml")


def _with(rows, *more):
    """Return rows of a tree with joints put before all others of their parent."""
    for name, parent, offset in more:
        at = next(k for k, row in enumerate(rows) if row[0] == parent)
        rows = [*rows[: at + 1], (name, parent, offset), *rows[at + 1 :]]
    return rows


@pytest.mark.parametrize(
    ("name", "parent", "beside"),
    [
        ("L_Tibia_RIGMESH", "LeftUpLeg", "LeftLeg"),
        ("LeftKnee_aim", "LeftUpLeg", "LeftLeg"),
        ("LeftFoot_RIGMESH", "LeftLeg", "LeftFoot"),
        ("LeftLegTwist", "LeftUpLeg", "LeftLeg"),
        ("LeftForeArmHelper", "LeftArm", "LeftForeArm"),
        ("LeftLeg_end", "LeftLeg", None),
        ("LeftFoot_IK", "Hips", None),
        ("Sword", "LeftHand", None),
    ],
)
def test_a_leaf_beside_the_joint_that_carries_a_limb_takes_none_of_its_mass(name, parent, beside):
    """Whatever it is called: its place is that of the joint, or near."""
    from mocap_reroot.anthropometry.bodies import body_model
    from mocap_reroot.skeletons.hierarchy import hierarchy_motion

    rows, sites = tree()
    place = next((row[2] for row in rows if row[0] == beside), (0.0, 0.0, 0.05))

    def masses(rows):
        clip = moving(rows, sites)
        found = infer_hierarchy(clip)
        motion = hierarchy_motion(
            clip, found.unit_scale, found.up, found.unit, anatomy=found.anatomy
        )
        mass = body_model(motion, mass=70.0).mass
        return dict(zip(motion.skeleton.names, mass, strict=True))

    alone, helped = masses(rows), masses(_with(rows, (name, parent, place)))
    assert helped.pop(name) < 0.01
    for body, mass in alone.items():
        assert helped[body] == pytest.approx(mass, rel=0.02, abs=0.02), body


def test_guessed_parts_are_told_where_no_convention_is_known():
    rows, sites = tree()
    clip = moving(rows, sites)
    assert not any("guessed" in w for w in infer_hierarchy(clip).warnings)
    nameless = renamed(clip, [f"b{k}" for k in range(len(rows))])
    (told,) = (w for w in infer_hierarchy(nameless).warnings if "guessed from the shape" in w)
    k = next(k for k, row in enumerate(rows) if row[0] == "LeftLeg")
    assert f"b{k} = left_shank" in told and "--segments" in told and "(0 %)" in told
