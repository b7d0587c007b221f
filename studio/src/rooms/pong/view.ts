// The picture of Duper Bowl Pong: a table in a soft light.
import {
    AmbientLight, BoxGeometry, BufferGeometry, Color, DirectionalLight, HemisphereLight, Mesh, MeshBasicMaterial,
    MeshStandardMaterial, PerspectiveCamera, PlaneGeometry, RingGeometry, Scene, Vector2, Vector3, Raycaster,
    Plane,
} from 'three';
import { PONG, PONG_FIELD as F } from '../../core/play';
import { pong as texts } from '../../texts/pong';
import { Renderer } from '../../view/renderer';
import { shapeSuperellipsoid, superellipsoidGeometry } from '../../view/superellipsoid';

const COLOURS = {
    dark: { back: 0x12171f, table: 0x1d2732, line: 0x3b4c5e, left: 0x62b6cb, right: 0xf2a65a, ball: 0xf4f1e8, rail: 0x2c3946 },
    light: { back: 0xe9e4da, table: 0xd7dfdc, line: 0xffffff, left: 0x2f7f93, right: 0xd07a2d, ball: 0x3d3a4b, rail: 0xb9c4c0 },
};
const TRAIL = 10, SPARKS = 14;

export class PongView {
    readonly renderer = new Renderer();
    private readonly scene = new Scene();
    private readonly camera = new PerspectiveCamera(30, 1, 1, 200);
    private readonly ballGeometry = superellipsoidGeometry();
    private readonly ball: Mesh<BufferGeometry, MeshStandardMaterial>;
    private readonly paddles: Mesh<BufferGeometry, MeshStandardMaterial>[] = [];
    private readonly trail: Mesh<BufferGeometry, MeshBasicMaterial>[] = [];
    private readonly sparks: { mesh: Mesh<BufferGeometry, MeshBasicMaterial>; v: Vector3; life: number }[] = [];
    private readonly table: Mesh<PlaneGeometry, MeshStandardMaterial>;
    private readonly lines = new MeshBasicMaterial();
    private readonly rails = new MeshStandardMaterial({ roughness: 0.6 });
    private readonly sun = new DirectionalLight(0xfff2dd, 2.4);
    private readonly ray = new Raycaster();
    private readonly floor = new Plane(new Vector3(0, 0, 1), 0);

