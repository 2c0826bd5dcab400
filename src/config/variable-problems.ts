/** What is wrong with the variables together, with how a value is written, and with a name that Tally doesn't read. */
import { formatRate } from '../domain/rate-limits.ts';
import { isSafeForTokens, message, notSetMessage, SLACK_API, slackApiUrl, trustedHosts } from './schemas.ts';
import { APP_PAGE, MAKE_SECRET, type Variable, type VariableTexts, variables } from './variables.ts';

const SIGNING_WORKS =
  'It’s on the app’s page under Basic Information, Signing Secret. With SLACK_APP_TOKEN (Socket Mode) you don’t need it.';

type Problems = readonly (readonly [Variable, string])[];

/**
 * Checks the variables that depend on each other. It takes the texts, not parsed values, so that its problems are
 * reported together with those of single variables.
 *
 * @returns pairs of variable and message
 */
export function findCombinationProblems(texts: VariableTexts): Problems {
  return [
    ...credentialProblems(texts),
    ...(texts.SLACK_APP_TOKEN === undefined ? requireSet(texts, 'SLACK_SIGNING_SECRET', SIGNING_WORKS) : []),
    ...apiUrlProblems(texts),
    ...limitProblems(texts),
  ];
}

const FILL_IN = 'Write the value itself:';
/** How Slack's tokens, signing secrets, addresses and sealing keys begin. */
const BASE64_OF =
  /^(?:xox|xapp-|rediss?[:+]|unix:|https?:|[\da-f]{32}\s*$|[\w-]{1,32}:[\w+/-]{43}(?:[=,\s]|$))/;

