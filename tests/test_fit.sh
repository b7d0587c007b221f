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

# ---- one body ---------------------------------------------------------------------------------

# a cylinder of radius 2 and half length 3, sideways and elsewhere: its own numbers are found again
awk 'BEGIN { for (i = 0; i < 24; i++) for (k = 0; k <= 8; k++) { a = 0.2617993877991494 * i
    printf "%.17g %.17g %.17g\n", 5 + 0.75 * (k - 4), 2 * cos(a) - 1, 2 * sin(a) + 7 }
    for (i = 0; i < 24; i++) for (k = 1; k < 4; k++) { a = 0.2617993877991494 * i; for (s = -3; s <= 3; s += 6)
    printf "%.17g %.17g %.17g\n", 5 + s, 0.5 * k * cos(a) - 1, 0.5 * k * sin(a) + 7 } }' >tin.txt
good fit tin.txt --one distance --kind cylinder --csv -o tin.json
check 'its sizes and place' equals "$(awk -F, 'NR == 2 { printf "%s %.6f %.6f %.6f %.6f %.6f", $2, $3, $5, $10, $11, $12 }' out)" \
    'cylinder 2.000000 3.000000 5.000000 -1.000000 7.000000'
# every fourth point is elsewhere
awk '{ print } NR % 4 == 0 { print 5 + sin(NR) * 9, cos(3 * NR) * 9, 7 + sin(5 * NR) * 9 }' tin.txt >noisy.txt
good fit noisy.txt --one robust --kind cylinder
check 'as many as belong to it' grep -qE 'points that belong to the body: (79|8[0-4])' out
check 'in spite of outliers' grep -qE '^ +1  cylinder  +2[.0]* |^ +1  cylinder +(2|2[.]00|1[.]99)[0-9]* ' out
good fit tin.txt --one enclose --kind capsule -o tin.urdf
check 'held' has 'every point is held: proven'
check 'as written' has 'tin.urdf, read back: every point is held: proven'
for kind in sphere ellipsoid superellipsoid superovoid box capsule cylinder; do
    good fit egg.obj --one enclose --kind "$kind" -o one.json
    check 'held' has 'every triangle is held: proven'
    check 'and the inside' has 'the inside is held: proven'
    check 'as written' has 'one.json, read back: every triangle is held: proven'
done
good fit egg.obj --one mean --kind bent
check 'its bend' has 'bent: curvature '
good fit egg.obj --one distance --kind superellipsoid --symmetry 0.02 --svg one.svg
check 'planes' has 'planes of symmetry: '
check 'the picture is whole' equals "$(tail -n 1 one.svg)" '</svg>'
run fit eggs.obj --one enclose --kind box
check 'both shells' has 'the inside is held: proven'
bad 'ovoid: fit: --parts is not for --one' fit egg.obj --one mean --parts 2
bad 'ovoid: fit: --one and --published exclude each other' fit egg.obj --one mean --published
bad 'ovoid: fit: --kind box is for --one and robots' fit egg.obj --kind box
bad 'ovoid: fit: --one enclose is not for bent bodies, which are not convex' \
    fit egg.obj --one enclose --kind bent
bad 'ovoid: fit: --output is not for bent bodies, which no file of these holds' \
    fit egg.obj --one mean --kind bent -o bent.json
bad 'ovoid: fit: --one published is for smooth bodies, which a box is not' \
    fit egg.obj --one published --kind box

# ---- a cloud in a file of meshes ----------------------------------------------------------------

{
    printf 'ply\nformat ascii 1.0\nelement vertex %d\n' "$(wc -l <tin.txt)"
    printf 'property double %s\n' x y z
    printf 'end_header\n'
    cat tin.txt
} >tin.ply
good fit tin.ply --one distance --kind cylinder --csv
cp out ply.csv
good fit tin.txt --one distance --kind cylinder --csv
check 'the same body' cmp -s out ply.csv
checked_cloud() { run fit check tin.urdf tin.ply && has 'tin.ply: every point is held: proven'; }
check 'checked' checked_cloud

# ---- the inside of the published parts is told of, too --------------------------------------------

good fit egg.obj --published
check 'one part holds it' has 'the inside is held: proven'
run fit ring.obj --published
check 'told' grep -q 'the inside is held: ' out

