"""Families of skeletons that are told by their names: one body, called in many ways.

The names are written from memory, the body is invented: they try words, not files.
"""

import re

from .marching import Skeleton

# What differs is the names alone: family; sides; pelvis, trunk from below, neck, head; clavicle,
# upper arm, forearm, hand; thigh, shank, foot, toes (- where there is none).
_NAMES = """
Biped, underscores; L R; Bip01_Pelvis, Bip01_Spine Bip01_Spine1, Bip01_Neck, Bip01_Head;
  Bip01_{}_Clavicle, Bip01_{}_UpperArm, Bip01_{}_Forearm, Bip01_{}_Hand;
  Bip01_{}_Thigh, Bip01_{}_Calf, Bip01_{}_Foot, Bip01_{}_Toe0
Source engine; L R; ValveBiped.Bip01_Pelvis, ValveBiped.Bip01_Spine ValveBiped.Bip01_Spine2,
  ValveBiped.Bip01_Neck1, ValveBiped.Bip01_Head1; ValveBiped.Bip01_{}_Clavicle,
  ValveBiped.Bip01_{}_UpperArm, ValveBiped.Bip01_{}_Forearm, ValveBiped.Bip01_{}_Hand;
  ValveBiped.Bip01_{}_Thigh, ValveBiped.Bip01_{}_Calf, ValveBiped.Bip01_{}_Foot,
  ValveBiped.Bip01_{}_Toe0
Roblox; Left Right; LowerTorso, UpperTorso, -, Head; -, {}UpperArm, {}LowerArm, {}Hand;
  {}UpperLeg, {}LowerLeg, {}Foot, -
OpenSim; l r; pelvis, torso, -, head; -, humerus_{}, ulna_{}, hand_{};
  femur_{}, tibia_{}, calcn_{}, toes_{}
OptiTrack Motive; L R; Hip, Ab Chest, Neck, Head; {}Shoulder, {}UArm, {}FArm, {}Hand;
  {}Thigh, {}Shin, {}Foot, {}Toe
Rokoko; Left Right; Hips, Spine1 Spine2 Spine3, Neck, Head; {}Shoulder, {}Arm, {}ForeArm, {}Hand;
  {}Thigh, {}Shin, {}Foot, {}Toe
Noitom, a robot's prefix; Left Right; Robot_Hips, Robot_Spine Robot_Spine1 Robot_Spine2,
  Robot_Neck, Robot_Head; Robot_{}Shoulder, Robot_{}Arm, Robot_{}ForeArm, Robot_{}Hand;
  Robot_{}UpLeg, Robot_{}Leg, Robot_{}Foot, -
Xsens segments; Left Right; Pelvis, L5 L3 T12 T8, Neck, Head;
  {}Shoulder, {}UpperArm, {}ForeArm, {}Hand; {}UpperLeg, {}LowerLeg, {}Foot, {}Toe
Xsens joints, 100STYLE; Left Right; Hips, Chest Chest2 Chest3 Chest4, Neck, Head;
  {}Collar, {}Shoulder, {}Elbow, {}Wrist; {}Hip, {}Knee, {}Ankle, {}Toe
Acclaim, HDM05; l r; root, lowerback upperback thorax lowerneck, upperneck, head;
  {}clavicle, {}humerus, {}radius, {}wrist; {}femur, {}tibia, {}foot, {}toes
Blender add-ons; L R; hips, spine chest upper_chest, neck, head;
  shoulder.{}, upper_arm.{}, lower_arm.{}, hand.{}; upper_leg.{}, lower_leg.{}, foot.{}, toes.{}
Maya, sides first; L R; C_hip_JNT, C_spine01_JNT C_spine02_JNT, C_neck_JNT, C_head_JNT;
  {}_clavicle_JNT, {}_shoulder_JNT, {}_elbow_JNT, {}_wrist_JNT;
  {}_hip_JNT, {}_knee_JNT, {}_ankle_JNT, {}_ball_JNT
Maya, bind joints; l r; root_bind, spine_01_bind spine_02_bind, neck_bind, head_bind;
  clavicle_{}_bind, upperarm_{}_bind, lowerarm_{}_bind, hand_{}_bind;
  thigh_{}_bind, calf_{}_bind, foot_{}_bind, ball_{}_bind
Namespaces; Left Right; Take 001:Actor:Hips, Take 001:Actor:Spine Take 001:Actor:Spine1,
  Take 001:Actor:Neck, Take 001:Actor:Head; Take 001:Actor:{}Shoulder, Take 001:Actor:{}Arm,
  Take 001:Actor:{}ForeArm, Take 001:Actor:{}Hand; Take 001:Actor:{}UpLeg, Take 001:Actor:{}Leg,
  Take 001:Actor:{}Foot, Take 001:Actor:{}ToeBase
Legs called upper and lower; Left Right; Hip, Waist Chest UpperChest, Neck, Head;
  {}Shoulder, {}UpperArm, {}LowerArm, {}Hand; {}UpperLeg, {}LowerLeg, {}Foot, {}ToeBase
Joints, side last; _L _R; pelvis, spine1 spine2, neck, head; clavicle{}, shoulder{}, elbow{},
  wrist{}; hip{}, knee{}, ankle{}, toe{}
Anatomy; left right; sacrum, lumbar thorax, cervical, skull; {}_scapula, {}_humerus, {}_forearm,
  {}_hand; {}_femur, {}_tibia, {}_foot, {}_toes
"""
_GEOMETRY = (
    ("neck", 2, "0 12 0"), ("head", 3, "0 9 2"), ("clavicle", 2, "4 9 0"),
    ("upper_arm", 3, "14 0 0"), ("forearm", 4, "28 0 0"), ("hand", 5, "25 0 0"),
    ("thigh", 1, "9 -5 0"), ("shank", 2, "0 -42 0"), ("foot", 3, "0 -41 0"), ("toes", 4, "0 -6 13"),
)  # fmt: skip


def _plain(line: str) -> Skeleton:
    """Return a family that is told by its names."""
    title, sides, centre, arm, leg = (part.strip() for part in line.split(";"))
    pelvis, trunk, *rest = (part.strip() for part in ", ".join((centre, arm, leg)).split(","))
    rows = [f"{pelvis} pelvis 0 0 0"]
    spine, heads = re.findall(r"(?:\S+ \d+:)?\S+", trunk), len(rows)
    rows += [f"{' ' * (k + 1)}{word} trunk 0 {36 / len(spine)} 0" for k, word in enumerate(spine)]
    lost = 0
    for name, (part, depth, offset) in zip(rest, _GEOMETRY, strict=True):
        lost = 0 if part in ("neck", "clavicle", "thigh") else lost
        if name == "-":
            lost = 1
            continue
        above = depth + (
            len(spine) - heads if part not in ("thigh", "shank", "foot", "toes") else 0
        )
        place = "17 8 0" if part == "upper_arm" and lost else offset
        place = "0 20 0" if part == "head" and lost else place
        rows.append(f"{' ' * (above - lost)}{name} {part} {place}")
        if part in ("head", "hand", "toes", "foot"):
            ends = {"head": "0 18 0", "hand": "17 0 0", "toes": "0 0 7", "foot": "0 -7 19"}
            rows.append(f"{' ' * (above - lost + 1)}End Site - {ends[part]}")
    return Skeleton(title, "\n".join(rows), tuple(sides.split()))


NAMED = [_plain(line) for line in re.split(r"\n(?=\S)", _NAMES.strip())]
"""Families that differ in their names alone."""
