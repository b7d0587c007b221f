#!/usr/bin/env bash
# `ovoid convert`: robots and scenes to every format and back, what it refuses, and what it leaves
# behind when it fails. What the files say in detail is tested with the library.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

cat >arm.urdf <<'END'
<?xml version="1.0"?>
<robot name="arm" xmlns:ovoid="urn:ovoid:urdf:1">
  <link name="base">
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
    <visual><geometry><mesh filename="missing.stl"/></geometry></visual>
  </link>
  <link name="tip">
    <collision>
      <origin xyz="1 0 0"/>
      <geometry>
        <sphere radius="0.1"/>
        <ovoid:superovoid size="0.1 0.1 0.2" exponents="1 0.8" taper="0.1 0.1"/>
      </geometry>
    </collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="tip"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>
END
cat >scene.json <<'END'
{"title": "two", "bodies": [
 {"name": "egg", "kind": "superovoid", "semi_axes": [1, 1, 1.5], "exponents": [1, 0.8],
  "taper": [0.2, 0.2], "position": [0, 0, 2]},
 {"name": "brick", "kind": "box", "half_extents": [1, 1, 0.5]}]}
END

# ---- every format --------------------------------------------------------------------------------

good convert arm.urdf a.urdf
check 'URDF' grep -q '<ovoid:superovoid' a.urdf
good convert a.urdf b.urdf
check 'the same again, but for the folder' diff <(sed s/a_meshes/b_meshes/ a.urdf) b.urdf
good convert --collisions arm.urdf a.xml
check 'MJCF' grep -q '<joint name="turn" type="hinge" axis="0 0 1" range="-2 2"' a.xml
check 'without visuals' sh -c '! grep -q "class=\"visual\" " a.xml'
good convert arm.urdf a.sdf
check 'SDFormat' grep -q '<sdf version="1.9">' a.sdf
good convert arm.urdf a.json
check 'a scene' grep -q '"tip"' a.json
good convert a.json b.json
check 'the same scene again' cmp a.json b.json
good convert scene.json s.urdf
check 'a scene as a robot' grep -q '<link name="world"' s.urdf
good convert s.urdf s.json
check 'and as a scene' grep -q '"egg"' s.json
good convert scene.json -o o.urdf
check 'OUT by -o' diff <(sed s/s_meshes/o_meshes/ s.urdf) o.urdf
rm -rf o.urdf o_meshes
good convert scene.json - --to json
check 'standard output' grep -q '"egg"' out
good convert scene.json noending --to mjcf
check 'by --to' grep -q '<mujoco model="two">' noending
good convert --collisions arm.urdf a.dae
check 'COLLADA' grep -q '<COLLADA ' a.dae
good convert --collisions arm.urdf a.gltf
check 'glTF' grep -q '"version": "2.0"' a.gltf
good convert scene.json s.glb
check 'binary glTF' [ "$(head -c 4 s.glb)" = glTF ]
run convert arm.urdf v.glb
check 'a missing visual' grep -q 'missing.stl' err
check 'exit status 2' [ "$status" -eq 2 ]
"$command" convert - in.xml --collisions <arm.urdf
check 'standard input' diff <(sed s/a_meshes/in_meshes/ a.xml) in.xml

# ---- what is for other programs -----------------------------------------------------------------

# kept word by word, inside of what it stands in
cat >extras.urdf <<'END'
<?xml version="1.0"?>
<robot name="extras" xmlns:gz="http://example.org/gz">
  <link name="base">
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="arm">
    <collision><origin xyz="0 0 3"/><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><origin xyz="0 0 6"/><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="tool">
    <collision><origin xyz="0 0 9"/><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
    <safety_controller soft_lower_limit="-1" k_velocity='10'/>
    <calibration rising="0.5"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="arm"/><child link="hand"/><mimic joint="shoulder" multiplier="-1"/>
  </joint>
  <joint name="twist" type="continuous">
    <parent link="hand"/><child link="tool"/><axis xyz="0 0 1"/>
  </joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type> <!-- & so on -->
    <joint name="shoulder"><hardwareInterface>a &amp; b</hardwareInterface></joint>
  </transmission>
  <gazebo reference="arm"><gz:mu1>0.2</gz:mu1><material>Gazebo/Orange</material></gazebo>
  <gazebo><plugin filename="lib.so" name="p"><![CDATA[x < y]]></plugin></gazebo>
</robot>
END
note="ovoid: extras.urdf: note: joint 'wrist' is fixed: its <mimic> is ignored"
run convert extras.urdf kept.urdf
check 'exit status 0' [ "$status" -eq 0 ]
check 'the mimic of a fixed joint is ignored, and that is told' [ "$(cat err)" = "$note" ]
for line in '<safety_controller soft_lower_limit="-1" k_velocity='"'10'/>" '<calibration rising="0.5"/>' \
    '<mimic joint="shoulder" multiplier="-1"/>' '</type> <!-- & so on -->' \
    '<joint name="shoulder"><hardwareInterface>a &amp; b</hardwareInterface></joint>' \
    '<gazebo reference="arm"><gz:mu1>0.2</gz:mu1><material>Gazebo/Orange</material></gazebo>' \
    '<gazebo><plugin filename="lib.so" name="p"><![CDATA[x < y]]></plugin></gazebo>' \
    'xmlns:gz="http://example.org/gz"'; do
    check "keeps $line" grep -qF -- "$line" kept.urdf
