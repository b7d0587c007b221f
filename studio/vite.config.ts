/**
 * How the pages are built: relative addresses, so that they work in any folder of any static host,
 * and a list of all files for the service worker, so that they work without a network.
 */
import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';

const modules = ['ovoid.wasm', 'touch.wasm', 'fit.wasm', 'lab.wasm', 'extras.wasm'];

/** Writes sw.js: the service worker's code with the names of all built files and a version. */
function offline(): Plugin {
  return {
    name: 'ovoid-offline',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const { readFile } = await import('node:fs/promises');
      const names = Object.keys(bundle).filter((name) => !name.endsWith('.map')).sort();
      const files = [...names, 'index.html', ...modules, 'icon.svg', 'manifest.webmanifest'];
      const hash = createHash('sha256');
      for (const name of names) {
        const item = bundle[name];
        hash.update(name);
        hash.update(item?.type === 'chunk' ? item.code : (item?.source ?? ''));
      }
      for (const name of modules) hash.update(await readFile(new URL(`./public/${name}`, import.meta.url)));
      const code = await readFile(new URL('./src/shell/service-worker.js', import.meta.url), 'utf8');
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: code
          .replace('__VERSION__', hash.digest('hex').slice(0, 16))
          .replace('[/* FILES */]', JSON.stringify([...new Set(files)])),
      });
    },
  };
}

export default defineConfig({
  base: './',
  // file by file, so that what is not used can be left out; without its renderers
  resolve: { alias: [{ find: /^three$/, replacement: 'three/src/Three.Core.js' }] },
  build: {
    outDir: process.env['STUDIO_OUT'] ?? '../build/studio/site',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  worker: { format: 'es' },
  plugins: [offline()],
});
