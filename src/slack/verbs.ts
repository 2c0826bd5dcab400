import { SecretPasted, WordRefused } from '../domain/failure.ts';
import { announcesSecret, looksSecret } from '../domain/secret-word.ts';
import { clip } from '../domain/spelling.ts';
import { asTyped, plain, tidy } from '../domain/text.ts';
import { nearest, normalise } from '../domain/words.ts';
import type { CommandListener } from './listeners.ts';
import { own } from './own.ts';

type Verbs = Readonly<Record<string, CommandListener>>;

/**
 * One command whose first word chooses: `/billing connect`. Without a word the verb `help` answers, and for `help` too
 * where the word has no page of its own.
 */
export function byVerb(verbs: Verbs): CommandListener {
  return {
    right: (text) => rightOf(text, verbs),
    async run(text, visit) {
      const { verb, rest, helps } = split(text);
      if (holdsSecret(text, visit.record.aliases)) throw new SecretPasted();
      const help = helps ? own(verbs, verb)?.help : undefined;
      if (help !== undefined) return visit.answer(help());
      const listener = own(verbs, helps ? 'help' : verb);
      if (listener === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
      await listener.run(rest, visit);
    },
  };
}

/** A project's name is none, whatever it looks like. */
function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const tidied = tidy(text);
  const words = tidied.split(' ').filter((word) => !aliases.has(normalise(word)));
  return announcesSecret(tidied) || words.some(looksSecret);
}

function split(text: string): { verb: string; rest: string; helps: boolean } {
  const [verb = '', ...rest] = normalise(text).split(' ');
  const helps = verb === '' || verb === '?' || rest.includes('help');
  return { verb: verb.replaceAll('-', ''), rest: rest.join(' '), helps };
}

function rightOf(text: string, verbs: Verbs) {
  const { verb, helps } = split(text);
  const { right = 'ask' } = own(verbs, helps ? 'help' : verb) ?? {};
  return typeof right === 'function' ? right(text) : right;
}

function unknownVerb(text: string, verb: string, known: readonly string[]): WordRefused {
  const meant = nearest(verb, known);
  const suggestion = meant === undefined ? undefined : normalise(text).replace(/^\S+/, meant);
  return new WordRefused(
    clip(asTyped(text, plain(text).split(' ')[0] ?? verb)),
    'is nothing that /billing does',
    `It takes ${known.join(', ')}.`,
    suggestion,
  );
}
