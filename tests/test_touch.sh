#!/usr/bin/env bash
# `ovoid touch`: maps, balls and probes along tracks, live and not; and one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= t && -d <= t) }'
}
works() { # ARGUMENTS...: succeeds; what came of it is told on the error stream
    run "$@"
    check 'exit status 0' [ "$status" -eq 0 ]
}
column() { awk -F, -v n="$2" 'NR > 1 { v = $n } END { print v }' "$1"; } # FILE N: in the last row

works mesh box 0.1 0.1 0.1 -o box.obj
printf 'time,x,y,z\n0,0,0,0.12\n0.2,0,0,0.095\n0.4,0.05,0,0.095\n' >way.csv
works touch map box.obj -o box.map --error 1e-3
check 'what the map is like' grep -qE '^map: [0-9.]+ MB, [0-9]+ bricks' out

# ---- pictures of maps: the middle section of a cube is its square, brown on blue ------------------
works touch map box.map --svg sections.svg
check 'a picture' is_svg sections.svg
check 'the same as of the mesh' grep -qF '12 triangles' sections.svg
# the box is 1/1.12 of a section's side: so many of the 240 x 240 cells are inside, in runs of cells
inside() { # FILE: cells of the first section with a colour of the inside, where red is above blue
    awk '/crispEdges/ { n++ } n == 1 && /<path/ { match($0, /fill="#[0-9a-f]+/); c = substr($0, RSTART + 7, 6)
        if (substr(c, 1, 2) > substr(c, 5, 2)) { while (match($0, /h[0-9]+v1/)) { s += substr($0, RSTART + 1, RLENGTH - 3)
            $0 = substr($0, RSTART + RLENGTH) } } } END { print s / 57600 * 1.2544 }' "$1"
}
check 'inside' near "$(inside sections.svg)" 1 0.02
works touch map box.obj --layer 2 --svg parts.svg -o again.map
check 'a picture of parts' is_svg parts.svg
check 'of each a grid' grep -qE '^<text.*>part 1</text>' parts.svg
check 'and the map' test -s again.map

# layer 1 of the published map tells contact alone: the track ends inside the box
works touch box.map --ball 0.005 --track way.csv --layer 1 -o first.csv
check 'contact in the end' equals "$(column first.csv 14)" 1
check 'and none in the beginning' equals "$(awk -F, 'NR == 2 { print $14 }' first.csv)" 0
check 'without a force' equals "$(column first.csv 11)" 0

# ---- a ball pressed 10 mm into a flat side, of 1000 N/m; then it slides: the map is within 0.3 mm
works touch box.map --ball 0.005 --track way.csv -o plain.csv --svg plain.svg
check 'picture' is_svg plain.svg
check 'header' equals "$(head -n 1 plain.csv)" 'time,x,y,z,fx,fy,fz,tx,ty,tz,normal,tangential,depth,contact'
check '401 samples' equals "$(wc -l <plain.csv)" 402
check 'force' near "$(column plain.csv 7)" 10 0.1
check 'no friction' near "$(column plain.csv 5)" 0 0.01
check 'contact' equals "$(column plain.csv 14)" 1
works touch box.map --ball 0.005 --track way.csv --friction 0.3 -o rubs.csv
check 'Coulomb' near "$(column rubs.csv 5)" -3 0.03
works touch box.map --ball 0.005 --track way.csv --friction 0.3 --layer exact -o exact.csv
check 'exact' near "$(column exact.csv 7)" 10 1e-6
works touch box.map --ball 0.005 --track way.csv --force 2 -o capped.csv
check 'largest force' near "$(column capped.csv 11)" 2 0.01
works touch box.map --ball 0.005 --track way.csv --texture 1e-4,0.01 --magnet 1,0.01 -o felt.csv

# ---- braking: 8 N s/m at 0.125 m/s, half way through the range ---------------------------------
works touch box.map --ball 0.005 --track way.csv --braking 8,0.01 -o brakes.csv
check 'braking' near "$(awk -F, '$1 == 0.08 { print $7 }' brakes.csv)" 0.5 0.02
# ---- a bitmap: white raises the flat side by its height, black lowers it -----------------------
printf 'P2\n1 1\n255\n255\n' >white.pgm
printf 'P5\n2 1 1\n\0\0' >black.pgm
works touch box.map --ball 0.005 --track way.csv --texture 1e-3,0.002 --bitmap white.pgm -o white.csv
check 'white' near "$(column white.csv 7)" 11 0.1
works touch box.map --ball 0.005 --track way.csv --texture 1e-3,0.002 --bitmap black.pgm -o black.csv
check 'black' near "$(column black.csv 7)" 9 0.1
# stripes across x; turned about z, across y: the slide along x then feels nothing of them
printf 'P2\n2 1\n1\n0 1\n' >stripes.pgm
works touch box.map --ball 0.005 --track way.csv --texture 2e-4,0.002 --bitmap stripes.pgm -o stripes.csv
works touch box.map --ball 0.005 --track way.csv --texture 2e-4,0.002 --bitmap stripes.pgm \
    --bitmap-frame 0,0,0,1,0,0,1 -o turned.csv
