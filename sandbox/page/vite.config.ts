import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react()],
  build: {
    // The block renderer includes the whole emoji list. On loopback its size doesn't matter.
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
});
