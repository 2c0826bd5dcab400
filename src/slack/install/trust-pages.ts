import type { Config } from '../../config/config.ts';
import { commandText } from '../../domain/command-names.ts';
import { DAY, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { MAX_AUDIT_ENTRIES } from '../../workspace/record/audit.ts';
import { UNDO_MS } from '../../workspace/record/change.ts';
import { MOST_QUESTIONS, THREAD_LIFETIME } from '../../workspace/thread-store.ts';
import type { CommandNames } from '../command-prefix.ts';
import { type BrowserRoutes, definitionList, escapeHtml, htmlPage, scopeList, sendPage } from './pages.ts';

interface BotFacts extends Pick<Config, 'log' | 'tracing'> {
  /** Where people get help; https or mailto. */
  readonly supportUrl: string | undefined;
  readonly version: string;
  /** How long figures of posts and watches are kept after their last use, in ms. */
  readonly figuresKept: Millis;
}

/** What people read before they trust a bot: what it stores, who helps, how to report a vulnerability. They say what this bot does as it is configured. */
export function createTrustPages(facts: BotFacts, names: CommandNames): BrowserRoutes {
  const pages = { '/privacy': privacyPage, '/support': supportPage, '/security': securityPage };
  return Object.fromEntries(
    Object.entries(pages).map(([path, render]) => [
      path,
      async (_, res) => sendPage(res, render(facts), names),
    ]),
  );
}

const days = (time: Millis): string => `${time / DAY} days`;

const LOGGED = {
  hashed: 'People appear in it as a hash that only this bot can make.',
  plain: 'People appear in it by their Slack ID.',
  none: 'People don’t appear in it.',
} as const;

function privacyPage({ log, tracing, figuresKept }: BotFacts) {
  const traces =
    tracing.endpoint === undefined
      ? ''
      : ' It sends traces, with the same contents, to a collector of its operator.';
  return htmlPage(
    200,
    'Privacy',
    `<p>Tally answers what cloud projects cost. It stores only what it needs for that.</p>
<h2>What it reads</h2>
<p>Commands and forms that people send it, messages that mention it, and direct messages to it. Nothing else in Slack.</p>
<h2>What it stores, for each workspace</h2>
${definitionList([
  ['Access tokens', 'of the billing and identity services, encrypted (AES-256-GCM). Nobody sees them again.'],
  [
    'Slack’s token',
    'if you installed Tally by its page: encrypted in the same way, with the workspace’s name.',
  ],
  [
    'Settings',
    'names of projects, settings, schedules and watches, with the Slack IDs of people and channels in them.',
  ],
  [
    'Figures',
    `the last known balance of a project; what scheduled posts said and the days of watched projects, until ${days(figuresKept)} after the last post or check at the latest.`,
  ],
  [
    'Questions',
    `the last one of each thread, as a command: for ${days(THREAD_LIFETIME)}, at most ${MOST_QUESTIONS.toLocaleString('en')}.`,
  ],
  [
    'Audit',
    `who changed what: the newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries. Other questions are not in it.`,
  ],
])}
<p>It does not store messages, names or e-mail addresses of people, answers, or the OS_TOKENs it hands out.</p>
<h2>Where it goes</h2>
<p>Answers go to Slack; questions go to the billing and identity services that a Tally manager connected. Nothing is sold, used for advertising, or sent to anyone else.</p>
<p>The log of this bot has kinds of requests and how long they took, no words, projects or amounts. ${LOGGED[log.userIds]}${traces}</p>
<h2>When it is deleted</h2>
<p>Everything at once when Tally is removed from the workspace. A removed project, schedule or watch can be restored for ${UNDO_MS / MINUTE} minutes; the next change after that deletes it. The people who run this bot make and delete backups.</p>
<p class="small"><a href="/support">Support</a> · <a href="/security">Security</a></p>`,
  );
}

function supportPage({ supportUrl, version }: BotFacts) {
  const contact =
    supportUrl === undefined
      ? 'Ask the person who installed Tally in your workspace. Slack names them in Tally’s About tab.'
      : `The people who run this bot help at <a href="${escapeHtml(supportUrl)}">${escapeHtml(supportUrl.replace(/^mailto:/, ''))}</a>.`;
  return htmlPage(
    200,
    'Support',
    `<h2>In Slack</h2>
${definitionList([
  [`<code>${commandText('/billing help')}</code>`, 'what you can ask, with examples'],
  [
    `<code>${commandText('/billing status')}</code>`,
    'whether everything works, and what to do if it doesn’t',
  ],
])}
<p>A button named <b>Ask a manager</b> sends your request to the people who manage Tally in your workspace.</p>
<h2>Get help</h2>
<p>${contact} If an error shows a reference, such as <code>4f2a9c01</code>, send it along: the log has more under it.</p>
<p class="small">Tally ${version} · <a href="/privacy">Privacy</a> · <a href="/security">Security</a></p>`,
  );
}

function securityPage({ supportUrl, version }: BotFacts) {
  const contact =
    supportUrl === undefined
      ? 'tell the person who installed Tally in your workspace, in private'
      : `write to <a href="${escapeHtml(supportUrl)}">the people who run it</a>`;
  return htmlPage(
    200,
    'Security',
    `<p>Tally holds other people’s tokens and speaks about their money.</p>
<ul>
<li>Tokens enter through forms only, are encrypted before they are stored, and are never shown or logged.</li>
<li>Each request is checked for Slack’s signature, and each command, button and form for the rights of the person who sent it.</li>
<li>Tally only reads figures. It can’t buy, pay or change anything at the billing service.</li>
<li>It connects to the services that a Tally manager chose and to Slack, and to no private network unless its operator allows it.</li>
<li>An OS_TOKEN is shown to one person, once, and stored nowhere.</li>
</ul>
<h2>What it asks Slack for</h2>
${scopeList()}
<h2>Report a vulnerability</h2>
<p>If this bot is affected, ${contact}. A vulnerability of Tally itself goes to its repository, privately: the file SECURITY.md there says how. Don’t open a public issue.</p>
<p class="small">Tally ${version} · <a href="/privacy">Privacy</a> · <a href="/support">Support</a></p>`,
  );
}
