// The picture of Terrain Cloth: cloth or rock in a low sun, silhouettes of the bodies below, pins,
// handles, and the walker.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CircleGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide,
    Fog, Group, HemisphereLight, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, PerspectiveCamera,
    Plane, Raycaster, Scene, SphereGeometry, TorusGeometry, Vector2, Vector3,
} from 'three';
import { BODY_ROW, COLUMNS } from '../../core/play';
import type { Pin, TerrainBody, Vec3 } from '../../core/play';
import { terrain as texts } from '../../texts/terrain';
import { Renderer } from '../../view/renderer';
import { setSurface, type Surface } from '../../view/shaders';
import { shapeSuperellipsoid, superellipsoidGeometry } from '../../view/superellipsoid';

const THEMES = {
    dark: { sky: 0x1b2430, ground: 0x27323c, cloth: [0.72, 0.6, 0.46], light: 0xffe3bd, fill: 0x7fa1c7, low: 0x3a3128, glow: 0x8fd3e8 },
    light: { sky: 0xe6edef, ground: 0xf3f6f2, cloth: [0.86, 0.76, 0.62], light: 0xfff0d6, fill: 0xdbe8f2, low: 0xb8aa96, glow: 0x2f7f93 },
};

/** Noise, linen and rock, by the place in the world: no pictures are loaded. */
const SURFACE = /* glsl */ `
    uniform float rock; uniform vec3 linen;
    float hash(vec3 p) { p = fract(p * 0.3183 + 0.1); p *= 17.0; return fract(p.x * p.y * p.z * (p.x + p.y + p.z)); }
    float noise(vec3 x) {
        vec3 i = floor(x), f = fract(x); f = f * f * (3.0 - 2.0 * f);
        return mix(mix(mix(hash(i), hash(i + vec3(1,0,0)), f.x), mix(hash(i + vec3(0,1,0)), hash(i + vec3(1,1,0)), f.x), f.y),
                   mix(mix(hash(i + vec3(0,0,1)), hash(i + vec3(1,0,1)), f.x), mix(hash(i + vec3(0,1,1)), hash(i + vec3(1,1,1)), f.x), f.y), f.z);
    }
    float layers(vec3 p) { return 0.5 * noise(p) + 0.27 * noise(2.1 * p) + 0.15 * noise(4.3 * p) + 0.08 * noise(8.9 * p); }
    vec3 clothColour() {
        vec2 t = abs(fract(thread * 20.0) - 0.5);
        float thread = smoothstep(0.47, 0.5, max(t.x, t.y));
        if (rock < 0.5) return linen * (0.93 + 0.1 * layers(place * 3.0)) * (1.0 - 0.13 * thread);
        float n = layers(place * 1.7), fine = layers(place * 7.0), steep = 1.0 - abs(up.z);
        vec3 stone = mix(vec3(0.27, 0.25, 0.24), vec3(0.58, 0.53, 0.47), 0.7 * fine + 0.35 * sin(place.z * 14.0 + 5.0 * n) * 0.5 + 0.1);
        vec3 grass = mix(vec3(0.22, 0.31, 0.15), vec3(0.42, 0.46, 0.22), fine);
        float green = smoothstep(0.34, 0.16, steep + 0.25 * (n - 0.5)) * smoothstep(1.5, 0.7, place.z + n);
        float white = smoothstep(1.55, 2.0, place.z + 0.8 * (n - 0.5)) * smoothstep(0.75, 0.45, steep);
        return mix(mix(stone, grass, green), vec3(0.93, 0.95, 0.97), white);
    }
    void surface(inout vec4 colour) { colour.rgb = clothColour(); }`;

/** Through the cloth: a soft rim, brighter where the body turns away. */
const GHOST = /* glsl */ `
    uniform float strength;
    void surface(inout vec4 colour) {
        if (where.z < 0.0) discard;
        float rim = 1.0 - abs(dot(n, toEye));
        colour.a = strength * (0.16 + 0.84 * rim * rim);
    }`;

function surfaceMaterial(surface: Surface): MeshStandardMaterial {
    const material = new MeshStandardMaterial({ side: DoubleSide, roughness: 0.92 });
    setSurface(material, surface);
    return material;
}

