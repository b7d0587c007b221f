#!/usr/bin/env bash
# Golden tests of the ovoid command: arguments in; output, messages and exit status out.
# Needs OVOID_COMMAND; uses bash and coreutils, and python3 to read JSON.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

# ---- the frame, further ---------------------------------------------------------------------

run_with_input() { # TEXT ARGUMENTS...
    local input=$1
    shift
    case_name="ovoid $* <<< '$input'"
    printf '%b' "$input" | "$command" "$@" >out 2>err
    status=$?
}
equals() { [ "$1" = "$2" ]; }
is_empty() { [ ! -s "$1" ]; }
same_file() { cmp -s "$1" "$2"; }
has() { grep -qF -- "$1" out; }
at_least() { [ "$1" -ge "$2" ]; }
below() { [ "$1" -lt "$2" ]; }

check_bad() {
    printf '%s\n' "$1" >expected
    check 'exit status 2' equals "$status" 2
    check 'no output' is_empty out
    check "message: $1" same_file err expected
}

# value KEY: the one number, word or list after the first such key in the output
value() { sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out | head -n 1; }
# near VALUE EXPECTED RELATIVE_TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" \
        'BEGIN { d = a - b; s = b < 0 ? -b : b; exit !(a != "" && d <= t * s && -d <= t * s) }'
}

# ---- help and version -----------------------------------------------------------------------

