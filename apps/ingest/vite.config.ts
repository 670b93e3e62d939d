import { join } from 'node:path';
import { defineConfig } from 'vite';

/**
 * Bundles the thread of an IngestPool into one file. A process starts two or three threads, and
 * loading 750 files takes half a second of CPU in each; one file takes a tenth of that.
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  // Native modules cannot be bundled
  ssr: {
    noExternal: true,
    external: ['@node-rs/crc32', 'pg-native'],
    resolve: { conditions: ['source', 'node', 'development|production'] },
  },
  build: {
    ssr: 'src/ingest-thread.ts',
    outDir: join(import.meta.dirname, '../../dist/threads'),
    emptyOutDir: true,
    target: 'node24',
    minify: false, // for readable stack traces
    sourcemap: false,
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: '[name].js', codeSplitting: false } },
  },
});