/** What an editor, `docker --env-file`, a unit file or a template leaves in a value. */
const WRITING: readonly (readonly [pattern: RegExp, what: string, works: string])[] = [
  [/^["'“”„‘’«`]|["'“”’»`]$/, 'is in quotes', 'Write it without them:'],
  [/[^,\s]\s*[\r\n]\s*[^,\s]/, 'has several lines', 'Write one:'],
  [/\s#/, 'has a comment behind the value', 'Put the comment on a line of its own:'],
  [/^[A-Z_]+=/, 'has its own name in the value', 'Write the name once:'],
  [/^Bearer\s/i, 'begins with Bearer', 'Write only what comes after it:'],
  [/^[{[]\s*"/, 'is JSON', 'Write the value of the one field:'],
  [/,\s*password=/i, 'is a connection string of another client', 'Write it as an address:'],
  [/\\[nrt]$/, 'ends with \\n, a line break that a program wrote out', 'Write it without:'],
  [/^[a-z+]+%3a%2f%2f/i, 'is encoded as in a URL', 'Write it plainly:'],
  [/^https?:\/*https?:/i, 'begins with https:// twice', 'Write it once:'],
  [
    /^[^:/.]*[\u2010-\u2015]|^\u0445[o\u043e]/iu,
    'has a dash or a letter that only looks like the plain one, as word processors write',
    'Copy it again:',
  ],
  [
    /^(?:file:(?:\/\/)?|@)?(?:~|\.{1,2})?\/(?:etc|run|var|tmp|mnt|home|root|opt|vault|secrets?|app)\/\S+(?<!\.sock)$/,
    'is the path of a file, and Tally reads no file',
    'Write what is in it:',
  ],
  [/[\p{Cf}\u00a0]/u, 'has a character that can’t be seen', 'Type it again:'],
  [
    /^(?:undefined|null|nil|NaN|change-?me|\[object Object\])$/i,
    'is a word that programs and templates write where a value is missing',
    FILL_IN,
  ],
  [
    /\{\{|#\{|\$\([A-Z][A-Z0-9_]*\)|(?:^|:)<.*>$|^(?:\$[A-Z_]+|%[A-Z_]+%|__[A-Z_]+__|@+[A-Z_]+@+)$|^(?:x\w+-)?your[-_]|(?:…|\.{3}|\*{4})$/,
    'has a place for a value in it, which nothing filled in',
    FILL_IN,
  ],
  [/^(?:vault|op|arn|ssm|sm|secretref):/, 'names a secret, which nothing looked up', FILL_IN],
  [/^ENC\[/, 'is encrypted, and nothing decrypted it', FILL_IN],
];

function findWritingProblem(text: string): readonly [what: string, works: string] | undefined {
  const [, unfilled] = /\$\{([A-Z][A-Z0-9_]*)/.exec(text) ?? [];
  if (unfilled !== undefined) return [`has \${${unfilled}} in it, which nothing filled in`, FILL_IN];
  if (/^[\w+/]+=*$/.test(text) && BASE64_OF.test(Buffer.from(text, 'base64').toString('latin1')))
    return [
      'is encoded in base64',
      'Write the value itself, which a Secret of Kubernetes takes in `stringData`:',
    ];
  const [, ...problem] = WRITING.find(([pattern]) => pattern.test(text)) ?? [];
  return problem.length === 0 ? undefined : problem;
}

export function findWritingProblems(texts: VariableTexts): Problems {
  return Object.entries(texts).flatMap(([name, text]): Problems => {
    const [what, works] = findWritingProblem(text) ?? [];
    return what === undefined ? [] : [[name as Variable, message(what, `${works} ${name}=…`)]];
  });
}

function requireSet(texts: VariableTexts, name: Variable, works: string): Problems {
  return texts[name] === undefined ? [[name, notSetMessage(works)]] : [];
}

/** If one of these is set, Tally is installed by OAuth, which needs all of them: what each has to be. */
const OAUTH = {
  SLACK_CLIENT_ID: `the app’s client ID. ${APP_PAGE}`,
  SLACK_CLIENT_SECRET: `the app’s client secret. ${APP_PAGE}`,
  SLACK_STATE_SECRET: `a secret of your own. ${MAKE_SECRET}`,
} as const;
/** The variables that OAuth needs. A bot with one token may have `PUBLIC_URL` too. */
const OAUTH_NEEDS = {
  ...OAUTH,
  PUBLIC_URL: 'the bot’s own address, for example https://tally.example.com: Slack sends people back there.',
};
const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

/** Either a bot token for one workspace, or everything that OAuth needs for many. */
function credentialProblems(texts: VariableTexts): Problems {
  const oauth = namesOf(OAUTH).filter((name) => texts[name] !== undefined);
  if (oauth.length === 0)
    return requireSet(
      texts,
      'SLACK_BOT_TOKEN',
      `For one workspace, set the bot token (xoxb-…) from the app’s page under OAuth & Permissions. For many, set ${namesOf(OAUTH).join(', ')} and PUBLIC_URL instead. To try Tally without a Slack account, run \`npm run sandbox\` in a checkout.`,
    );
  const missing = namesOf(OAUTH_NEEDS).flatMap((name) =>
    requireSet(texts, name, `Installing by OAuth needs ${OAUTH_NEEDS[name]}`),
  );
  if (texts.SLACK_BOT_TOKEN === undefined) return missing;
  // Some workspaces would be served with another workspace's token.
  const both = message(
    `is set together with ${oauth.join(', ')}`,
    'A bot token serves one workspace, OAuth serves many. Unset one of them.',
  );
  return [...missing, ['SLACK_BOT_TOKEN', both]];
}

function apiUrlProblems(texts: VariableTexts): Problems {
  const trusted = trustedHosts.safeParse(texts.TRUSTED_API_HOSTS ?? '');
  const api = slackApiUrl.safeParse(texts.SLACK_API_URL ?? '');
  if (!api.success || isSafeForTokens(api.data, trusted.data ?? [])) return [];
  return [
    [
      'SLACK_API_URL',
      message(
        'is plain http to another machine, which would expose the bot token',
        `${SLACK_API} TRUSTED_API_HOSTS can allow a host that has no https.`,
      ),
    ],
  ];
}

/** A person’s limit above their workspace’s would let one person use up what all have. */
function limitProblems(texts: VariableTexts): Problems {
  return (['REQUESTS', 'TESTS'] as const).flatMap((what): Problems => {
    const [name, other] = [`LIMIT_${what}_PERSON`, `LIMIT_${what}_WORKSPACE`] as const;
    const [person, workspace] = [name, other].map(
      (each) => variables.shape[each].safeParse(texts[each]).data,
    );
    if (person === undefined || workspace === undefined) return [];
    if (person.most <= workspace.most && person.most / person.per <= workspace.most / workspace.per)
      return [];
    return [
      [
        name,
        message(
          'allows one person more than the whole workspace',
          `Lower it, or raise ${other}, which is ${formatRate(workspace)}.`,
        ),
      ],
    ];
  });
}

/** @returns a variable that Tally doesn't read and that says the same in part: REDIS_URI or TALLY_REDIS_URL for REDIS_URL */
export function findSimilarName(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const words = name.split('_');
  return Object.keys(env).find((other) => {
    const others = other.toUpperCase().split('_');
    if (other in variables.shape || !env[other] || others.length < 2) return false;
    if (other.endsWith(`_${name}`)) return true;
    if (others[0] !== words[0]) return false;
    const different = others.filter((word) => !words.includes(word));
    return different.length === 0 || (different.length === 1 && isSimilarWord(different[0] ?? '', words));
  });
}

/** Words that other programs add to such a name: for a secret in a file, for traces alone, for a host. */
const EXTRA_WORDS = ['FILE', 'TRACES', 'HOST'];

const isSimilarWord = (word: string, words: readonly string[]): boolean =>
  EXTRA_WORDS.includes(word) || words.some((known) => word.slice(0, 2) === known.slice(0, 2));
