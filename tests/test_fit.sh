#!/usr/bin/env bash
# `ovoid fit`: what it prints and writes, the proof for the files that it wrote, broken meshes, and
# one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
has() { grep -qF -- "$1" out; }
noted() { grep -qF -- "$1" err; }

# ---- the published way ------------------------------------------------------------------------

"$command" mesh supertoroid 1 1 1 1 1 2.5 --vertices 3000 -o ring.obj 2>/dev/null
good fit ring.obj --published -o ring.json --svg ring.svg
check 'proven' has 'every triangle is held: proven'
check 'proven as written' has 'ring.json, read back: every triangle is held: proven'
check 'a ring is more than one part' [ "$(grep -c ' superovoid ' out)" -gt 4 ]
check 'the picture is whole' equals "$(tail -n 1 ring.svg)" '</svg>'
parts=$(grep -c ' superovoid ' out)
good fit ring.obj --published --csv
check 'as many rows' equals "$(grep -c ',superovoid,' out)" "$parts"
cp out first.csv
good fit ring.obj --published --csv
check 'the same bits again' cmp -s out first.csv
good fit ring.obj --published -o ring.urdf
good check ring.urdf

# ---- Ovoid's own ------------------------------------------------------------------------------

"$command" mesh superovoid 1 0.8 1.5 0.7 0.6 0.2 -0.1 --vertices 600 -o egg.obj 2>/dev/null
good fit egg.obj --parts 1 --seconds 2 -o egg.json
check 'one part' equals "$(grep -c ' superovoid ' out)" 1
check 'all held' has 'every triangle is held: proven'
check 'and the inside' has 'the inside is held: proven'
check 'as written' has 'egg.json, read back: every triangle is held: proven'
printf '0 0 0\n1 0 0\n0 1 0\n0 0 1\n' >cloud.txt
good fit cloud.txt --parts 1 --seconds 1
check 'a cloud' has 'every point is held: proven'

# ---- broken meshes: a line each, and a fit all the same ---------------------------------------

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj
run fit open.obj --published
check 'exit status 0' [ "$status" -eq 0 ]
check 'told' noted 'ovoid: open.obj: note: open: 3 edges of one triangle, about 1 hole'
check 'held' has 'every triangle is held: proven'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >inverted.obj
run fit inverted.obj --published
check 'told' noted 'ovoid: inverted.obj: note: inverted: 1 closed shell was inside out, turned over'

# ---- a robot: meshes become parts, other shapes stay ------------------------------------------

cat >arm.urdf <<'END'
<robot name="arm">
  <link name="foot"><collision><origin xyz="0 0 1" rpy="0 1 0"/>
    <geometry><mesh filename="ring.obj" scale="0.1 0.1 0.1"/></geometry></collision>
    <collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="arm"><visual><geometry><mesh filename="egg.obj"/></geometry></visual></link>
  <link name="tool"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="a" type="continuous"><parent link="foot"/><child link="arm"/><origin xyz="5 0 0"/></joint>
  <joint name="b" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 3"/></joint>
  <gazebo/>
</robot>
END
run fit arm.urdf --published -o fitted.urdf
check 'exit status 0' [ "$status" -eq 0 ]
check 'a link of meshes' grep -qE '^foot +[0-9]+ +[0-9]+ .*proven$' out
check 'a link of visuals' grep -qE '^arm +[0-9]+ +1 .*proven$' out
check 'a link without' grep -qE '^tool +0 +0 .*no mesh$' out
check 'what is left out' noted 'ovoid: fitted.urdf: note: left out: elements for other programs, 1'
check 'the box stays' equals "$(grep -c '<box ' fitted.urdf)" 1
check 'superovoids' [ "$(grep -c '<ovoid:superovoid ' fitted.urdf)" -gt 4 ]
good check fitted.urdf --joints a=1
bad 'ovoid: fit: --csv is not for robots' fit arm.urdf --csv
good fit arm.urdf --parts 2 --seconds 2
check 'held' grep -qE '^foot .* proven$' out
mv ring.obj kept.obj
bad 'ovoid: arm.urdf:3: link "foot": mesh "ring.obj" is not there' fit arm.urdf
mv kept.obj ring.obj

# ---- bad input --------------------------------------------------------------------------------

bad 'ovoid: fit: needs one file, a mesh, a point cloud or a robot, got 0' fit
bad 'ovoid: fit: needs one file, a mesh, a point cloud or a robot, got 2' fit ring.obj egg.obj
bad 'ovoid: none.off: cannot be opened' fit none.off
bad 'ovoid: fit: --parts = 0: must be 1 to 250' fit ring.obj --parts 0
bad 'ovoid: fit: --parts = 251: must be 1 to 250' fit ring.obj --parts 251
bad 'ovoid: fit: --error = nan: must be finite and above 0' fit ring.obj --error nan
bad 'ovoid: fit: --seconds = -1: must be finite and above 0' fit ring.obj --seconds -1
bad 'ovoid: fit: --mode is not for --published' fit ring.obj --published --mode inside
bad 'ovoid: ring.txt: the name must end in .json, .urdf, .xml, .mjcf, .sdf, .dae, .gltf or .glb' \
    fit ring.obj -o ring.txt
bad 'ovoid: cloud.txt: a point cloud has no triangles to decompose' fit cloud.txt --published
bad "ovoid: ring.json: this is a scene; a mesh, a robot or a file of points is expected: try 'ovoid contact ring.json'" \
    fit ring.json
printf 'v 0 0 0\nf 1 1 2\n' >bad.obj
bad 'ovoid: bad.obj:2: a triangle has vertex 2 (from 1), but there are 1' fit bad.obj
printf '1 2\n' >bad.txt
run fit bad.txt
check 'exit status 2' [ "$status" -eq 2 ]
check 'line' noted 'ovoid: bad.txt:1: '

printf 'fit: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
