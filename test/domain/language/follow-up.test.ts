import { describe, expect, it } from 'vitest';
import { mergeFollowUp } from '../../../src/domain/language/questions/follow-up.ts';

const ALIASES = new Set(['prod', 'staging', 'dev', 'web-shop']);

const merge = (before: string, text: string) => {
  const [, command, words = ''] = /^(\/\w+) ?(.*)$/.exec(before) ?? [];
  return mergeFollowUp(text, { command: command as '/spend', text: words }, ALIASES);
};
/** The command that it means. */
const runs = (before: string, text: string) => {
  const merged = merge(before, text);
  return merged?.kind === 'command' ? link(merged) : merged?.kind;
};
const link = ({ command, text }: { command: string; text: string }) => `${command} ${text}`;

describe('a follow-up', () => {
  it.each([
    ['/spend prod last-month', 'and staging?', '/spend staging last-month'],
    ['/spend prod last-month', 'AND STAGING 🙂', '/spend staging last-month'],
    ['/spend prod last-month storage', 'what about web-shop', '/spend web-shop last-month storage'],
    ['/spend prod last-month', 'and dev and staging?', '/spend dev,staging last-month'],
    ['/spend prod last-month', 'and for dev, staging?', '/spend dev,staging last-month'],
    ['/spend prod last-month', 'and for all of them?', '/spend all last-month'],
    ['/spend prod,dev last-month', 'and staging?', '/spend staging last-month'],
    ['/spend top 3 last-month', 'and prod?', '/spend prod last-month'],
    ['/spend prod last-month', 'and 789', '/spend 789 last-month'],
    ['/spend prod last-month', 'vs staging', '/spend prod,staging last-month'],
    ['/spend prod last-month', 'it and staging', '/spend prod,staging last-month'],
    ['/spend prod,dev last-month', 'what about staging and them?', '/spend staging,prod,dev last-month'],
    ['/balance prod', 'staging?', '/balance staging'],
  ])('names other projects: %s, then %s', (before, text, after) => {
    expect(runs(before, text)).toBe(after);
  });

  it.each([
    ['/spend prod last-week', 'what about october?', '/spend prod october'],
    ['/spend prod last-week', 'and, in october', '/spend prod october'],
    ['/spend prod last-week', 'same for last month', '/spend prod last-month'],
    ['/spend prod last-week', 'the same in october please', '/spend prod october'],
    ['/spend prod storage last-week', 'so far this month', '/spend prod this-month storage'],
    ['/spend all last-month', 'and this month so far?', '/spend all this-month'],
    ['/spend prod last-7-days', 'including today', '/spend prod last-7-days including today'],
    ['/spend prod', 'include today', '/spend prod last-7-days including today'],
    ['/spend prod october', 'vs september', '/spend prod october vs september'],
    ['/spend prod october', 'vs last year', '/spend prod october vs last-year'],
    ['/spend prod october vs last-year', 'and september?', '/spend prod september vs last-year'],
    ['/spend prod october vs september', 'and staging?', '/spend staging october vs september'],
    ['/spend prod last-month why', 'and last week?', '/spend prod last-week why'],
  ])('names another period: %s, then %s', (before, text, after) => {
    expect(runs(before, text)).toBe(after);
  });

  it.each([
    ['/spend prod october', 'as csv', '/spend prod october csv'],
    ['/spend prod october', 'can I have that as a CSV file?', '/spend prod october csv'],
    ['/spend prod october csv', 'and september?', '/spend prod september'],
    ['/spend prod october csv', 'same for staging', '/spend staging october csv'],
    ['/spend prod october', 'only storage', '/spend prod october storage'],
    ['/spend prod october', 'thanks, and staging?', '/spend staging october'],
    ['/spend prod october', 'details', '/spend prod october details'],
    ['/spend prod october', 'why?', '/spend prod october why'],
    ['/spend prod october', 'why is that?', '/spend prod october why'],
    ['/spend prod october', 'again', '/spend prod october'],
    ['/spend prod october csv', 'do it again', '/spend prod october csv'],
    ['/spend prod october', 'again for dev', '/spend dev october'],
    ['/spend prod october', 'and the balance?', '/balance prod'],
    ['/spend prod october storage', 'how long will it last?', '/balance prod storage'],
    ['/balance prod', 'what did it cost yesterday?', '/spend prod yesterday'],
    ['/spend prod october', 'and cloud?', '/spend prod october cloud'],
    ['/spend all october', 'top 3', '/spend top 3 october'],
    ['/spend prod october', 'why did it go up?', '/spend prod october why'],
    ['/spend prod october', 'and how much will it cost this month?', '/spend prod this-month'],
    ['/spend prod october', 'is it over budget?', '/billing watches prod budget'],
    ['/spend prod october', 'and which schedules are there?', '/billing schedules'],
    ['/spend prod october', 'and how much did staging spend?', '/spend staging october'],
  ])('asks another kind of question: %s, then %s', (before, text, after) => {
    expect(runs(before, text)).toBe(after);
  });

  it.each([
    ['/spend prod october', 'and 2025?', ['/spend prod year-2025', '/spend 2025 october']],
    ['/spend prod last-week', 'and 2?', ['/spend prod last-week storage', '/spend 2 last-week']],
    ['/spend prod october', 'and stagin?', ['/spend staging october']],
    ['/spend prod october', 'wat about staging?', ['/spend staging october']],
    ['/spend prod october', 'waht about septembr', ['/spend prod september']],
    ['/spend prod october', 'and dev staging?', ['/spend dev,staging october']],
    [
      '/spend prod october vs september',
      'and august?',
      ['/spend prod august vs september', '/spend prod august'],
    ],
    ['/balance prod', 'what about october?', ['/spend prod october']],
    ['/balance prod', 'why?', ['/spend prod why']],
    ['/spend top 3 october', 'and the balance?', ['/balance all']],
  ])('is offered as buttons if it may mean something else: %s, then %s', (before, text, after) => {
    const merged = merge(before, text);
    expect(merged?.kind).toBe('offered');
    expect(merged?.kind === 'offered' && merged.commands.map(link)).toEqual(after);
  });

  it.each([
    'and banana?',
    'and next month?',
    'again and again',
    'vs',
    'delete it',
    'without storage',
    'and september and why?',
  ])('is refused, with nothing offered: %s', (text) =>
    expect(merge('/spend prod october', text)?.kind).toBe('refused'),
  );

  it.each(['thanks!', 'hello', 'and?', '', 'lol', 'why not?', 'cool'])(
    'is not made of other words: %s',
    (text) => expect(merge('/spend prod october', text)).toBeUndefined(),
  );

  it.each(['and it?', 'what did it cost yesterday?', 'again'])(
    'is not guessed where a project has the name of one of its words: %s',
    (text) => {
      const aliases = new Set([...ALIASES, 'it', 'again']);
      expect(mergeFollowUp(text, { command: '/spend', text: 'prod october' }, aliases)).toBeUndefined();
    },
  );

  it('quotes no word that could be a secret', () => {
    const secret = 'gAAAAABnotATokenButItLooksLikeOne0123456789';
    let shown = '';
    try {
      shown = JSON.stringify(merge('/spend prod october', `and ${secret}`));
    } catch (error) {
      shown = String(error);
    }
    expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
  });
});

