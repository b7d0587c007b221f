# What the plots share: called as `call STYLE OUTPUT WIDTH HEIGHT`; PNG or SVG, by the name of OUTPUT.
name = ARG1
if (strlen(name) > 4 && name[strlen(name)-3:*] eq ".png") {
    set terminal pngcairo size ARG2,ARG3 font "DejaVu Sans,10" background "white"
} else {
    set terminal svg size ARG2,ARG3 font "Helvetica, Arial, DejaVu Sans, sans-serif,12" background "white"
}
set output name
set datafile separator ","
set datafile missing ""
set grid lc rgb "#d8dee3" lt 1 lw 0.6
set border lc rgb "#24292f"
set key opaque samplen 2.5 spacing 1.15

# colours that also differ in print without them: Ovoid, FCL, libccd and the schemes, Bullet
ours = 0x0072b2
fcl = 0xd55e00
green = 0x009e73
bullet = 0x9c4f96
ink = 0x24292f
is(text, prefix) = strlen(text) >= strlen(prefix) && text[1:strlen(prefix)] eq prefix
colour(method) = is(method, "ovoid") ? ours : is(method, "fcl") || method eq "mesh" ? fcl : is(method, "bullet") ? bullet : green
us = "{/Symbol m}s"
