import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { icon } from './build/icon.ts';
import { precompress } from './build/precompress.ts';

const dist = join(import.meta.dirname, '../../dist/web');

/**
 * Two builds of the same page: for browsers (`vite build`), with names that change with their content, and what draws it on the server
 * (`vite build --ssr`), one file with everything in it.
 */
export default defineConfig(({ isSsrBuild }) => ({
  root: import.meta.dirname,
  base: './', // whatever stands before our paths: files name one another by where they lie
  publicDir: false,
  ...(isSsrBuild && { define: { 'process.env.NODE_ENV': '"production"' } }), // React has another half for development
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
    assetsInlineLimit: 0, // the content security policy has no data: addresses
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600, // what counts is 180 kB compressed, which `bench web` looks at
    rollupOptions: {
      input: join(import.meta.dirname, isSsrBuild ? 'src/server.tsx' : 'src/main.tsx'),
      // What the first view needs comes in one piece: what later parts share with it would else be a request each
      ...(!isSsrBuild && { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial' as const] }] } } }),
    },
  },
}));