# ---- broken meshes: a line each, and a fit all the same ---------------------------------------

solid='v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
other='f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n'
hows=('--parts 1 --seconds 0.1' '--published')
told() { # NAME NOTE...: exactly these lines, in their order
    local file=$1
    shift
    for note in "$@"; do
        printf 'ovoid: %s: note: %s\n' "$file" "$note"
    done | cmp -s - err
}
# Sanitizers are slow: with OVOID_TEST_EVERY every third fit is made, so both ways on a part of them.
turns=0
takes_turn() { [ "${OVOID_TEST_EVERY:-1}" -eq 1 ] || [ $((turns++ % 3)) -eq 0 ]; }
broken() { # NAME TEXT NOTE...: all of it is held, whatever is wrong with it
    local file=$1
    # shellcheck disable=SC2059
    printf "$2" >"$file"
    shift 2
    for how in "${hows[@]}"; do
        if ! takes_turn; then continue; fi
        # shellcheck disable=SC2086
        run fit "$file" $how -o "$file.json"
        check "exit status 0 ($how)" [ "$status" -eq 0 ]
        check "told: $*" told "$file" "$@"
        check 'held' has 'every triangle is held: proven'
        check 'held as written' has "$file.json, read back: every triangle is held: proven"
    done
}
broken closed.obj "$solid"
broken open.obj 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' \
    'open: 3 edges of one triangle, about 1 hole'
broken inverted.obj 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' \
    'inverted: 1 closed shell was inside out, turned over'
broken turned.obj 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' \
    'orientation: the triangles of 3 edges disagree, 1 triangle turned over'
broken double.obj "${solid}f 1 3 2\n" \
    'duplicate: 1 triangle occurs again, 0 of them back to back and kept'
broken repeated.obj "${solid}f 1 1 2\n" 'degenerate: 1 triangle without area, 1 of them dropped'
broken branched.obj "${solid}v 2 2 2\nf 1 2 5\n" 'open: 2 edges of one triangle, about 0 holes' \
    'non-manifold: 1 edge of more than two triangles' 'crossing: 1 pair of triangles crosses'
broken bow.obj "${solid}v 1 1 1\nv 2 1 1\nv 1 2 1\nf 4 6 7\nf 4 5 6\n" \
    'open: 4 edges of one triangle, about 1 hole' \
    'non-manifold: surfaces that share no edge meet in 1 vertex' 'shells: 2, 1 of them closed'
broken soup.obj 'v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n' \
    'equal: 8 vertices are equal to an earlier one, joined'
broken shells.obj "${solid}v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n$other" 'shells: 2, 2 of them closed'
broken crossing.obj "${solid}v .2 .2 .2\nv 1.2 .2 .2\nv .2 1.2 .2\nv .2 .2 1.2\n$other" \
    'shells: 2, 2 of them closed' 'crossing: 3 pairs of triangles cross'
broken strip.obj "$(awk 'BEGIN {
    for (i = 0; i < 24; i++) for (s = -1; s <= 1; s += 2) {
        a = i * atan2(0, -1) / 12; r = 3 + s * 0.7 * cos(a / 2)
        printf "v %.9g %.9g %.9g\\n", r * cos(a), r * sin(a), s * 0.7 * sin(a / 2) }
    for (i = 0; i < 24; i++) {
        a = 2 * i + 1; b = a + 1; c = i < 23 ? a + 2 : 2; d = i < 23 ? a + 3 : 1
        printf "f %d %d %d\\nf %d %d %d\\n", a, c, b, b, c, d } }')" \
    'open: 48 edges of one triangle, about 1 hole' \
    'orientation: the triangles of 1 edge disagree, 0 triangles turned over' \
    'one-sided: 1 surface cannot be oriented'
broken flat.obj 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n' \
    'flat: all vertices are in one plane' 'open: 4 edges of one triangle, about 1 hole'
broken single.obj 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' \
    'flat: all vertices are in one plane' 'open: 3 edges of one triangle, about 1 hole'
hows=('--published')
broken line.obj 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' \
    'degenerate: 1 triangle without area, 0 of them dropped' \
    'flat: all vertices are on one line' 'open: 3 edges of one triangle, about 1 hole'