done
run convert kept.urdf again.urdf
check 'the same again' cmp kept.urdf again.urdf
run convert --collisions kept.urdf again.urdf
check 'without visuals too' grep -q '<transmission' again.urdf
# by another reader: the same elements, in the same parents
cat >compare.py <<'END'
import sys
import xml.etree.ElementTree as ET


def kept(path):
    found = []
    for parent in ET.parse(path).iter():
        for child in parent:
            others = parent.tag == "robot" and child.tag not in ("link", "joint", "material")
            if others or child.tag in ("safety_controller", "calibration", "mimic"):
                text = ET.canonicalize(ET.tostring(child), strip_text=True)
                found.append((parent.tag, parent.get("name"), text))
    return found


first, second = kept(sys.argv[1]), kept(sys.argv[2])
sys.exit(len(first) < 6 or first != second)
END
check 'another reader finds the same' python3 compare.py extras.urdf kept.urdf
for format in xml:MJCF sdf:SDFormat json:'a scene'; do
    run convert extras.urdf "left.${format%%:*}"
    check 'exit status 0' [ "$status" -eq 0 ]
    check 'one note of what is left out' [ "$(sed 1d err)" = "ovoid: left.${format%%:*}: note: \
${format#*:} has no place for these elements: 1 safety_controller, 1 calibration, 1 transmission, \
2 gazebo" ]
done

# ---- pairs that may touch -----------------------------------------------------------------------

cat >expected <<'END'
  <contact>
    <exclude body1="base" body2="arm"/>
    <exclude body1="base" body2="hand"/>
    <exclude body1="arm" body2="tool"/>
    <exclude body1="hand" body2="tool"/>
  </contact>
END
sed -n '/<contact>/,/<.contact>/p' left.xml >found
check 'neighbours, across fixed joints, are excluded' diff expected found
run convert extras.urdf left.xml --allow base,tool
check 'and what is allowed' grep -q '<exclude body1="base" body2="tool"/>' left.xml
check 'five pairs' [ "$(grep -c '<exclude ' left.xml)" -eq 5 ]
bad 'ovoid: convert: --allow is for MJCF: no other format has such pairs' \
    convert arm.urdf x.sdf --allow base,tip
rm -f extras.urdf kept.urdf again.urdf left.* compare.py found expected

# ---- positions -----------------------------------------------------------------------------------

good convert arm.urdf p.json --joints turn=1
printf 'turn\n1\n2\n' >p.csv
good convert arm.urdf q.json --joints p.csv
check 'the first pose of a file' cmp p.json q.json
# the cosine of half a radian
check 'turned by one radian' grep -q '"rotation": \[0.87758256189037' p.json
bad "ovoid: convert: --joints: no joint has the name 'trun'; did you mean 'turn'?" \
    convert arm.urdf x.json --joints trun=1
bad "ovoid: convert: --joints: 'x' of joint 'turn' is not a finite number" \
    convert arm.urdf x.json --joints turn=x
bad "ovoid: convert: --joints: '' is not NAME=VALUE" convert arm.urdf x.json --joints turn=1,
bad 'ovoid: convert: --joints needs a robot, scene.json is a scene' \
    convert scene.json x.json --joints turn=1

# ---- what it refuses -----------------------------------------------------------------------------

rm -rf ./*_meshes x.*
ls >before
cat >packaged.urdf <<'END'
<robot name="p"><link name="a"><collision><geometry>
<mesh filename="package://arms/a.stl"/></geometry></collision></link></robot>
END
bad 'ovoid: packaged.urdf:2: link "a": mesh "package://arms/a.stl" is not there: no folder of packages holds it; --package names such folders' \
    convert packaged.urdf x.json
rm -f packaged.urdf
bad 'ovoid: a.sdf: this is SDFormat; a scene or a robot is expected' convert a.sdf x.json
bad "ovoid: convert: needs two names, IN and OUT, got 1: as in 'ovoid convert arm.urdf arm.xml'" convert arm.urdf
bad 'ovoid: convert: standard output has no ending: say the format with --to' convert arm.urdf -
bad 'ovoid: x.txt: the name must end in .urdf, .xml, .mjcf, .sdf, .json, .dae, .gltf or .glb, or --to be given' \
    convert arm.urdf x.txt
run convert missing.urdf x.sdf
check 'a missing file' [ "$status" -eq 2 ]
run convert arm.urdf no/such/x.sdf
check 'a missing folder' [ "$status" -eq 2 ]
check 'one line' [ "$(wc -l <err)" -eq 1 ]
check 'says why' grep -q 'No such file or directory' err
printf '{"bodies": [{"name": "floor", "kind": "halfspace", "normal": [0, 0, 1], "offset": 0}]}' \
    >floor.json
bad 'ovoid: x.urdf: link "floor": URDF has no halfspace' convert floor.json x.urdf
good convert floor.json floor.xml
check 'a plane' grep -q 'type="plane"' floor.xml
rm -f floor.*
printf '<robot name="x"><link name="a"><collision><geometry><mesh filename="no.stl"/></geometry></collision></link></robot>' \
    >hollow.urdf
run convert hollow.urdf x.xml
check 'a missing mesh' grep -q 'no.stl' err
check 'exit status 2' [ "$status" -eq 2 ]
rm -f hollow.urdf
ls >after
sed -i '/^after$/d' after
check 'nothing left behind' diff before after
printf 'convert: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
