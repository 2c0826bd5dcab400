import type { Millis } from '../../domain/time/calendar.ts';
import { findingOf } from './causes.ts';
import { errorCode, type Finding, okFinding } from './finding.ts';
import { webFigures } from './web-figures.ts';

const CHECK = 'Traces';

/** Sends the collector no trace at all. Tally runs without it, so all is a warning at most. Never rejects. */
export async function checkTraces(base: string | undefined, timeout: Millis): Promise<readonly Finding[]> {
  if (base === undefined) return [];
  const figures = {
    ...webFigures('OTEL_EXPORTER_OTLP_ENDPOINT', base),
    base: base.replace(/\/v1\/traces$/, ''),
  };
  const warning = (code: string): Finding => ({
    ...findingOf('TRACES', CHECK, code, figures),
    verdict: 'warning',
  });
  if (figures.base !== base) return [warning('path')];
  try {
    const { ok, status } = await fetch(`${base}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    });
    return [ok ? okFinding(CHECK, 'the collector takes them') : warning(`HTTP ${status}`)];
  } catch (error) {
    return [warning(errorCode(error))];
  }
}
