#!/usr/bin/env bash
# `ovoid fit` for robots, and `ovoid fit check`: a small robot of meshes becomes one of smooth bodies
# that hold them; no contact is lost at random poses; bodies that do not hold a mesh are found out;
# one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
has() { grep -qF -- "$1" out; }
noted() { grep -qF -- "$1" err; }
checked() { # STATUS ARGUMENTS of fit check
    run fit check "${@:2}"
    check "exit status $1" [ "$status" -eq "$1" ]
}

mkdir meshes
"$command" mesh supertoroid 0.1 0.1 0.1 1 1 2.5 --vertices 400 -o meshes/ring.stl 2>/dev/null
"$command" mesh capsule 0.05 0.2 --vertices 150 -o meshes/rod.stl 2>/dev/null
"$command" mesh superovoid 0.1 0.08 0.15 0.7 0.6 0.2 -0.1 --vertices 150 -o meshes/egg.obj 2>/dev/null
cat >arm.urdf <<'END'
<?xml version="1.0"?>
<robot name="arm">
  <link name="base">
    <collision><geometry><mesh filename="meshes/ring.stl"/></geometry></collision>
    <collision><origin xyz="0 0 -0.2"/><geometry><box size="0.5 0.5 0.05"/></geometry></collision>
  </link>
  <link name="upper">
    <collision><origin xyz="0.25 0.01 0" rpy="0.1 1.5 0.2"/><geometry><mesh filename="meshes/rod.stl"/></geometry></collision>
  </link>
  <link name="lower">
    <collision><origin xyz="0.25 0 0" rpy="0 1.57 0"/><geometry><mesh filename="meshes/rod.stl" scale="1 0.8 1"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><origin xyz="0.1 0.02 0.03" rpy="0.3 0.2 0.1"/><geometry><mesh filename="meshes/egg.obj"/></geometry></collision>
  </link>
  <link name="eye">
    <visual><geometry><mesh filename="meshes/egg.obj" scale="0.2 0.2 0.2"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0.2"/>
    <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/><axis xyz="0 0.3 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="continuous">
    <parent link="lower"/><child link="hand"/><origin xyz="0.5 0 0"/><axis xyz="1 1 0"/>
  </joint>
  <joint name="look" type="fixed"><parent link="hand"/><child link="eye"/><origin xyz="0 0 0.3"/></joint>
  <gazebo reference="hand"><material>Gazebo/Red</material></gazebo>
</robot>
END

# ---- a robot becomes bodies --------------------------------------------------------------------

good fit arm.urdf --parts 4 --poses 50 --seed 7 -o fit.urdf
check 'all proven' has 'arm.urdf: 4 of 4 meshes held: proven; 4 of 4 closed ones with the inside'
check 'and as written' has 'fit.urdf, read back: 4 of 4 meshes held: proven; 4 of 4 closed ones with the inside'
check 'none missed' has '50 random poses (seed 7): pairs of links in contact:'
check 'none missed' has '; missed: 0'
check 'a row for each link with shapes' equals "$(grep -cE '^(base|upper|lower|hand) ' out)" 4
check 'no row for one without' sh -c '! grep -q "^eye" out'
check 'the box stays' grep -qF '<box size="0.5 0.5 0.05"/>' fit.urdf
check 'no mesh is left without a body' equals \
    "$(grep -c '<ovoid:' fit.urdf)" "$(awk '/<collision>/ { c = 1 } c && /<mesh/ { n++ } /<\/collision>/ { c = 0 } END { print n }' fit.urdf)"
check 'what is for other programs stays' grep -qF 'Gazebo/Red' fit.urdf
check 'the visual stays' grep -q '<visual>' fit.urdf
check 'XML' is_xml fit.urdf

# ---- proven once more, from the two files alone --------------------------------------------------

checked 0 fit.urdf arm.urdf
check 'surface' has 'hand, meshes/egg.obj: every triangle is held: proven'
check 'inside' has 'base, meshes/ring.stl: the inside is held: proven'
check 'all' has '4 of 4 meshes are held; 1 other shapes were not looked at'
# a body that is thinner by a tenth holds its mesh no more
awk '/<ovoid:capsule/ && !done { match($0, /radius="[^"]*/); v = substr($0, RSTART + 8, RLENGTH - 8)
    sub(/radius="[^"]*/, sprintf("radius=\"%.17g", v * 0.9)); done = 1 } { print }' fit.urdf >small.urdf
check 'another file' sh -c '! cmp -s fit.urdf small.urdf'
checked 1 small.urdf arm.urdf
check 'told' has 'every triangle is held: not proven; the first that is not: '
check 'counted' has '3 of 4 meshes are held; '
# a hand that is elsewhere
sed 's|<origin xyz="0.1 0.02 0.03" rpy="0.3|<origin xyz="0.101 0.02 0.03" rpy="0.3|' arm.urdf >moved.urdf
checked 1 fit.urdf moved.urdf
check 'counted' has '3 of 4 meshes are held; '

# ---- every pair that collides as meshes collides as bodies, by the checker ---------------------