spread() { awk -F, '$1 > 0.25 { x = $5; lo = x < lo ? x : lo; hi = x > hi ? x : hi } END { print hi - lo }' "$1"; }
check 'stripes are felt' awk -v s="$(spread stripes.csv)" 'BEGIN { exit !(s > 0.2) }'
check 'and not along them' awk -v s="$(spread turned.csv)" 'BEGIN { exit !(s < 0.1) }'
# ---- over a ridge: at once it is a jump, in time it is none ------------------------------------
printf 'time,x,y,z\n0,0.09,0,0.12\n0.2,0.09,0,0.085\n0.4,0.099,0,0.085\n' >ridge.csv
jump() { sed -n 's/.*changing by up to \([^ ]*\) N.*/\1/p' err; }
works touch box.map --ball 0.005 --track ridge.csv --slip 1e-9 -o slips.csv
sudden=$(jump)
works touch box.map --ball 0.005 --track ridge.csv -o eases.csv
check 'slip time' awk -v a="$sudden" -v b="$(jump)" 'BEGIN { exit !(a > 4 * b && b > 0) }'

# ---- a probe, and a loop in real time ----------------------------------------------------------
works mesh sphere 0.02 --vertices 60 -o probe.obj
works touch box.map --probe probe.obj --track way.csv --rate 200 -o probe.csv
check 'pushed out' awk -F, 'END { exit !($7 > 1) }' probe.csv
works touch box.map --probe probe.obj --track way.csv --rate 200 --coupling 500,0 -o same.csv
check 'the same coupling' cmp -s probe.csv same.csv
printf 'time,x,y,z,qw,qx,qy,qz\n0,0.09,0,0.11,1,0,0,0\n0.1,0.09,0,0.11,1,0.3,0.3,0\n' >turns.csv
# ---- zones: the half of the probe that is over the edge feels nothing --------------------------
printf 'time,x,y,z\n0,0.1,0,0.13\n0.2,0.1,0,0.115\n' >edge.csv
awk '/^v / { print ($2 > 0.005 ? 1 : 0) " # " NR }' probe.obj >zones.txt
works touch box.map --probe probe.obj --track edge.csv --zones zones.txt -o zones.csv
check 'columns of zones' grep -qE '^time.*,contact,contacts0,depth0,fx0,fy0,fz0,contacts1,depth1,fx1,fy1,fz1$' zones.csv
check 'a zone that touches' awk -F, 'END { exit !($15 > 0 && $16 > 1e-4 && $19 > 0.1) }' zones.csv
check 'and one that does not' awk -F, 'END { exit !($20 == 0 && $21 == 0 && $24 == 0) }' zones.csv
works touch box.map --probe probe.obj --track edge.csv --zones zones.txt --live -o zones-live.csv
check 'zones of a loop' cmp -s zones.csv zones-live.csv
works touch box.map --ball 0.005 --track way.csv --passive 1 --speed 0.01 -o fast.csv
check 'overspeed' grep -qE '^energy: in 400 samples the device was faster than --speed' err
works touch box.map --ball 0.005 --track way.csv --passive 1 --speed 0.3 -o slow.csv
check 'no overspeed' [ "$(grep -c 'faster than' err)" -eq 0 ]
works touch box.map --probe box.obj --track turns.csv --rate 200 --coupling 500,1,5 --torque 0.01 -o turns-felt.csv
check 'largest torque' awk -F, 'NR > 1 { t = sqrt($8 * $8 + $9 * $9 + $10 * $10); if (t > m) m = t }
    END { exit !(m > 0.0099 && m < 0.0101) }' turns-felt.csv
works touch box.map --ball 0.005 --track way.csv --live --passive 0.05,0.001 --late late.csv -o live.csv
check 'histogram' grep -qE '^late by < +10 us: +[0-9]+, +[0-9.]+ %$' err
check 'lateness of all' awk -F, 'NR > 1 { n += $2 } END { exit !(n == 401) }' late.csv
check 'above all bounds too' grep -qE '^inf,[0-9]+$' late.csv
check 'deadlines' grep -qE '^deadlines missed: [0-9]+ of 401; records lost: 0$' err
check 'energy' grep -qE '^energy: .* J put in' err
check 'all samples' equals "$(wc -l <live.csv)" 402