version=$(sed -n 's/^#define OV_VERSION_M[AI][JN]OR \([0-9]*\)$/\1./p
    s/^#define OV_VERSION_PATCH \([0-9]*\)$/\1/p' "$source_dir/include/ovoid/ovoid.h" | tr -d '\n')
good --version
check 'version of the headers' equals "$(cat out)" "ovoid $version"

good --help
cat >expected <<'END'
Usage: ovoid VERB [options] ARGUMENTS
       ovoid help VERB
       ovoid --version

Smooth bodies: superellipsoids, superovoids (tapered superellipsoids) and their kin; how
far apart they are, where they touch, and whether that is certain.

Verbs:
  shape      all facts of a shape, as JSON
  mesh       a triangle mesh of a shape, as OBJ, STL or PLY
  fit        a mesh or a point cloud as a few smooth bodies
  gallery    a picture of the superovoid family, as SVG
  pairs      contacts of pairs of superovoids, CSV to CSV
  contact    contacts between the bodies of a scene, as a table, CSV, JSON or SVG
  check      collisions and clearances of a scene or of a moving robot
  sweep      proves a motion free of collision, or finds the times where it is not
  convert    robots and scenes as URDF, MJCF, SDFormat, JSON, COLLADA or glTF
  simulate   bodies, joints and cloth of a scene, moving by themselves
  touch      what a hand feels that leads a ball or a mesh over a mesh
  replay     runs saved queries again
  studio     the browser studio, served on this machine alone
  help       this text, or the one of a verb

Topics, as in 'ovoid help kinds':
  kinds      kinds of shape and their parameters, for shape and mesh
  scenes     the format of scenes, at rest and in motion
  joints     poses of a robot: --joints of check, sweep and convert
  simulation scenes that move by themselves: joints, robots, cloth
  devices    tracks and datagrams that lead the hand of touch

The type of a file is found by its contents; '-' means standard input or output. Tables
have rounded numbers; CSV and JSON have numbers that read back exactly. Notes and errors
go to standard error. Exit status: 0 done, 1 a check failed, 2 bad input. An output file
appears when it is complete; until then, and on failure, an existing file stays.
END
check 'help' same_file out expected
cp out help
good help
check 'help without a verb' same_file out help

# narrow FILE: no line is longer than a screen is wide
narrow() { awk 'length > 100 { exit bad = 1 } END { exit bad }' "$1"; }
ln -s "$source_dir/data" data
for verb in shape mesh fit gallery pairs contact check sweep convert simulate touch \
    replay studio; do
    good "$verb" --help
    check 'usage' has "Usage: ovoid $verb "
    check 'narrow' narrow out
    check 'five lines of what it does, at most' at_least 5 \
        "$(sed -n '3,/^$/p' out | grep -c .)"
    cp out help
    good help "$verb"
    check 'the same by help VERB' same_file out help
    good "$verb" -h
    check 'the same by -h' same_file out help
    good "$verb" whatever --bogus --help
    check 'help goes before everything else' same_file out help
    good help --list options "$verb"
    while read -r option; do
        check "help names $option" grep -qF -- "$option" help
    done <out
    # the examples in the help run as they stand
    sed -n '/^Examples:/,$s/^  //p' help >examples
    check 'has examples' at_least "$(wc -l <examples)" 2
    # ... but for a server, which does not end: test_studio
    [ "$verb" != studio ] || : >examples
    while read -r example; do
        case_name="example: $example"
        mkdir -p bin && ln -sf "$command" bin/ovoid
        PATH="$work/bin:$PATH" bash -c "$example" >out 2>err </dev/null
        status=$?
        check 'exit status 0' equals "$status" 0
    done <examples
done
for verb in check sweep convert; do
    good help "$verb"
    check 'an example with a robot' grep -q '^  ovoid .*data/arm.urdf' out
done
for topic in kinds scenes simulation devices joints; do
    good help "$topic"
    check 'narrow' narrow out
done
check 'joints' has '--joints lift=0.5,elbow=1'

good help gallery
cat >expected <<'END'
Usage: ovoid gallery [options] [-o FILE.svg]

Draws shaded superovoids over the range of both exponents: a column for each e1, a
row for each e2, in two panels, without and with taper. What is drawn is the surface,
dent and all; a cell whose dent is deeper than 5 % is left out and says so.

Options:
  --columns LIST             values of e1, as in 0.1,0.5,1
  --rows LIST                values of e2, as in 0.1,0.5,1
  --tx T                     one panel with this taper along x ...
  --ty T                     ... and along y
  --size PIXELS              width and height of a cell, 40 to 400 (112)
  -o, --output FILE          write to FILE ('-', the default: standard output)
  -h, --help                 this text

Examples:
  ovoid gallery -o family.svg
  ovoid gallery --columns 0.3,1 --rows 0.3,1,1.5 --tx -0.4 --ty 0.1 > few.svg
END
check 'help of a verb' same_file out expected

bad "ovoid: no verb: see 'ovoid --help'"
bad "ovoid: shap: unknown verb; did you mean 'shape'?" shap sphere 1
bad "ovoid: xyzzy: unknown verb; see 'ovoid --help'" xyzzy
bad "ovoid: --vorsion: unknown verb; see 'ovoid --help'" --vorsion
bad "ovoid: gallry: unknown verb; did you mean 'gallery'?" help gallry
bad "ovoid: help: takes one verb, not 2 words" help shape mesh
bad 'ovoid: help: --list takes: verbs, topics, kinds [VERB], options VERB, or values VERB OPTION' \
    help --list options nothing

# what a file is, where another one is expected
cp "$source_dir/data/arm.urdf" arm.urdf
robot='this is a URDF;'
bad "ovoid: arm.urdf: $robot a verb is expected: try 'ovoid check arm.urdf'" arm.urdf
bad "ovoid: arm.urdf: $robot a scene is expected: try 'ovoid check arm.urdf', or 'ovoid convert arm.urdf scene.json'" \
    contact arm.urdf
bad "ovoid: arm.urdf: $robot a file of pairs is expected: try 'ovoid check arm.urdf'" pairs arm.urdf
bad "ovoid: arm.urdf: $robot a file of joints is expected" check arm.urdf --joints arm.urdf
bad "ovoid: arm.urdf: $robot a scene is expected" check arm.urdf --obstacles arm.urdf
"$command" contact --example >a.json
"$command" sweep --example >b.json
"$command" pairs --example >c.csv
bad "ovoid: a.json: this is a scene; a file of pairs is expected: try 'ovoid contact a.json'" pairs a.json
bad "ovoid: a.json: this is a scene; a scene in motion or a robot is expected: try 'ovoid check a.json'" \
    sweep a.json
bad "ovoid: b.json: this is a scene in motion; a scene is expected: try 'ovoid sweep b.json', or 'ovoid simulate b.json'" contact b.json
bad "ovoid: b.json: this is a scene in motion; a scene or a robot is expected: try 'ovoid sweep b.json', or 'ovoid simulate b.json'" \
    check b.json
bad "ovoid: c.csv: this is a file of pairs; a scene or a robot is expected: try 'ovoid pairs c.csv'" check c.csv
printf '<?xml version="1.0"?>\n<!-- <robot> -->\n<mujoco model="x"/>' >d.xml
bad 'ovoid: d.xml: this is MJCF; a scene or a robot is expected' check d.xml
run_with_input "$(cat arm.urdf)" contact -
check_bad "ovoid: standard input: $robot a scene is expected: try 'ovoid check -', or 'ovoid convert - scene.json'"

# ---- words for completion -------------------------------------------------------------------

good help --list verbs
check 'verbs' equals "$(tr '\n' ' ' <out)" \
    'shape mesh fit gallery pairs contact check sweep convert simulate touch replay studio help '
good help --list kinds
kinds=$(cat out)
check 'kinds' equals "$(tr '\n' ' ' <out)" "sphere ellipsoid superellipsoid superovoid halfspace \
box capsule cylinder cone polyhedron triangle segment point superhyperboloid-1 \
superhyperboloid-2 supertoroid bent superellipse "
good help --list kinds gallery
check 'no kinds for gallery' is_empty out
good help --list kinds contact
check 'files for contact' equals "$(cat out)" FILE
good help --list values pairs --depth
check 'words of --depth' equals "$(tr '\n' ' ' <out)" 'global local proven '
good help --list options mesh
check 'options' equals "$(tr '\n' ' ' <out)" \
    '--vertices --error --format --convention --dent-tolerance --output -o --help '
good help --list values mesh --format
check 'formats' equals "$(tr '\n' ' ' <out)" 'obj stl ply '
good help --list values mesh -o
check 'file names' equals "$(cat out)" 'FILE'

# complete WORDS...: what bash would offer for the last word
complete_words() {
    (
        PATH="$work/bin:$PATH"
        # shellcheck source=/dev/null
        source "$source_dir/cli/completion/ovoid.bash"
        COMP_WORDS=(ovoid "$@")
        COMP_CWORD=$#
        COMPREPLY=()
        _ovoid
        printf '%s ' "${COMPREPLY[@]}"
    ) 2>/dev/null
}
touch cloud.txt
case_name=completion
check 'verbs' equals "$(complete_words ga)" 'gallery '
check 'of a verb for help' equals "$(complete_words help me)" 'mesh '
check 'of a topic for help' equals "$(complete_words help sc)" 'scenes '
check 'kinds' equals "$(complete_words shape supere)" 'superellipsoid superellipse '
check 'options' equals "$(complete_words mesh sphere 1 --ve)" '--vertices '
check 'words of an option' equals "$(complete_words shape --convention b)" 'barr blocky '
check 'files of an option' equals "$(complete_words mesh -o clo)" 'cloud.txt '
check 'files of a verb' equals "$(complete_words contact clo)" 'cloud.txt '
check 'files after a file' equals "$(complete_words replay cloud.txt clo)" 'cloud.txt '
check 'files of a polyhedron' equals "$(complete_words shape polyhedron clo)" 'cloud.txt '

# ---- bad input ------------------------------------------------------------------------------

bad "ovoid: shape: no shape; see 'ovoid shape --help'" shape
bad "ovoid: superovoide: unknown kind of shape; did you mean 'superovoid'?" shape superovoide 1
bad "ovoid: tesseract: unknown kind of shape; see 'ovoid shape --help'" shape tesseract
bad 'ovoid: superovoid: needs 7 parameters (a1 a2 a3 e1 e2 tx ty), got 5' shape superovoid 1 1 1 1 1
bad 'ovoid: sphere: needs 1 parameter (r), got 2' shape sphere 1 2
bad 'ovoid: superovoid: e1 = 2.5: exponents must be above 0 and at most 2' \
    shape superovoid 1 1 1 2.5 1 0 0
bad 'ovoid: superellipsoid: e2 = 0: exponents must be above 0 and at most 2' \
    shape superellipsoid 1 1 1 1 0
bad 'ovoid: superellipsoid: e2 = -1: exponents must be above 0 and at most 2' \
    shape superellipsoid 1 1 1 1 -1
bad 'ovoid: superellipsoid: e1 = 1x: not a number' shape superellipsoid 1 1 1 1x 1
bad 'ovoid: sphere: r = : not a number' shape sphere ''
bad 'ovoid: sphere: r =  1: not a number' shape sphere ' 1'
bad 'ovoid: sphere: r = 0: must be above 0' shape sphere 0
bad 'ovoid: ellipsoid: a3 = -2: must be above 0' shape ellipsoid 1 1 -2
bad 'ovoid: capsule: half_length = -1: must not be negative' shape capsule 1 -1
bad 'ovoid: box: hy = inf: must be finite' shape box 1 inf 1
bad 'ovoid: box: hy = 1e999: must be finite' shape box 1 1e999 1
bad 'ovoid: box: hz = nan: must be a number' shape box 1 1 nan
bad 'ovoid: box: hx = 1e61: sizes must lie between 1e-60 and 1e60' shape box 1e61 1 1
bad 'ovoid: box: hx = 1e-61: sizes must lie between 1e-60 and 1e60' shape box 1e-61 1 1
bad 'ovoid: superovoid: ty = -1: tapers must be above -1 and below 1' shape superovoid 1 1 1 1 1 0 -1
bad 'ovoid: halfspace: nx ny nz = 0 0 0: the direction has no length' shape halfspace 0 0 0 1
bad 'ovoid: supertoroid: hole = 0.5: the hole must be wider than the tube: above 1' \
    shape supertoroid 1 1 1 1 1 0.5
bad 'ovoid: superhyperboloid-2: height = 1: must be above a3, where the tips are' \
    shape superhyperboloid-2 1 1 1 1 1 1
bad "ovoid: bent: curvature = 3: the bend folds the body over itself: |curvature| times the reach \
of a section must be below 1, |curvature| a3 below pi" shape bent 1 1 1 1 1 0 0 3 0
bad 'ovoid: superellipse: e = 3: exponents must be above 0 and at most 2' shape superellipse 1 1 3
bad 'ovoid: superellipsoid: n2 = 0.5: block-shaped exponents must be finite and at least 1' \
    shape superellipsoid 1 1 1 4 0.5 --convention blocky

bad 'ovoid: ellipsoid: a2 is missing; it needs: a1 a2 a3' shape ellipsoid a1=1 a3=1
bad 'ovoid: ellipsoid: a1 is given twice' shape ellipsoid a1=1 a1=2 a3=1
bad 'ovoid: ellipsoid: unknown parameter b1; it has: a1 a2 a3' shape ellipsoid b1=1
bad 'ovoid: ellipsoid: 2: give all parameters by name, or all by position' shape ellipsoid a1=1 2
bad 'ovoid: ellipsoid: a1 = one: not a number' shape ellipsoid a1=one a2=1 a3=1

bad 'ovoid: shape: unknown option --suport; did you mean --support?' shape sphere 1 --suport 1 0 0
bad "ovoid: shape: unknown option --format; see 'ovoid shape --help'" shape sphere 1 --format x
bad "ovoid: shape: --convention needs NAME, one of: ovoid barr blocky" shape sphere 1 --convention
bad "ovoid: shape: unknown option -z; see 'ovoid shape --help'" shape sphere 1 -z
bad 'ovoid: shape: --at needs X Y Z' shape sphere 1 --at 1 2
bad 'ovoid: shape: --at needs X Y Z' shape sphere 1 --at 1 --support 1 1 1
bad 'ovoid: shape: --at is given twice' shape sphere 1 --at 1 1 1 --at 1 1 1
bad 'ovoid: shape: --at takes its values as separate words' shape sphere 1 --at=1,1,1
bad 'ovoid: shape: --at = one: not a number' shape sphere 1 --at one 1 1
bad 'ovoid: shape: --at = inf: must be finite' shape sphere 1 --at 0 inf 0
bad 'ovoid: shape: --support: the direction has no length' shape sphere 1 --support 0 0 0
bad 'ovoid: shape: --convention = mine: not one of: ovoid barr blocky' \
    shape sphere 1 --convention mine
bad 'ovoid: shape: --dent-tolerance = 2: must be from 0 to 1' shape sphere 1 --dent-tolerance 2
bad 'ovoid: shape: --dent-tolerance = nan: must be from 0 to 1' shape sphere 1 --dent-tolerance nan
bad 'ovoid: sphere\x0a\x1b[1m: unknown kind of shape; see '\''ovoid shape --help'\' \
    shape $'sphere\n\e[1m'
run shape superovoid 1 1 1 1 0.5 0.9 -0.9
check 'a dent is refused' equals "$status" 2
check 'by its own message' grep -qx "ovoid: superovoid: tx = 0.9, ty = -0.9: the taper makes a \
dent 0\.[0-9]* deep, more than the allowed 0.05 (see --dent-tolerance)" err

# ---- shape ----------------------------------------------------------------------------------

cat >cloud.txt <<'END'
# corners of a cube, and a point inside
-1 -1 -1
1 -1 -1
-1 1 -1
1 1 -1
-1 -1 1
1 -1 1
-1 1 1
1 1 1
0.5 0.25 0
END

parameters_of() { # KIND: a good example
    case $1 in
    sphere) echo 0.1 ;;
    ellipsoid) echo 0.1 0.2 0.7 ;;
    superellipsoid) echo 0.1 0.2 0.7 0.3 1.1 ;;
    superovoid) echo 0.1 0.2 0.7 0.3 1.1 -0.1 -0.12 ;;
    halfspace) echo 0 0.6 0.8 -0.3 ;;
    box) echo 0.1 0.2 0.7 ;;
    capsule | cylinder | cone) echo 0.1 0.7 ;;
    polyhedron) echo cloud.txt ;;
    triangle) echo 0.1 0.2 0.3 1.1 0.2 0.3 0.1 -7.7 1e-3 ;;
    segment) echo 0.1 0.2 0.3 1.1 0.2 0.3 ;;
    point) echo 0.1 0.2 -0.3 ;;
    superhyperboloid-1) echo 0.1 0.2 0.7 0.3 1.1 1.3 ;;
    superhyperboloid-2) echo 0.1 0.2 0.7 0.3 1.1 1.3 ;;
    supertoroid) echo 0.1 0.2 0.7 0.3 1.1 2.1 ;;
    bent) echo 0.1 0.2 0.7 0.3 1.1 0.1 0.2 0.3 0.4 ;;
    superellipse) echo 0.1 0.2 0.3 ;;
    esac
}

