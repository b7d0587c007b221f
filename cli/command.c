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

static const char simulation[] =
    "Simulations: scenes whose bodies move by themselves, for 'ovoid simulate'\n"
    "\n"
    "  {\"time\": [0, 3], \"gravity\": [0, 0, -9.81], \"bodies\": [\n"
    "     {\"name\": \"floor\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0},\n"
    "     {\"name\": \"seat\", \"kind\": \"box\", \"half_extents\": [0.3, 0.2, 0.05],\n"
    "      \"position\": [0, 0, 1], \"density\": 500, \"velocity\": [1, 0, 0]}],\n"
    "   \"joints\": [\n"
    "     {\"kind\": \"revolute\", \"b\": \"seat\", \"point\": [0, 0, 2], \"axis\": [0, 1, 0]}],\n"
    "   \"robots\": [\n"
    "     {\"file\": \"arm.urdf\", \"position\": [2, 0, 0], \"fixed\": true, \"free_mimics\": "
    "true}],\n"
    "   \"cloths\": [\n"
    "     {\"corner\": [-1, -1, 3], \"side_u\": [2, 0, 0], \"side_v\": [0, 2, 0],\n"
    "      \"columns\": 20, \"rows\": 20, \"pins\": [0, 20]}]}\n"
    "\n"
    "Bodies are those of 'ovoid help scenes'; all further keys may be left out. Lengths are in\n"
    "metres, masses in kilograms, times in seconds, and angles in radians where a key does not\n"
    "end in _deg.\n"
    "  time             start and end ([0, 5])\n"
    "  gravity          an acceleration ([0, 0, -9.81])\n"
    "Keys of bodies:\n"
    "  density (1000), or mass; velocity, angular_velocity (at rest)\n"
    "  friction (0.5); restitution, rolling, damping, angular_damping (0)\n"
    "  fixed            true: it does not move, as half-spaces and open meshes never do\n"
    "  motion           as in a scene in motion: it is led along this\n"
    "  group, mask      bits: two bodies touch where each one's mask has a bit of the other's\n"
    "                   group\n"
    "Keys of joints:\n"
    "  kind             fixed, revolute, continuous, prismatic or spherical\n"
    "  a, b             the bodies; one may be missing, and is the world then\n"
    "  point, axis      in the world, as the scene begins (axis: x)\n"
    "  lower, upper     or lower_deg, upper_deg; swing_deg of spherical joints\n"
    "  stiffness, damping, rest (or rest_deg): a spring; motor_speed, motor_limit: a motor\n"
    "  collide          true: the two bodies may touch each other\n"
    "Keys of robots:\n"
    "  file             URDF, beside the scene; its links are bodies named NAME/LINK\n"
    "  name             (that of the file)\n"
    "  position, rotation, fixed: of the root, which moves where fixed is not true\n"
    "  positions        of joints, as in {\"elbow\": 0.5}\n"
    "  free_mimics      true: joints that follow another one move by themselves\n"
    "  joint_damping, and of all its bodies density, friction, restitution, rolling, damping,\n"
    "  angular_damping\n"
    "Keys of cloths:\n"
    "  corner, side_u, side_v, columns, rows: a rectangle; or file: a mesh beside the scene,\n"
    "                   with position and rotation\n"
    "  name; pins       vertices that are held, from 0, those of a rectangle row by row\n"
    "  density (0.2, of an area), stretch (10000), shear, bending, thickness, friction (0.3),\n"
    "  damping (1), air, wind, tear, self_collision, substeps, iterations: docs/guide/cloth.md\n"
    "'ovoid simulate --example' prints a scene to start from.\n";

static const char devices[] =
    "Devices of 'ovoid touch': --track and --udp\n"
    "\n"
    "A track is a file of poses, in metres, at ascending times, in seconds:\n"
    "\n"
    "  time,x,y,z                   or time,x,y,z,qw,qx,qy,qz\n"
    "  0,0,0,0.12\n"
    "  1,0,0.05,0.09\n"
    "\n"
    "Between two rows the device moves along a line, and turns by the shorter rotation. What\n"
    "follows a # is a comment.\n"
    "\n"
    "--udp PORT takes the poses of another program on this machine, which sends them to\n"
    "127.0.0.1 as often as it likes, and gets the newest force back with each, and every\n"
    "millisecond. Both are datagrams of 64 bytes:\n"
    "\n"
    "  offset  0  OVT1 (pose) or OVF1 (force), four letters\n"
    "          4  number of the datagram, 32 bits, ascending\n"
    "          8  seven doubles: x, y, z, qw, qx, qy, qz of the pose;\n"
    "             or force x, y, z, torque x, y, z, depth\n"
    "\n"
    "All numbers are little-endian. Anything else that arrives is dropped, and so is a pose with\n"
    "the number of an earlier one.\n";

static const cli_topic topics[] = {
    {"kinds", "kinds of shape and their parameters, for shape and mesh", NULL, kinds_print},
    {"scenes", "the format of scenes, at rest and in motion", scenes, NULL},
    {"joints", "poses of a robot: --joints of check, sweep and convert", joints, NULL},
    {"simulation", "scenes that move by themselves: joints, robots, cloth", simulation, NULL},
    {"devices", "tracks and datagrams that lead the hand of touch", devices, NULL},
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