describe('without an answer before it', () => {
  it.each([
    ['and october?', { kind: 'project-missing', command: '/spend', text: 'october' }],
    ['again', { kind: 'project-missing', command: '/spend', text: '' }],
    ['as csv', { kind: 'project-missing', command: '/spend', text: 'csv' }],
    ['how long will it last?', { kind: 'project-missing', command: '/balance', text: '' }],
    ['and the balance of prod?', { kind: 'command', command: '/balance', text: 'prod' }],
  ])('“%s” takes nothing from an answer', (text, expected) => {
    expect(mergeFollowUp(text, undefined, ALIASES)).toMatchObject(expected);
  });

  it('offers both questions about a project', () => {
    expect(mergeFollowUp('and staging?', undefined, ALIASES)).toMatchObject({
      kind: 'offered',
      commands: [
        { command: '/balance', text: 'staging' },
        { command: '/spend', text: 'staging' },
      ],
    });
  });

  it('is not a follow-up if nothing refers to an answer, nor refused as one', () => {
    expect(mergeFollowUp('october', undefined, ALIASES)).toBeUndefined();
    expect(mergeFollowUp('and banana?', undefined, ALIASES)).toBeUndefined();
    expect(mergeFollowUp('and stagin?', undefined, ALIASES)).toBeUndefined();
  });
});
