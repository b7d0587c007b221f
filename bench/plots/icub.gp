# Hands of the iCub through each other, after [Benchmark, Fig. 11]: the times of all queries as box
# plots (box: half of them, whiskers: 98 %), and the least gap over the movement.
# gnuplot -c bench/plots/icub.gp icub-queries.csv icub.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 1180 940
csv = ARG1
methods = system("tail -n +2 '".csv."' | cut -d, -f6 | awk '!seen[$0]++'")
n = words(methods)
array titles[2] = ["Superellipsoids", "Superellipsoids, tips superovoids"]
array versions[2] = ["superellipsoids", "mixed"]
times(version, part, method) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\" && $6 == \"%s\" && $7 > 0 { print $7 }' '%s'", version, part, method, csv)
# a mesh that says that they meet has no depth: drawn as 0
least(version, method) = sprintf("< awk -F, '$1 == \"%s\" && $6 == \"%s\" { g = $8 == \"\" ? 0 : $8; if (!($3 in l) || g + 0 < l[$3] + 0) { l[$3] = g } if ($3 + 0 > m) { m = $3 + 0 } } END { for (f = 0; f <= m; f++) { print f \",\" l[f] } }' '%s'", version, method, csv)
set style boxplot fraction 0.98 nooutliers
set style fill solid 0.55
set multiplot layout 2,2 title "Hands of the iCub through each other: time of a query (dark: intersecting pairs, light: near ones), and least gap" font ",14"
unset key
set logscale y
set ylabel "time of a query, μs"
set xrange [0.4:n + 0.6]
set xtics rotate by 35 right noenhanced
set xtics ()
do for [i = 1:n] { set xtics add (word(methods, i) i) }
set bmargin 8
do for [v = 1:2] {
    set title titles[v]
    plot for [i = 1:n] times(versions[v], "intersecting", word(methods, i)) using (i - 0.17):1 with boxplot lw 1.2 lc rgb colour(word(methods, i)) fs solid 0.65, \
         for [i = 1:n] times(versions[v], "near", word(methods, i)) using (i + 0.17):1 with boxplot lw 1.2 lc rgb colour(word(methods, i)) fs solid 0.15
}
unset logscale y
set xrange [*:*]
set xtics autofreq norotate
unset bmargin
set xlabel "frame"
set ylabel "least gap, mm"
set key below
do for [v = 1:2] {
    set title titles[v]
    plot least(versions[v], "fcl_mesh_distance") with lines lw 4 lc rgb fcl title "FCL mesh distance: no depth, drawn as 0", \
         least(versions[v], "ovoid_coherent") with lines lw 1 dt 2 lc rgb ink title "Ovoid, coherent: a depth is followed", \
         least(versions[v], "ovoid_coherent_global") with lines lw 2 lc rgb ours title "Ovoid, coherent, least depth of all"
}
unset multiplot
