/** What `tally init` asks for the variables of `.env`, where else it finds them, and the file that it fills in. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { trustedHosts, variables } from '../config/variables.ts';
import { tryParse } from '../domain/try-parse.ts';
import { checkDestination } from '../http/address.ts';
import { askUntil, checkOption, type Prompts, UsageError } from './command.ts';

/** Options with the answers. One that ends with `-file` is for a secret, which stays hidden. */
export const ANSWERS = {
  'bot-token-file': ['PATH', 'the file with the bot token (xoxb-…)'],
  'app-token-file': ['PATH', 'the file with the app-level token (xapp-…), for Socket Mode'],
  'signing-secret-file': ['PATH', 'the file with the signing secret, for HTTP'],
  'redis-url': ['URL', 'such as redis://127.0.0.1:6379'],
  'billing-url': ['URL', 'the billing service, or "" to enter it in Slack'],
  'identity-url': ['URL', 'the identity service, or "" without OS_TOKENs'],
  'trusted-hosts': ['HOSTS', 'of these services, those with private addresses or plain http'],
} as const;
export type Answers = { readonly [Option in keyof typeof ANSWERS]?: string | undefined };

export interface InitQuestion {
  readonly name: keyof typeof variables.shape;
  readonly option: keyof Answers;
  readonly asks: string;
  /** What Enter alone means; an empty text where the variable may be missing. */
  readonly standard?: string;
}

/** The questions, in the order in which they are asked. */
export const questionsFor = (isSocket: boolean): readonly InitQuestion[] => [
  {
    name: 'SLACK_BOT_TOKEN',
    option: 'bot-token-file',
    asks: 'The Bot User OAuth Token, on the app’s page OAuth & Permissions.',
  },
  isSocket
    ? {
        name: 'SLACK_APP_TOKEN',
        option: 'app-token-file',
        asks: 'The app-level token, on the app’s page Basic Information.',
      }
    : {
        name: 'SLACK_SIGNING_SECRET',
        option: 'signing-secret-file',
        asks: 'The Signing Secret, on the app’s page Basic Information.',
      },
  {
    name: 'REDIS_URL',
    option: 'redis-url',
    standard: 'redis://127.0.0.1:6379',
    asks: 'The Redis where Tally stores everything.',
  },
  {
    name: 'BILLING_BASE_URL',
    option: 'billing-url',
    standard: '',
    asks: 'The billing service: the part of its address before /bill/graphql. Without it an admin enters it in Slack.',
  },
  {
    name: 'IDENTITY_AUTH_URL',
    option: 'identity-url',
    standard: '',
    asks: 'The identity service: its address ends with /v3. Only OS_TOKENs need it.',
  },
];

/** @returns the value @throws UsageError which says what is wrong with it */
function check({ name, standard }: InitQuestion, value: string): string {
  if (value === '' && standard === '') return value;
  if (value === '') throw new UsageError('This can’t be empty.');
  if (name === 'SLACK_SIGNING_SECRET' && !/^[0-9a-f]{32}$/.test(value))
    throw new UsageError('SLACK_SIGNING_SECRET is not a signing secret. It has 32 hexadecimal digits.');
  checkOption<unknown>(name, variables.shape[name], value);
  if (name === 'IDENTITY_AUTH_URL' && !/\/v3(?:\/|$)/.test(value))
    throw new UsageError(
      'IDENTITY_AUTH_URL has no /v3 at its end, for example https://identity.example.com/v3.',
    );
  return value;
}

/** From an option, a file that an option names, or the environment. */
function findGiven({ name, option }: InitQuestion, values: Answers): string | undefined {
  const value = values[option];
  if (value === undefined) return process.env[name]?.trim() || undefined;
  if (!option.endsWith('-file')) return value.trim();
  try {
    return readFileSync(value, 'utf8').trim();
  } catch {
    throw new UsageError(`The file after --${option} can’t be read.`);
  }
}

async function answer(question: InitQuestion, prompts: Prompts): Promise<string> {
  const { name, asks, standard, option } = question;
  process.stderr.write(`\n${asks}\n`);
  const hint = standard === undefined ? '' : ` [${standard || 'none'}]`;
  const ask = async () =>
    option.endsWith('-file')
      ? prompts.askHidden(`${name} (hidden): `)
      : (await prompts.ask(`${name}${hint}: `)) || (standard ?? '');
  return askUntil(ask, (typed) => check(question, typed));
}

