"""Skeletons of avatars and of characters with faces, skirts and tails.

Written like those of ``skeletons_captured``.
"""

from .marching import Skeleton

SECOND_LIFE = Skeleton(
    "Second Life and OpenSim avatars",
    """
    hip pelvis 0 0 0
      abdomen trunk 0 3.4 0
        chest trunk 0 7.7 -1.3
          neck neck 0 11 0
            head head 0 4.5 -0.5
              figureHair head 0 7 0
              {}Eye head 1.4 2.7 2.8
          {}Collar clavicle 2 9.5 -0.6
            {}Shldr upper_arm 5.6 0.4 0
              {}ForeArm forearm 10.4 0 0
                {}Hand hand 9.1 0 0
                  End Site - 3 0 0
      {}Thigh thigh 5.3 -1.6 1.1
        {}Shin shank -2 -19.1 -1.2
          {}Foot foot 0 -18.6 -0.9
            End Site - 0.3 -2.4 4.9
    """,
    sides=("l", "r"),
    unit="in",
    seen="part",
)

BENTO = Skeleton(
    "Second Life's skeleton with all its spine, wings, tail and hind legs",
    """
    mPelvis pelvis 0 0 1.067
      mSpine1 trunk 0 0 0.084
        mSpine2 trunk 0 0 -0.084
          mTorso trunk 0 0 0.084
            mSpine3 trunk -0.015 0 0.205
              mSpine4 trunk 0.015 0 -0.205
                mChest trunk -0.015 0 0.205
                  mNeck neck -0.01 0 0.251
                    mHead head 0 0 0.076
                      mSkull head 0 0 0.079
                      mEye{} head 0.098 0.036 0.079
                  mCollar{} clavicle -0.021 0.085 0.165
                    mShoulder{} upper_arm 0 0.079 0
                      mElbow{} forearm 0 0.248 0
                        mWrist{} hand 0 0.205 0
                          mHand[Middle,Index,Ring,Pinky,Thumb][1,2,3]{} fingers 0 0.1 0
                  mWingsRoot - -0.014 0 0
                    mWing1{} - -0.099 0.105 0.181
                      mWing2{} - -0.168 0.169 0.067
      mHip{} thigh 0.034 0.127 -0.041
        mKnee{} shank -0.001 -0.046 -0.491
          mAnkle{} foot -0.029 0.001 -0.468
            mFoot{} foot 0.112 0 -0.061
              mToe{} toes 0.109 0 0
      mTail1 - -0.116 0 0.047
        mTail2 - -0.197 0 0
          mTail3 - -0.168 0 0
      mHindLimbsRoot - -0.2 0 0.084
        mHindLimb1{} - -0.204 0.129 -0.125
          mHindLimb2{} - 0.002 -0.046 -0.491
            mHindLimb3{} - -0.03 -0.003 -0.468
              mHindLimb4{} - 0.112 0 -0.061
    """,
    unit="m",
    up="z",
    mirror=(1, -1, 1),
    facing=("y", "z", "x"),
)

DAZ_8 = Skeleton(
    "DAZ Genesis 8",
    """
    hip pelvis 0 105 0
      pelvis pelvis 0 1.8 0
        {}ThighBend thigh 7.9 -11 0
          {}ThighTwist thigh 0.4 -21 0
            {}Shin shank 0.9 -23 0
              {}Foot foot 0.6 -41 -4
                {}Metatarsals toes 0.3 -4 2
                  {}Toe toes 1 -4 11
                    {}BigToe toes -1 0 4
                    {}SmallToe[1,2,3,4][,_2] toes 1 0 3
      abdomenLower trunk 0 1.8 0
        abdomenUpper trunk 0 8 1
          chestLower trunk 0 8 0
            {}Pectoral trunk 6 3 9
            chestUpper trunk 0 13 -1
              neckLower neck 0 17 -2
                neckUpper neck 0 4 2
                  head head 0 5 0
                    upperTeeth head 0 2 7
                    lowerJaw head 0 1 2
                      tongue0[1,2,3,4] head 0 -1 3
                    {}Eye head 3 7 7
                    {}Ear head 7 5 0
              {}Collar clavicle 3 12 -1
                {}ShldrBend upper_arm 12 0 -1
                  {}ShldrTwist upper_arm 12 0 0
                    {}ForearmBend forearm 14 0 0
                      {}ForearmTwist forearm 12 0 0
                        {}Hand hand 13 0 0
                          {}Thumb[1,2,3] fingers 2 -1 2
                          {}Carpal1 fingers 1 0 1
                            {}Index[1,2,3] fingers 7 0 1
                          {}Carpal2 fingers 1 0 0
                            {}Mid[1,2,3] fingers 7 0 0
    """,
    sides=("l", "r"),
    convention="DAZ Genesis",
)

