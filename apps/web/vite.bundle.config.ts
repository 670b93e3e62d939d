import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The page of a bundle: one classic script and one style sheet, because browsers do not load
 * modules from `file://`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"', isBundle: 'true' },
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, '../../dist/web/bundle'),
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2024',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000, // a single file on purpose
    rollupOptions: {
      input: join(import.meta.dirname, 'src/bundle.tsx'),
      checks: { emptyImportMeta: false }, // only the preloading of parts reads it
      output: { format: 'iife', entryFileNames: 'page.js', assetFileNames: '[name][extname]', codeSplitting: false },
    },
  },
});
