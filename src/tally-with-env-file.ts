#!/usr/bin/env node
/** The executable that npm and npx run: as tally.ts, but a `.env` of the current folder is read first. */
import './config/env-file.ts';

await import('./tally.ts');
