// The studio without a network: all files are kept at the first visit, and answered from there.
// A new build has another version, so another cache; the former one is dropped.
const version = 'ovoid-studio-__VERSION__';
const files = [/* FILES */];

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(version).then((cache) => cache.addAll(['./', ...files])).then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('ovoid-studio-') && name !== version) await caches.delete(name);
    }
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  event.respondWith(
    caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)),
  );
});
