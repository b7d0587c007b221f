/**
 * The shaders of the renderer: one program text, of which a material's features are parts. Light is that
 * of Lambert, and for MeshStandardMaterial a highlight of microfacets (GGX, Smith, Schlick); colours are
 * linear until the last line. A material may bring a surface of its own, see Surface.
 */
import type { Material } from 'three';

/** What a material has; each bit is a #define of its name. */
export const FEATURES = ['LIT', 'SHINY', 'SHADOWED', 'FOGGED', 'VERTEX_COLOURS', 'BOTH_SIDES'] as const;
export type Feature = (typeof FEATURES)[number];

/** The directional lights that there can be. */
export const SUNS = 3;

/**
 * GLSL of `void surface(inout vec4 colour)`, and what else it declares. It sees place, up (position and
 * normal of the body's own frame), thread (an attribute), where (in the world), n (the unit normal
 * in the world), toEye, and its uniforms.
 */
export interface Surface {
  code: string;
  uniforms: Record<string, number | { r: number; g: number; b: number }>;
}
export const setSurface = (material: Material, surface: Surface): void => void (material.userData['surface'] = surface);
export const surfaceOf = (material: Material): Surface | undefined => material.userData['surface'] as Surface | undefined;

/** Attributes by their place. */
export const ATTRIBUTES = ['position', 'normal', 'color', 'thread'] as const;

export const vertexText = (features: readonly Feature[]): string => `#version 300 es
${features.map((f) => `#define ${f}`).join('\n')}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) in vec2 thread_;
uniform mat4 model, view, projection;
uniform mat3 normals;
uniform mat4 shadowPlace;
uniform float shadowOffset;
out vec3 place, up, where, across, tint;
out vec2 thread;
out vec4 shade;
out float far;
void main() {
  place = position;
  up = normal;
  thread = thread_;
  across = normals * normal;
  vec4 world = model * vec4(position, 1.0);
  where = world.xyz;
  vec4 seen = view * world;
  far = -seen.z;
  gl_Position = projection * seen;
#ifdef VERTEX_COLOURS
  tint = color;
#endif
#ifdef SHADOWED
  shade = shadowPlace * (world + vec4(normalize(across) * shadowOffset, 0.0));
#endif
}`;

export const fragmentText = (features: readonly Feature[], surface: string): string => `#version 300 es
precision highp float;
precision highp sampler2DShadow;
${features.map((f) => `#define ${f}`).join('\n')}
in vec3 place, up, where, across, tint;
in vec2 thread;
in vec4 shade;
in float far;
out vec4 seen;
uniform vec4 colour;
uniform vec3 emissive, ambient, sky, ground, skyUp, fogColour;
uniform vec3 sunColours[${SUNS}], sunsAt[${SUNS}];
uniform vec4 eye; // a point, or with w = 0 a direction towards it
uniform vec3 shadow; // bias, radius in texels, width of a texel
uniform float roughness, metalness;
uniform vec2 fogRange;
uniform sampler2DShadow shadowMap;
const float PI = 3.14159265358979;
vec3 n, toEye;
${surface}
#ifdef SHADOWED
// nine places of the map, each already smoothed between four texels
float lit() {
  vec3 at = shade.xyz / shade.w;
  at.z += shadow.x;
  if (at.z > 1.0 || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(shadowMap, at + vec3(vec2(i, j) * shadow.y * shadow.z, 0.0));
  return sum / 9.0;
}
#endif
#ifdef SHINY
vec3 highlight(vec3 l, vec3 f0) {
  vec3 h = normalize(l + toEye);
  float nl = clamp(dot(n, l), 0.0, 1.0), nv = clamp(dot(n, toEye), 0.0, 1.0), nh = clamp(dot(n, h), 0.0, 1.0);
  float a = max(roughness, 0.05);
  a *= a;
  float b = a * a, q = nh * nh * (b - 1.0) + 1.0;
  float v = 0.5 / max(nl * sqrt(b + (1.0 - b) * nv * nv) + nv * sqrt(b + (1.0 - b) * nl * nl), 1e-6);
  return (f0 + (1.0 - f0) * pow(1.0 - clamp(dot(toEye, h), 0.0, 1.0), 5.0)) * v * b / (PI * q * q);
}
#endif
void main() {
  seen = colour;
#ifdef VERTEX_COLOURS
  seen.rgb *= tint;
#endif
  n = normalize(across);
#ifdef BOTH_SIDES
  if (!gl_FrontFacing) n = -n;
#endif
  toEye = normalize(eye.xyz - where * eye.w);
${surface ? '  surface(seen);' : ''}
#ifdef LIT
  vec3 diffuse = seen.rgb / PI, f0 = vec3(0.04);
#ifdef SHINY
  f0 = mix(f0, seen.rgb, metalness);
  diffuse *= 1.0 - metalness;
#endif
  vec3 light = diffuse * (ambient + mix(ground, sky, 0.5 + 0.5 * dot(n, skyUp)));
  for (int i = 0; i < ${SUNS}; i++) {
    vec3 comes = sunColours[i] * max(dot(n, sunsAt[i]), 0.0);
#ifdef SHADOWED
    if (i == 0) comes *= lit();
#endif
    light += comes * diffuse;
#ifdef SHINY
    light += comes * highlight(sunsAt[i], f0);
#endif
  }
  seen.rgb = light + emissive;
#endif
  seen.rgb = mix(12.92 * seen.rgb, 1.055 * pow(max(seen.rgb, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, seen.rgb));
#ifdef FOGGED
  seen.rgb = mix(seen.rgb, fogColour, smoothstep(fogRange.x, fogRange.y, far));
#endif
}`;

/** Depth alone, as seen from the sun. */
export const shadowTexts: readonly [string, string] = [
  '#version 300 es\nlayout(location = 0) in vec3 position; uniform mat4 model, view, projection; void main() { gl_Position = projection * view * model * vec4(position, 1.0); }',
  '#version 300 es\nvoid main() {}',
];
