#!/usr/bin/env bash
# `ovoid-bench battery-schemes` and the schemes in `ovoid-bench accuracy`, on a few pairs. Times are
# not looked at: they depend on the machine.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

list_schemes

# ---- the battery of the schemes -------------------------------------------------------------

run battery-schemes --pairs 24 --seed 3 --csv b.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'the tables of the paper' [ "$(grep -cE '^\[Benchmark, Table [123]\]' out)" -eq 3 ]
check 'goals' grep -q '^Goals, and what was measured' out
check '23 fields per row' all_rows . 'NF == 23' b.csv
check 'plot' plots schemes b.csv
check 'Ovoid is the last row of each part' \
    [ "$(awk -F, 'NR > 1 && $1 != part { print last; part = $1 } { last = $2 } END { print last }' \
        b.csv | tr '\n' ' ')" = 'method ovoid_cold ovoid_cold ' ]
check 'Ovoid fails nowhere' all_rows ',ovoid_' '$5 == 0 && $6 == 0 && $7 == 0 && $8 == 0' b.csv
check 'Ovoid is within its tolerance' all_rows ',ovoid_' '$21 < 1e-8' b.csv
check 'no scheme is right where Ovoid is not' all_rows '^(separated|overlapping),' '$9 == 0' b.csv
check 'all pairs are there' \
    [ "$(awk -F, '/,ovoid_cold,/ { n += $3 } END { print n }' b.csv)" -eq 24 ]
if has_scheme quadImplicit; then
    check 'printed figures' [ "$(grep -c '^  as printed' out)" -ge 6 ]
    check 'differences and analytic find the same' all_rows ',quadImplicit_(diff|anal)' \
        '$4 == 0 || $19 < 1e-7' b.csv
    check 'steps' all_rows ',quadImplicit_' '$16 > 1 && $16 < 30' b.csv
    check 'a guess takes a part of the time' all_rows ',quadImplicit_diff' '$11 > 0 && $11 < $13' b.csv
fi
# what does not depend on the clock is the same in every run
run battery-schemes --pairs 24 --seed 3 --csv again.csv
check 'the same answers again' \
    [ "$(cut -d, -f1-10,16,17,19-21,23 b.csv)" = "$(cut -d, -f1-10,16,17,19-21,23 again.csv)" ]

# ---- accuracy -------------------------------------------------------------------------------

run accuracy --pairs 1 --csv a.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'eleven sets of nodes' [ "$(grep -c '^discrete,' a.csv)" -eq 11 ]
for name in $available; do
    case $name in
    mesh) ;;
    *) check "row of $name" grep -q "^$name," a.csv ;;
    esac
done

printf 'studies of the schemes: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
