import { InvalidWord, SecretPasted } from '../domain/failure/index.ts';
import { nearestWord, normalizeText } from '../domain/language/command-text.ts';
import { couldBeSecret, labelsSecret, looksLikeSecret } from '../domain/language/secret-detection.ts';
import { clipWord } from '../domain/language/spelling.ts';
import { cleanTyping, originalSpelling, simplifyText } from '../domain/language/text.ts';
import { type CommandListener, ownValue } from './listeners.ts';

type Verbs = Readonly<Record<string, CommandListener>>;

/**
 * One command whose first word chooses: `/billing connect`. Without a word the verb `help` answers, and for `help` too
 * where the word has no page of its own.
 */
export function routeSubcommands(verbs: Verbs): CommandListener {
  return {
    right: (text) => rightOf(text, verbs),
    async run(text, request) {
      const { verb, rest, helps } = split(text);
      if (holdsSecret(text, request.workspace.aliases)) throw new SecretPasted();
      const help = helps ? ownValue(verbs, verb)?.help : undefined;
      if (help !== undefined) return request.reply.update(help());
      const listener = ownValue(verbs, helps ? 'help' : verb);
      if (listener === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
      const [, ...typed] = simplifyText(text).split(' ');
      try {
        await listener.run(rest, request, typed.join(' '));
      } catch (error) {
        // Lower case hides what a token looks like, and a verb reads no other.
        if (error instanceof InvalidWord && typed.some(couldBeSecret)) throw error.withheld();
        throw error;
      }
    },
  };
}

/** A project's name is none, whatever it looks like. */
function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const tidied = cleanTyping(text);
  const words = tidied.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return labelsSecret(tidied) || words.some(looksLikeSecret);
}

function split(text: string): { verb: string; rest: string; helps: boolean } {
  const [verb = '', ...rest] = normalizeText(text).split(' ');
  const helps = verb === '' || verb === '?' || rest.includes('help');
  return { verb: verb.replaceAll('-', ''), rest: rest.join(' '), helps };
}

function rightOf(text: string, verbs: Verbs) {
  const { verb, helps } = split(text);
  const { right = 'ask' } = ownValue(verbs, helps ? 'help' : verb) ?? {};
  return typeof right === 'function' ? right(text) : right;
}

function unknownVerb(text: string, verb: string, known: readonly string[]): InvalidWord {
  const meant = nearestWord(verb, known);
  const suggestion =
    meant === undefined || couldBeSecret(cleanTyping(text))
      ? undefined
      : normalizeText(text).replace(/^\S+/, meant);
  return new InvalidWord(
    clipWord(originalSpelling(text, simplifyText(text).split(' ')[0] ?? verb)),
    'isn’t a /billing command',
    'Type /billing help for the list.',
    suggestion,
  );
}