keys='ovoid kind parameters convex dent aabb obb bounding_ball inscribed_ball volume centroid inertia curvature exponents '
for kind in $kinds; do
    read -r -a parameters <<<"$(parameters_of "$kind")"
    good shape "$kind" "${parameters[@]}"
    check 'JSON' is_json out
    check 'kind as given' equals "$(value kind)" "\"$kind\""
    check 'no NaN' equals "$(grep -ci nan out)" 0
    if [ "$kind" != superellipse ]; then
        check 'all keys' equals "$(sed -n 's/^  "\([a-z_]*\)".*/\1/p' out | tr '\n' ' ')" "$keys"
    fi
    # the printed parameters make the same shape, to the last digit of every fact
    if [ "$kind" != polyhedron ]; then
        cp out first
        sed -n '/^  "parameters"/,/^  }/s/^    "\([a-z0-9_]*\)": \([^,]*\),\{0,1\}$/\1=\2/p' out >named
        check 'as many parameters' equals "$(wc -l <named)" "${#parameters[@]}"
        mapfile -t parameters <named
        good shape "$kind" "${parameters[@]}"
        check 'reads back exactly' same_file out first
    fi
done

good shape sphere 0.1
check 'no more digits than it needs' equals "$(value r)" 0.1
good shape sphere 0x1.999999999999ap-4
check 'hexadecimal' equals "$(value r)" 0.1
good shape sphere 0.30000000000000004
check 'seventeen digits where it needs them' equals "$(value r)" 0.30000000000000004
good shape point -0 0 0
check 'no negative zero' equals "$(grep -c -- '-0[],]' out)" 0
good shape sphere 1 -o sphere.json
check 'nothing on standard output' is_empty out
check 'version first' equals "$(sed -n 2p sphere.json)" '  "ovoid": 1,'
good shape ellipsoid a3=3 a1=1 a2=2
check 'by name in any order' equals "$(value a1)$(value a2)$(value a3)" 123

