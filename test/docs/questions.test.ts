import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { meaningOf } from '../domain/language/corpus/meaning.ts';
import {
  type Outcome,
  outcomeOf,
  outcomeOfCommand,
  outcomeOfFollowUp,
} from '../domain/language/corpus/outcome.ts';
import { FOLLOW_UPS, QUESTION_TABLES, QUESTIONS, REFUSED_QUESTIONS } from './questions.ts';
import { fillTables } from './tables.ts';

const PAGE = 'docs/questions.md';

/** What is run, as a meaning; its buttons where it isn't. */
const ran = (outcome: Outcome) => ('runs' in outcome ? meaningOf(outcome.runs) : outcome);

describe(PAGE, () => {
  it.each(QUESTIONS)('says of “$question” what it runs: $command', ({ question, command }) => {
    expect(ran(outcomeOf(question))).toBe(meaningOf(command));
  });

  it.each(FOLLOW_UPS)('says of “$question” after $answered what it runs: $command', async (followUp) => {
    const { answered, question, command } = followUp;
    expect(ran(await outcomeOfFollowUp(answered, question))).toBe(meaningOf(command));
  });

  it.each(REFUSED_QUESTIONS)('names “$question” as refused, and it is', ({ question }) => {
    expect(outcomeOf(question)).toEqual({ offers: [] });
  });

  it('shows only commands that are understood', async () => {
    const shown = (await readFile(PAGE, 'utf8')).matchAll(/`(\/spend|\/balance) ([^`]+)`/g);
    for (const [, command, text = ''] of shown)
      expect(outcomeOfCommand({ command: command as '/spend', text }), text).toHaveProperty('runs');
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile(PAGE, 'utf8'), QUESTION_TABLES);
    await expect(page).toMatchFileSnapshot(`../../${PAGE}`);
  });
});
