import { describe, expect, it } from 'vitest';
import { literalsIn } from '../support/source-literals.ts';
import { declaredBy, FEATURES, SOURCES, sourceOf } from './feature-declarations.ts';

describe('a command in a text', () => {
  const commands = FEATURES.flatMap((feature) => declaredBy(feature).commands);
  const slashCommands = commands.filter((command) => !command.includes(' '));

  it('goes through commandText or a typed field, so that the compiler knows it', () => {
    const isCommand = new RegExp(
      `/billing [a-z]|(?:${slashCommands.join('|')})(?![\\w-])|@Tally (?:${slashCommands.map((command) => command.slice(1)).join('|')})\\b`,
    );
    const loose = SOURCES.flatMap((path) =>
      literalsIn(sourceOf(path))
        .filter((text) => isCommand.test(text) && !commands.includes(text))
        .map((text) => `${path}: ${text}`),
    );
    expect(commands.length).toBeGreaterThan(12);
    expect(loose).toEqual([]);
  });

  /** Places that the compiler checks: an argument, a field, a comparison, a key, or a member of a typed set. */
  const TYPED =
    /(?:commandText\(|mentionText\(|toCommand\(|command: |create: |list: |=== |\? (?:'[^']+' : )?|^\s*|ReadonlySet<SlashCommand> = new Set\(\[(?:'[^']+', )*)$/;

  it('is never an untyped string', () => {
    const quoted = new RegExp(`'(?:${commands.join('|')})'`, 'g');
    const mere = SOURCES.flatMap((path) =>
      sourceOf(path)
        .split('\n')
        .flatMap((line) =>
          [...line.matchAll(quoted)]
            .filter(({ index }) => !TYPED.test(line.slice(0, index)))
            .map(() => `${path}: ${line.trim()}`),
        ),
    );
    expect(mere).toEqual([]);
  });

  it('is not split into /billing and its verb', () => {
    const split = SOURCES.filter((path) => /command: '\/billing'/.test(sourceOf(path)));
    expect(split).toEqual([]);
  });
});
