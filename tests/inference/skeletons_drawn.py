"""Skeletons of characters that recordings are put on: rigs of engines and editors.

Written like those of ``skeletons_captured``.
"""

from .marching import Skeleton

_X = (1, 1, -1)  # bones drawn along x: the sides differ where they leave the trunk

UNITY = Skeleton(
    "Unity humanoid",
    """
    Hips pelvis 0 0 0
      {}UpperLeg thigh 0.082 -0.068 -0.016
        {}LowerLeg shank 0 -0.444 0.003
          {}Foot foot 0 -0.444 -0.03
            {}Toes toes 0 -0.087 0.107
              End Site - 0 -0.087 0.107
      Spine trunk 0 0.102 0
        Chest trunk 0 0.101 -0.01
          UpperChest trunk 0 0.091 -0.014
            {}Shoulder clavicle 0.046 0.109 -0.026
              {}UpperArm upper_arm 0.106 -0.005 -0.022
                {}LowerArm forearm 0.278 0 0
                  {}Hand hand 0.283 0 0
                    {}[Thumb,Index,Ring,Little][Proximal,Intermediate,Distal] fingers 0.09 0 0
            Neck neck 0 0.167 -0.025
              Head head 0 0.096 0.017
                End Site - 0 0.096 0.017
    """,
    unit="m",
    seen="file",
)

BIPED_Z = Skeleton(
    "Biped renamed, z up",
    """
    Pelvis pelvis 0 -0.8 96.6
      {}_Thigh thigh 8.5 1.5 -1.7
        {}_Calf shank 3.5 1.5 -46
          {}_Foot foot 3.2 2 -42.4
            {}_Toe0 toes 2.4 -11.9 -3.9
              End Site - 2.4 -11.9 -3.9
      Spine trunk 0 0 9.5
        Spine1 trunk 0 0 8.1
          Spine2 trunk 0 1.4 15.7
            {}_Clavicle clavicle 3.4 3.7 18
              {}_UpperArm upper_arm 12.7 0.1 -4
                {}_Forearm forearm 14.4 -1.9 -18.5
                  {}_Hand hand 14.7 -10.7 -17.9
                    End Site - 5 -3 -6
            Neck neck 0 2.1 22.6
              Head head 0 -1.1 7.1
                End Site - 0 -1.1 7.1
    """,
    up="z",
    seen="file",
)

BIPED_MAX = Skeleton(
    "3ds Max Biped with a ponytail",
    """
    Bip001 - 0 0 0
      Bip001 Footsteps - 0 0 -95
      Bip001 Pelvis pelvis 0 0 0
        Bip001 Spine trunk 10 0 0
          Bip001 {} Thigh thigh -12 1 9.5
            Bip001 {} Calf shank 44 0 0
              Bip001 {} Foot foot 43 0 0
                Bip001 {} Toe0 toes 9 14 0
                  Bip001 {} Toe0Nub toes 7 0 0
          Bip001 Spine1 trunk 15 0 0
            Bip001 Neck neck 25 0 0
              Bip001 Head head 9 0 0
                Bip001 HeadNub head 20 0 0
                Bip001 Ponytail1 head 15 -12 0
                  Bip001 Ponytail11 head 12 0 0
              Bip001 {} Clavicle clavicle -1 0 4
                Bip001 {} UpperArm upper_arm 14 0 0
                  Bip001 {} Forearm forearm 29 0 0
                    Bip001 {} ForeTwist forearm 0 0 0
                    Bip001 {} Hand hand 25 0 0
                      Bip001 {} Finger[0,1,2,3,4][,1,2] fingers 9 0 0
    """,
    sides=("L", "R"),
    mirror=_X,
    below=(1, 1, 1),
)

MIXAMO = Skeleton(
    "Mixamo with eyes",
    """
    mixamorig:Hips pelvis 0 0 0
      mixamorig:Spine trunk 0 9.9 -1.2
        mixamorig:Spine1 trunk 0 11.6 -1.4
          mixamorig:Spine2 trunk 0 13.4 -1.6
            mixamorig:Neck neck 0 15 0.8
              mixamorig:Head head 0 10.3 3.1
                mixamorig:HeadTop_End head 0 18.5 6.6
                mixamorig:{}Eye head 2.9 7.7 9.1
            mixamorig:{}Shoulder clavicle 6.1 9.1 0.7
              mixamorig:{}Arm upper_arm 12.7 -0.3 -2.6
                mixamorig:{}ForeArm forearm 27.4 -1 -1.4
                  mixamorig:{}Hand hand 27.6 -0.7 1.6
                    mixamorig:{}Hand[Thumb,Index,Middle,Ring,Pinky][1,2,3] fingers 12 -1 2
      mixamorig:{}UpLeg thigh 9.1 -6.7 0
        mixamorig:{}Leg shank 0 -40.6 -1.8
          mixamorig:{}Foot foot -0.5 -42 -3.4
            mixamorig:{}ToeBase toes 0.4 -10.5 12.6
              End Site - 0 0 10
    """,
    convention="Mixamo",
    seen="file",
)

