/** The surface of a superovoid as a mesh for the screen: nearly equal spacing, smooth normals. */
import { BufferAttribute, BufferGeometry } from 'three';

const power = (v: number, e: number): number => Math.sign(v) * Math.abs(v) ** e;

/** Unit superellipse at an angle, spaced nearly equally whatever the exponent. */
function curve(angle: number, e: number): [number, number] {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const r = (Math.abs(c) ** (2 / e) + Math.abs(s) ** (2 / e)) ** (-e / 2);
  return [power(Math.abs(c) * r, 1) * Math.sign(c), power(Math.abs(s) * r, 1) * Math.sign(s)];
}

export function superovoid(size: readonly number[], e: readonly number[], taper: readonly number[], around = 32, up = 20): BufferGeometry {
  const points: number[] = [];
  for (let j = 0; j <= up; j++) {
    const [w, z] = curve(-Math.PI / 2 + (Math.PI * j) / up, Math.max(0.05, e[1]!));
    for (let i = 0; i < around; i++) {
      const [x, y] = curve((2 * Math.PI * i) / around, Math.max(0.05, e[0]!));
      points.push(size[0]! * w * x * (1 + taper[0]! * z), size[1]! * w * y * (1 + taper[1]! * z), size[2]! * z);
    }
  }
  const triangles: number[] = [];
  for (let j = 0; j < up; j++) {
    for (let i = 0; i < around; i++) {
      const a = j * around + i, b = j * around + ((i + 1) % around);
      triangles.push(a, b, b + around, a, b + around, a + around);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
  geometry.setIndex(triangles);
  geometry.computeVertexNormals();
  return geometry;
}