awk 'BEGIN { srand(5); print "shoulder,elbow,wrist"
    for (i = 0; i < 400; i++) printf "%.6f,%.6f,%.6f\n", 3 * rand() - 1.5, 6 * rand() - 3, 6.28 * rand() }' >poses.csv
"$command" check arm.urdf --joints poses.csv --limit 0 --csv -o meshes.csv 2>/dev/null
"$command" check fit.urdf --joints poses.csv --limit 0 --csv -o bodies.csv 2>/dev/null
lost() { # pairs of links in contact in the first file that the second does not have in that pose
    awk -F, 'NR == FNR { near[$1, $3, $4] = 1; next }
        /overlapping|touching/ { n++; if (!(($1, $3, $4) in near)) bad++ }
        END { print (n > 50 ? bad + 0 : "too few: " n) }' "$2" "$1"
}
case_name='meshes and bodies'
check 'columns' equals "$(head -qn 1 meshes.csv bodies.csv | cut -d, -f1-4 | sort -u)" pose,time,a,b
check 'no contact is lost' equals "$(lost meshes.csv bodies.csv)" 0
check 'the other way some are' [ "$(lost bodies.csv meshes.csv)" -gt 0 ]

# ---- bodies are fast to check: none has a dent -----------------------------------------------------

# a wedge that a superovoid with a dent is far smaller about than any other body
"$command" mesh superovoid 0.05 0.043 0.067 0.3 0.33 -0.85 -0.1 --dent-tolerance 0.5 --vertices 150 -o meshes/wedge.stl 2>/dev/null
cat >wedge.urdf <<'END'
<robot name="wedge"><link name="wedge"><collision><geometry><mesh filename="meshes/wedge.stl"/></geometry></collision></link></robot>
END
dents() { # of the superovoids of a robot: those that have one
    sed -n 's/.*<ovoid:superovoid size="\([^"]*\)" exponents="\([^"]*\)" taper="\([^"]*\)".*/\1 \2 \3/p' "$1" |
        while read -r numbers; do
            # shellcheck disable=SC2086
            "$command" shape superovoid $numbers --dent-tolerance 1
        done | grep -c '"dent": [1-9]\|"dent": 0[.]0*[1-9]'
}
good fit wedge.urdf --parts 1 --poses 1 -o fast.urdf
check 'without a dent' equals "$(dents fast.urdf)" 0
"$command" mesh superovoid 0.05 0.043 0.067 1 0.3 0.6 0.6 --vertices 150 -o meshes/wedge.stl 2>/dev/null
good fit wedge.urdf --parts 1 --poses 1 -o even.urdf
check 'tapered all the same' grep -q '<ovoid:superovoid' even.urdf
check 'without a dent' equals "$(dents even.urdf)" 0
"$command" mesh superovoid 0.05 0.043 0.067 0.3 0.33 -0.85 -0.1 --dent-tolerance 0.5 --vertices 150 -o meshes/wedge.stl 2>/dev/null
good fit wedge.urdf --parts 1 --kind superovoid --poses 1 -o tight.urdf
check 'with one where it is asked for' equals "$(dents tight.urdf)" 1

# ---- other formats, visuals --------------------------------------------------------------

run fit arm.urdf --parts 1 --seconds 1 --poses 5 --visual -o fit.xml
check 'exit status 0' [ "$status" -eq 0 ]
check 'MJCF' grep -q '<mujoco ' fit.xml
check 'said' noted 'ovoid: fit.xml: note: the proofs are for the bodies above, not for this format'
check 'the visual has bodies' grep -q '^eye ' out
check 'proven' has 'arm.urdf: 5 of 5 meshes held: proven; 5 of 5 closed ones with the inside'

"$command" fit - --parts 1 --seconds 1 --poses 5 <arm.urdf >out 2>err
check 'standard input' has 'standard input: 4 of 4 meshes held: proven'

# ---- bodies that keep to the joints' axes --------------------------------------------------------

good fit arm.urdf --parts 2 --poses 20 --symmetry 0.001 -o along.urdf
check 'all proven' has 'along.urdf, read back: 4 of 4 meshes held: proven; 4 of 4 closed ones with the inside'
check 'none missed' has '; missed: 0'
checked 0 along.urdf arm.urdf
cat >axes.py <<'END'
# the largest sine of the angle between a joint's axis and the nearest axis of a body that it moves
import math, sys, xml.etree.ElementTree as tree
robot, worst = tree.parse(sys.argv[1]).getroot(), 0.0
for joint in robot.iter("joint"):
    if joint.get("type") == "fixed":
        continue
    n = [float(x) for x in joint.find("axis").get("xyz").split()]
    n = [x / math.hypot(*n) for x in n]
    child = joint.find("child").get("link")
    for shape in [l for l in robot.iter("link") if l.get("name") == child][0].iter("collision"):
        origin = shape.find("origin")
        r, p, y = (float(x) for x in origin.get("rpy", "0 0 0").split())
        c, s = math.cos, math.sin
        columns = [(c(y) * c(p), s(y) * c(p), -s(p)),
                   (c(y) * s(p) * s(r) - s(y) * c(r), s(y) * s(p) * s(r) + c(y) * c(r), c(p) * s(r)),
                   (c(y) * s(p) * c(r) + s(y) * s(r), s(y) * s(p) * c(r) - c(y) * s(r), c(p) * c(r))]
        cross = [math.hypot(a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0])
                 for a in columns]
        worst = max(worst, min(cross))
