/** Runs before every test file: how many examples a property tries when it does not say so itself. */
import fc from 'fast-check';
import { runs } from './thorough.ts';

fc.configureGlobal({ numRuns: runs(100) });
