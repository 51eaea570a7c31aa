"""A small FBX in text: bones with pre-rotations and pivots, and takes that turn them."""

import numpy as np

TICKS = 46186158000
"""FBX counts time in these parts of a second."""


def fbx(bones, takes, fps: float = 30.0, up: int = 1, unit: float = 1.0) -> str:
    """Return the text of an FBX file.

    Args:
        bones: ``(name, parent's index or −1, translation, {property: three numbers})``.
        takes: ``{name: (times, {bone's index: (k, 3) degrees about x, y, z})}``.
        fps: Of the scene.
        up: 1: y, 2: z.
        unit: Centimetres per unit.
    """
    objects, links = [], []
    for k, (name, parent, place, more) in enumerate(bones):
        rows = {"Lcl Translation": place, **more}
        properties = "\n".join(
            f'P: "{key}", "Lcl" , "", "A",{",".join(map(repr, map(float, value)))}'
            for key, value in rows.items()
        )
        active = 'P: "RotationActive", "bool", "", "",1\n'
        objects.append(
            f'Model: {100 + k}, "Model::{name}", "LimbNode" {{\nVersion: 232\n'
            f"Properties70: {{\n{active}{properties}\n}}\n}}\n"
            f'NodeAttribute: {300 + k}, "NodeAttribute::{name}", "LimbNode" {{\n'
            f'TypeFlags: "Skeleton"\n}}'
        )
        links += [(100 + k, 0 if parent < 0 else 100 + parent), (300 + k, 100 + k)]
    number = 1000
    for name, (times, turns) in takes.items():
        stack, layer = number, number + 1
        number += 2
        stop = round(max(times) * TICKS)
        objects.append(
            f'AnimationStack: {stack}, "AnimStack::{name}", "" {{\nProperties70: {{\n'
            f'P: "LocalStart", "KTime", "Time", "",0\nP: "LocalStop", "KTime", "Time", "",{stop}\n'
            f'}}\n}}\nAnimationLayer: {layer}, "AnimLayer::{name}", "" {{\n}}'
        )
        links.append((layer, stack))
        for bone, angles in turns.items():
            node, number = number, number + 1
            objects.append(
                f'AnimationCurveNode: {node}, "AnimCurveNode::R", "" {{\nProperties70: {{\n'
                'P: "d|X", "Number", "", "A",0\nP: "d|Y", "Number", "", "A",0\n'
                'P: "d|Z", "Number", "", "A",0\n}\n}'
            )
            links += [(node, layer), (node, 100 + bone, "Lcl Rotation")]
            for axis, values in zip("XYZ", np.transpose(angles), strict=True):
                curve, number, n = number, number + 1, len(times)
                stamps = ",".join(str(round(t * TICKS)) for t in times)
                numbers = ",".join(map(repr, map(float, values)))
                objects.append(
                    f'AnimationCurve: {curve}, "AnimCurve::", "" {{\nDefault: 0\nKeyVer: 4008\n'
                    f"KeyTime: *{n} {{\na: {stamps}\n}}\nKeyValueFloat: *{n} {{\na: {numbers}\n}}\n"
                    "KeyAttrFlags: *1 {\na: 4\n}\nKeyAttrDataFloat: *4 {\na: 0,0,0,0\n}\n"
                    f"KeyAttrRefCount: *1 {{\na: {n}\n}}\n}}"
                )
                links.append((curve, node, f"d|{axis}"))
    joined = "\n".join(
        f'C: "{"OP" if len(link) == 3 else "OO"}",{link[0]},{link[1]}'
        + (f', "{link[2]}"' if len(link) == 3 else "")
        for link in links
    )
    front = {1: 2, 2: 1}[up]
    sign = {1: 1, 2: -1}[up]
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
FBXHeaderVersion: 1003
FBXVersion: 7400
}}
GlobalSettings:  {{
Version: 1000
Properties70:  {{
P: "UpAxis", "int", "Integer", "",{up}
P: "UpAxisSign", "int", "Integer", "",1
P: "FrontAxis", "int", "Integer", "",{front}
P: "FrontAxisSign", "int", "Integer", "",{sign}
P: "CoordAxis", "int", "Integer", "",0
P: "CoordAxisSign", "int", "Integer", "",1
P: "UnitScaleFactor", "double", "Number", "",{unit!r}
P: "TimeMode", "enum", "", "",14
P: "CustomFrameRate", "double", "Number", "",{fps!r}
}}
}}
Objects:  {{
{chr(10).join(objects)}
}}
Connections:  {{
{joined}
}}
"""