FREEDANCE = Skeleton(
    "Blender rig in decimetres, z up",
    """
    hips pelvis 0 0 9
      thigh_{} thigh 1.08 0.11 -0.05
        shin_{} shank 0.43 -0.35 -4.14
          foot_{} foot 0.46 0.12 -4.34
            toe_{} toes 0.04 -1.25 -0.63
              End Site - 0 -0.41 0
      spine trunk 0 -0.23 1.46
        chest trunk 0 0.02 0.75
          clavicle_{} clavicle 0.27 -0.77 2.47
            upper_arm_{} upper_arm 1.41 0.5 -0.21
              forearm_{} forearm 1.63 0 -1.82
                hand_{} hand 1.22 -1.63 -1.24
                  thumb_02_{} fingers -0.19 -0.65 -0.19
                    thumb_03_{} fingers -0.12 -0.32 -0.17
                  f_index_01_{} fingers 0.23 -0.93 -0.43
                  f_ring_01_{} fingers 0.44 -0.57 -0.64
          neck neck 0 0.3 2.6
            head head 0 -0.2 1
              End Site - 0 0 2
    """,
    sides=("L", "R"),
    unit="",
    up="z",
    seen="part",
)

RIGIFY_DEF = Skeleton(
    "Rigify's deforming bones",
    """
    root - 0 0 0
      DEF-spine pelvis 0 0.05 1
        DEF-spine.001 trunk 0 0.01 0.13
          DEF-spine.002 trunk 0 0.01 0.14
            DEF-spine.003 trunk 0 0 0.14
              DEF-spine.004 neck 0 0.01 0.19
                DEF-spine.005 neck 0 -0.02 0.06
                  DEF-spine.006 head 0 -0.02 0.06
                    End Site - 0 0 0.2
              DEF-breast.{} trunk 0.1 -0.1 0.05
              DEF-shoulder.{} clavicle 0.02 -0.06 0.15
                DEF-upper_arm.{} upper_arm 0.16 0.06 0
                  DEF-upper_arm.{}.001 upper_arm 0.14 0 0
                    DEF-forearm.{} forearm 0.14 0 0
                      DEF-forearm.{}.001 forearm 0.13 0 0
                        DEF-hand.{} hand 0.13 0 0
                          DEF-thumb.0[1,2,3].{} fingers 0.03 -0.03 0
                          DEF-f_[index,middle]0[1,2,3].{} fingers 0.08 0 0
        DEF-pelvis.{} - 0 0 0
          End Site - 0.14 -0.1 0.1
        DEF-thigh.{} thigh 0.1 0 0.02
          DEF-thigh.{}.001 thigh 0 -0.01 -0.23
            DEF-shin.{} shank 0 -0.01 -0.23
              DEF-shin.{}.001 shank 0 0.02 -0.22
                DEF-foot.{} foot 0 0.02 -0.22
                  DEF-toe.{} toes 0 -0.14 -0.07
                    End Site - 0 -0.07 0
    """,
    sides=("L", "R"),
    unit="m",
    up="z",
)

MAKEHUMAN = Skeleton(
    "MakeHuman's default rig",
    """
    root pelvis 0 0 0
      spine05 trunk 0 0.3 0
        spine04 trunk 0 0.9 -0.2
          spine03 trunk 0 0.8 0
            spine02 trunk 0 1 0
              breast.{} trunk 0.6 0.3 0.9
              spine01 trunk 0 1.1 0
                clavicle.{} clavicle 0.2 0.9 0.3
                  shoulder01.{} clavicle 0.6 0 -0.3
                    upperarm01.{} upper_arm 0.7 -0.1 0
                      upperarm02.{} upper_arm 0.9 -0.9 0
                        lowerarm01.{} forearm 0.9 -0.9 0
                          lowerarm02.{} forearm 0.9 -0.8 0.3
                            wrist.{} hand 0.9 -0.8 0.3
                              finger1-[1,2,3].{} fingers 0.2 -0.3 0.3
                              metacarpal1.{} fingers 0.2 -0.2 0.1
                                finger2-[1,2,3].{} fingers 0.5 -0.6 0.1
                neck01 neck 0 1.2 0.2
                  neck02 neck 0 0.3 0.1
                    neck03 neck 0 0.3 0.1
                      head head 0 0.3 0.1
                        jaw head 0 0.1 0.4
                        eye.{} head 0.3 0.6 0.9
      pelvis.{} hip_dummy 0.1 0 0
        upperleg01.{} thigh 0.9 -0.9 0
          upperleg02.{} thigh 0.1 -2.1 0
            lowerleg01.{} shank 0.1 -2.1 0
              lowerleg02.{} shank 0 -2 -0.2
                foot.{} foot 0 -2 -0.2
                  toe1-[1,2].{} toes -0.2 -0.6 1.2
                  toe2-[1,2,3].{} toes 0.1 -0.6 1.2
    """,
    sides=("L", "R"),
    unit="",
)

CASCADEUR = Skeleton(
    "Cascadeur",
    """
    root - 0 0 0
      pelvis pelvis 0 95 0
        stomach trunk 0 10 0
          chest trunk 0 16 0
            neck neck 0 25 0
              head head 0 9 1
            clavicle_{} clavicle 2 19 0
              arm_{} upper_arm 15 0 0
                forearm_{} forearm 28 0 0
                  hand_{} hand 25 0 0
                    weapon_{} - 8 0 80
        thigh_{} thigh 9 -3 0
          calf_{} shank 0 -43 0
            foot_{} foot 0 -42 0
              toe_{} toes 0 -7 13
    """,
    sides=("l", "r"),
)

DRAWN = [value for value in globals().values() if isinstance(value, Skeleton)]