/** @returns what nobody answers */
export async function askAll(
  draft: EnvDraft,
  questions: readonly InitQuestion[],
  answers: Answers,
  prompts: Prompts | undefined,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const question of questions) {
    const { name, option, standard } = question;
    const given = findGiven(question, answers);
    const value = given === undefined ? prompts && (await answer(question, prompts)) : check(question, given);
    if (value === undefined && standard !== '') missing.push(`--${option} or ${name}`);
    if (value !== undefined && !draft.addValue(name, value))
      throw new UsageError(
        `${name} has characters that .env can’t hold. In an address, write %27 for an apostrophe.`,
      );
  }
  return missing;
}

/** A host that is private, or that has no https, is only spoken to if the operator lists it. */
function hostsToTrust(draft: EnvDraft): readonly string[] {
  const addresses = [draft.values.BILLING_BASE_URL, draft.values.IDENTITY_AUTH_URL];
  const trusted = trustedHosts.safeParse(draft.values.TRUSTED_API_HOSTS ?? '').data ?? [];
  const refused = addresses.flatMap((address) => {
    const url = address && URL.canParse(address) ? new URL(address) : undefined;
    const isAllowed = (to: URL) => checkDestination(to, trusted) === undefined;
    return url === undefined || tryParse(() => isAllowed(url)) ? [] : [url.host];
  });
  return [...new Set(refused)];
}

export async function addTrustedHosts(
  draft: EnvDraft,
  values: Answers,
  prompts: Prompts | undefined,
): Promise<void> {
  if (draft.values.TRUSTED_API_HOSTS) return;
  const given = (values['trusted-hosts'] ?? process.env.TRUSTED_API_HOSTS)?.trim();
  checkOption('--trusted-hosts', trustedHosts, given);
  const hosts = given || hostsToTrust(draft).join(',');
  if (hosts === '') return;
  const asks = `\nTally speaks only to public https addresses.\nTrust ${hosts} as well? [y/N]: `;
  if (given || /^y/i.test((await prompts?.ask(asks)) ?? '')) draft.addValue('TRUSTED_API_HOSTS', hosts);
}

const OPTIONS_LINE = /^# tally init((?: --(?:socket|url \S+|prefix \S+))+)$/m;

/**
 * The `.env` that is filled in, which is also what is remembered: a variable that is in it is not asked for again. Lines are
 * only ever added, each in one write, so that stopping at any moment leaves a whole file.
 */
export class EnvDraft {
  private constructor(
    readonly path: string,
    private text: string | undefined,
  ) {}

  static open(path: string): EnvDraft {
    if (!existsSync(path)) return new EnvDraft(path, undefined);
    return new EnvDraft(path, readFileSync(path, 'utf8'));
  }

  get exists(): boolean {
    return this.text !== undefined;
  }

  /** The options of the run that began it, which decide what the Slack app is like. */
  get options(): readonly string[] | undefined {
    return OPTIONS_LINE.exec(this.text ?? '')?.[1]
      ?.trim()
      .split(' ')
      .filter(Boolean);
  }

  get values() {
    return parseEnv(this.text ?? '');
  }

  /** @throws Error `EEXIST` if somebody else made the file since it was opened */
  addOptions(options: readonly string[]): void {
    this.add(['# tally init', ...options].join(' '));
  }

  /** An empty value notes that there is none. @returns false if no line of the file can say it */
  addValue(name: string, value: string): boolean {
    const line = /[\s#'"`\\]/.test(value) ? `${name}='${value}'` : `${name}=${value}`;
    if (parseEnv(line)[name] !== value) return false;
    this.add(line);
    return true;
  }

  private add(line: string): void {
    if (this.text === undefined) createWhole(this.path, `${line}\n`);
    else appendFileSync(this.path, `${/(?:^|\n)$/.test(this.text) ? '' : '\n'}${line}\n`);
    this.text = readFileSync(this.path, 'utf8');
  }
}

/** Writes a temporary file and links it to its name, so that it never replaces a file and is never seen half-written. */
function createWhole(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
}
