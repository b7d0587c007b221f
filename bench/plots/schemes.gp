# Failures against time of the published schemes: gnuplot -c bench/plots/schemes.gp schemes.csv schemes.svg
# A contact is right where its gap is that of the long-double reference to 1e-5, but for dents; of
# nodes and meshes only the side is asked.
call system("dirname '".ARG0."'")."/style.gp" ARG2 980 800
csv = ARG1
methods = system("tail -n +2 '".csv."' | cut -d, -f2 | awk '!seen[$0]++'")
only_side(method) = is(method, "mesh") || is(method, "discrete") || is(method, "fcl")
failed(method) = 100.0 * ($5 + (only_side(method) ? $8 : $6)) / $3
ends(text, suffix) = strlen(text) >= strlen(suffix) && text[strlen(text)-strlen(suffix)+1:*] eq suffix
hue(m) = ends(m, "_analytic") ? 0x56b4e9 : ends(m, "_rescues") ? 0xe69f00 : ends(m, "_mended") ? bullet : \
    ends(m, "_differences") ? green : is(m, "ovoid") ? ours : is(m, "fcl") || m eq "mesh" ? fcl : ink
set logscale x
set format x "10^{%L}"
set yrange [-4:104]
set xlabel "mean time of a query where solved, μs"
set ylabel "pairs without the right contact, %"
set multiplot title "Published schemes and Ovoid: time and failures (down and left is better)" font ",16"
unset key
do for [panel = 0:1] {
    part = panel == 0 ? "overlapping" : "separated"
    set origin 0.5 * panel, 0.38
    set size 0.5, 0.56
    set title panel == 0 ? "Overlapping [Benchmark, Table 1]" : "Separated [Benchmark, Table 2]"
    plot for [i = 1:words(methods)] csv using (strcol(1) eq part && strcol(2) eq word(methods, i) && $4 > 0 ? $13 : NaN):(failed(word(methods, i))) \
        with points pt i ps 1.5 lw 1.8 lc rgb hue(word(methods, i))
}
set origin 0, 0
set size 1, 0.38
unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid
unset logscale
set xrange [0:1]; set yrange [0:1]
set key center center maxrows 9 width 2 Left reverse
plot for [i = 1:words(methods)] NaN with points pt i ps 1.5 lw 1.8 lc rgb hue(word(methods, i)) \
    title word(methods, i) noenhanced
unset multiplot
