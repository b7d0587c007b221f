# Compares what bench/wasm/sim.c printed as a native program and in WebAssembly, several turns each:
# awk -f compare.awk native.* wasm.*
#
# The best time of each and their ratio; the largest distance between their positions, frame by
# frame, beside the largest that it may be; the puppet's errors. The limits leave room for rounding,
# which grows while bodies collide. Ends with status 1 beyond a limit.
function check(what, value, most) {
    good = value ~ /^[0-9.e+-]+$/ && value + 0 <= most
    printf "%-40s %10.3g %10.3g%s\n", what, value, most, good ? "" : "  beyond"
    beyond += !good
}
function tell(name) {
    printf "%-8s %10.3f %10.3f %6.2f\n", name, best["native", name], best["wasm", name],
        best["wasm", name] / best["native", name]
}
FNR == 1 {
    build = FILENAME ~ /native\.[0-9]+$/ ? "native" : "wasm"
    line = 0
}
$1 == "time" {
    if (!((build, $2) in best) || $3 < best[build, $2]) {
        best[build, $2] = $3
    }
}
$1 == "worst" {
    joint[build] = $3
    depth[build] = $5
}
$1 == "at" {
    line++
    lines[build] = line
    for (i = 4; i <= 6; i++) {
        if ($i !~ /^[0-9.e+-]+$/) {
            odd++
        } else if (build == "native") {
            at[line, i] = $i
        } else {
            d = at[line, i] - $i
            d = d < 0 ? -d : d
            apart[$2, $3] = d > apart[$2, $3] ? d : apart[$2, $3] + 0
        }
    }
}
END {
    printf "%-8s %10s %10s %6s\n", "a frame", "native ms", "wasm ms", "ratio"
    tell("puppet")
    tell("cloth")
    printf "\n%-40s %10s %10s\n", "native against wasm", "", "at most"
    check("positions missing or not finite", odd + (lines["native"] != lines["wasm"]), 0)
    check("puppet apart after 10 frames, m", apart["puppet", 10], 1e-12)
    check("puppet apart after 20 frames, m", apart["puppet", 20], 1e-8)
    check("cloth apart after 20 frames, m", apart["cloth", 20], 1e-8)
    check("cloth apart after 40 frames, m", apart["cloth", 40], 1e-5)
    check("cloth apart after 200 frames, m", apart["cloth", 200], 1e-3)
    check("puppet's joints, of its height, native", joint["native"], 1e-3)
    check("puppet's joints, of its height, wasm", joint["wasm"], 1e-3)
    printf "%-40s %10.3g\n", "puppet's depth, of its height, native", depth["native"]
    printf "%-40s %10.3g\n", "puppet's depth, of its height, wasm", depth["wasm"]
    exit beyond > 0
}
