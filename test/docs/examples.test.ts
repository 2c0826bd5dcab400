/** What the pages for users and adopters tell people to type in Slack: each is typed, and answered as the page says. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, toAnswer } from '../support/bot.ts';
import { addConnection, addProject } from '../support/projects.ts';

/** docs/questions.md has a test of its own. */
const PAGES = [
  ...['README.md', 'docs/schedules.md', 'docs/watches.md', 'docs/periods.md', 'docs/projects.md'],
  ...['docs/os-token.md', 'docs/settings.md', 'docs/rights.md', 'docs/home.md', 'docs/audit.md'],
  ...['docs/commands.md', 'docs/connections.md', 'docs/glossary.md', 'docs/first-workspace.md'],
  ...['docs/workflow-steps.md', 'docs/billing-contract.md', 'docs/identity-contract.md'],
];

/** What the answer says, or the form with what is chosen in it. One after the other: `/billing default prod` holds from there on. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  '/balance': ['Which project?'],
  '/balance 123': ['left', 'About', 'Cloud platform'],
  '/balance all': ['of 4 projects', 'runs out first'],
  '/balance all csv': ['balance'],
  '/balance prod': ['prod', 'left', 'About'],
  '/billing audit': ['Who changed what'],
  '/billing audit csv': ['the file as a direct message'],
  '/billing connect': ['User access token', 'Project to test with'],
  '/billing connect finance': ['User access token'],
  '/billing default': ['default'],
  '/billing default none': ['default'],
  '/billing default prod': ['prod', 'default'],
  '/billing disconnect': ['Disconnect'],
  '/billing disconnect finance': ['finance'],
  '/billing help': ['Ask Tally'],
  '/billing projects': ['prod', 'project 123'],
  '/billing projects access prod': ['Address of the identity service'],
  '/billing projects add': ['Project ID'],
  '/billing projects add prod 123': ['Project ID'],
  '/billing projects add prod 123 storage': ['Project ID', 'Object storage'],
  '/billing projects add 123 prod, 456 staging': ['Projects', '123 prod, 456 staging'],
  '/billing projects edit prod': ['Project ID'],
  '/billing projects remove prod': ['Remove'],
  '/billing projects web': ['web-shop'],
  '/billing schedule': ['Projects'],
  '/billing schedule 123': ['prod', 'Yesterday’s spend', 'Every day', '09:00'],
  '/billing schedule 123 storage mtd monthly last': ['Object storage', 'so far', 'last day', '09:00'],
  '/billing schedule help': ['Scheduled posts', 'weekdays (Monday to Friday)'],
  '/billing schedule prod': ['prod', 'Every day', '09:00'],
  '/billing schedule prod archive web-shop': ['prod', 'archive', 'web-shop', '09:00'],
  '/billing schedule prod balance monthly 1 5 pm': ['"value":"balance"', '"value":"monthly"', '17:00'],
  '/billing schedule prod daily 09:00': ['prod', 'Every day', '09:00'],
  '/billing schedule prod daily wait 6 hours': ['6 hours'],
  '/billing schedule prod last-week weekly mon': ['Last week’s spend', 'Monday', '09:00'],
  '/billing schedule prod weekdays 8:30': ['Monday to Friday', '08:30'],
  '/billing schedules': ['schedule'],
  '/billing settings': ['Reporting time zone'],
  '/billing settings zone Europe/Berlin currency EUR': ['Reporting time zone', 'Europe/Berlin', 'EUR'],
  '/billing status': ['problems to look at'],
  '/billing status details': ['main'],
  '/billing watch': ['Project', 'Alert when'],
  '/billing watch 123 runway 14': ['prod', '14'],
  '/billing watch prod balance 50000': ['"value":"balance"', '50000'],
  '/billing watch prod budget 500000': ['"value":"budget"', '500000'],
  '/billing watch prod runway 14': ['"value":"runway"', '"14"'],
  '/billing watch prod spike 2x over 1000': ['"value":"spike"', '"2"', '"1000"'],
  '/billing watches': ['watch'],
  '/os-token': ['prod has no application access'],
  '/os-token prod': ['prod has no application access', 'Register an access…'],
  '/spend': ['prod', '14–20 Nov'],
  '/spend 123': ['prod', 'spent', '14–20 Nov'],
  '/spend 123 2 2026': ['Object storage', 'project 123', '1 Jan – 21 Nov'],
  '/spend 123 last-7-days': ['prod', 'spent', '14–20 Nov'],
  '/spend 123 last-month storage': ['Object storage', '1–31 Oct'],
  '/spend 123,456': ['2 projects'],
  '/spend 2026': ['project 2026'],
  '/spend mtd': ['prod', 'spent', 'by 30 Nov'],
  '/spend prod': ['prod', '14–20 Nov'],
  '/spend prod 1-15 nov vs 1-15 oct': ['vs 1–15 Oct', '1–15 Nov'],
  '/spend prod 1-15 oct': ['1–15 Oct'],
  '/spend prod last month': ['1–31 Oct'],
  '/spend prod last two weeks': ['2–15 Nov'],
  '/spend prod last week': ['9–15 Nov'],
  '/spend prod last-month': ['vs 1–30 Sep', 'a day', '1–31 Oct'],
  '/spend prod last-month csv': ['1–31 Oct', 'direct messages'],
  '/spend prod last-month why': ['1–30 Sep', 'Difference'],
  '/spend prod october 3': ['Sat 3 Oct'],
  '/spend prod october vs last year': ['1–31 Oct 2025'],
  '/spend prod october vs september': ['vs 1–30 Sep'],
  '/spend prod,staging': ['2 projects'],
  '/spend prod,staging last-month': ['2 projects', '1–31 Oct'],
  '/spend prod,staging october': ['2 projects', '1–31 Oct'],
  '/spend top 3 last-month': ['1–31 Oct'],
  '@Tally': ['how much did'],
  '@Tally and staging?': ['staging'],
  '@Tally billing connect': ['Click to open the form'],
  '@Tally billing projects': ['project 123'],
  '@Tally hello': ['how much did'],
  '@Tally how much did prod spend last week?': ['9–15 Nov'],
  '@Tally spend prod last month': ['1–31 Oct'],
  '@Tally spnd prod': ['/spend prod'],
  '@Tally why did prod go up in october?': ['prod', 'more than 1–30 Sep'],
};

// The README's comparison with other tools, from their own pages:
// docs.aws.amazon.com/chatbot/latest/adminguide/ (customizing-chatbot: aliases of commands; bedrock-converse: agents that are asked),
// docs.aws.amazon.com/cost-management/latest/userguide/ (manage-ad: anomalies to a Slack channel; reporting-cost-budget: reports by
// e-mail), cloud.google.com/billing/docs/how-to/notify and budgets-programmatic-notifications (Slack by Pub/Sub and a function),
// Azure's budgets (action groups: e-mail, webhooks), Kubecost's budget API and Vantage's alerts (e-mail, Slack, Teams).

let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ now: () => Date.UTC(2026, 10, 21, 10, 15, 30, 123) });
  await addConnection(bot);
  for (const [alias, id] of Object.entries({
    prod: '123',
    staging: '456',
    'web-shop': '789',
    archive: '1011',
  }))
    await addProject(bot, { alias, id });
});
afterAll(() => bot.stop());

/** @returns what came: a form, with what is chosen in it, or an answer */
async function typed(command: string): Promise<string> {
  const { slack } = bot;
  const heard = () => slack.messages(OWNER, CHANNEL).filter(({ from }) => from !== OWNER);
  const before = heard().length;
  await slack.say(OWNER, CHANNEL, command);
  await slack.waitFor(() => slack.modal(OWNER) ?? heard()[before], 15_000);
  const form = slack.modal(OWNER)?.view;
  if (form === undefined) return toAnswer(heard()[before]!).visibleText;
  await slack.dismiss(OWNER);
  return JSON.stringify(form, (key, value) => (key === 'options' ? undefined : value));
}

describe('an example in the docs', () => {
  it('has a row in the table of this test, and each row is on a page', async () => {
    const pages = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
    const shown = pages.flatMap((page) => [
      ...page.matchAll(/`((?:\/(?:spend|balance|os-token|billing)|@Tally)(?: [^`]*)?)`/g),
    ]);
    expect([...new Set(shown.map(([, command = '']) => command))].sort()).toEqual(
      Object.keys(ANSWERS).sort(),
    );
  });

  it.each(Object.entries(ANSWERS))('is answered as the page says: %s', async (command, says) => {
    const answer = await typed(command);
    expect(
      says.filter((part) => !answer.includes(part)),
      answer,
    ).toEqual([]);
  });
});