# ---- what is wrong is told in a line -----------------------------------------------------------
refused 'needs one mesh or map' touch
refused 'needs --ball or --probe' touch box.map --track way.csv
refused 'needs --track or --udp' touch box.map --ball 0.01
refused 'not both' touch box.map --ball 0.01 --track way.csv --udp 9000
refused 'must be above 0' touch box.map --ball 0 --track way.csv
refused 'must be 1 to 100000' touch box.map --ball 0.01 --track way.csv --rate 0
refused 'friction' touch box.map --ball 0.01 --track way.csv --friction 0.1,0.2
refused 'numbers' touch box.map --ball 0.01 --track way.csv --texture 1
refused '--bitmap is for --texture' touch box.map --ball 0.01 --track way.csv --bitmap white.pgm
refused 'a bitmap has no seed' touch box.map --ball 0.01 --track way.csv --texture 1,1,1 --bitmap white.pgm
refused 'way.csv: a picture is expected' touch box.map --ball 0.01 --track way.csv --texture 1,1 --bitmap way.csv
refused 'no.pgm' touch box.map --ball 0.01 --track way.csv --texture 1,1 --bitmap no.pgm
head -c 10 black.pgm >cut.pgm
refused 'cut.pgm:3: the picture is cut off' touch box.map --ball 0.01 --track way.csv --texture 1,1 --bitmap cut.pgm
refused '--bitmap-frame is for --bitmap' touch box.map --ball 0.01 --track way.csv --bitmap-frame 0,0,0,1,0,0,0
refused 'seven numbers' touch box.map --ball 0.01 --track way.csv --texture 1,1 --bitmap white.pgm --bitmap-frame 0,0
refused 'the quaternion is zero' touch box.map --ball 0.01 --track way.csv --texture 1,1 --bitmap white.pgm \
    --bitmap-frame 0,0,0,0,0,0,0
refused '--braking = 1: 2 numbers' touch box.map --ball 0.01 --track way.csv --braking 1
refused 'braking: ' touch box.map --ball 0.01 --track way.csv --braking 1,0
refused '--slip = -1' touch box.map --ball 0.01 --track way.csv --slip -1
refused '--slip is for --ball' touch box.map --probe probe.obj --track way.csv --slip 1
refused '--torque is for --probe' touch box.map --ball 0.01 --track way.csv --torque 1
refused '--braking is for --ball' touch box.map --probe probe.obj --track way.csv --braking 1,1
refused '--magnet is not for --layer 2' touch box.map --ball 0.01 --track way.csv --layer 2 --magnet 1,1
refused '--zones is for --probe' touch box.map --ball 0.01 --track way.csv --zones zones.txt
refused '--speed is for --passive' touch box.map --ball 0.01 --track way.csv --speed 1
refused '--speed = 1,0: must be above 0' touch box.map --ball 0.01 --track way.csv --passive 1 --speed 1,0
refused '--stiffness = 0: must be above 0' touch box.map --ball 0.01 --track way.csv --stiffness 0
refused '--coupling = 0' touch box.map --probe probe.obj --track way.csv --coupling 0
head -n 9 zones.txt >few.txt
refused 'few.txt: 9 zones' touch box.map --probe probe.obj --track way.csv --zones few.txt
printf '4096\n' >many.txt
refused "many.txt: line 1: '4096' is no zone" touch box.map --probe probe.obj --track way.csv --zones many.txt
refused '--late is for --live' touch box.map --ball 0.01 --track way.csv --late late.csv
refused 'box.map: this is a map: --error is for' touch box.map --ball 0.01 --track way.csv --error 0.01
refused 'box.map: this is a map: --surface is for' touch map box.map --surface --svg not.svg
check 'no picture' [ ! -e not.svg ]
refused 'not-there.map' touch not-there.map --ball 0.01 --track way.csv
refused 'a mesh is expected' touch way.csv --ball 0.01 --track way.csv
printf 'time,x,y,z\n0,0,0,nan\n' >nan.csv
refused 'nan.csv:2: ' touch box.map --ball 0.01 --track nan.csv
head -c 5000 box.map >cut.map
refused 'cut.map: ' touch cut.map --ball 0.01 --track way.csv
printf 'x' | dd of=box.map bs=1 seek=4000 conv=notrunc 2>/dev/null
refused 'box.map: ' touch box.map --ball 0.01 --track way.csv
printf 'o open\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
refused '--surface' touch open.obj --ball 0.01 --track way.csv
refused 'map needs -o FILE.map, --svg FILE or both' touch map box.obj
refused 'none/x.svg' touch map box.obj --svg none/x.svg
refused 'box.obj' touch map box.obj -o box.obj
check 'the input is still there' grep -q '^v ' box.obj

printf 'touch: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
