import { describe, expect, it } from 'vitest';
import { createSecretMask } from '../../src/http/secret-mask.ts';

const TOKEN = 'Zq81-hV_kW3pX9rT/2mN+6bL7cD';
const OTHER = 'aGf45(jKe82LsWq03$MzXy71RtUv96';
const mask = createSecretMask([TOKEN, OTHER]);

describe('a secret that a service repeats', () => {
  it.each([
    ['as it is', TOKEN],
    ['another secret of the same request', OTHER],
    ['in capitals', TOKEN.toUpperCase()],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in base64 for an address', Buffer.from(TOKEN).toString('base64url')],
  ])('is masked: %s', (_, repeated) => {
    expect(mask(`No access with <${repeated}>, ${repeated}!`)).toBe('No access with <…>, …!');
  });

  it('is masked only in answers to the request that contains the secret', () => {
    expect(createSecretMask([OTHER])(TOKEN)).toBe(TOKEN);
    expect(createSecretMask([])(TOKEN)).toBe(TOKEN);
    expect(mask('Nothing of it is here.')).toBe('Nothing of it is here.');
  });

  it('is masked even if it is short, unless ordinary words could contain it', () => {
    expect(createSecretMask(['pa55w'])('the password pa55w is wrong')).toBe('the password … is wrong');
    expect(createSecretMask(['no'])('no such project')).toBe('no such project');
  });
});
