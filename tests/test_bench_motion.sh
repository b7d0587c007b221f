#!/usr/bin/env bash
# `ovoid-bench motion` on a few motions: tables and CSV; no contact called free; the same
# answers in every run. Times are not looked at.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

# two motions of a kind: FCL's advancement on meshes takes up to a second each
run motion --pairs 2 --seed 5 --csv m.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'head of the CSV' [ "$(head -n 1 m.csv)" = "part,case,method,x,count,mean_ns,median_ns,\
p99_ns,printed_s,pieces,tests,queries,free,failed,missed,alarms,undecided,error_median,\
error_worst" ]
check '19 fields per row' all_rows . 'NF == 19' m.csv
check 'plot' plots motion m.csv
check 'both masses, three motions, two ways, four sizes' \
    [ "$(grep -cE '^squares_(global|individual),' m.csv)" -eq 48 ]
check 'a collision is not free' all_rows '^(squares_.*|octagons),collision,' '$13 == 0' m.csv
check 'what stays clear is' all_rows '^(squares_.*|octagons),(near|free),' '$13 == 1' m.csv
check 'Ovoid misses nothing' all_rows '^(boxes|ellipsoids),.*,ovoid' \
    '$14 == 0 && $15 == 0 && $16 == 0' m.csv
check 'the arm' [ "$(grep '^arm,' m.csv | cut -d, -f2,13 | tr '\n' ' ')" = \
    'free,1 graze,1 contact,0 ' ]
check 'all proofs by clearance' all_rows '^cost,clearance,' '$5 == $13' m.csv
check 'goals' says 'motions with a contact that Ovoid calls free'
if [ "$has_peers" = yes ]; then
    check 'FCL is in the table' all_rows ',fcl_' '$5 == 2' m.csv
    check 'its samples and its advancement' [ "$(grep -c '^boxes,spin,fcl_' m.csv)" -eq 7 ]
else
    check 'says what is missing' grep -qF libfcl-dev err
fi

run motion --pairs 2 --seed 5 --csv again.csv
fixed() { grep -E ',ovoid|,all_pairs|,hierarchy' "$1" | cut -d, -f1-5,10-17; }
check 'the same counts again' [ "$(fixed m.csv)" = "$(fixed again.csv)" ]

bad 'ovoid-bench: motion: --pairs = 0: must be 1 to 1000000' motion --pairs 0
bad "ovoid-bench: motion: unknown option --bodies; see 'ovoid-bench motion --help'" motion --bodies 1000
printf 'bench_motion: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
