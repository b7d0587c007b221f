# Time and gap of each frame of the bite [Benchmark, Figs 13 and 14]:
# gnuplot -c bench/plots/dental.gp dental.csv dental.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 1000 820
csv = ARG1
has(column) = int(system(sprintf("head -n 1 '%s' | tr , '\\n' | grep -cx %s", csv, column))) > 0
meeting = system(sprintf("awk -F, '$2 == \"meeting\" { if (n++ == 0) { first = $1 } last = $1 } END { print first, last }' '%s'", csv))
set object 1 rect from first word(meeting, 1), graph 0 to first word(meeting, 2), graph 1 fc rgb "#e9eff4" fs solid noborder behind
set xrange [0:180]
set xlabel "frame of the bite"
set key outside right top Left reverse
ids = "ovoid_coherent ovoid_local ovoid_cold ovoid_boxes quad_implicit fcl_mesh_distance_6200 fcl_mesh_distance_24000"
array words_of[7] = ["Ovoid, with coherence", "Ovoid, with coherence, local depth", "Ovoid, each frame for itself", \
    "Ovoid where boxes overlap", "quadImplicit where boxes overlap", "FCL mesh distance, 6200 triangles", \
    "FCL mesh distance, 24000 triangles"]
array width[7] = [4, 1.4, 1.6, 2.4, 1.8, 1.8, 1.4]
array dash[7] = [1, 1, 4, 1, 3, 2, 1]
array colours[7] = [ours, ours, ours, ink, green, fcl, fcl]
set multiplot layout 2,1 title "Two molars in a bite (shaded: the frames in which they overlap)" font ",16"
set lmargin 9
set title "Time of a frame (Fig. 13)"
set ylabel "time, μs"
set logscale y
plot for [i in "1 2 3 5 6 7"] csv using 1:(has(word(ids, int(i))."_us") ? column(word(ids, int(i))."_us") : NaN) \
    with lines lw width[int(i)] dt dash[int(i)] lc rgb colours[int(i)] title words_of[int(i)]
set title "Minimum distance in a frame (Fig. 14), below 0: the depth"
set ylabel "gap, mm"
unset logscale y
plot for [i in "1 4 5 6 7"] csv using 1:(has(word(ids, int(i))."_gap") ? column(word(ids, int(i))."_gap") : NaN) \
    with lines lw width[int(i)] dt dash[int(i)] lc rgb colours[int(i)] title words_of[int(i)], \
    0 with lines lw 1 lc rgb "#777777" notitle
unset multiplot