# kinds are filed under the simplest one
good shape superovoid 1 2 3 0.5 0.5 0 0
check 'no taper' equals "$(value kind)" '"superellipsoid"'
good shape superovoid 1 2 3 1 1 0 0
check 'round' equals "$(value kind)" '"ellipsoid"'
good shape superellipsoid 2 2 2 1 1
check 'round and equal' equals "$(value kind)" '"sphere"'
check 'volume of a sphere' near "$(value volume)" 33.510321638291124 1e-12
check 'curvature of a sphere' has '"max": 0.5'

good shape box 1 2 3
check 'volume' near "$(value volume)" 48 1e-14
check 'no dent' equals "$(value dent)" null
check 'no exponents' equals "$(value exponents)" null
good shape superovoid 1 1 1 1 0.5 0.4 -0.4
# the largest of w M along the diagonal of the equator, at zeta^2 = 0.1526, less 1
check 'dent' near "$(value dent)" 6.19e-3 0.005
check 'convex hull all the same' equals "$(value convex)" true
good shape superovoid 1 1 1 1 0.5 0.9 -0.9 --dent-tolerance 1
check 'a deep dent on demand' awk -v d="$(value dent)" 'BEGIN { exit !(d > 0.05) }'
good shape superellipsoid 1 1 1 0.5 0.5
check 'flats' has '"min": 0,'
good shape superellipsoid 1 1 1 1.5 1.5
check 'edges' has '"max": "infinite"'
good shape supertoroid 1 1 1 1 1 3
check 'not convex' equals "$(value convex)" false
good shape halfspace 0 0 2 1
check 'no volume' equals "$(value volume)" null
check 'no box' equals "$(value aabb)" null
check 'no ball' equals "$(value bounding_ball)" null

good shape superellipsoid a1=1 a2=1 a3=2 n1=4 n2=8 --convention blocky
check 'e1 from n2' equals "$(value e1)" 0.25
check 'e2 from n1' equals "$(value e2)" 0.5
check 'blocky as given' equals "$(value n1) $(value n2)" '4 8'
good shape superellipsoid 1 1 2 0.25 0.5 --convention barr
check 'e1 is the second' equals "$(value e1)" 0.5
good shape --convention=ovoid superellipsoid 1 1 2 0.25 0.5
check 'e1 is the first' equals "$(value e1)" 0.25

# at a point, in a direction; options anywhere
good shape --at -0.5 0 0 sphere 1
check 'JSON' is_json out
check 'gauge' equals "$(value gauge)" 0.5
check 'implicit' equals "$(value implicit)" 0.25
check 'inside' equals "$(value contains)" true
good shape sphere --at 0 0 -2 -- 1
check 'outside' equals "$(value contains)" false
check 'gradient' equals "$(value gauge_gradient | tr -d '-')" '[0, 0, 1]'
good shape sphere 1 --at 0 0 0
check 'centre' equals "$(value gauge)" 0
good shape supertoroid 1 1 1 1 1 3 --at 3 0 0
check 'no gauge' equals "$(value gauge)" null
check 'in the tube' equals "$(value contains)" true
good shape box 1 2 3 --support 1 -1 1 --at 1 2 3
check 'support value' equals "$(value value)" 6
check 'support point' has '"point": [1, -2, 3]'
good shape halfspace 0 0 1 2 --support 0 0 1
check 'along its normal' equals "$(value value)" 2
good shape halfspace 0 0 1 2 --support 0 1 0
check 'without end' equals "$(value value)" '"infinite"'
good shape superellipse 1 2 1 --at 0.5 0 --support 0 -1
check 'JSON' is_json out
check 'gauge in the plane' equals "$(value gauge)" 0.5
check 'area' near "$(value area)" 6.2831853071795865 1e-12
check 'support in the plane' equals "$(value value)" 2
run shape supertoroid 1 1 1 1 1 3 --support 1 0 0
check 'no support of a ring' equals "$status" 2

# polyhedra
good shape polyhedron cloud.txt
check 'corners only' equals "$(value vertices) $(value triangles)" '8 12'
check 'volume' near "$(value volume)" 8 1e-12
run_with_input '0 0 0\n1 0 0\n0 1 0\n0 0 1\n' shape polyhedron -
check 'exit status 0' equals "$status" 0
check 'tetrahedron' near "$(value volume)" 0.16666666666666667 1e-12
bad 'ovoid: polyhedron: needs 1 parameter (FILE), got 0' shape polyhedron
bad 'ovoid: missing.txt: cannot be read: No such file or directory' shape polyhedron missing.txt
printf '0 0 0\n1 0 0\n0 one 0\n' >bad.txt
run shape polyhedron bad.txt
check 'exit status 2' equals "$status" 2
check 'file and line' grep -q '^ovoid: bad.txt:3: ' err
printf '0 0 0\n1 0 0\n0 1 0\n1 1 0\n' >flat.txt
run shape polyhedron flat.txt
check 'exit status 2' equals "$status" 2
check 'flat' grep -q '^ovoid: flat.txt: 4 points: ' err
run_with_input '' shape polyhedron -
check_bad 'ovoid: standard input: holds no points'
mkdir folder
bad 'ovoid: folder: cannot be read' shape polyhedron folder

# ---- mesh -----------------------------------------------------------------------------------

counts() { sed -n 's/^.*: note: \([0-9]*\) vertices, \([0-9]*\) triangles$/\1 \2/p' err; }
for kind in $kinds; do
    read -r -a parameters <<<"$(parameters_of "$kind")"
    case $kind in
    superellipse)
        bad 'ovoid: superellipse: is a curve in the plane, it has no mesh' \
            mesh "$kind" "${parameters[@]}" -o m.obj
        continue
        ;;
    halfspace | triangle | segment | point)
        bad "ovoid: $kind: has no closed surface, so no mesh" mesh "$kind" "${parameters[@]}" -o m.obj
        continue
        ;;
    esac
    run mesh "$kind" "${parameters[@]}" -o m.obj --vertices 700
    check 'exit status 0' equals "$status" 0
    read -r vertices triangles <<<"$(counts)"
    check 'budget' at_least 700 "$vertices"
    check 'vertices' equals "$(grep -c '^v ' m.obj)" "$vertices"
    check 'triangles' equals "$(grep -c '^f ' m.obj)" "$triangles"
    check 'no NaN' equals "$(grep -ci nan m.obj)" 0
    # Euler's formula: 2 for each closed piece, 0 for a ring
    euler=$((vertices - triangles / 2))
    case $kind in
    supertoroid) expected=0 ;;
    superhyperboloid-2) expected=4 ;;
    *) expected=2 ;;
    esac
    check "Euler's number $euler" equals $euler $expected
