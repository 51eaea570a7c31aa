"""Skeletons of public recordings: data sets, and devices and programs that capture people.

A table says what each joint truly is; ``-`` is no part of the body. ``seen`` says what it was
written from: some from such a file, some from a list of joints, some from memory.
"""

from .marching import Skeleton

_X = (1, 1, -1)  # bones drawn along x: the sides differ where they leave the trunk

LAFAN1 = Skeleton(
    "LAFAN1",
    """
    Hips pelvis 0 0 0
      {}UpLeg thigh 0.1 1.9 10.5
        {}Leg shank 43.5 0 0
          {}Foot foot 42.4 0 0
            {}Toe toes 17.3 0 0
      Spine trunk 6.9 -2.6 0
        Spine1 trunk 12.6 0 0
          Spine2 trunk 12.6 0 0
            Neck neck 25.0 0 0
              Head head 11.8 0 0
            {}Shoulder clavicle 19.7 0.8 6.1
              {}Arm upper_arm 10.4 0 0
                {}ForeArm forearm 28.7 0 0
                  {}Hand hand 25.5 0 0
    """,
    mirror=_X,
    below=(1, 1, 1),
    convention="LAFAN1",
    seen="list",
)

BANDAI = Skeleton(
    "Bandai-Namco Research",
    """
    joint_Root - 0 0 0
      Hips pelvis 0.8 94 -452
        Spine trunk 15.7 0 0
          Chest trunk 9 -0.4 0
            Neck neck 16.4 0 0
              Head head 6.5 0 0
            Shoulder_{} clavicle 13 -0.2 5
              UpperArm_{} upper_arm 5.3 0 0
                LowerArm_{} forearm 24.3 0 0
                  Hand_{} hand 22.3 0 0
        UpperLeg_{} thigh -2.2 -6.5 0
          LowerLeg_{} shank 39.1 0 0
            Foot_{} foot 41 0 0
              Toes_{} toes 11.8 0 0
    """,
    sides=("L", "R"),
    mirror=(1, -1, -1),
    below=(-1, 1, 1),
    convention="Bandai",
    seen="file",
)

KINECT_1 = Skeleton(
    "Kinect for Xbox 360",
    """
    Hip pelvis 0 0 0
      Spine trunk 0.7 6.8 4.3
        ShoulderCenter trunk 0 36.4 -1.6
          Head head 0 21.9 -6.8
          Shoulder{} upper_arm -17.6 -9.9 2
            Elbow{} forearm -7.1 -28.7 1.9
              Wrist{} hand -0.1 -23.7 -2.8
                Hand{} hand -0.8 -6.3 -0.9
      Hip{} thigh -8.2 -7.9 -0.1
        Knee{} shank -2.8 -41.9 4
          Ankle{} foot 0.1 -37.9 1.5
            Foot{} foot -1.2 -6.4 -7.6
    """,
    facing=("-x", "y", "-z"),
    seen="part",
)

KINECT_2 = Skeleton(
    "Kinect for Windows",
    """
    SpineBase pelvis 0 0 0
      SpineMid trunk 0 0.31 0
        SpineShoulder trunk 0 0.23 0
          Neck neck 0 0.08 0
            Head head 0 0.15 0.02
          Shoulder{} upper_arm 0.17 -0.05 0
            Elbow{} forearm 0.05 -0.26 0
              Wrist{} hand 0 -0.24 0
                Hand{} hand 0 -0.07 0
                  HandTip{} fingers 0 -0.08 0
                Thumb{} fingers 0.02 -0.05 0.04
      Hip{} thigh 0.08 -0.02 0
        Knee{} shank 0 -0.40 0
          Ankle{} foot 0 -0.38 0
            Foot{} foot 0.02 -0.06 0.11
    """,
    unit="m",
    seen="list",
)

