import { Failure, InvalidWord, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord, nearestWords } from '../../domain/language/correct-text.ts';
import { cleanTyping, normalizeText, simplifyText } from '../../domain/language/text.ts';
import { announcesSecret, couldBeSecret, looksLikeSecret } from '../../domain/secret-detection.ts';
import { clipWord } from '../../domain/wording.ts';
import type { Request } from '../request/request.ts';
import { type CommandHandler, type CommandListener, handlerOf, lookUp } from '../server/listeners.ts';

type Verbs = Readonly<Record<string, CommandListener>>;

/**
 * A command whose first word chooses a subcommand: `/billing connect`. The subcommand `help` answers if there is no
 * word, and for a subcommand without a help page of its own, whose name it gets as its text.
 */
export const routeSubcommands =
  (verbs: Verbs): CommandListener =>
  (text) => {
    const { verb, rest, asksForHelp } = split(text);
    const handlerFor = (name: string, words: string): CommandHandler | undefined => {
      const listener = lookUp(verbs, name);
      return listener && handlerOf<CommandHandler>(listener, words);
    };
    const named = handlerFor(verb, rest);
    const words = asksForHelp && verb !== 'help' ? verb : rest;
    const handler = asksForHelp ? handlerFor('help', words) : named;
    const [, ...typed] = simplifyText(text).split(' ');

    const run = async (_: string, request: Request): Promise<void> => {
      if (holdsSecret(text, request.workspace.aliases)) throw new Failure('secret-pasted');
      if (asksForHelp && named?.help !== undefined) return request.reply.update(named.help());
      if (handler === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
      try {
        await handler.run(words, request, typed.join(' '));
      } catch (error) {
        // Verbs get the text in lower case, which hides the form of a token.
        if (error instanceof InvalidWord && typed.some(couldBeSecret)) throw error.withheld();
        throw error;
      }
    };
    return {
      right: handler?.right ?? 'ask',
      kind: handler?.kind ?? 'answer',
      run,
      ...(handler?.isForManagers === true && { isForManagers: true }),
      parse(_, workspace, reader) {
        if (asksForHelp) return;
        if (handler === undefined) throw unknownVerb(text, verb, Object.keys(verbs));
        if (handler.parse === undefined) refuseExtraWords(rest, verb);
        handler.parse?.(rest, workspace, reader);
      },
    };
  };

/** The name of a project is never treated as a secret. */
function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const tidied = cleanTyping(text);
  const words = tidied.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return announcesSecret(tidied) || words.some(looksLikeSecret);
}

/** Normalized, a question mark is `help`. */
function split(text: string) {
  const [verb = '', ...rest] = normalizeText(text).split(' ');
  const asksForHelp = verb === '' || rest.includes('help');
  return { verb: verb.replaceAll('-', ''), rest: rest.join(' '), asksForHelp };
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
  return new InvalidWord(clipWord(simplifyText(text).split(' ')[0] ?? verb), UNKNOWN_COMMAND, '', texts);
}

/** `page 2` after a command that lists; the first page for ''. @param verb the command @throws InvalidWord */
export function parsePage(text: string, verb: string): number {
  const page = /^page (\d{1,3})$/.exec(text)?.[1];
  if (page === undefined) refuseExtraWords(text, verb);
  return Number(page ?? 1);
}