printf '0 0 0\n1 0 0\n2 0 0\n3 0 0\n' >line.txt
good fit line.txt --parts 1 --seconds 1
check 'points on a line' has 'every point is held: proven'
# a cloud and a mesh without an inside: told which it is, not that its triangles are wrong
refused 'cloud.txt: --mode inside is for closed meshes: a point cloud has no inside' \
    fit cloud.txt --mode inside
run fit single.obj --mode approximate
check 'no inside' noted 'single.obj: --mode approximate is for closed meshes: this one has no inside'
check 'exit status 2' [ "$status" -eq 2 ]

# ---- the same seed, the same bits -------------------------------------------------------------

hows=('--published')
if [ "${OVOID_TEST_EVERY:-1}" -eq 1 ]; then hows+=('--parts 2 --mode approximate'); fi
for how in "${hows[@]}"; do
    for file in first again; do
        # shellcheck disable=SC2086
        run fit crossing.obj $how --seed 7 -o $file.json
        check "exit status 0 ($how)" [ "$status" -eq 0 ]
        mv $file.json $file.bits
    done
    check "the same bits ($how)" cmp -s first.bits again.bits
done

# ---- files that were changed ------------------------------------------------------------------

run fit check closed.obj.json closed.obj
check 'a proof' [ "$status" -eq 0 ]
cp closed.obj.json whole.json
refused() { # WHAT: the check of changed.json fails or refuses the file, in one line
    run fit check changed.json closed.obj
    check "$1: exit status 1 or 2" [ "$status" -eq 1 -o "$status" -eq 2 ]
    check "$1: at most one line" [ "$(wc -l <err)" -le 1 ]
}
# a program of its own, where there is one, proves the same and refuses the same
rechecked() { # STATUS FIT MESH
    [ -z "${OVOID_RECHECK:-}" ] && return
    run_program "$OVOID_RECHECK" "$2" "$3"
    check "exit status $1" [ "$status" -eq "$1" ]
}
rechecked 0 whole.json closed.obj
good fit egg.obj --parts 3 --seconds 0.5 -o egg3.json
rechecked 0 egg3.json egg.obj
rechecked 1 whole.json egg.obj
# six plates hold the surface of a cube, and not its middle
{
    printf '{"bodies": [{"parts": [\n'
    for at in '0, 0, -1' '0, 0, 1' '0, -1, 0' '0, 1, 0' '-1, 0, 0' '1, 0, 0'; do
        case $at in *0,*0,*) size='1.5, 1.5, 0.3' ;; 0,*) size='1.5, 0.3, 1.5' ;; *) size='0.3, 1.5, 1.5' ;; esac
        printf '{"semi_axes": [%s], "exponents": [0.2, 0.2], "position": [%s], "rotation": [1, 0, 0, 0]}\n' "$size" "$at"
    done
    printf '], "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}]}\n'
} >plates.json
{
    printf 'v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n'
    printf 'f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n'
} >box.obj
rechecked 1 plates.json box.obj
[ -z "${OVOID_RECHECK:-}" ] || check 'the surface is held' has 'pieces, not held: 0;'
size=$(wc -c <whole.json)
for part in 1 2 3 4 5 6 7; do
    head -c $((size * part / 8)) whole.json >changed.json
    refused "cut off at $part/8"
    check 'exit status 2' [ "$status" -eq 2 ]
done
sizes=$(grep -o '"size": *\[[^]]*\]\|"semi_axes": *\[[^]]*\]\|"a": *\[[^]]*\]' whole.json | head -n 1)
check 'there are sizes' [ -n "$sizes" ]
for factor in 1 0.99 0.5 1e-9 0 -1; do
    changed=$(printf '%s' "$sizes" | awk -v f=$factor -F '[][]' '{ n = split($2, x, ",")
        printf "%s[", $1; for (i = 1; i <= n; i++) printf "%s%.17g", (i > 1 ? ", " : ""), x[i] * f; print "]" }')
    awk -v from="$sizes" -v to="$changed" '{ i = index($0, from)
        if (i && !done) { $0 = substr($0, 1, i - 1) to substr($0, i + length(from)); done = 1 } print }' whole.json >changed.json
    if [ $factor = 1 ]; then
        run fit check changed.json closed.obj
        check 'the same sizes' [ "$status" -eq 0 ]
    else
        refused "sizes times $factor"
    fi