    constructor(host: HTMLElement) {
        this.renderer.domElement.setAttribute('role', 'img');
        this.renderer.domElement.setAttribute('aria-label', texts.picture);
        host.append(this.renderer.domElement);
        this.camera.up.set(0, 1, 0);
        this.table = new Mesh(new PlaneGeometry(2 * F.x + 1.2, 2 * F.y + 1.2), new MeshStandardMaterial({ roughness: 0.9 }));
        this.table.position.z = -0.75;
        this.table.receiveShadow = true;
        this.scene.add(this.table, new AmbientLight(0xffffff, 0.5), new HemisphereLight(0xdfeaff, 0x8a7a66, 1.1));
        this.addLines();
        this.addSun();
        this.ball = new Mesh(this.ballGeometry, new MeshStandardMaterial({ roughness: 0.35, metalness: 0.05 }));
        this.ball.castShadow = true;
        this.scene.add(this.ball);
        for (let k = 0; k < 2; k++) {
            const geometry = superellipsoidGeometry();
            shapeSuperellipsoid(geometry, F.a1, F.a2, F.a3, F.e, F.e);
            const paddle = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.45, metalness: 0.1 }));
            paddle.castShadow = true;
            this.paddles.push(paddle);
            this.scene.add(paddle);
        }
        this.addTrail();
        this.theme(true);
    }

    private addLines(): void {
        const add = (w: number, h: number, x: number, y: number): void => {
            const line = new Mesh(new PlaneGeometry(w, h), this.lines);
            line.position.set(x, y, -0.74);
            this.scene.add(line);
        };
        add(0.1, 2 * F.y, 0, 0);
        add(0.16, 2 * F.y, -F.x, 0);
        add(0.16, 2 * F.y, F.x, 0);
        const ring = new Mesh(new RingGeometry(2.9, 3, 64), this.lines);
        ring.position.z = -0.74;
        this.scene.add(ring);
        for (const side of [-1, 1]) {
            const rail = new Mesh(new BoxGeometry(2 * F.x + 1.2, 0.6, 1.3), this.rails);
            rail.position.set(0, side * (F.y + 0.3), -0.1);
            rail.castShadow = rail.receiveShadow = true;
            this.scene.add(rail);
        }
    }

    private addSun(): void {
        this.sun.position.set(-9, 12, 24);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        Object.assign(this.sun.shadow.camera, { left: -19, right: 19, top: 13, bottom: -13, near: 5, far: 60 });
        this.sun.shadow.radius = 4;
        this.scene.add(this.sun);
    }

    private addTrail(): void {
        for (let i = 0; i < TRAIL; i++) {
            const material = new MeshBasicMaterial({ transparent: true, depthWrite: false, opacity: 0.16 * (1 - i / TRAIL) });
            const ghost = new Mesh(this.ballGeometry, material);
            ghost.visible = false;
            this.trail.push(ghost);
            this.scene.add(ghost);
        }
        const grain = new BoxGeometry(0.16, 0.16, 0.16);
        for (let i = 0; i < SPARKS; i++) {
            const mesh = new Mesh<BufferGeometry, MeshBasicMaterial>(grain, new MeshBasicMaterial({ transparent: true }));
            mesh.visible = false;
            this.sparks.push({ mesh, v: new Vector3(), life: 0 });
            this.scene.add(mesh);
        }
    }

    theme(dark: boolean): void {
        const c = dark ? COLOURS.dark : COLOURS.light;
        this.scene.background = new Color(c.back);
        this.table.material.color.set(c.table);
        this.lines.color.set(c.line);
        this.rails.color.set(c.rail);
        this.ball.material.color.set(c.ball);
        this.paddles[0]?.material.color.set(c.left);
        this.paddles[1]?.material.color.set(c.right);
        for (const ghost of this.trail) ghost.material.color.set(c.ball);
        for (const spark of this.sparks) spark.mesh.material.color.set(c.right);
    }

    /** `margin`: pixels at either side that the table leaves free. */
    resize(width: number, height: number, margin: number): void {
        this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(1, height);
        // the whole table in sight, tilted a little
        const half = Math.tan((this.camera.fov * Math.PI) / 360);
        const far = Math.max((F.y + 2.6) / half, (F.x + 1.4) / (half * this.camera.aspect * Math.max(0.4, 1 - (2 * margin) / width)));
        this.camera.position.set(0, -0.22 * far, far);
        this.camera.lookAt(0, 0.5, 0);
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
    }

    /** The point of the field under a pixel of the picture. */
    fieldAt(x: number, y: number): Vector3 {
        const rect = this.renderer.domElement.getBoundingClientRect();
        const at = new Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2);
        this.ray.setFromCamera(at, this.camera);
        return this.ray.ray.intersectPlane(this.floor, new Vector3()) ?? new Vector3();
    }

    private burst(x: number, y: number, strength: number): void {
        this.sparks.forEach((spark, i) => {
            const a = (i / SPARKS) * 2 * Math.PI;
            spark.mesh.position.set(x, y, 0);
            spark.v.set(Math.cos(a), Math.sin(a), 0.6).multiplyScalar(1.5 + 0.12 * strength);
            spark.life = 1;
        });
    }

    draw(s: Float64Array, moves: boolean): void {
        const n = (i: number): number => s[i] ?? 0;
        shapeSuperellipsoid(this.ballGeometry, n(PONG.a1), n(PONG.a2), n(PONG.a3), n(PONG.e1), n(PONG.e2));
        if (moves) this.moveTrail();
        this.ball.position.set(n(PONG.x), n(PONG.y), 0);
        this.ball.rotation.z = n(PONG.angle);
        this.paddles.forEach((paddle, k) => {
            paddle.position.set(k === 0 ? -F.paddleX : F.paddleX, n(PONG.paddles + 4 * k), 0);
            paddle.rotation.z = n(PONG.paddles + 4 * k + 1);
        });
        if (n(PONG.events) & 3) this.burst(n(PONG.x), n(PONG.y), n(PONG.impact));
        for (const spark of this.sparks) {
            spark.life -= 0.06;
            spark.mesh.visible = spark.life > 0;
            spark.mesh.material.opacity = Math.max(0, spark.life);
            spark.mesh.position.addScaledVector(spark.v, 1 / 60);
        }
        this.renderer.render(this.scene, this.camera);
    }

    private moveTrail(): void {
        for (let i = TRAIL - 1; i > 0; i--) {
            const ghost = this.trail[i], before = this.trail[i - 1];
            if (!ghost || !before) continue;
            ghost.position.copy(before.position);
            ghost.rotation.copy(before.rotation);
            ghost.visible = before.visible;
        }
        const first = this.trail[0];
        if (!first) return;
        const jump = first.visible && first.position.distanceTo(this.ball.position) > 6;
        first.position.copy(this.ball.position);
        first.rotation.copy(this.ball.rotation);
        first.visible = true;
        if (jump) for (const ghost of this.trail) ghost.visible = false;
    }

    dispose(): void {
        this.scene.traverse((o) => {
            if (o instanceof Mesh) (o.geometry as BufferGeometry).dispose();
        });
        this.renderer.dispose();
        this.renderer.domElement.remove();
    }
}