AZURE = Skeleton(
    "Azure Kinect",
    """
    PELVIS pelvis 0 0 0
      SPINE_NAVAL trunk 0 -17 0
        SPINE_CHEST trunk 0 -13.5 0
          NECK neck 0 -20 0
            HEAD head 0 -7.5 -2
          CLAVICLE_{} clavicle 2.8 -16.5 0
            SHOULDER_{} upper_arm 12.3 3 0
              ELBOW_{} forearm 3.7 24.8 0
                WRIST_{} hand -1.7 20.8 -3
                  HAND_{} hand 0 8.2 2
                    HANDTIP_{} fingers 0 7.1 3
                  THUMB_{} fingers -2.8 8 4.8
      HIP_{} thigh 8.2 0.2 0
        KNEE_{} shank 1.8 36.3 1.5
          ANKLE_{} foot 0 34.7 3
            FOOT_{} foot 0 9 -14
    """,
    sides=("LEFT", "RIGHT"),
    up="-y",
    seen="part",
)

SMPL_METRES = Skeleton(
    "SMPL with the names of HumanIK, from text-to-motion",
    """
    Hips pelvis 0 -0.22 0.03
      {}UpLeg thigh 0.07 -0.091 -0.007
        {}Leg shank 0.034 -0.375 -0.004
          {}Foot foot -0.014 -0.398 -0.044
            {}Toe toes 0.026 -0.056 0.119
      Spine trunk 0 0.109 -0.027
        Spine1 trunk 0 0.135 0.001
          Spine2 trunk 0 0.053 0.025
            Neck neck 0 0.214 -0.043
              Head head 0 0.065 0.051
            {}Shoulder clavicle 0.079 0.122 -0.034
              {}Arm upper_arm 0.091 0.03 -0.009
                {}ForeArm forearm 0.26 -0.013 -0.027
                  {}Hand hand 0.249 0.009 -0.001
    """,
    unit="m",
    seen="file",
)

SMPLX = Skeleton(
    "SMPL-X",
    """
    pelvis pelvis 0 0 0
      {}_hip thigh 0.06 -0.09 0
        {}_knee shank 0.04 -0.38 0
          {}_ankle foot -0.01 -0.4 -0.04
            {}_foot toes 0.04 -0.06 0.12
      spine1 trunk 0 0.12 -0.03
        spine2 trunk 0 0.14 0.02
          spine3 trunk 0 0.05 0
            neck neck 0 0.21 -0.04
              head head 0 0.09 0.05
                jaw head 0 0 0.03
                {}_eye_smplhf head 0.03 0.06 0.06
            {}_collar clavicle 0.07 0.11 -0.02
              {}_shoulder upper_arm 0.12 0.04 -0.01
                {}_elbow forearm 0.26 -0.02 -0.02
                  {}_wrist hand 0.25 0.01 0
                    {}_[index,middle,pinky,ring,thumb][1,2,3] fingers 0.1 0 0.02
    """,
    sides=("left", "right"),
    unit="m",
    convention="SMPL",
)

SMPL_LETTERS = Skeleton(
    "SMPL under a root of its own, f_avg",
    """
    f_avg_root - 0 0 0
      f_avg_Pelvis pelvis 0 0 0
        f_avg_{}_Hip thigh 6 -9 0
          f_avg_{}_Knee shank 4 -38 0
            f_avg_{}_Ankle foot -1 -40 -4
              f_avg_{}_Foot toes 4 -6 12
        f_avg_Spine1 trunk 0 12 -3
          f_avg_Spine2 trunk 0 14 2
            f_avg_Spine3 trunk 0 5 0
              f_avg_Neck neck 0 21 -4
                f_avg_Head head 0 9 5
              f_avg_{}_Collar clavicle 7 11 -2
                f_avg_{}_Shoulder upper_arm 12 4 -1
                  f_avg_{}_Elbow forearm 26 -2 -2
                    f_avg_{}_Wrist hand 25 1 0
                      f_avg_{}_Hand hand 8 -1 0
    """,
    sides=("L", "R"),
    convention="SMPL",
)

MOCOPI = Skeleton(
    "Sony mocopi",
    """
    root pelvis 0 0 0
      torso_1 trunk 0 5 1
        torso_2 trunk 0 6 0
          torso_3 trunk 0 6 -1
            torso_4 trunk 0 6 -1
              torso_5 trunk 0 7 -1
                torso_6 trunk 0 7 0
                  torso_7 trunk 0 7 1
                    neck_1 neck 0 10 2
                      neck_2 neck 0 5 1
                        head head 0 5 1
                    {}_shoulder clavicle 3 6 3
                      {}_up_arm upper_arm 13 3.2 -3.3
                        {}_low_arm forearm 29.2 0 0
                          {}_hand hand 24.2 0 0
      {}_up_leg thigh 9.2 -4.2 2
        {}_low_leg shank -0.9 -38.8 -0.7
          {}_foot foot -2.3 -40.4 -6
            {}_toes toes 0.8 -9.9 12.5
    """,
    sides=("l", "r"),
    seen="part",
)

