import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../src/domain/failure/index.ts';
import {
  checkBaseUrl,
  createLookup,
  isPublicAddress,
  requirePublicAddress,
} from '../../src/http/address-rules.ts';

function reasonOf(text: string, trusted: Parameters<typeof checkBaseUrl>[1] = []): string {
  try {
    checkBaseUrl(text, trusted);
  } catch (error) {
    if (isFailure(error, 'address-refused')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a base URL that a person types', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['  https://API.Example.com/  ', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com:8443/v1//', 'https://api.example.com:8443/v1'],
    ['https://api.example.com/bill/graphql', 'https://api.example.com'],
    ['https://api.example.com/console/bill/graphql/', 'https://api.example.com/console'],
    ['https://id.example.com/v3/auth/tokens', 'https://id.example.com/v3'],
    ['https://93.184.216.34', 'https://93.184.216.34'],
    ['https://[2606:2800:220:1::1]/x', 'https://[2606:2800:220:1::1]/x'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ])('is normalized from “%s” to “%s”', (typed, base) => {
    expect(checkBaseUrl(typed, [])).toBe(base);
  });

  it.each([
    ['api.example.com', 'isn’t a web address'],
    ['', 'isn’t a web address'],
    ['api.example.com:443', 'doesn’t begin with https://'],
    ['http://api.example.com', 'doesn’t begin with https://'],
    ['ftp://api.example.com', 'doesn’t begin with https://'],
    ['javascript:alert(1)', 'doesn’t begin with https://'],
    ['https://user:word@api.example.com', 'contains a user name or a password'],
    ['https://api.example.com/?a=1', 'has a “?” or “#” part'],
    ['https://api.example.com/#a', 'has a “?” or “#” part'],
    ['https://127.0.0.1', 'isn’t a public address'],
    ['https://127.1', 'isn’t a public address'],
    ['https://0x7f.1', 'isn’t a public address'],
    ['https://2130706433', 'isn’t a public address'],
    ['https://0177.0.0.1', 'isn’t a public address'],
    ['https://127.0.0.1.', 'isn’t a public address'],
    ['https://１２７.0.0.1', 'isn’t a public address'],
    ['https://[::1]', 'isn’t a public address'],
    ['https://[::ffff:127.0.0.1]', 'isn’t a public address'],
    ['https://[0:0:0:0:0:ffff:7f00:1]', 'isn’t a public address'],
    ['https://169.254.169.254', 'isn’t a public address'],
    ['https://10.1.2.3', 'isn’t a public address'],
  ])('such as “%s” is refused because it %s', (typed, reason) => {
    expect(reasonOf(typed)).toContain(`: it ${reason}`);
  });

  it('is refused without repeating a password or a query', () => {
    expect(reasonOf('https://me:hunter2@api.example.com')).not.toContain('hunter2');
    expect(reasonOf('https://api.example.com/?key=hunter2')).not.toContain('hunter2');
    expect(reasonOf('not a url hunter2')).not.toContain('hunter2');
  });
});

describe('a trusted host', () => {
  it('may use plain http, have a private address, and have no domain', () => {
    expect(checkBaseUrl('http://billing:8080/', [{ host: 'billing' }])).toBe('http://billing:8080');
    expect(checkBaseUrl('http://127.0.0.1:9', [{ host: '127.0.0.1', port: 9 }])).toBe('http://127.0.0.1:9');
    expect(checkBaseUrl('http://127.1:9', [{ host: '127.0.0.1' }])).toBe('http://127.0.0.1:9');
  });

  it('is trusted only on its listed port, if a port is listed', () => {
    expect(reasonOf('http://billing:8081', [{ host: 'billing', port: 8080 }])).toContain('https://');
    expect(reasonOf('https://billing', [{ host: 'billing', port: 443 }])).toBe('accepted');
    expect(reasonOf('http://billing', [{ host: 'billing', port: 80 }])).toBe('accepted');
    expect(reasonOf('http://billing', [{ host: 'billing', port: 443 }])).not.toBe('accepted');
  });

  it('may be an IPv6 address in any spelling', () => {
    for (const host of ['[::1]', '::1', '[0:0:0:0:0:0:0:1]'])
      expect(checkBaseUrl('http://[::1]:5', [{ host }])).toBe('http://[::1]:5');
    expect(reasonOf('http://Billing.Corp.Internal', [{ host: 'BILLING.corp.internal' }])).toBe('accepted');
  });

  it('does not include its subdomains or other protocols', () => {
    expect(reasonOf('http://a.billing.example', [{ host: 'billing.example' }])).not.toBe('accepted');
    expect(reasonOf('ftp://billing.example', [{ host: 'billing.example' }])).not.toBe('accepted');
  });
});