DAZ_9 = Skeleton(
    "DAZ Genesis 9",
    """
    hip pelvis 0 105 0
      pelvis pelvis 0 1.8 0
        {}_thigh thigh 7.9 -11 0
          {}_thightwist1 thigh 0.2 -11 0
          {}_thightwist2 thigh 0.4 -22 0
          {}_shin shank 1 -44 0
            {}_foot foot 0.6 -41 -4
              {}_metatarsal toes 0.3 -4 2
                {}_toes toes 1 -4 11
                  {}_bigtoe[1,2] toes -1 0 4
      spine1 trunk 0 1.8 0
        spine2 trunk 0 8 1
          spine3 trunk 0 8 0
            spine4 trunk 0 13 -1
              {}_pectoral trunk 6 3 9
              neck1 neck 0 17 -2
                neck2 neck 0 4 2
                  head head 0 5 0
                    lowerjaw head 0 1 2
                    {}_eye head 3 7 7
              {}_shoulder clavicle 3 12 -1
                {}_upperarm upper_arm 12 0 -1
                  {}_upperarmtwist1 upper_arm 6 0 0
                  {}_upperarmtwist2 upper_arm 13 0 0
                  {}_forearm forearm 26 0 0
                    {}_forearmtwist1 forearm 6 0 0
                    {}_hand hand 25 0 0
                      {}_thumb[1,2,3] fingers 2 -1 2
                      {}_indexmetacarpal fingers 1 0 1
                        {}_index[1,2,3] fingers 7 0 1
    """,
    sides=("l", "r"),
)

CHARACTER_CREATOR = Skeleton(
    "Reallusion Character Creator and iClone",
    """
    RL_BoneRoot - 0 0 0
      CC_Base_Hip pelvis 0 0 98
        CC_Base_Pelvis pelvis 0 0 0
          CC_Base_{}_Thigh thigh 9.5 0 -5
            CC_Base_{}_ThighTwist01 thigh 0 0 -11
            CC_Base_{}_ThighTwist02 thigh 0 0 -33
            CC_Base_{}_Calf shank 0 0 -44
              CC_Base_{}_KneeShareBone shank 0 0 0
              CC_Base_{}_CalfTwist01 shank 0 0 -10
              CC_Base_{}_Foot foot 0 3 -43
                CC_Base_{}_ToeBaseShareBone toes 0 -13 -6
                CC_Base_{}_ToeBase toes 0 -13 -6
                  CC_Base_{}_BigToe1 toes -2 -3 0
                  CC_Base_{}_MidToe1 toes 0 -3 0
        CC_Base_Waist trunk 0 0 4
          CC_Base_Spine01 trunk 0 0 12
            CC_Base_Spine02 trunk 0 0 18
              CC_Base_{}_RibsTwist trunk 6 -8 2
                CC_Base_{}_Breast trunk 1 -3 0
              CC_Base_NeckTwist01 neck 0 2 20
                CC_Base_NeckTwist02 neck 0 0 4
                  CC_Base_Head head 0 0 5
                    CC_Base_FacialBone head 0 0 0
                      CC_Base_JawRoot head 0 -2 1
                      CC_Base_{}_Eye head 3 -7 6
              CC_Base_{}_Clavicle clavicle 3 0 17
                CC_Base_{}_Upperarm upper_arm 13 0 0
                  CC_Base_{}_UpperarmTwist01 upper_arm 7 0 0
                  CC_Base_{}_Forearm forearm 27 0 0
                    CC_Base_{}_ElbowShareBone forearm 0 0 0
                    CC_Base_{}_ForearmTwist01 forearm 6 0 0
                    CC_Base_{}_Hand hand 25 0 0
                      CC_Base_{}_[Thumb,Index,Mid,Ring,Pinky][1,2,3] fingers 9 0 0
    """,
    sides=("L", "R"),
    up="z",
)

