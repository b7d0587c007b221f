/**
 * Draws a scene of three.js with WebGL 2: what the studio's rooms use of it, and nothing more. three.js
 * has the bodies, materials, lights and cameras; its own renderer, for every kind of material there
 * is, would be two fifths of all that the pages weigh.
 *
 * Drawn are meshes and lines; MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial (colour,
 * emissive, opacity, side, depth, vertex colours) and LineBasicMaterial; ambient, hemisphere and up to
 * three directional lights, of which the first that casts has a shadow; linear fog; a background
 * colour. Opaque things come first, then transparent ones from far to near, both by renderOrder.
 */
import {
  AmbientLight, Color, DirectionalLight, DoubleSide, Fog, HemisphereLight, Line, LineSegments, Matrix3, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, MeshStandardMaterial, Vector3,
  type BufferAttribute, type BufferGeometry, type Camera, type LineBasicMaterial, type Object3D, type Scene,
} from 'three';
import { ATTRIBUTES, FEATURES, fragmentText, shadowTexts, SUNS, surfaceOf, vertexText, type Feature } from './shaders';

type Drawn = (Mesh | Line) & { geometry: BufferGeometry };
type Look = MeshBasicMaterial | MeshLambertMaterial | MeshStandardMaterial | LineBasicMaterial;
type Box = [number, number, number, number];

/** A linked program and where its uniforms are. */
interface Program {
  handle: WebGLProgram;
  places: Map<string, WebGLUniformLocation | null>;
}

/** A geometry's buffers on the GPU; `from` is what was put there, and which version of it. */
interface Buffers {
  vertices: WebGLVertexArrayObject;
  list: Map<string, { buffer: WebGLBuffer; from: BufferAttribute; version: number }>;
}

/** The lights of a scene, as the shaders take them. */
interface Lights {
  ambient: Color;
  sky: Color;
  ground: Color;
  skyUp: Vector3;
  suns: DirectionalLight[];
  /** Colour of each sun, and the unit direction towards it. */
  colours: Float32Array;
  places: Float32Array;
  casting: DirectionalLight | null;
}

interface ShadowMap {
  texture: WebGLTexture;
  frame: WebGLFramebuffer;
  size: number;
}

const isDrawn = (o: Object3D): o is Drawn => o instanceof Mesh || o instanceof Line;
const lookOf = (o: Drawn): Look => o.material as Look;

export class Renderer {
  readonly domElement: HTMLCanvasElement;
  private readonly gl: WebGL2RenderingContext;
  private programs = new Map<string, Program>();
  private buffers = new Map<BufferGeometry, Buffers>();
  private shadow: ShadowMap | null = null;
  private program: Program | null = null;
  private ratio = 1;
  private viewport: Box = [0, 0, 300, 150];
  private scissor: Box | null = null;
  private cut = false;
  private readonly matrix = new Matrix4();
  private readonly normals = new Matrix3();