describe('an IP address', () => {
  const PUBLIC = `93.184.216.34 168.63.129.15 168.63.129.17 166.12.0.0 1.1.1.1 172.15.255.255 172.32.0.0
    100.128.0.0 223.255.255.255`.split(/\s+/);
  it.each(PUBLIC)('such as %s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(['2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::1', '2a00:1450::1'])(
    'such as %s is public in IPv6 notation',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  const PRIVATE =
    `0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254
    172.16.0.0 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
    ::ffff:a00:1 ::ffff:169.254.169.254 64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1
    2001:db8::1 2002:7f00:1:: 2002:c0a8:101::1 2002:a00:1:: 3fff::1 fc00::1 fd12:3456::1 fe80::1 192.31.196.1
    192.52.193.1 192.175.48.1 2620:4f:8000::1 5f00::1 100:0:0:1::1 168.63.129.16 ::ffff:168.63.129.16
    64:ff9b::168.63.129.16 2002:a83f:8110::1 192.0.0.192 100.100.100.200 fd00:ec2::254 fd20:ce::254
    169.254.170.2 199.36.153.4 199.36.153.11 161.26.0.1 166.8.0.1 166.11.255.255 2600:2d00:2:1000::1
    2600:2d00:2:2000::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 127.1`.split(/\s+/);
  it.each([...PRIVATE, 'not an address', ''])('such as “%s” is not public', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it('is public in IPv6 notation only if it is public in IPv4 notation', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        const [a, b, c, d] = ip.split('.').map(Number) as [number, number, number, number];
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        const plain = isPublicAddress(ip);
        for (const form of [`::ffff:${ip}`, `::ffff:${hex}`, `64:ff9b::${ip}`, `2002:${hex}::1`]) {
          expect([form, isPublicAddress(form)]).toEqual([form, plain]);
        }
      }),
    );
  });
});

describe('the DNS lookup of a connection', () => {
  const look = (resolve: Parameters<typeof createLookup>[0]) =>
    new Promise((done) => {
      createLookup(requirePublicAddress(resolve))('api.example.com', { all: true }, (error, addresses) =>
        done(error ?? addresses),
      );
    });

  it('asks the DNS once, and returns exactly the addresses that it has checked', async () => {
    let asked = 0;
    const answers = [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ];
    const got = await look(async () => {
      asked += 1;
      return answers;
    });
    expect(got).toEqual(answers);
    expect(asked).toBe(1);
  });

  it('rejects a name whose address has become private since the last check', async () => {
    const turns = ['93.184.216.34', '127.0.0.1'];
    const resolve = async () => [{ address: turns.shift() ?? '', family: 4 }];
    expect(await look(resolve)).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await look(resolve)).toMatchObject({ code: 'no public address' });
  });

  it('rejects a name if one of its addresses is private, without revealing that address', async () => {
    const refusal = await look(async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.9.8.7', family: 4 },
    ]);
    expect(refusal).toMatchObject({ code: 'no public address' });
    expect(String(refusal)).not.toContain('10.9.8.7');
  });
});
