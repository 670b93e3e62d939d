import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { icon } from './build/icon.ts';
import { precompress } from './build/precompress.ts';

const dist = join(import.meta.dirname, '../../dist/web');

/**
 * Two builds of the same pages. The browser build (`vite build`) has a content hash in each file
 * name. The server build (`vite build --ssr`) renders the first view, and is a single file.
 */
export default defineConfig(({ isSsrBuild }) => ({
  root: import.meta.dirname,
  base: './', // relative, because a proxy may add a prefix to our paths
  publicDir: false,
  // If NODE_ENV is not set, React includes its development build on the server
  define: { isBundle: 'false', ...(isSsrBuild && { 'process.env.NODE_ENV': '"production"' }) },
  resolve: { conditions: ['source', 'module', isSsrBuild ? 'node' : 'browser', 'development|production'] },
  ssr: { noExternal: true, resolve: { conditions: ['source', 'node', 'development|production'] } },
  plugins: [react(), ...(isSsrBuild ? [] : [icon(), precompress()])],
  build: {
    outDir: join(dist, isSsrBuild ? 'server' : 'client'),
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2024',
    manifest: isSsrBuild ? false : 'manifest.json',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no data: URLs
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600, // `bench web` checks the limit: 180 kB compressed
    rollupOptions: {
      input: join(import.meta.dirname, isSsrBuild ? 'src/server.tsx' : 'src/main.tsx'),
      // One file for the first view; otherwise each module that it shares with later parts would be
      // a separate request
      ...(!isSsrBuild && { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial' as const] }] } } }),
    },
  },
}));
