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
check 'the robot is one' "$command" check ring.urdf

# ---- Ovoid's own ------------------------------------------------------------------------------

"$command" mesh superovoid 1 0.8 1.5 0.7 0.6 0.2 -0.1 --vertices 600 -o egg.obj 2>/dev/null
good fit egg.obj --parts 1 --seconds 2 -o egg.json
check 'one part' equals "$(grep -c ' superovoid ' out)" 1
check 'all held' has 'every triangle is held: proven'
check 'and the inside' has 'the inside is held: proven'
check 'as written' has 'egg.json, read back: every triangle is held: proven'
good fit egg.obj --parts 2 --seconds 0.001
check 'no more parts where time is short' [ "$(grep -c ' superovoid ' out)" -le 2 ]
check 'and all held' has 'every triangle is held: proven'
{
    cat egg.obj
    awk '/^v / { $2 += 5 } /^v / { print }' egg.obj
    awk -v n="$(grep -c '^v ' egg.obj)" '/^f / { split($2, a, "/"); split($3, b, "/"); split($4, c, "/")
        print "f", a[1] + n, b[1] + n, c[1] + n }' egg.obj
} >eggs.obj
run fit eggs.obj --parts 1
check 'told' noted 'ovoid: eggs.obj: note: shells: 2, 2 of them closed'
check 'two shells in one part' equals "$(grep -c ' superovoid ' out)" 1
check 'all held' has 'every triangle is held: proven'
printf '0 0 0\n1 0 0\n0 1 0\n0 0 1\n' >cloud.txt
good fit cloud.txt --parts 1 --seconds 1
check 'a cloud' has 'every point is held: proven'

# ---- broken meshes: a line each, and a fit all the same ---------------------------------------

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj
run fit open.obj --published
check 'exit status 0' [ "$status" -eq 0 ]
check 'told' noted 'ovoid: open.obj: note: open: 3 edges of one triangle, about 1 hole'
check 'held' has 'every triangle is held: proven'
run fit open.obj --published -o open.json
check 'a single part, far from the origin of its own frame' has 'open.json, read back: every triangle is held: proven'
run fit open.obj --published -o open.urdf
check 'and as a link' has 'open.urdf, read back: every triangle is held: proven'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >inverted.obj
run fit inverted.obj --published
check 'told' noted 'ovoid: inverted.obj: note: inverted: 1 closed shell was inside out, turned over'

# ---- bad input --------------------------------------------------------------------------------

bad 'ovoid: fit: needs one file, a mesh or a point cloud, got 0' fit
bad 'ovoid: fit: needs one file, a mesh or a point cloud, got 2' fit ring.obj egg.obj
bad 'ovoid: none.off: cannot be opened' fit none.off
bad 'ovoid: fit: --parts = 0: must be 1 to 250' fit ring.obj --parts 0
bad 'ovoid: fit: --parts = 251: must be 1 to 250' fit ring.obj --parts 251
bad 'ovoid: fit: --error = nan: must be finite and above 0' fit ring.obj --error nan
bad 'ovoid: fit: --seconds = -1: must be finite and above 0' fit ring.obj --seconds -1
bad 'ovoid: fit: --mode is not for --published' fit ring.obj --published --mode inside
bad 'ovoid: ring.txt: the name must end in .json, .urdf, .xml, .mjcf, .sdf, .dae, .gltf or .glb' \
    fit ring.obj -o ring.txt
bad 'ovoid: cloud.txt: a point cloud has no triangles to decompose' fit cloud.txt --published
bad "ovoid: ring.json: this is a scene; a mesh or a file of points is expected: try 'ovoid contact ring.json'" \
    fit ring.json
printf 'v 0 0 0\nf 1 1 2\n' >bad.obj
bad 'ovoid: bad.obj:2: a triangle has vertex 2 (from 1), but there are 1' fit bad.obj
printf '1 2\n' >bad.txt
run fit bad.txt
check 'exit status 2' [ "$status" -eq 2 ]
check 'line' noted 'ovoid: bad.txt:1: '

printf 'fit: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
