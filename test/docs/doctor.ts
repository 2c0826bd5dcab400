/** The tables of docs/doctor.md: the doctor's own, with an example in the place of each part of a setup. */
import { CAUSES, type Causes, type CheckArea, findingOf } from '../../src/ops/doctor/causes.ts';
import { redisFigures, webFigures } from '../../src/ops/doctor/redacted-addresses.ts';
import type { Row, Tables } from './tables.ts';

const ADDRESS = 'https://tally.example.com';

/** Examples by the place where the code arises. */
export const EXAMPLES: Readonly<Record<CheckArea, Readonly<Record<string, string>>>> = {
  NETWORK: {
    ...{ ...webFigures('the variable', ADDRESS), asHttps: 'https://host.example.com' },
    ...{
      host: 'host.example.com',
      address: 'host.example.com:443',
      try: 'curl -sS https://host.example.com',
    },
  },
  REDIS: {
    ...redisFigures('redis://redis.example.com:6379/2'),
    ...{ user: 'tally', commands: 'evalsha', command: 'evalsha', rules: '+evalsha', master: 'main' },
    ...{ other: '0', keys: '4711', asOther: 'redis://redis.example.com:6379/0' },
    ...{
      ms: '450',
      clients: '9994',
      most: '10000',
      asMaster: 'redis+sentinel://redis.example.com:26379/main',
    },
    ...{
      seconds: '60',
      announced: '10.0.0.5:6379',
      hosts: '10.0.0.5:6379',
      text: 'ERR Client IP address is not allowed',
      policy: 'allkeys-lru',
      share: '93',
      limit: '512.0',
      version: '6.2.14',
    },
  },
  RECORDS: {
    version: '1.4.0',
    own: '1.0.0',
    count: '3',
    total: '12',
    id: '2025',
    other: '2026',
    ids: '2026:…',
    keys: 'tally:{T0ACME0001}:delivery-log',
    key: "'tally:{T0ACME0001}:delivery-log'",
    records: 'T0ACME0001 settings, T0ACME0001 schedule:abcd1234',
  },
  BACKUP: { count: '12', total: '12', id: '2025', ids: '2026:…' },
  SLACK: {
    ...webFigures('SLACK_BOT_TOKEN', 'https://slack.com/api/', 'https://slack.com/api/api.test'),
    ...{ team: 'Staging', id: 'T0STAGING1', others: 'T0ACME0001' },
    ...{ scopes: 'im:write, users:read', target: 'https://login.example.com/' },
  },
  APP_TOKEN: { ofAppToken: 'A0123456789', ofBotToken: 'A9876543210' },
  CLOCK: { seconds: '400', side: 'behind', limit: '300' },
  CONFIGURATION: {
    length: '64',
    heap: '67',
    ms: '800',
    variable: 'HTTPS_PROXY',
    limit: '256',
    needed: '1024',
    ...{ id: '2027', older: '2026' },
    other: 'BILLING_URL',
    meant: 'BILLING_BASE_URL',
    ...{ options: 'ssl', known: 'db' },
  },
  PORT: { lacking: 'slack', port: '3000', nextPort: '3001' },
  PUBLIC_ADDRESS: {
    ...webFigures('PUBLIC_URL', ADDRESS, `-d ssl_check=1 ${ADDRESS}/slack/events`),
    ...{
      port: '3000',
      withoutPath: ADDRESS,
      target: 'https://www.example.com',
      status: '401',
    },
  },
  TRACES: {
    ...webFigures('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'),
    base: 'http://collector:4318',
  },
  SERVICE: {
    ...webFigures('IDENTITY_AUTH_URL', 'https://identity.example.com'),
    ...{
      service: 'identity',
      works: 'IDENTITY_AUTH_URL ends with /v3, as the console shows it, for example',
    },
    ...{ example: 'https://identity.example.com/v3', suggestion: 'https://identity.example.com/v3' },
    ...{ target: 'https://identity.example.com/v3', base: 'https://identity.example.com/v3' },
    ...{ problem: 'its address is 10.0.0.5' },
  },
};

const HEAD: Row = ['code', 'the doctor says', 'what fixes it'];
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Codes with the same cause share a row. */
function rowsOf(place: CheckArea): readonly Row[] {
  const causes: Causes = CAUSES[place];
  const rows = [...new Set(Object.values(causes))].map((cause): Row => {
    const codes = Object.keys(causes).filter((code) => causes[code] === cause);
    const [code = ''] = codes;
    const { says, todo = '', verdict } = findingOf(place, '', code, EXAMPLES[place]);
    const mark = verdict === 'warning' ? ' (a warning)' : '';
    const shown = codes.map((each) => `\`${each}\``).join(', ');
    return [shown, cell(says.replace(` (${code})`, '')) + mark, cell(todo)];
  });
  return [HEAD, ...rows];
}

export const DOCTOR_TABLES: Tables = {
  ...Object.fromEntries(
    (Object.keys(CAUSES) as CheckArea[]).map((place) => [place.toLowerCase(), rowsOf(place)]),
  ),
};
