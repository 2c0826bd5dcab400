import { InvalidWord, SecretPasted, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord, normalizeText } from '../../domain/language/command-text.ts';
import { couldBeSecret, labelsSecret, looksLikeSecret } from '../../domain/language/secret-detection.ts';
import {
  cleanTyping,
  clipWord,
  nearestWords,
  originalSpelling,
  simplifyText,
} from '../../domain/language/text.ts';
import { type CommandListener, lookUp, opensModal } from '../server/listeners.ts';

type Verbs = Readonly<Record<string, CommandListener>>;

/**
 * A command whose first word chooses a subcommand: `/billing connect`. The subcommand `help` answers if there is no
 * word, and for a subcommand without a help page of its own, whose name it gets as its text.
 */
export function routeSubcommands(verbs: Verbs): CommandListener {
  return {
    right: (text) => rightOf(text, verbs),
    opensModal(text) {
      const { verb, rest, helps } = split(text);
      const listener = helps ? undefined : lookUp(verbs, verb);
      return listener !== undefined && opensModal(listener, rest);
    },
    read(text, workspace) {
      const { verb, rest, helps } = split(text);
      if (helps) return;
      const listener = lookUp(verbs, verb);
      if (listener === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
      if (listener.read === undefined) refuseExtraWords(rest, verb);
      listener.read?.(rest, workspace);
    },
    async run(text, request) {
      const { verb, rest, helps } = split(text);
      if (holdsSecret(text, request.workspace.aliases)) throw new SecretPasted();
      const help = helps ? lookUp(verbs, verb)?.help : undefined;
      if (help !== undefined) return request.reply.update(help());
      const asksAbout = helps && verb !== 'help' ? verb : rest;
      const listener = lookUp(verbs, helps ? 'help' : verb);
      if (listener === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
      const [, ...typed] = simplifyText(text).split(' ');
      try {
        await listener.run(helps ? asksAbout : rest, request, typed.join(' '));
      } catch (error) {
        // Verbs get the text in lower case, which hides the form of a token.
        if (error instanceof InvalidWord && typed.some(couldBeSecret)) throw error.withheld();
        throw error;
      }
    },
  };
}

/** The name of a project is never treated as a secret. */
function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const tidied = cleanTyping(text);
  const words = tidied.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return labelsSecret(tidied) || words.some(looksLikeSecret);
}

/** Normalized, a question mark is `help`. */
function split(text: string): { verb: string; rest: string; helps: boolean } {
  const [verb = '', ...rest] = normalizeText(text).split(' ');
  const helps = verb === '' || rest.includes('help');
  return { verb: verb.replaceAll('-', ''), rest: rest.join(' '), helps };
}

function rightOf(text: string, verbs: Verbs) {
  const { verb, helps } = split(text);
  const { right = 'ask' } = lookUp(verbs, helps ? 'help' : verb) ?? {};
  return typeof right === 'function' ? right(text) : right;
}

/**
 * Refuses words after a subcommand that takes none, or only the words in `known`.
 * @throws InvalidWord, whose suggestion is the subcommand with the nearest known word
 */
export function refuseExtraWords(rest: string, verb: string, known: readonly string[] = []): void {
  if (rest === '' || known.includes(rest)) return;
  const commands = [verb, ...known.map((word) => `${verb} ${word}`)];
  const works = `Type ${commands.map((command) => `/billing ${command}`).join(' or ')}.`;
  const meant = nearestWord(rest, known);
  throw new InvalidWord(clipWord(rest), UNRECOGNIZED, works, meant && `${verb} ${meant}`);
}

function unknownVerb(text: string, verb: string, known: readonly string[]): InvalidWord {
  const texts = couldBeSecret(cleanTyping(text))
    ? []
    : nearestWords(verb, known).map((meant) => normalizeText(text).replace(/^\S+/, meant));
  return new InvalidWord(
    clipWord(originalSpelling(text, simplifyText(text).split(' ')[0] ?? verb)),
    UNKNOWN_COMMAND,
    `These work: /billing ${known.join(', ')}.`,
    texts,
  );
}

/** `page 2` after a command that lists; the first page for ''. @param verb the command @throws InvalidWord */
export function parsePage(text: string, verb: string): number {
  const page = /^page (\d{1,3})$/.exec(text)?.[1];
  if (page === undefined) refuseExtraWords(text, verb);
  return Number(page ?? 1);
}