TALKING_WITH_HANDS = Skeleton(
    "Talking With Hands and the GENEA challenges",
    """
    body_world - 0 0 0
      b_root pelvis 0 92.4 0
        b_{}_upleg thigh -7.3 -0.1 8.7
          b_{}_leg shank 37.3 0 0
            b_{}_foot_twist shank 40 0 0
              b_{}_foot foot 0 0 0
                End Site - -15.1 -7.9 0
        b_spine0 trunk 2 -3.3 0
          b_spine1 trunk 11 1.5 0
            b_spine2 trunk 11 -2.2 0
              p_navel trunk -12 -0.5 0
              b_spine3 trunk 18.4 1.8 0
                b_neck0 neck 11.9 5.7 0
                  b_head head 7.1 0 0
                    b_head_null head 20.3 0 0
                    b_{}_eye head 8.6 7 3.4
                    b_jaw head 5.4 1.2 0
                      b_teeth head -5.5 -4 0
                      b_tongue[0,1,2,3,4] head -5.5 -4 0
                b_{}_shoulder clavicle 5.3 10.3 2.8
                  p_{}_delt clavicle 14.6 -1.9 -4.5
                  p_{}_scap clavicle 16.3 -2.3 -3.7
                    b_{}_arm upper_arm 1.9 -0.7 3.7
                      b_{}_arm_twist upper_arm 0 0 0
                        b_{}_forearm forearm 25.6 0 0
                          b_{}_wrist_twist forearm 24.8 0 0
                            b_{}_wrist hand 2.1 1.7 0.5
                              b_{}_[thumb,index,middle,ring,pinky][1,2,3] fingers 8.9 1 -2
    """,
    sides=("l", "r"),
    mirror=_X,
    below=(-1, -1, -1),
    seen="file",
)

MOMENTUM = Skeleton(
    "Meta's body with the joints of the hindfoot",
    """
    b_root pelvis 0 0 0
      b_{}_upleg thigh 8.5 -3 0
        b_{}_leg shank 0 -42 0
          b_{}_foot_twist shank 0 -20 0
            b_{}_foot shank 0 -21 0
            b_{}_talocrural foot 0 -21 0
              b_{}_subtalar foot 0 -3 -1
                b_{}_transversetarsal foot 0 -2 4
                  b_{}_ball toes 0 -2 10
                    End Site - 0 0 7
      b_spine0 trunk 0 6 0
        b_spine1 trunk 0 12 0
          b_spine2 trunk 0 12 0
            b_spine3 trunk 0 12 0
              b_neck0 neck 0 14 0
                b_head head 0 10 2
                  b_head_null head 0 18 0
              b_{}_shoulder clavicle 3 10 0
                b_{}_arm upper_arm 14 0 0
                  b_{}_forearm forearm 28 0 0
                    b_{}_wrist_twist forearm 12 0 0
                      b_{}_wrist hand 13 0 0
                        End Site - 18 0 0
    """,
    sides=("l", "r"),
    seen="list",
)

BEAT = Skeleton(
    "BEAT",
    """
    Hips pelvis 0 0 0
      Spine trunk 0 8.3 -2.7
        Spine1 trunk 0 11.9 -2.1
          Spine2 trunk 0 12 -1
            Spine3 trunk 0 12.1 0
              Neck neck 0 15.5 1.6
                Neck1 neck 0 4 0.5
                  Head head 0 4 0.5
                    HeadEnd head 0 17 0
              {}Shoulder clavicle 3 12 0
                {}Arm upper_arm 13 0 0
                  {}Arm1 forearm 27 0 0
                    {}Hand hand 25 0 0
                      {}HandM[1,2,3,4] fingers 9 0 0
                      {}HandR fingers 3 0 -1
                        {}HandR[1,2,3,4] fingers 6 0 -1
                      {}HandP fingers 3 0 -2
                        {}HandP[1,2,3,4] fingers 6 0 -2
                      {}HandI fingers 3 0 1
                        {}HandI[1,2,3,4] fingers 6 0 1
                      {}HandT[1,2,3,4] fingers 3 0 3
      {}UpLeg thigh 9 -1 0
        {}Leg shank 0 -42 0
          {}Foot foot 0 -41 0
            {}FootF foot 0 -5 3
              {}ToeBase toes 0 -2 11
                {}ToeBaseEnd toes 0 0 6
    """,
    sides=("L", "R"),
    seen="list",
)