function pinModel(): Group {
    const wood = new MeshStandardMaterial({ color: 0xc98f4a, roughness: 0.7 }), steel = new MeshStandardMaterial({ color: 0x9aa3ab, roughness: 0.35, metalness: 0.6 });
    const model = new Group();
    for (const side of [-1, 1]) {
        const leg = new Mesh(new BoxGeometry(0.05, 0.09, 0.42), wood);
        leg.position.set(0.035 * side, 0, 0.14);
        leg.rotation.y = 0.09 * side;
        leg.castShadow = true;
        model.add(leg);
    }
    const spring = new Mesh(new TorusGeometry(0.055, 0.018, 6, 14), steel);
    spring.position.z = 0.17;
    model.add(spring);
    return model;
}

function walkerModel(): Group {
    const model = new Group();
    const coat = new MeshStandardMaterial({ color: 0xd0643a, roughness: 0.6 }), skin = new MeshStandardMaterial({ color: 0xf0c9a0, roughness: 0.6 });
    const body = new Mesh(new CylinderGeometry(0.045, 0.085, 0.2, 18), coat);
    body.rotation.x = Math.PI / 2;
    body.position.z = -0.06;
    const head = new Mesh(new SphereGeometry(0.052, 18, 12), skin);
    head.position.z = 0.085;
    const hat = new Mesh(new ConeGeometry(0.07, 0.09, 18), coat);
    hat.rotation.x = Math.PI / 2;
    hat.position.z = 0.14;
    const nose = new Mesh(new SphereGeometry(0.016, 8, 6), skin);
    nose.position.set(0.055, 0, 0.08);
    model.add(body, head, hat, nose);
    model.traverse((o) => (o.castShadow = true));
    return model;
}

export interface Camera {
    yaw: number;
    pitch: number;
    distance: number;
}

