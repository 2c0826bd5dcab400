import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the page into `.sandbox/page` of the repository, unless the caller names another `outDir`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react()],
  build: {
    outDir: '../../.sandbox/page',
    emptyOutDir: true,
    // The block renderer carries the whole emoji list; the page is served from the same machine.
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
});
