#!/usr/bin/env bash
# The published schemes: `ovoid-bench schemes` and `ovoid-bench pairs`. Where the program was built
# without them, it must say so in one line.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

tell() {
    printf 'schemes: %d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
# field ROW COLUMN: of the output, rows counted from 1 below the header
field() { sed -n "$(($1 + 1))p" out | cut -d , -f "$2"; }
near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" \
        'BEGIN { d = a - b; exit !(a ~ /^[-+0-9.e]+$/ && d <= t && -d <= t) }'
}

"$ovoid" pairs --example >pairs.csv

# ---- without the schemes --------------------------------------------------------------------

run schemes
if grep -q 'built without the published schemes' err; then
    for arguments in schemes 'pairs pairs.csv --scheme discrete' 'battery-schemes' \
        'portal' 'convergence'; do
        # shellcheck disable=SC2086  # the words are arguments
        run $arguments
        check 'exit status 2' [ "$status" -eq 2 ]
        check 'one line' [ "$(wc -l <err)" -eq 1 ]
        check 'says what to install' grep -q 'apt-get install' err
        check 'no output' [ ! -s out ]
    done
    tell
    exit
fi

# ---- the list -------------------------------------------------------------------------------

names='octImplicit quadImplicit quadParametric ntbParametric interiorPoint sqp discrete mesh'
check 'exit status 0' [ "$status" -eq 0 ]
check 'the names' [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = "$names " ]
check 'a paper for each' [ "$(grep -cE '\[(Benchmark|Thesis|Portal)\]' out)" -eq 8 ]
check 'there or missing' \
    [ "$(grep -cE '^[A-Za-z]+ +(available|missing: apt-get install [a-z0-9-]+) +\[' out)" -eq 8 ]
check 'discrete needs nothing' grep -qE '^discrete +available ' out
available=$(awk '$2 == "available" { print $1 }' out)
missing=$(awk '$2 == "missing:" { print $1 ":" $5 }' out)
has() { grep -qx "$1" <<<"$available"; }
good schemes --json
check 'JSON' is_json out
check 'its version first' [ "$(sed -n 2p out)" = '  "ovoid": 1,' ]
check 'eight schemes' [ "$(grep -c '"name"' out)" -eq 8 ]
check 'as many available' [ "$(grep -c '"available": true' out)" -eq "$(wc -w <<<"$available")" ]
good help --list values pairs --scheme
check 'the same names for completion' [ "$(tr '\n' ' ' <out)" = "$names " ]
bad 'ovoid-bench: schemes: all: takes no words, only options' schemes all
good schemes --help
check 'usage' grep -q '^Usage: ovoid-bench schemes' out

# ---- pairs by a scheme ----------------------------------------------------------------------

run_program "$ovoid" pairs pairs.csv
check 'exit status 0' [ "$status" -eq 0 ]
head -n 1 out >header
certified=$(field 1 3)
for name in $available; do
    good pairs pairs.csv --scheme "$name"
    check 'the same columns' cmp -s <(head -n 1 out) header
    check 'a row for each row' [ "$(wc -l <out)" -eq 4 ]
    check 'nothing is proven' [ "$(cut -d , -f 4,5 out | tail -n +2 | sort -u)" = nan,nan ]
    # shellcheck disable=SC2016  # awk's own
    check 'relation is the sign of the gap' awk -F , '
        NR == 1 { next }
        $1 != "solved" { bad = bad || $2 != "undecided"; next }
        { want = $3 > 0 ? "separated" : $3 < 0 ? "overlapping" : "touching" }
        $2 != want { bad = 1 }
        END { exit bad }' out
    # the first pair is an easy one: all find it, as well as each of them can
    case $name in
    mesh | discrete) tolerance=0.1 ;;
    interiorPoint | sqp) tolerance=1e-5 ;;
    *) tolerance=1e-9 ;;
    esac
    check 'solved' [ "$(field 1 1),$(field 1 2)" = solved,separated ]
    check "the gap of the first pair, $certified" near "$(field 1 3)" "$certified" "$tolerance"
done
if has quadImplicit; then
    for name in octImplicit quadImplicit quadParametric ntbParametric; do
        good pairs pairs.csv --scheme "$name" --jacobian analytic
        check 'analytic Jacobian' near "$(field 1 3)" "$certified" 1e-9
        check 'as many steps, or one more or less' near "$(field 1 15)" 5 2
    done
    good pairs pairs.csv --scheme quadImplicit --tolerance 1e-3
    check 'a coarse tolerance' near "$(field 1 3)" "$certified" 1e-4
    good pairs pairs.csv --scheme quadParametric --rescue bisection,regula-falsi,deeper
    check 'rescues' near "$(field 1 3)" "$certified" 1e-9
    good pairs pairs.csv --scheme octImplicit --rescue=deeper --mended
fi
if has sqp; then
    good pairs pairs.csv --scheme sqp --constraints f
    check 'another set of constraints' near "$(field 1 3)" "$certified" 1e-5
fi
good pairs pairs.csv --scheme discrete --vertices 2000
check 'more nodes' near "$(field 1 3)" "$certified" 0.1

run pairs pairs.csv --scheme discrete --timing
check 'exit status 0' [ "$status" -eq 0 ]
number='[0-9]*\.[0-9]'
check 'times, and no batch' grep -qx "{\"ovoid\":1,\"pairs\":3,\"mean_ns\":$number,\"median_ns\":$number,\
\"p99_ns\":$number,\"max_ns\":$number,\"batch_mean_ns\":null}" err
{
    head -n 1 pairs.csv
    printf '0%s\n' "$(sed -n 2p pairs.csv | cut -c 2-)"
    sed -n 2p pairs.csv
} >bad_row.csv
good pairs bad_row.csv --scheme discrete
check 'a bad row, and a good one' [ "$(field 1 1) $(field 2 1)" = 'size_not_positive solved' ]

bad "ovoid-bench: pairs: --scheme = gjk: not one of: $names" pairs pairs.csv --scheme gjk
bad "ovoid-bench: pairs: say by which: --scheme NAME, one of: $names" pairs pairs.csv
bad 'ovoid-bench: pairs: --tolerance = 1: must be 1e-12 to 1e-3' \
    pairs pairs.csv --scheme discrete --tolerance 1
bad "ovoid-bench: pairs: needs one FILE.csv, or '-', got 0" pairs --scheme discrete
bad 'ovoid-bench: pairs: --jacobian = exact: not one of: differences analytic' \
    pairs pairs.csv --scheme discrete --jacobian exact
rescues='not a list of: bisection regula-falsi deeper'
bad "ovoid-bench: pairs: --rescue = bisect: $rescues" pairs pairs.csv --scheme discrete --rescue bisect
bad "ovoid-bench: pairs: --rescue = deeper,: $rescues" pairs pairs.csv --scheme discrete --rescue deeper,
bad 'ovoid-bench: pairs: --constraints = i: not one of: a b c d e f g h' \
    pairs pairs.csv --scheme discrete --constraints i
bad 'ovoid-bench: pairs: --vertices = 3: must be 8 to 4194304' \
    pairs pairs.csv --scheme discrete --vertices 3
for entry in $missing; do
    bad "ovoid-bench: pairs: --scheme = ${entry%:*}: built without it: apt-get install ${entry#*:}" \
        pairs pairs.csv --scheme "${entry%:*}"
done

tell