GAMES105 = Skeleton(
    "GAMES105 and other courses: joints called after the two bones they join",
    """
    RootJoint pelvis 0 0 0
      {}Hip thigh 0.1 -0.05 0
        {}Knee shank 0 -0.42 0
          {}Ankle foot 0 -0.42 0
            {}ToeJoint toes 0 -0.05 0.12
              End Site - 0 0 0.05
      pelvis_lowerback trunk 0 0.094 0
        lowerback_torso trunk 0 0.1 0
          torso_head head 0 0.282 0
            End Site - 0 0.193 0
          {}Torso_Clavicle clavicle 0.01 0.2 0
            {}Shoulder upper_arm 0.17 0 0
              {}Elbow forearm 0.26 0 0
                {}Wrist hand 0.25 0 0
                  End Site - 0.12 0 0
    """,
    sides=("l", "r"),
    unit="m",
    seen="part",
)

DEEPMOTION = Skeleton(
    "DeepMotion Animate 3D",
    """
    root - 0 0 0
      hips_JNT pelvis 0 0.95 0
        {}_upleg_JNT thigh 0.09 -0.05 0
          {}_leg_JNT shank 0 -0.42 0
            {}_foot_JNT foot 0 -0.42 -0.02
              {}_toebase_JNT toes 0 -0.07 0.13
        spine_JNT trunk 0 0.08 0
          spine1_JNT trunk 0 0.12 0
            spine2_JNT trunk 0 0.14 0
              neck_JNT neck 0 0.17 0
                head_JNT head 0 0.08 0.01
              {}_shoulder_JNT clavicle 0.05 0.12 0
                {}_arm_JNT upper_arm 0.13 0 0
                  {}_forearm_JNT forearm 0.27 0 0
                    {}_hand_JNT hand 0.25 0 0
                      {}_handIndex[1,2,3]_JNT fingers 0.09 0 0.02
    """,
    sides=("l", "r"),
    unit="m",
    convention="DeepMotion",
)

IPI = Skeleton(
    "iPi Mocap Studio",
    """
    Hip pelvis 0 0 0
      LowerSpine trunk 0 9 0
        MiddleSpine trunk 0 12 0
          Chest trunk 0 14 0
            Neck neck 0 20 0
              Head head 0 9 0
                End Site - 0 20 0
            {}Clavicle clavicle 3 15 0
              {}Shoulder upper_arm 14 0 0
                {}Forearm forearm 28 0 0
                  {}Hand hand 25 0 0
                    End Site - 17 0 0
      {}Thigh thigh 9 -3 0
        {}Shin shank 0 -43 0
          {}Foot foot 0 -42 0
            {}Toe toes 0 -6 14
              End Site - 0 0 6
    """,
    sides=("L", "R"),
)

VIDEO_POSE = Skeleton(
    "VideoPose3D's 17 joints of Human3.6M",
    """
    Hip pelvis 0 0 0
      {}Hip thigh 0.13 0 0
        {}Knee shank 0 0 -0.45
          {}Ankle foot 0 0 -0.45
      Spine trunk 0 0 0.25
        Thorax trunk 0 0 0.25
          Neck neck 0 0 0.1
            HeadEndSite head 0 0 0.12
          {}Shoulder upper_arm 0.15 0 0
            {}Elbow forearm 0.28 0 0
              {}Wrist hand 0.25 0 0
    """,
    unit="m",
    up="z",
)

CAPTURED = [value for value in globals().values() if isinstance(value, Skeleton)]
