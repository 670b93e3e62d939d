import { join } from 'node:path';
import { defineConfig } from 'vite';

/**
 * The thread of an IngestPool as one file with everything in it: a process starts two or three of them, and each would look up and link 750 files first
 * (half a second of a processor; a tenth so).
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  // Nothing of it is for browsers, and what is compiled for this machine stays where it is
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
    minify: false, // stacks that people read
    sourcemap: false,
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: '[name].js', codeSplitting: false } },
  },
});
