/**
 * @file command.c
 * @brief The `ovoid` command: its verbs, and cli_main, which other programs (the fuzz target) call
 * too.
 */
#include "cli.h"
#include "kinds.h"

static const cli_verb *const verbs[] = {
    &cli_verb_shape,   &cli_verb_mesh,   &cli_verb_fit,    &cli_verb_gallery, &cli_verb_pairs,
    &cli_verb_contact, &cli_verb_check,  &cli_verb_sweep,  &cli_verb_convert, &cli_verb_simulate,
    &cli_verb_touch,   &cli_verb_replay, &cli_verb_studio,
};

static const char scenes[] =
    "Scenes: a JSON object with a list of bodies\n"
    "\n"
    "  {\"ovoid\": 1, \"title\": \"two bodies\", \"bodies\": [\n"
    "    {\"name\": \"egg\", \"kind\": \"superovoid\", \"semi_axes\": [1, 1, 1.5],\n"
    "     \"exponents\": [1, 0.8], \"taper\": [0.2, 0.2], \"position\": [0, 0, 2],\n"
    "     \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": 30}},\n"
    "    {\"name\": \"brick\", \"kind\": \"box\", \"half_extents\": [1, 1, 0.5]}]}\n"
    "\n"
    "Each body has a kind and the keys of that kind. The version (\"ovoid\"), title, name, "
    "position\n"
    "and rotation may be left out; a rotation is a quaternion w, x, y, z, or axis and angle_deg.\n"
    "  sphere                     radius\n"
    "  ellipsoid                  semi_axes\n"
    "  superellipsoid             semi_axes, exponents (e1 in xy, e2 along z)\n"
    "  superovoid                 semi_axes, exponents, taper\n"
    "  halfspace                  normal, offset\n"
    "  box                        half_extents\n"
    "  capsule, cylinder, cone    radius, half_length\n"
    "  triangle, segment, point   vertices\n"
    "  polyhedron                 vertices, or file: a file of points\n"
    "  mesh                       vertices and triangles, or file (OBJ, STL, PLY, OFF, "
    "COLLADA);\n"
    "                             scale; surface (true: it has no inside, even if it is closed)\n"
    "  compound                   parts: a list of such objects without names\n"
    "Instead of these keys a body may have parameters, as 'ovoid shape' prints them. Files are\n"
    "looked for beside the scene. 'ovoid contact --example' prints a scene to start from.\n"
    "\n"
    "Scenes in motion, for 'ovoid sweep', also have \"time\": [START, END]. Their bodies may be\n"
    "polygons (vertices, and faces: lists of indices), and may have a motion, one of\n"
    "  screw      axis, point, angle_deg, travel\n"
    "  keys       times and poses (each with position and rotation), spline: linear or cubic\n"
    "  rational   a rational motion: quaternions and points that are its controls\n"
    "  bezier     controls: displacements of twelve numbers, not always rigid; for polygons\n"
    "'ovoid sweep --example' prints one to start from.\n";

static const char joints[] =
    "Joints of a robot: --joints of check, sweep and convert\n"
    "\n"
    "  --joints lift=0.5,elbow=1    one pose: names and positions; the others are at rest\n"
    "  --joints way.csv             a file of poses\n"
    "\n"
    "The file has names of joints in its first line, in any order, and a pose in each line after\n"
    "that: radians, or lengths. Joints that are not named are at rest. A column 'time' has the\n"
    "times of the poses, ascending; without it they are a second apart.\n"
    "\n"
    "  time,lift,elbow\n"
    "  0,0,0\n"
    "  0.5,0.2,0.7\n"
    "\n"
    "Planar joints have columns NAME.x, NAME.y and NAME.angle, spherical ones NAME.qw, .qx, .qy\n"
    "and .qz, floating ones NAME.x, .y, .z and those. Joints that follow another one, or are\n"
    "fixed, need no column.\n";

static const cli_topic topics[] = {
    {"kinds", "kinds of shape and their parameters, for shape and mesh", NULL, kinds_print},
    {"scenes", "the format of scenes, at rest and in motion", scenes, NULL},
    {"joints", "poses of a robot: --joints of check, sweep and convert", joints, NULL},
};

static const cli_program program = {
    .name = "ovoid",
    .about = "Smooth bodies: superellipsoids, superovoids (tapered superellipsoids) and their kin; "
             "how\n"
             "far apart they are, where they touch, and whether that is certain.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof verbs[0],
    .topics = topics,
    .topic_count = sizeof topics / sizeof topics[0],
    .rules =
        "The type of a file is found by its contents; '-' means standard input or output. Tables\n"
        "have rounded numbers; CSV and JSON have numbers that read back exactly. Notes and errors\n"
        "go to standard error. Exit status: 0 done, 1 a check failed, 2 bad input. An output file\n"
        "appears when it is complete; until then, and on failure, an existing file stays.\n",
};

int cli_main(int argc, char **argv, FILE *out, FILE *err) {
    return cli_run(&program, argc, argv, out, err);
}