UNREAL_5 = Skeleton(
    "Unreal mannequin with twist, correctives and targets for IK",
    """
    root - 0 0 0
      pelvis pelvis 0 -2 96
        spine_01 trunk 0 0 3
          spine_02 trunk 0 0 8
            spine_03 trunk 0 0 7
              spine_04 trunk 0 0 9
                spine_05 trunk 0 0 19
                  neck_01 neck 0 1 10
                    neck_02 neck 0 0 6
                      head head 0 0 6
                  clavicle_{} clavicle 2 1 5
                    upperarm_{} upper_arm 16 0 0
                      upperarm_twist_01_{} upper_arm 9 0 0
                      upperarm_correctiveRoot_{} upper_arm 0 0 0
                        upperarm_bck_{} upper_arm 0 4 0
                      lowerarm_{} forearm 27 0 0
                        lowerarm_twist_01_{} forearm 13 0 0
                        hand_{} hand 26 0 0
                          [thumb,index,middle,ring,pinky]_0[1,2,3]_{} fingers 8 0 0
                          weapon_{} - 10 0 0
        thigh_{} thigh 10 0 -2
          thigh_twist_01_{} thigh 0 0 -15
          calf_{} shank 0 0 -45
            calf_twist_01_{} shank 0 0 -15
            foot_{} foot 0 2 -41
              ball_{} toes 0 -13 -7
      ik_foot_root - 0 0 0
        ik_foot_{} - 10 0 9
      ik_hand_root - 0 0 0
        ik_hand_gun - -50 0 90
          ik_hand_r - 0 0 0
      interaction - 0 0 0
      center_of_mass - 0 0 95
    """,
    sides=("l", "r"),
    up="z",
    convention="Unreal",
)

VROID = Skeleton(
    "VRoid Studio's VRM models, with hair and skirt",
    """
    Root - 0 0 0
      J_Bip_C_Hips pelvis 0 0.9 0
        J_Bip_C_Spine trunk 0 0.05 0.01
          J_Bip_C_Chest trunk 0 0.11 -0.01
            J_Bip_C_UpperChest trunk 0 0.11 -0.02
              J_Sec_{}_Bust1 trunk 0.04 0.03 0.08
              J_Bip_C_Neck neck 0 0.12 -0.02
                J_Bip_C_Head head 0 0.08 0.02
                  J_Adj_{}_FaceEye head 0.02 0.06 0.03
                  J_Sec_Hair[1,2,3]_01 head 0 0.1 0.05
                  J_Sec_Hair[1,2,3]_02 head 0 0.05 -0.1
              J_Bip_{}_Shoulder clavicle 0.02 0.09 0
                J_Bip_{}_UpperArm upper_arm 0.08 -0.01 0
                  J_Bip_{}_LowerArm forearm 0.21 0 0
                    J_Bip_{}_Hand hand 0.2 0 0
                      J_Bip_{}_[Index,Little,Middle,Ring,Thumb][1,2,3] fingers 0.06 0 0
        J_Bip_{}_UpperLeg thigh 0.08 -0.04 0
          J_Sec_{}_SkirtBack_01 - 0.02 -0.05 -0.08
            J_Sec_{}_SkirtBack_02 - 0 -0.1 0
          J_Bip_{}_LowerLeg shank 0 -0.38 0
            J_Bip_{}_Foot foot 0 -0.37 -0.02
              J_Bip_{}_ToeBase toes 0 -0.08 0.11
    """,
    sides=("L", "R"),
    unit="m",
)

MMD = Skeleton(
    "MikuMikuDance, Japanese names",
    """
    センター - 0 8 0
      グルーブ - 0 0 0
        腰 pelvis 0 3 0
          下半身 pelvis 0 0.5 0
            {}足 thigh 0.9 -0.8 0
              {}ひざ shank 0 -4.9 0
                {}足首 foot 0 -4.7 -0.2
                  {}つま先 toes 0 -1 1.7
          上半身 trunk 0 0.5 0
            上半身2 trunk 0 1.5 0
              首 neck 0 2.6 0.2
                頭 head 0 0.9 0
                  両目 head 0 1 -0.5
              {}肩 clavicle 0.2 2.2 0
                {}腕 upper_arm 1.2 -0.2 0
                  {}ひじ forearm 1.8 -1.9 0
                    {}手首 hand 1.6 -1.7 0
                      {}人指[１,２,３] fingers 0.6 -0.6 0
    """,
    sides=("左", "右"),
    unit="",
)

AVATARS = [value for value in globals().values() if isinstance(value, Skeleton)]