done

run mesh superovoid 1 1 1.5 0.8 0.8 -0.2 -0.2 --vertices 500 -o egg.stl
read -r vertices triangles <<<"$(counts)"
check 'size of binary STL' equals "$(wc -c <egg.stl)" $((84 + 50 * triangles))
run mesh superovoid 1 1 1.5 0.8 0.8 -0.2 -0.2 --vertices 500 --format ply -o egg.bin
check 'exit status 0' equals "$status" 0
check 'head of PLY' equals "$(head -n 1 egg.bin)" ply
check 'vertices in PLY' grep -qax "element vertex $vertices" egg.bin
run mesh superovoid 1 1 1.5 0.8 0.8 -0.2 -0.2 --vertices=500 --format=stl -o -
check 'the same on standard output' same_file out egg.stl
check 'counts on the error stream' equals "$(cat err)" \
    "ovoid: standard output: note: $vertices vertices, $triangles triangles"
run mesh sphere 1 --error 0.01 -o coarse.obj
read -r coarse _ <<<"$(counts)"
run mesh sphere 1 --error 0.0001 -o fine.obj
read -r fine _ <<<"$(counts)"
check 'a smaller error takes more vertices' at_least "$fine" $((20 * coarse))

where='ovoid: mesh: name an output: -o FILE.obj, FILE.stl or FILE.ply; or --format obj, stl or ply for standard output'
bad "$where" mesh sphere 1
bad 'ovoid: m.dae: the name must end in .obj, .stl or .ply, or --format be given' \
    mesh sphere 1 -o m.dae
bad "$where" mesh sphere 1 -o -
bad 'ovoid: mesh: --format = dae: not one of: obj stl ply' mesh sphere 1 -o m.obj --format dae
bad 'ovoid: mesh: --output needs FILE' mesh sphere 1 -o
bad 'ovoid: mesh: give --vertices or --error, not both' \
    mesh sphere 1 -o m.obj --vertices 10 --error 1
bad 'ovoid: mesh: --vertices = -5: not a whole number' mesh sphere 1 -o m.obj --vertices -5
bad 'ovoid: mesh: --vertices = 1e3: not a whole number' mesh sphere 1 -o m.obj --vertices 1e3
bad 'ovoid: mesh: --vertices = 99999999999999999999: too large' \
    mesh sphere 1 -o m.obj --vertices 99999999999999999999
bad 'ovoid: mesh: --error = 0: must be finite and above 0' mesh sphere 1 -o m.obj --error 0
bad 'ovoid: mesh: --error = 1e-30: too fine: needs more than 2^26 vertices' \
    mesh sphere 1 -o m.obj --error 1e-30
bad 'ovoid: mesh: --vertices = 2: too few for a closed mesh' mesh sphere 1 -o m.obj --vertices 2
bad 'ovoid: mesh: --vertices = 67108865: more than 2^26' mesh sphere 1 -o m.obj --vertices 67108865
bad 'ovoid: no/such/m.obj: cannot be written: No such file or directory' \
    mesh sphere 1 -o no/such/m.obj

# ---- gallery --------------------------------------------------------------------------------

run gallery -o family.svg
check 'exit status 0' equals "$status" 0
check 'says what it drew' equals "$(cat err)" 'ovoid: family.svg: note: 50 shapes'
check 'below 2 MB' below "$(wc -c <family.svg)" 2000000
check 'head' equals "$(head -c 5 family.svg)" '<svg '
check 'end' equals "$(tail -n 1 family.svg)" '</svg>'
check 'all cells' equals "$(grep -c '^<g transform="scale' family.svg)" 50
check 'each body has one outline' equals "$(grep -c 'stroke-width="6" d="M[^M]*z"' family.svg)" 50
check 'no NaN' equals "$(grep -cE 'nan|inf' family.svg)" 0
check 'groups are closed' equals "$(grep -o '<g ' family.svg | wc -l)" \
    "$(grep -o '</g>' family.svg | wc -l)"
good gallery
check 'the same on standard output' same_file out family.svg
good gallery --columns 0.5,1 --rows 1 --tx 0.2 --size 60
check 'two cells' equals "$(grep -c '^<g transform="scale' out)" 2
good gallery --columns 1 --rows 0.5,1.9 --tx -0.9 --ty 0.9
check 'what is not convex is left out' has 'not convex'
bad 'ovoid: gallery: --columns = 2.5: exponents must be above 0 and at most 2' gallery --columns 1,2.5
bad "ovoid: gallery: --rows = 1,,1: '' is not a number" gallery --rows 1,,1
bad 'ovoid: gallery: --rows: more than 12 values' gallery --rows 1,1,1,1,1,1,1,1,1,1,1,1,1
bad 'ovoid: gallery: --tx = 1: tapers must be above -1 and below 1' gallery --tx 1
bad 'ovoid: gallery: --ty = nan: tapers must be above -1 and below 1' gallery --ty nan
bad 'ovoid: gallery: --size = 5: must be from 40 to 400' gallery --size 5
bad 'ovoid: gallery: family.svg: takes no arguments; name the output with -o family.svg' gallery family.svg

# ---- pairs ----------------------------------------------------------------------------------

header='A_a1,A_a2,A_a3,A_e1,A_e2,A_tx,A_ty,A_px,A_py,A_pz,A_qw,A_qx,A_qy,A_qz,'
header+='B_a1,B_a2,B_a3,B_e1,B_e2,B_tx,B_ty,B_px,B_py,B_pz,B_qw,B_qx,B_qy,B_qz'
contacts='status,relation,gap,gap_lower,gap_upper,ax,ay,az,bx,by,bz,nx,ny,nz,iterations'
none='undecided,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,0'
ball=1,1,1,1,1,0,0
here=0,0,0,1,0,0,0
# field ROW COLUMN: of the output, rows counted from 1 below the header
field() { sed -n "$(($1 + 1))p" out | cut -d , -f "$2"; }