print("along" if worst < 1e-9 else "off" if worst > 1e-3 else worst)
END
check 'every body has an axis along' equals "$(python3 axes.py along.urdf)" along
check 'which is not so by itself' equals "$(python3 axes.py fit.urdf)" off
run fit arm.urdf --kind superovoid --symmetry 0.01
check 'not with --kind' noted 'ovoid: fit: --symmetry is for bodies of all kinds, without --kind and --error'
check 'exit status 2' [ "$status" -eq 2 ]

# ---- a mesh whose vertices are joined to fit to it is held as it came ------------------------------

# two sheets a millionth apart: one, after vertices that near are joined
cat >plate.obj <<'END'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1e-6
v 1 0 1e-6
v 1 1 1e-6
v 0 1 1e-6
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 2 3 7
f 2 7 6
f 3 4 8
f 3 8 7
f 4 1 5
f 4 5 8
END
for how in '--parts 1' '--published'; do
    # shellcheck disable=SC2086
    run fit plate.obj $how -o plate.json
    check 'joined' noted 'near: 4 vertices'
    check 'grown' noted ', and grown until they hold the file'
    checked 0 plate.json plate.obj
    check 'inside' has 'plate.obj: the inside is held: proven'
done

# ---- one mesh ----------------------------------------------------------------------------------

run fit meshes/egg.obj --parts 1 --seconds 1 -o egg.json
checked 0 egg.json meshes/egg.obj
check 'surface' has 'meshes/egg.obj: every triangle is held: proven'
check 'inside' has 'meshes/egg.obj: the inside is held: proven'
checked 1 egg.json meshes/ring.stl
check 'not that one' has 'meshes/ring.stl: every triangle is held: not proven; the first that is not: '
# six slabs hold the faces of a cube, but not its inside
python3 - <<'END'
import json
slab = lambda k, s: {"kind": "box", "half_extents": [1.1 if i != k else 0.2 for i in range(3)],
                     "position": [s if i == k else 0 for i in range(3)]}
json.dump({"ovoid": 1, "bodies": [{"name": "walls", "kind": "compound",
          "parts": [slab(k, s) for k in range(3) for s in (-1, 1)]}]}, open("walls.json", "w"))
END
"$command" mesh box 1 1 1 -o cube.obj 2>/dev/null
checked 1 walls.json cube.obj
check 'surface' has 'cube.obj: every triangle is held: proven'
check 'not the inside' has 'cube.obj: the inside is held: not proven'
printf '0 0 0\n0.9 0 0\n0 0 5\n' >cloud.txt
checked 1 walls.json cloud.txt
check 'points' has 'cloud.txt: every point is held: not proven; the first that is not: 1'

# ---- bad input ---------------------------------------------------------------------------------

sed 's/rod.stl/none.stl/' arm.urdf >missing.urdf
run fit missing.urdf -o out.urdf
check 'exit status 2' [ "$status" -eq 2 ]
check 'one line' equals "$(wc -l <err)" 1
check 'which' noted 'none.stl'
check 'nothing written' [ ! -e out.urdf ]
cp arm.urdf same.urdf
run fit same.urdf --parts 1 -o same.urdf
check 'exit status 2' [ "$status" -eq 2 ]
check 'one line' equals "$(wc -l <err)" 1
check 'the input is as it was' cmp -s arm.urdf same.urdf
two_spheres 1 >spheres.urdf
bad 'ovoid: spheres.urdf: no link has a mesh to collide with: there is nothing to fit' fit spheres.urdf
bad 'ovoid: spheres.urdf: no link has a mesh to collide with: there is nothing to check' \
    fit check spheres.urdf spheres.urdf
: >empty.urdf
run fit empty.urdf
check 'exit status 2' [ "$status" -eq 2 ]
check 'one line' equals "$(wc -l <err)" 1
bad 'ovoid: fit: --svg is not for robots' fit arm.urdf --svg arm.svg
bad 'ovoid: fit: --mode is not for robots' fit arm.urdf --mode inside
bad 'ovoid: fit: --poses = 0: must be 1 to 1000000' fit arm.urdf --poses 0
bad 'ovoid: fit: --poses needs a robot' fit cube.obj --poses 5
bad 'ovoid: fit: check needs two files, FIT and MESH, got 1' fit check egg.json
bad "ovoid: fit: --parts is not for 'fit check'" fit check egg.json cube.obj --parts 1
bad 'ovoid: fit.urdf: has 5 links; bodies of one mesh are one link' fit check fit.urdf cube.obj
bad "ovoid: fit.urdf: there is no link 'root'" fit check fit.urdf spheres.urdf
bad 'ovoid: none.obj: cannot be opened' fit check egg.json none.obj

printf 'fit_robot: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
