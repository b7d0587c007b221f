# Meshes against the smooth bodies [Benchmark, Fig. 9]:
# gnuplot -c bench/plots/accuracy.gp accuracy.csv accuracy.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 1120 600
csv = ARG1
names = system("tail -n +2 '".csv."' | cut -d, -f1 | awk '!seen[$0]++'")
# those with a mesh or nodes have a curve, the others a level
is_curve(name) = int(system(sprintf("grep -c '^%s,' '%s'", name, csv))) > 1
cell(name, k) = system(sprintf("awk -F, '$1 == \"%s\" { print $%d }' '%s' | tail -n 1", name, k, csv))
level(name, k) = is_curve(name) || cell(name, k) eq "" ? NaN : real(cell(name, k))
set logscale xy
set format y "10^{%L}"
set xlabel "vertices of each mesh"
set xrange [10:30000]
set multiplot layout 1,2 title "Meshes of superovoids against the smooth bodies" font ",16"
set key below Left reverse
do for [panel = 0:1] {
    k = panel == 0 ? 3 : 5
    set title panel == 0 ? "Error of the gap" : "Time of a query"
    set ylabel panel == 0 ? "mean error of the gap, length" : "mean time, μs"
    plot for [name in names] csv using (strcol(1) eq name ? $2 : NaN):(is_curve(name) ? column(k) : NaN) \
             with linespoints pt 7 ps 0.7 lw 1.8 lc rgb colour(name) title (is_curve(name) ? name : "") noenhanced, \
         for [i = 1:words(names) - 1] level(word(names, i), k) with lines dt i lw 1.3 lc rgb ink \
             title (is_curve(word(names, i)) ? "" : word(names, i)) noenhanced, \
         level("ovoid", k) with lines lw 2.5 lc rgb ours title "ovoid"
}
unset multiplot
