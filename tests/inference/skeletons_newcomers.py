"""Skeletons that newer suits, camera systems and video services write.

Joints are as public code lists them; lengths are invented. Nokov's, Move's and QuickMagic's names
are those of others (HumanIK, Mixamo): what differs is the pose they are drawn in.
"""

from .marching import Skeleton

SOMA = Skeleton(
    "SOMA, BONES-SEED",
    """
    Root - 0 0 0
      Hips pelvis 0 97 0
        Spine1 trunk 7.1 -2.6 0
          Spine2 trunk 14.1 0 0
            Chest trunk 14.4 0 0
              Neck1 neck 23.6 0 0
                Neck2 neck 5.5 0 0
                  Head head 5.4 0 0
                    HeadEnd head 16.6 0 0
                    Jaw head 1.2 3.4 0
                    {}Eye head 5.2 8.6 3.2
              {}Shoulder clavicle 17.9 3.6 1.6
                {}Arm upper_arm 15.7 0 0
                  {}ForeArm forearm 27.6 0 0
                    {}Hand hand 25.4 0 0
                      {}HandThumb[1,2,3,End] fingers 2.6 -1.1 2.8
                      {}HandIndex[1,2,3,4,End] fingers 3.4 0.3 2.1
                      {}HandMiddle[1,2,3,4,End] fingers 3.5 0.4 0
                      {}HandRing[1,2,3,4,End] fingers 3.3 0.3 -1.6
                      {}HandPinky[1,2,3,4,End] fingers 3.1 0 -3
        {}Leg thigh -4.2 1.4 9.1
          {}Shin shank 42.6 0 0
            {}Foot foot 41.9 0 0
              {}ToeBase toes 13.9 0 0
                {}ToeEnd toes 6.2 0 0
    """,
    mirror=(1, 1, -1),
    below=(1, 1, 1),
    convention="SOMA",
    seen="list",
    channels="ZYX",
)

_HUMAN_IK = """
    Hips pelvis 0 0 0
      Spine trunk 0 9 0
        Spine1 trunk 0 13 0
          Spine2 trunk 0 13 0
            Neck neck 0 21 0
              Head head 0 10 1
                End Site - 0 18 0
            {}Shoulder clavicle 4 15 0
              {}Arm upper_arm 12 0 0
                {}ForeArm forearm ARM
                  {}Hand hand ARM
                    End Site - 12 -8 0
      {}UpLeg thigh 9 -2 0
        {}Leg shank 0 -43 0
          {}Foot foot 0 -42 0
            {}ToeBase toes 0 -7 14
              End Site - 0 0 6
"""

NOKOV = Skeleton(
    "NOKOV XINGYING",
    _HUMAN_IK.replace("ARM", "27 0 0"),
    unit="cm",
    convention="Vicon/MotionBuilder",
    seen="list",
    channels="ZYX",
)

A_POSE = Skeleton(
    "Move, drawn in an A-pose",
    _HUMAN_IK.replace("ARM", "19 -19 0"),
    convention="Vicon/MotionBuilder",
    channels="XYZ",
)

QUICK_MAGIC = Skeleton(
    "QuickMagic, a Mixamo body",
    "\n".join(
        line.replace(line.strip(), f"mixamorig:{line.strip()}") if "End Site" not in line else line
        for line in _HUMAN_IK.replace("ARM", "27 0 0").splitlines()
        if line.strip()
    ),
    convention="Mixamo",
    seen="list",
)

NOITOM = Skeleton(
    "Noitom Axis Studio, z up",
    """
    Hips pelvis 0 0 0
      Spine trunk 0 0 9
        Spine1 trunk 0 0 12
          Spine2 trunk 0 0 12
            Spine3 trunk 0 0 9
              Neck neck 0 1 12
                Neck1 neck 0 1 5
                  Head head 0 1 5
                    End Site - 0 0 17
              {}Shoulder clavicle 3 0 8
                {}Arm upper_arm 14 0 0
                  {}ForeArm forearm 28 0 0
                    {}Hand hand 25 0 0
                      {}InHand{}Index fingers 4 2 0
      {}UpLeg thigh 9 0 -3
        {}Leg shank 0 0 -43
          {}Foot foot 0 0 -42
            End Site - 0 -14 -7
    """.replace("{}InHand{}Index", "{}InHandIndex"),
    up="z",
    facing=("x", "z", "-y"),
    convention="Perception Neuron",
    seen="part",
    channels="YXZ",
)

NEWCOMERS = [value for value in globals().values() if isinstance(value, Skeleton)]