done
for word in nan 1e999 '"x"' null '[]'; do
    awk -v to="$word" '{ if (!done && match($0, /-?[0-9]+\.[0-9]+(e-?[0-9]+)?/)) {
        $0 = substr($0, 1, RSTART - 1) to substr($0, RSTART + RLENGTH); done = 1 } print }' whole.json >changed.json
    refused "a number that is $word"
    check 'exit status 2' [ "$status" -eq 2 ]
done

# ---- bad input --------------------------------------------------------------------------------

bad 'ovoid: fit: needs one file, a mesh or a point cloud, got 0' fit
bad 'ovoid: fit: needs one file, a mesh or a point cloud, got 2' fit ring.obj egg.obj
bad 'ovoid: none.off: cannot be opened' fit none.off
bad 'ovoid: fit: --parts = 0: must be 1 to 250' fit ring.obj --parts 0
bad 'ovoid: fit: --parts = 251: must be 1 to 250' fit ring.obj --parts 251
bad 'ovoid: fit: --error = nan: must be finite and above 0' fit ring.obj --error nan
bad 'ovoid: fit: --seconds = -1: must be finite and above 0' fit ring.obj --seconds -1
bad 'ovoid: fit: --symmetry = 0: must be above 0, up to 0.5' fit ring.obj --published --symmetry 0
bad 'ovoid: fit: --symmetry = inf: must be above 0, up to 0.5' fit ring.obj --published --symmetry inf
bad 'ovoid: fit: --symmetry is for --published, --one and robots' fit ring.obj --symmetry 0.01
bad 'ovoid: fit: --mode is not for --published' fit ring.obj --published --mode inside
bad 'ovoid: ring.txt: the name must end in .json, .urdf, .xml, .mjcf, .sdf, .dae, .gltf or .glb' \
    fit ring.obj -o ring.txt
bad 'ovoid: cloud.txt: a point cloud has no triangles to decompose' fit cloud.txt --published
bad "ovoid: ring.json: this is a scene; a mesh or a file of points is expected: try 'ovoid contact ring.json'" \
    fit ring.json
printf 'v 0 0 0\nf 1 1 2\n' >bad.obj
bad 'ovoid: bad.obj:2: a triangle has vertex 2 (from 1), but there are 1' fit bad.obj
for ending in obj stl off ply; do
    : >"empty.$ending"
    bad "ovoid: empty.$ending: empty, where a mesh should be" fit "empty.$ending"
done
: >empty.txt
bad 'ovoid: empty.txt: holds no points' fit empty.txt
printf 'v 0 0 0\n' >none.obj
bad 'ovoid: none.obj: the points coincide, or lie on one line or plane' fit none.obj
for number in nan inf; do
    printf 'v %s 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' $number >number.obj
    bad "ovoid: number.obj:1: '$number' is not finite" fit number.obj
    printf '%s 0 0\n1 0 0\n' $number >number.txt
    bad 'ovoid: number.txt:1: a number is NaN or infinite' fit number.txt
done
printf 'v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >huge.obj
bad "ovoid: huge.obj:1: '1e300' is too large" fit huge.obj
printf 'v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n' >point.obj
run fit point.obj
check 'exit status 2' [ "$status" -eq 2 ]
check 'told' noted 'ovoid: point.obj: note: flat: all vertices are one point'
check 'line' noted 'ovoid: point.obj: the points coincide, or lie on one line or plane'
printf '1 1 1\n1 1 1\n' >same.txt
bad 'ovoid: same.txt: the points coincide, or lie on one line or plane' fit same.txt
head -c 100 /dev/zero >cut.stl
bad 'ovoid: cut.stl: not STL: 0 triangles take 84 + 50 * 0 bytes, not 100' fit cut.stl
printf 'OFF\n3 1 0\n0 0 0\n' >cut.off
bad 'ovoid: cut.off:4: a vertex needs three numbers' fit cut.off
printf 'ply\nformat ascii 1.0\nelement vertex 3\n' >cut.ply
bad 'ovoid: cut.ply:4: the file ends within its header' fit cut.ply
printf '1 2\n' >bad.txt
run fit bad.txt
check 'exit status 2' [ "$status" -eq 2 ]
check 'line' noted 'ovoid: bad.txt:1: '

printf 'fit: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