cat >pairs.csv <<END
$header
$ball,$here,$ball,0,0,3,1,0,0,0
$ball,$here,$ball,0,0,2,1,0,0,0
$ball,$here,$ball,0,0,1.5,1,0,0,0
1,2,3,0.5,1.5,0,0,0,0,0,2,0,0,0,1,1,1.5,1,0.8,-0.2,-0.2,0,7,0,0,0,3,0
END
good pairs pairs.csv
cp out contacts.csv
check 'header' equals "$(head -n 1 out)" "$contacts"
check 'a row for each row' equals "$(wc -l <out)" 5
check 'all solved' equals "$(cut -d , -f 1 out | sort -u | tr '\n' ' ')" 'solved status '
check 'relations' equals "$(cut -d , -f 2 out | tail -n +2 | tr '\n' ' ')" \
    'separated touching overlapping separated '
check 'gap of two balls' near "$(field 1 3)" 1 1e-9
check 'depth of two balls' near "$(field 3 3)" -0.5 1e-9
check 'point on A' equals "$(field 1 6),$(field 1 7),$(field 1 8)" 0,0,1
check 'point on B' equals "$(field 1 9),$(field 1 10),$(field 1 11)" 0,0,2
check 'normal' equals "$(field 1 12),$(field 1 13),$(field 1 14)" 0,0,1
check 'no bad number' equals "$(grep -cE 'nan|inf' out)" 0
check 'bounds' awk -F , 'NR > 1 && !($4 <= $3 && $3 <= $5) { bad = 1 } END { exit bad }' out

# from standard input, to a file, with carriage returns and blanks, on threads: the same
run_with_input "$(sed 's/$/\\r/' pairs.csv | tr '\n' '~' | sed 's/~/\\n/g')\n\n\n" pairs -
check 'exit status 0' equals "$status" 0
check 'carriage returns' same_file out contacts.csv
good pairs pairs.csv --threads 2
check 'threads' same_file out contacts.csv
good pairs pairs.csv --threads 0 --depth global --tolerance 1e-9 -o file.csv
check 'nothing on standard output' is_empty out
check 'in the file' same_file file.csv contacts.csv
sed 's/,/ , /g' pairs.csv >blanks.csv
good pairs blanks.csv
check 'blanks' same_file out contacts.csv
good pairs pairs.csv --tolerance 1e-3 --depth local
check 'coarse and local' equals "$(cut -d , -f 2 out | tail -n +2 | tr '\n' ' ')" \
    'separated touching overlapping separated '
printf '%s\n' "$header" >no_rows.csv
good pairs no_rows.csv
check 'no rows' equals "$(cat out)" "$contacts"

# bad rows get their status and the run goes on
cat >bad_rows.csv <<END
$header
$ball,$here,$ball,0,0,3,1,0,0,0
one,1,1,1,1,0,0,$here,$ball,$here
$ball,$here
$ball,$here,$ball,$here,0
nan,1,1,1,1,0,0,$here,$ball,$here
$ball,$here,$ball,0,0,inf,1,0,0,0
0,1,1,1,1,0,0,$here,$ball,$here
1,1,1e99,1,1,0,0,$here,$ball,$here
1,1,1,1,2.5,0,0,$here,$ball,$here
1,1,1,1,1,1,0,$here,$ball,$here
1,1,1,1,0.5,0.9,-0.9,$here,$ball,$here
$ball,0,0,0,0,0,0,0,$ball,$here
$ball,0,0,1e150,1,0,0,0,$ball,$here
$ball,$here,$ball,0,0,3,1,0,0,0
END
printf '1,2,3' >>bad_rows.csv
good pairs bad_rows.csv
cat >expected <<END
file_format,$none
file_format,$none
file_format,$none
not_finite,$none
not_finite,$none
size_not_positive,$none
size_range,$none
exponent,$none
taper,$none
dent,$none
zero_direction,$none
size_range,$none
END
sed -n 3,14p out >rows
check 'words and nan' same_file rows expected
check 'the rows around are right' equals "$(sed -n 2p out)" "$(sed -n 15p out)"
check 'a row cut off' equals "$(sed -n 16p out)" "file_format,$none"
check 'a row for each row' equals "$(wc -l <out)" 16
{
    printf '%s\n%s,%s,' "$header" "$ball" "$here"
    head -c 100000 /dev/zero | tr '\0' 9
    printf '\n'
    sed -n 2p pairs.csv
} >long.csv
good pairs long.csv
check 'a very long line' equals "$(field 1 1) $(field 2 1)" 'file_format solved'

bad 'ovoid: pairs: needs one FILE.csv, or '\''-'\'', got 0' pairs
bad 'ovoid: pairs: needs one FILE.csv, or '\''-'\'', got 2' pairs a.csv b.csv
bad 'ovoid: missing.csv: cannot be read: No such file or directory' pairs missing.csv
bad 'ovoid: folder: cannot be read' pairs folder
bad "ovoid: cloud.txt:1: column 1 of the header is '# corners of a cube', must be 'A_a1'" \
    pairs cloud.txt
run_with_input '' pairs -
check_bad 'ovoid: standard input: empty, where a header A_a1,...,B_qz should be'
run_with_input '\nA_a1,A_a2,A_a3,A_e2,A_e1\n' pairs -
check_bad "ovoid: standard input:2: column 4 of the header is 'A_e2', must be 'A_e1'"
run_with_input 'A_a1\n' pairs -
check_bad 'ovoid: standard input:1: the header has fewer than 28 columns: it must be A_a1,...,B_qz'
bad 'ovoid: pairs: --tolerance = 0: must be from 1e-12 to 1e-3' pairs pairs.csv --tolerance 0
bad 'ovoid: pairs: --tolerance = nan: must be from 1e-12 to 1e-3' pairs pairs.csv --tolerance nan
bad 'ovoid: pairs: --tolerance = tight: not a number' pairs pairs.csv --tolerance tight
bad 'ovoid: pairs: --depth = deep: not one of: global local proven' pairs pairs.csv --depth deep
bad 'ovoid: pairs: --threads = many: not a whole number' pairs pairs.csv --threads many
bad 'ovoid: pairs: --threads = 5000: must be at most 256' pairs pairs.csv --threads 5000
bad 'ovoid: pairs: --record needs --failures DIR' pairs pairs.csv --record 1
bad 'ovoid: cloud.txt: cannot be made: File exists' pairs pairs.csv --failures cloud.txt
bad 'ovoid: no/such/file.csv: cannot be written: No such file or directory' \
    pairs pairs.csv -o no/such/file.csv