  constructor(canvas: HTMLCanvasElement = document.createElement('canvas')) {
    this.domElement = canvas;
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: true, powerPreference: 'low-power' });
    if (!gl) throw new Error('this browser has no WebGL 2');
    this.gl = gl;
    canvas.style.display = 'block';
    // what was on the GPU is made anew when it is needed
    canvas.addEventListener('webglcontextlost', this.lost);
  }

  private readonly lost = (e: Event): void => {
    e.preventDefault();
    this.programs.clear();
    for (const g of this.buffers.keys()) g.removeEventListener('dispose', this.drop);
    this.buffers.clear();
    this.shadow = null;
  };

  /* ---- the picture's size ---------------------------------------------------------------------- */

  setPixelRatio(ratio: number): void {
    this.ratio = ratio;
  }

  setSize(width: number, height: number, styled = true): void {
    this.domElement.width = Math.floor(width * this.ratio);
    this.domElement.height = Math.floor(height * this.ratio);
    if (styled) {
      this.domElement.style.width = `${width}px`;
      this.domElement.style.height = `${height}px`;
    }
    this.setViewport(0, 0, width, height);
  }

  setViewport(x: number, y: number, width: number, height: number): void {
    this.viewport = this.box(x, y, width, height);
  }

  setScissor(x: number, y: number, width: number, height: number): void {
    this.scissor = this.box(x, y, width, height);
  }

  setScissorTest(on: boolean): void {
    this.cut = on;
  }

  private box(...numbers: Box): Box {
    return numbers.map((v) => Math.round(v * this.ratio)) as Box;
  }

  /* ---- what is on the GPU ---------------------------------------------------------------------- */

  private compile(vertex: string, fragment: string): Program {
    const gl = this.gl, handle = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(handle, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(`shader: ${gl.getShaderInfoLog(shader)}`);
      gl.deleteShader(shader);
    }
    gl.linkProgram(handle);
    if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(`shader: ${gl.getProgramInfoLog(handle)}`);
    return { handle, places: new Map() };
  }

  private use(key: string, texts: () => readonly [string, string]): void {
    let program = this.programs.get(key);
    if (!program) this.programs.set(key, (program = this.compile(...texts())));
    this.program = program;
    this.gl.useProgram(program.handle);
  }

  private at(name: string): WebGLUniformLocation | null {
    const p = this.program!;
    if (!p.places.has(name)) p.places.set(name, this.gl.getUniformLocation(p.handle, name));
    return p.places.get(name)!;
  }

  /** Matrices by their length, vectors and numbers by theirs. */
  private set(name: string, ...values: number[]): void {
    const at = this.at(name);
    if (at) this.gl[`uniform${values.length as 1 | 2 | 3 | 4}fv`](at, values);
  }
  private setColour(name: string, c: { r: number; g: number; b: number }): void {
    this.set(name, c.r, c.g, c.b);
  }
  private setMatrix(name: string, m: Matrix4): void {
    this.gl.uniformMatrix4fv(this.at(name), false, m.elements);
  }

  private readonly drop = (e: { target: BufferGeometry }): void => {
    const kept = this.buffers.get(e.target);
    e.target.removeEventListener('dispose', this.drop);
    if (!kept) return;
    this.buffers.delete(e.target);
    this.gl.deleteVertexArray(kept.vertices);
    for (const b of kept.list.values()) this.gl.deleteBuffer(b.buffer);
  };

  /** Binds a geometry; what has changed of it is sent. */
  private bind(g: BufferGeometry): void {
    const gl = this.gl;
    let kept = this.buffers.get(g);
    if (!kept) {
      this.buffers.set(g, (kept = { vertices: gl.createVertexArray(), list: new Map() }));
      g.addEventListener('dispose', this.drop);
    }
    gl.bindVertexArray(kept.vertices);
    ATTRIBUTES.forEach((name, place) => {
      const from = g.getAttribute(name) as BufferAttribute | undefined;
      if (!from) return gl.disableVertexAttribArray(place); // another geometry's attributes are not taken over: this is its own array
      if (!this.send(kept, name, from, gl.ARRAY_BUFFER)) return;
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, from.itemSize, gl.FLOAT, false, 0, 0);
    });
    if (g.index) this.send(kept, 'index', g.index, gl.ELEMENT_ARRAY_BUFFER);
  }

  /** Whether the buffer is a new one, which is bound then. */
  private send(kept: Buffers, name: string, from: BufferAttribute, target: number): boolean {
    const gl = this.gl, had = kept.list.get(name);
    if (had?.from === from && had.version === from.version) return false;
    const buffer = had?.buffer ?? gl.createBuffer();
    gl.bindBuffer(target, buffer);
    const array = from.array as Float32Array;
    if (had?.from === from) gl.bufferSubData(target, 0, array);
    else gl.bufferData(target, array, had || from.version > 0 ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
    kept.list.set(name, { buffer, from, version: from.version });
    return had?.from !== from;
  }

  private draw(o: Drawn): void {
    const gl = this.gl, g = o.geometry;
    const mode = o instanceof LineSegments ? gl.LINES : o instanceof Line ? gl.LINE_STRIP : gl.TRIANGLES;
    const all = g.index ?? g.getAttribute('position');
    if (!all) return; // a body whose surface is still to come
    const first = g.drawRange.start, count = Math.min(all.count - first, g.drawRange.count);
    if (count <= 0) return;
    if (!g.index) return gl.drawArrays(mode, first, count);
    const wide = g.index.array.BYTES_PER_ELEMENT === 4;
    gl.drawElements(mode, count, wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, first * (wide ? 4 : 2));
  }

  /** Which sides of triangles are drawn: those in front, all, or for shadows those behind. */
  private cull(o: Drawn, side: 'front' | 'both' | 'back'): void {
    const gl = this.gl;
    if (side === 'both') return gl.disable(gl.CULL_FACE);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(side === 'front' ? gl.BACK : gl.FRONT);
    gl.frontFace(o.matrixWorld.determinant() < 0 ? gl.CW : gl.CCW);
  }

  /* ---- a picture ------------------------------------------------------------------------------- */

  render(scene: Scene, camera: Camera): void {
    const gl = this.gl;
    if (gl.isContextLost()) return;
    scene.updateMatrixWorld();
    if (!camera.parent) camera.updateMatrixWorld();
    const all: Drawn[] = [], lights = emptyLights();
    scene.traverseVisible((o) => {
      if (isDrawn(o)) all.push(o);
      else addLight(lights, o);
    });
    placeSuns(lights);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    if (lights.casting) this.drawShadow(lights.casting, all);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(...this.viewport);
    if (this.cut && this.scissor) {
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(...this.scissor);
    } else {
      gl.disable(gl.SCISSOR_TEST);
    }
    this.clear(scene.background instanceof Color ? scene.background : new Color(0));
    this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const depths = new Map(all.map((o) => [o, new Vector3().setFromMatrixPosition(o.matrixWorld).applyMatrix4(this.matrix).z]));
    const layer = (seeThrough: boolean, sign: number): Drawn[] => all.filter((o) => lookOf(o).transparent === seeThrough)
      .sort((a, b) => a.renderOrder - b.renderOrder || sign * (depths.get(a)! - depths.get(b)!));
    for (const o of [...layer(false, 1), ...layer(true, -1)]) this.drawOne(o, scene, camera, lights);
    gl.bindVertexArray(null);
  }

  private clear(c: Color): void {
    const gl = this.gl, shown = c.clone().convertLinearToSRGB();
    gl.clearColor(shown.r, shown.g, shown.b, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  private drawOne(o: Drawn, scene: Scene, camera: Camera, lights: Lights): void {
    const gl = this.gl, m = lookOf(o), fog = scene.fog instanceof Fog && m.fog ? scene.fog : null;
    const casting = o.receiveShadow ? lights.casting : null, surface = surfaceOf(m);
    const has: Record<Feature, boolean> = {
      LIT: m instanceof MeshLambertMaterial || m instanceof MeshStandardMaterial, SHINY: m instanceof MeshStandardMaterial,
      SHADOWED: casting !== null, FOGGED: fog !== null, VERTEX_COLOURS: m.vertexColors, BOTH_SIDES: m.side === DoubleSide,
    };
    const features = FEATURES.filter((f) => has[f]);
    this.use(features.join() + (surface?.code ?? ''), () => [vertexText(features), fragmentText(features, surface?.code ?? '')]);
    this.setLook(m);
    this.setMatrix('model', o.matrixWorld);
    this.setMatrix('view', camera.matrixWorldInverse);
    this.setMatrix('projection', camera.projectionMatrix);
    gl.uniformMatrix3fv(this.at('normals'), false, this.normals.getNormalMatrix(o.matrixWorld).elements);
    const e = camera.matrixWorld.elements, flat = camera.projectionMatrix.elements[15] === 1;
    this.set('eye', ...(flat ? [e[8]!, e[9]!, e[10]!, 0] : [e[12]!, e[13]!, e[14]!, 1]));
    if (has.LIT) this.setLights(lights);
    if (casting) this.setShadow(casting);
    if (fog) {
      this.setColour('fogColour', fog.color.clone().convertLinearToSRGB());
      this.set('fogRange', fog.near, fog.far);
    }
    this.cull(o, m.side === DoubleSide ? 'both' : 'front');
    this.bind(o.geometry);
    this.draw(o);
  }

  private setLook(m: Look): void {
    const gl = this.gl;
    this.set('colour', m.color.r, m.color.g, m.color.b, m.transparent ? m.opacity : 1);
    if (m instanceof MeshLambertMaterial || m instanceof MeshStandardMaterial) this.setColour('emissive', m.emissive.clone().multiplyScalar(m.emissiveIntensity));
    if (m instanceof MeshStandardMaterial) {
      this.set('roughness', m.roughness);
      this.set('metalness', m.metalness);
    }
    for (const [name, value] of Object.entries(surfaceOf(m)?.uniforms ?? {})) {
      if (typeof value === 'number') this.set(name, value);
      else this.setColour(name, value);
    }
    gl.depthMask(m.depthWrite);
    if (m.depthTest) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    if (!m.transparent) return gl.disable(gl.BLEND);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  private setLights(l: Lights): void {
    for (const name of ['ambient', 'sky', 'ground'] as const) this.setColour(name, l[name]);
    this.set('skyUp', ...l.skyUp.toArray());
    this.gl.uniform3fv(this.at('sunColours'), l.colours);
    this.gl.uniform3fv(this.at('sunsAt'), l.places);
  }

  /* ---- the shadow ------------------------------------------------------------------------------ */

  private setShadow(sun: DirectionalLight): void {
    const s = sun.shadow;
    this.setMatrix('shadowPlace', s.matrix);
    this.set('shadowOffset', s.normalBias);
    this.set('shadow', s.bias, s.radius / 2, 1 / s.mapSize.x);
    this.gl.uniform1i(this.at('shadowMap'), 0);
  }

  private shadowMap(size: number): ShadowMap {
    if (this.shadow?.size === size) return this.shadow;
    const gl = this.gl, texture = gl.createTexture(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    const set = (name: number, value: number): void => gl.texParameteri(gl.TEXTURE_2D, name, value);
    set(gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    set(gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) set(name, gl.LINEAR);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) set(name, gl.CLAMP_TO_EDGE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    return (this.shadow = { texture, frame, size });
  }

  private drawShadow(sun: DirectionalLight, all: readonly Drawn[]): void {
    const gl = this.gl, size = sun.shadow.mapSize.x, map = this.shadowMap(size);
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.updateMatrices(sun);
    gl.bindFramebuffer(gl.FRAMEBUFFER, map.frame);
    gl.viewport(0, 0, size, size);
    gl.disable(gl.SCISSOR_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use('shadow', () => shadowTexts);
    this.setMatrix('view', sun.shadow.camera.matrixWorldInverse);
    this.setMatrix('projection', sun.shadow.camera.projectionMatrix);
    for (const o of all) {
      if (!o.castShadow) continue;
      this.setMatrix('model', o.matrixWorld);
      this.cull(o, lookOf(o).side === DoubleSide ? 'both' : 'back');
      this.bind(o.geometry);
      this.draw(o);
    }
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, map.texture);
  }

  /** Gives the GPU everything back: a browser has few of these contexts. */
  dispose(): void {
    this.domElement.removeEventListener('webglcontextlost', this.lost);
    for (const g of [...this.buffers.keys()]) this.drop({ target: g });
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

const emptyLights = (): Lights => ({
  ambient: new Color(0), sky: new Color(0), ground: new Color(0), skyUp: new Vector3(0, 1, 0),
  suns: [], colours: new Float32Array(3 * SUNS), places: new Float32Array(3 * SUNS), casting: null,
});

const strong = (l: AmbientLight | HemisphereLight | DirectionalLight, c = l.color): Color => c.clone().multiplyScalar(l.intensity);
const placeOf = (o: Object3D): Vector3 => new Vector3().setFromMatrixPosition(o.matrixWorld);

function addLight(l: Lights, o: Object3D): void {
  if (o instanceof DirectionalLight) {
    l.suns.push(o);
  } else if (o instanceof AmbientLight) {
    l.ambient.add(strong(o));
  } else if (o instanceof HemisphereLight) {
    l.sky.add(strong(o));
    l.ground.add(strong(o, o.groundColor));
    l.skyUp = placeOf(o).normalize();
  }
}

/** The sun that casts comes first: there the shaders ask for its shadow. */
function placeSuns(l: Lights): void {
  if (l.suns.length > SUNS) throw new Error(`more than ${SUNS} directional lights`);
  l.suns.sort((a, b) => Number(b.castShadow) - Number(a.castShadow));
  l.suns.forEach((sun, i) => {
    l.colours.set(strong(sun).toArray(), 3 * i);
    l.places.set(placeOf(sun).sub(placeOf(sun.target)).normalize().toArray(), 3 * i);
  });
  l.casting = l.suns[0]?.castShadow ? l.suns[0] : null;
}