export class TerrainView {
    readonly renderer = new Renderer();
    readonly camera = new PerspectiveCamera(42, 1, 0.02, 120);
    readonly orbit: Camera = { yaw: -0.6, pitch: 0.62, distance: 13 };
    private readonly scene = new Scene();
    private readonly cloth: Mesh<BufferGeometry, MeshStandardMaterial>;
    private readonly uniforms = { rock: 0, linen: new Color() };
    private readonly ground = new Mesh(new CircleGeometry(60, 48), new MeshLambertMaterial());
    private readonly sun = new DirectionalLight(0xffffff, 2.6);
    private readonly fill = new HemisphereLight(0xffffff, 0x888888, 1.25);
    private readonly ghosts = new Map<number, Mesh<BufferGeometry, MeshBasicMaterial>>();
    private readonly pins = new Map<number, Group>();
    private readonly loose = pinModel();
    private readonly handles = [0, 1].map(() => new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: 0xd98032, depthTest: false, transparent: true })));
    private readonly walker = walkerModel();
    private readonly ray = new Raycaster();
    private readonly target = new Vector3(0, 0, 0.5);
    private height = 1;
    shown = true;
    selected = -1;
    heading = 0;

    constructor(host: HTMLElement, triangles: Uint32Array, vertices: number) {
        this.renderer.domElement.setAttribute('role', 'img');
        this.renderer.domElement.setAttribute('aria-label', texts.picture);
        host.append(this.renderer.domElement);
        const geometry = new BufferGeometry();
        const thread = new Float32Array(2 * vertices);
        for (let i = 0; i < vertices; i++) {
            thread[2 * i] = (i % (COLUMNS + 1)) / COLUMNS;
            thread[2 * i + 1] = Math.floor(i / (COLUMNS + 1)) / COLUMNS;
        }
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * vertices), 3));
        geometry.setAttribute('normal', new BufferAttribute(new Float32Array(3 * vertices), 3));
        geometry.setAttribute('thread', new BufferAttribute(thread, 2));
        geometry.setIndex(new BufferAttribute(triangles, 1));
        this.cloth = new Mesh(geometry, surfaceMaterial({ code: SURFACE, uniforms: this.uniforms }));
        this.cloth.castShadow = this.cloth.receiveShadow = true;
        this.cloth.frustumCulled = false;
        this.ground.receiveShadow = true;
        this.ground.position.z = -0.012;
        this.walker.visible = this.loose.visible = false;
        for (const handle of this.handles) {
            handle.visible = false;
            handle.renderOrder = 5;
        }
        this.scene.add(this.cloth, this.ground, this.fill, this.sun, this.sun.target, this.loose, this.walker, ...this.handles);
        this.camera.up.set(0, 0, 1);
        this.placeSun();
        this.theme(true);
    }

    private placeSun(): void {
        this.sun.position.set(-7, -5, 8.5);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        Object.assign(this.sun.shadow.camera, { left: -8, right: 8, top: 8, bottom: -8, near: 1, far: 30 });
        this.sun.shadow.bias = -0.0006;
        this.sun.shadow.normalBias = 0.05;
        this.sun.shadow.radius = 3;
    }

    theme(dark: boolean): void {
        const c = dark ? THEMES.dark : THEMES.light;
        this.scene.background = new Color(c.sky);
        this.scene.fog = new Fog(c.sky, 14, 42);
        this.ground.material.color.set(c.ground);
        this.sun.color.set(c.light);
        this.fill.color.set(c.fill);
        this.fill.groundColor.set(c.low);
        this.uniforms.linen.setRGB(c.cloth[0] ?? 1, c.cloth[1] ?? 1, c.cloth[2] ?? 1);
        this.glow = new Color(c.glow);
    }
    private glow = new Color();

    rock(on: boolean): void {
        this.uniforms.rock = on ? 1 : 0;
    }

    resize(width: number, height: number): void {
        this.height = height;
        this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(1, height);
        this.camera.updateProjectionMatrix();
    }

    // ---- where things are on the screen

    rayAt(x: number, y: number): { origin: Vec3; direction: Vec3 } {
        const rect = this.renderer.domElement.getBoundingClientRect();
        this.ray.setFromCamera(new Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2), this.camera);
        const { origin, direction } = this.ray.ray;
        return { origin: [origin.x, origin.y, origin.z], direction: [direction.x, direction.y, direction.z] };
    }

    /** Where the ray of a pixel meets the level at height z. */
    levelAt(x: number, y: number, z: number): Vec3 | null {
        this.rayAt(x, y);
        const hit = this.ray.ray.intersectPlane(new Plane(new Vector3(0, 0, 1), -z), new Vector3());
        return hit ? [hit.x, hit.y, hit.z] : null;
    }

    /** Where it meets the plane through a point that faces the camera. */
    facingAt(x: number, y: number, through: Vec3): Vec3 | null {
        this.rayAt(x, y);
        const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), new Vector3(...through));
        const hit = this.ray.ray.intersectPlane(plane, new Vector3());
        return hit ? [hit.x, hit.y, hit.z] : null;
    }

    screenOf(p: Vec3): [number, number] {
        const v = new Vector3(...p).project(this.camera);
        const rect = this.renderer.domElement.getBoundingClientRect();
        return [rect.left + ((v.x + 1) / 2) * rect.width, rect.top + ((1 - v.y) / 2) * rect.height];
    }

    handlePlaces(b: TerrainBody): { height: Vec3; width: Vec3 } {
        // the width's handle is on the right as seen from the camera
        const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
        right.z = 0;
        right.normalize().multiplyScalar(Math.max(b.width, b.depth) + 0.35);
        return { height: [b.x, b.y, b.height + 0.45], width: [b.x + right.x, b.y + right.y, 0.25] };
    }

    // ---- drawing

    /** How far it has moved since the last time, in metres. */
    showCloth(picture: Float32Array): number {
        const half = picture.length / 2;
        const position = this.cloth.geometry.getAttribute('position') as BufferAttribute;
        const normal = this.cloth.geometry.getAttribute('normal') as BufferAttribute;
        let moved = 0;
        for (let i = 0; i < half; i++) moved = Math.max(moved, Math.abs(position.array[i]! - picture[i]!));
        position.array.set(picture.subarray(0, half));
        normal.array.set(picture.subarray(half));
        position.needsUpdate = normal.needsUpdate = true;
        return moved;
    }

    /** Bodies through the cloth, or not. */
    silhouettes(on: boolean): void {
        this.shown = on;
        for (const ghost of this.ghosts.values()) ghost.visible = on;
    }

    showBodies(rows: Float64Array): void {
        const seen = new Set<number>();
        for (let i = 0; i < rows.length; i += BODY_ROW) {
            const [id = 0, x = 0, y = 0, a1 = 1, a2 = 1, a3 = 1, e1 = 1, e2 = 1, angle = 0, z = 0] = rows.subarray(i, i + BODY_ROW);
            seen.add(id);
            let ghost = this.ghosts.get(id);
            if (!ghost) {
                ghost = new Mesh(superellipsoidGeometry(), new MeshBasicMaterial({ transparent: true, depthTest: false, depthWrite: false, fog: false }));
                ghost.renderOrder = 2;
                this.ghosts.set(id, ghost);
                this.scene.add(ghost);
            }
            const key = `${a1} ${a2} ${a3} ${e1} ${e2}`;
            if (ghost.userData['key'] !== key) {
                shapeSuperellipsoid(ghost.geometry, a1, a2, a3, e1, e2);
                ghost.userData['key'] = key;
            }
            ghost.position.set(x, y, z);
            ghost.rotation.z = angle;
            ghost.visible = this.shown;
            const chosen = id === this.selected;
            if (chosen) ghost.material.color.set(0xd98032);
            else ghost.material.color.copy(this.glow);
            setSurface(ghost.material, { code: GHOST, uniforms: { strength: chosen ? 0.8 : 0.5 } });
        }
        for (const [id, ghost] of this.ghosts) {
            if (seen.has(id)) continue;
            ghost.geometry.dispose();
            ghost.material.dispose();
            this.scene.remove(ghost);
            this.ghosts.delete(id);
        }
    }

    showPins(pins: Pin[], loose: Vec3 | null): void {
        const seen = new Set(pins.map((p) => p.vertex));
        for (const p of pins) {
            let model = this.pins.get(p.vertex);
            if (!model) {
                model = pinModel();
                this.pins.set(p.vertex, model);
                this.scene.add(model);
            }
            model.position.set(p.x, p.y, p.z);
        }
        for (const [vertex, model] of this.pins) {
            if (seen.has(vertex)) continue;
            this.scene.remove(model);
            this.pins.delete(vertex);
        }
        this.loose.visible = loose !== null;
        if (loose) this.loose.position.set(...loose);
    }

    showHandles(body: TerrainBody | null): void {
        const places = body ? this.handlePlaces(body) : null;
        this.handles.forEach((handle, i) => {
            handle.visible = places !== null;
            if (!places) return;
            handle.position.set(...(i === 0 ? places.height : places.width));
            // 14 pixels in radius, however far
            const far = handle.position.distanceTo(this.camera.position);
            handle.scale.setScalar((14 * 2 * far * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.height));
        });
    }

    showWalker(at: Vec3 | null): void {
        this.walker.visible = at !== null;
        if (at) this.walker.position.set(...at);
        this.walker.rotation.z = this.heading;
        this.loose.visible = false;
        for (const model of this.pins.values()) model.visible = at === null;
    }

    /** Around the cloth. */
    lookAtCloth(): void {
        const { yaw, pitch, distance } = this.orbit;
        const reach = distance * Math.max(1, 1.15 / this.camera.aspect);
        this.camera.position.set(Math.sin(yaw) * Math.cos(pitch), -Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch)).multiplyScalar(reach).add(this.target);
        this.camera.lookAt(this.target);
        this.camera.updateMatrixWorld();
    }

    /** Behind the walker. */
    follow(at: Vec3, back: Vec3, reach: number): void {
        const eye = new Vector3(...at);
        this.camera.position.copy(eye).addScaledVector(new Vector3(...back), reach);
        this.camera.lookAt(eye.x, eye.y, eye.z + 0.08);
        this.camera.updateMatrixWorld();
    }

    render(): void {
        this.renderer.render(this.scene, this.camera);
    }

    dispose(): void {
        this.scene.traverse((o) => {
            if (o instanceof Mesh) (o.geometry as BufferGeometry).dispose();
        });
        this.renderer.dispose();
        this.renderer.domElement.remove();
    }
}