run pairs pairs.csv --timing
check 'exit status 0' equals "$status" 0
check 'the same rows' same_file out contacts.csv
check 'one line of JSON' equals "$(wc -l <err)" 1
check 'JSON' is_json err
number='[0-9]*\.[0-9]'
check 'keys' grep -qx "{\"ovoid\":1,\"pairs\":4,\"mean_ns\":$number,\"median_ns\":$number,\"p99_ns\":$number,\
\"max_ns\":$number,\"batch_mean_ns\":$number}" err
run pairs no_rows.csv --timing
check 'times of nothing' equals "$(cat err)" '{"ovoid":1,"pairs":0,"mean_ns":null,"median_ns":null,'\
'"p99_ns":null,"max_ns":null,"batch_mean_ns":null}'

# ---- contact --------------------------------------------------------------------------------

cat >balls.json <<'END'
{"title": "balls & <boxes>",
 "bodies": [
  {"name": "a", "kind": "sphere", "radius": 1},
  {"name": "b", "kind": "sphere", "radius": 1, "position": [0, 0, 3]},
  {"name": "ground", "kind": "halfspace", "normal": [0, 0, 1], "offset": -1},
  {"name": "wall", "kind": "halfspace", "normal": [1, 0, 0], "offset": -4},
  {"name": "c", "kind": "box", "half_extents": [1, 1, 1], "position": [1.5, 0, 0],
   "rotation": {"axis": [0, 0, 1], "angle_deg": 90}}
]}
END
good contact balls.json
check 'a row for each pair' equals "$(sed '/^$/,$d' out | wc -l)" 11
check 'the deepest overlap first' equals "$(sed -n 2p out | awk '{ print $1, $2, $3, $4 }')" \
    'a c overlapping -0.5'
check 'what has no answer says why' grep -qx 'ground  wall    unbounded' out
check 'a gap' equals "$(awk '$1 == "a" && $2 == "b" { print $3, $4, $6, $7, $8, $11 }' out)" \
    'separated 1 0.000 0.000 1.000 1.000'
check 'narrow' narrow out
check 'a touch' equals "$(awk '$1 == "a" && $2 == "ground" { print $3 }' out)" touching
check 'summary' equals "$(tail -n 1 out)" \
    '5 bodies, 10 pairs: 1 overlapping, 2 touching, 6 separated, 0 undecided, 1 without an answer'
cp out table
run_with_input "$(cat balls.json)" contact -
check 'the same from standard input' same_file out table
good contact balls.json --limit 1.5
check 'counts' equals "$(tail -n 2 out | head -n 1)" \
    '5 bodies, 10 pairs: 1 overlapping, 2 touching, 2 separated, 0 undecided, 1 without an answer'
check 'left out' equals "$(tail -n 1 out)" '4 pairs more than 1.5 apart are left out'

good contact balls.json --wide
check 'bounds and both points' equals \
    "$(awk '$1 == "a" && $2 == "b" { print $3, $4, $9, $12, $15 }' out)" 'separated 1 1 2 1'
good contact balls.json --csv
check 'columns' equals "$(head -n 1 out)" "a,b,$contacts"
check 'all pairs' equals "$(wc -l <out)" 11
check 'a row' grep -q '^a,b,solved,separated,1,.*,0,0,1,0,0,2,0,0,1,0$' out
cp out balls.csv
good contact balls.json --csv -o file.csv
check 'nothing on standard output' is_empty out
check 'in the file' same_file file.csv balls.csv
good contact balls.json -o file.txt --svg -
check 'a picture on standard output' is_svg out
check 'the table in a file' same_file file.txt table

good contact balls.json --json
check 'JSON' is_json out
check 'all pairs' equals "$(grep -c '"relation"' out)" 10
check 'title' equals "$(value title)" '"balls & <boxes>"'
check 'keys' equals "$(sed -n 's/^      "\([a-z_]*\)".*/\1/p' out | head -n 11 | tr '\n' ' ')" \
    'a b status relation gap gap_lower gap_upper point_a point_b normal iterations '
check 'version first' equals "$(sed -n 2p out)" '  "ovoid": 1,'
check 'gap' equals "$(value gap)" 1
check 'normal' equals "$(value normal)" '[0, 0, 1]'
check 'no answer is null' grep -qx '      "point_a": \[null, null, null\],' out
check 'no NaN' equals "$(grep -ci nan out)" 0
good contact balls.json --json --limit 0
check 'limit' equals "$(value limit)" 0
check 'only what touches' equals "$(grep -c '"relation"' out)" 4

# the bundled scene
scene=$source_dir/data/scene_dozen.json
good contact "$scene" --svg dozen.svg
check 'a dozen' grep -q '^12 bodies, 66 pairs: ' out
for relation in overlapping touching separated; do
    check "some are $relation" grep -q " $relation " out
done
check 'all solved' grep -q ', 0 undecided$' out
check 'bounds' awk '$3 == "separated" && !($5 < $4) { bad = 1 } END { exit bad }' out
check 'narrow' narrow out
check 'head' equals "$(head -c 5 dozen.svg)" '<svg '
check 'end' equals "$(tail -n 1 dozen.svg)" '</svg>'
check 'no NaN' equals "$(grep -cE 'nan|inf' dozen.svg)" 0
check 'groups are closed' equals "$(grep -o '<g[ >]' dozen.svg | wc -l)" \
    "$(grep -o '</g>' dozen.svg | wc -l)"
check 'two dots a mark' at_least "$(grep -c '<circle' dozen.svg)" 20
good contact balls.json --svg balls.svg
check 'title is escaped' grep -qF 'balls &amp; &lt;boxes&gt;' balls.svg

# every kind of body, also those without a surface, in a picture
cat >kinds.json <<'END'
{"bodies": [
  {"kind": "sphere", "radius": 1},
  {"kind": "ellipsoid", "semi_axes": [1, 2, 3], "position": [5, 0, 0]},
  {"kind": "superellipsoid", "semi_axes": [1, 2, 3], "exponents": [0.4, 1.4], "position": [10, 0, 0]},
  {"kind": "superovoid", "semi_axes": [1, 2, 3], "exponents": [1, 1], "taper": [0.1, 0.2],
   "position": [15, 0, 0], "rotation": [1, 1, 0, 0]},
  {"kind": "box", "parameters": {"hx": 1, "hy": 2, "hz": 3}, "position": [0, 5, 0]},
  {"kind": "capsule", "radius": 1, "half_length": 2, "position": [5, 5, 0]},
  {"kind": "cylinder", "radius": 1, "half_length": 2, "position": [10, 5, 0]},
  {"kind": "cone", "radius": 1, "half_length": 2, "position": [15, 5, 0]},
  {"kind": "polyhedron", "file": "cloud.txt", "position": [0, 10, 0]},
  {"kind": "polyhedron", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [],
   "position": [5, 10, 0]},
  {"kind": "triangle", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "position": [10, 10, 0]},
  {"kind": "segment", "vertices": [[0, 0, 0], [1, 0, 0]], "position": [15, 10, 0]},
  {"kind": "point", "vertices": [[0, 0, 0]], "position": [15, 15, 0]},
  {"kind": "halfspace", "normal": [0, 0, 1], "offset": -5}
]}
END
good contact kinds.json --svg kinds.svg
check 'pairs of all kinds' grep -q '^14 bodies, 91 pairs: 0 overlapping, 0 touching, 91 separated' out
check 'no NaN' equals "$(grep -cE 'nan|inf' out kinds.svg | grep -c ':0$')" 2
mkdir -p elsewhere
cp kinds.json elsewhere/
run contact elsewhere/kinds.json
check 'point files are looked for beside the scene' grep -qF \
    'ovoid: elsewhere/kinds.json:11: body 9: elsewhere/cloud.txt: cannot be opened: No such file or directory' err

