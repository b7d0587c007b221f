#!/usr/bin/env bash
# Other people's robots, from Debian packages: loaded, checked, written as URDF, and read back by
# ovoid and by another parser (check_urdf of liburdfdom-tools).
#
# scripts/fetch-robots gets them. Where that cannot be done the test says so and ends.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

skip() {
    printf 'other robots: skipped: %s\n' "$1"
    exit 0
}

# ---- the files -----------------------------------------------------------------------------------

command -v check_urdf >/dev/null || skip 'no check_urdf (liburdfdom-tools)'
"$source_dir/scripts/fetch-robots" robots 2>fetch.log || skip "$(cat fetch.log)"

# ---- there and back ------------------------------------------------------------------------------

tree_of() { # FILE: the tree as the other parser sees it
    check_urdf "$1" 2>&1 | sed 's/^ *$//'
}
no_error() { [ "$status" -le 1 ] && [ ! -s err ]; }
has_links() { # FILE COUNT
    [ "$(grep -c '<link ' "$1")" -eq "$2" ]
}
try_robot() { # FILE LINKS [OPTION...]
    local file=$1 links=$2 base before
    shift 2
    base=$(basename "$file" .urdf | tr ' ' '_')
    run check "$file" --hulls "$@"
    check 'can be checked' no_error
    before=$status
    good convert "$file" "$base.urdf" "$@"
    case_name="$base.urdf"
    check 'all links' has_links "$base.urdf" "$links"
    tree_of "$file" >tree_before
    tree_of "$base.urdf" >tree_after
    check 'the other parser takes it' grep -q 'Successfully Parsed XML' tree_after
    check 'the other parser sees the same tree' cmp -s tree_before tree_after
    run check "$base.urdf" --hulls
    check 'can be checked again' no_error
    check 'with the same result' [ "$status" -eq "$before" ]
    # over itself
    cp "$base.urdf" first.urdf
    good convert "$base.urdf" "$base.urdf"
    check 'written the same again' [ "$(wc -l <"$base.urdf")" -eq "$(wc -l <first.urdf)" ]
}

try_robot 'robots/kr5/KR5 sixx R650.urdf' 8
try_robot robots/drchubo/drchubo.urdf 52
try_robot robots/herb_description/wam.urdf 9
try_robot robots/atlas/atlas_v3_no_head.urdf 34
try_robot robots/atlas_description/atlas_v4.urdf 47

# a robot whose meshes are elsewhere: one line with the file's
mv robots/herb_description robots/elsewhere
bad 'ovoid: robots/elsewhere/wam.urdf:30: link "/wam_base": mesh "package://herb_description/meshes/wam/wam_base_collision.STL" is not there: no folder of packages holds it; --package names such folders' \
    check robots/elsewhere/wam.urdf

printf 'other robots: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