bad "ovoid: contact: needs a file: a scene, or '-'" contact
bad 'ovoid: contact: b.json: a second file; it takes one: a scene' contact balls.json b.json
bad 'ovoid: contact: out.csv: a second file; name the output with -o out.csv' contact balls.json --csv out.csv
bad 'ovoid: cloud.txt: neither JSON nor XML; a scene is expected' contact cloud.txt
bad 'ovoid: contact: --csv and --json exclude each other' contact balls.json --csv --json
bad 'ovoid: contact: --wide is for tables; CSV and JSON have all columns' contact balls.json --csv --wide
bad 'ovoid: contact: --svg - and what is printed both go to standard output: name a file with -o or --svg' \
    contact balls.json --json --svg -
bad 'ovoid: missing.json: cannot be read: No such file or directory' contact missing.json
bad 'ovoid: folder: cannot be read' contact folder
run_with_input '{"bodies": [{"kind": "sphere", "radius": 1}]}' contact -
check_bad 'ovoid: standard input: a contact needs two bodies, the scene has 1'
run_with_input '{"bodies": [\n{"name": "egg", "kind": "superovoid",\n"semi_axis": [1, 1, 1]}]}' contact -
check_bad "ovoid: standard input:3: egg: unknown key 'semi_axis' of a superovoid; did you mean \
'semi_axes'?"
run_with_input '{"bodies": [\n{"kind": "sphere", "radius": 0}]}' contact -
check_bad 'ovoid: standard input:2: body 1: sizes must be above zero'
run_with_input '{"bodies": [\n' contact -
check 'cut off' equals "$status" 2
check 'with its line' grep -q '^ovoid: standard input:2: ' err
bad 'ovoid: contact: --limit = -1: must be finite and not negative' contact balls.json --limit -1
bad 'ovoid: contact: --record needs --failures DIR' contact balls.json --record a b
bad 'ovoid: contact: --record = x: no body has this name' \
    contact balls.json --failures saved --record a x
bad 'ovoid: no/such.svg: cannot be written: No such file or directory' \
    contact balls.json --svg no/such.svg

# ---- replay ---------------------------------------------------------------------------------

rm -rf saved
good contact balls.json --failures saved --record c a
check 'one file' equals "$(ls saved)" contact-1-5.replay
check 'hexadecimal' grep -qx 'a sphere 0x1p+0' saved/contact-1-5.replay
good replay saved/contact-1-5.replay
check 'what it is' equals "$(head -n 1 out)" \
    'saved/contact-1-5.replay: sphere and box, tolerance 1e-09, depth global'
check 'decimal too' grep -qE '^  gap         -0x1p-1 +-0\.5$' out
check 'the same' equals "$(tail -n 1 out)" '  the same answer as saved, to the bit'
sed 's/^seen -0x1p-1/seen 0.25/' saved/contact-1-5.replay >changed.replay
run_with_input "$(cat saved/contact-1-5.replay)\\n" replay -
check 'exit status 0' equals "$status" 0
check 'from standard input' equals "$(head -n 1 out | cut -d : -f 1)" 'standard input'
run replay changed.replay saved/contact-1-5.replay
check 'two files' equals "$(grep -c '^[^ ]' out)" 2
check 'tells what it was' grep -qE '^  gap         -0x1p-1 +-0\.5  \(was 0x1p-2  0\.25\)$' out
check 'not the same' grep -q '^  not the same answer' out
good pairs pairs.csv --failures saved --record 4
check 'the row' equals "$(ls saved | tr '\n' ' ')" 'contact-1-5.replay pair-4.replay '
good replay saved/pair-4.replay
check 'from a batch' grep -q 'superellipsoid and superovoid, .* from a batch$' out
check 'gap as in the table' equals "$(awk '$1 == "gap" { print $3 }' out)" \
    "$(sed -n 5p contacts.csv | cut -d , -f 3)"
# two half-spaces have no answer, so the check fails
sed -e 's/^a .*/a halfspace 0 0 1 0/' -e 's/^b .*/b halfspace 0 0 1 0/' \
    saved/contact-1-5.replay >two.replay
run replay two.replay
check 'exit status 1' equals "$status" 1
check 'its status' grep -qE '^  status      unbounded' out

bad "ovoid: replay: no file; see 'ovoid replay --help'" replay
bad 'ovoid: missing.replay: cannot be read: No such file or directory' replay missing.replay
bad "ovoid: balls.json: this is a scene; a replay is expected: try 'ovoid contact balls.json'" \
    replay balls.json
bad "ovoid: cloud.txt:2: not a replay: it must begin 'ovoid replay 1'" replay cloud.txt
head -n 5 saved/contact-1-5.replay >cut.replay
bad "ovoid: cut.replay:5: ends too early: no line 'end'" replay cut.replay
sed 's/^a sphere .*/a sphere one/' saved/contact-1-5.replay >word.replay
bad "ovoid: word.replay:5: 1 numbers are expected, number 1 is 'one'" replay word.replay

# ---- what cannot be written -----------------------------------------------------------------

if [ -w /dev/full ]; then
    full='cannot be written: No space left on device'
    bad "ovoid: /dev/full: $full" gallery --rows 1 --columns 1 -o /dev/full
    bad "ovoid: /dev/full: $full" mesh sphere 1 --format obj -o /dev/full
    bad "ovoid: /dev/full: $full" pairs pairs.csv -o /dev/full
    bad "ovoid: /dev/full: $full" contact balls.json --svg /dev/full
    for arguments in 'shape sphere 1' 'pairs pairs.csv' 'contact balls.json' \
        'contact balls.json --json' 'replay changed.replay' 'gallery --rows 1 --columns 1' '--help' '--version' \
        'mesh sphere 1 --format obj -o -'; do
        read -r -a words <<<"$arguments"
        case_name="ovoid $arguments > /dev/full"
        : >out
        "$command" "${words[@]}" >/dev/full 2>err </dev/null
        status=$?
        check_bad "ovoid: standard output: $full"
    done
fi

printf 'command: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
