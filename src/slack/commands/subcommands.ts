/** Finds the subcommand of `/billing` that a text names, and runs its handler. */
import { Failure, InvalidWord, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import {
  cleanTyping,
  nearestWords,
  normalizeText,
  simplifyText,
} from '../../domain/language/text-cleanup.ts';
import { announcesSecret, couldBeSecret, looksLikeSecret } from '../../domain/secret-detection.ts';
import { clipWord } from '../../domain/wording.ts';
import { type CommandHandler, lookUp, rulesFor } from '../server/handlers.ts';

export function routeSubcommands(verbs: Readonly<Record<string, CommandHandler>>): CommandHandler {
  const find = (text: string) => {
    const { verb, rest, asksForHelp } = split(text);
    const named = lookUp(verbs, verb);
    const handler = asksForHelp ? lookUp(verbs, 'help') : named;
    const words = asksForHelp && verb !== 'help' ? verb : rest;
    const unknown = () => unknownVerb(text, verb, Object.keys(verbs));
    return { named, handler, verb, words, unknown, asksForHelp };
  };
  return {
    right: 'ask',
    needs(text) {
      const { handler, words } = find(text);
      return handler === undefined ? {} : rulesFor(handler, words);
    },
    parse(text, workspace, context) {
      const { handler, verb, words, unknown, asksForHelp } = find(text);
      if (asksForHelp) return;
      if (handler === undefined) throw unknown();
      if (handler.parse === undefined) refuseExtraWords(words, verb);
      handler.parse?.(words, workspace, context);
    },
    async run(text, request) {
      if (holdsSecret(text, request.workspace.aliases)) throw new Failure('secret-pasted');
      const { named, handler, words, unknown, asksForHelp } = find(text);
      if (asksForHelp && named?.help !== undefined) return request.reply.update(named.help(request));
      if (handler === undefined) throw unknown();
      const [, ...typed] = simplifyText(text).split(' ');
      try {
        await handler.run(words, request, typed.join(' '));
      } catch (error) {
        // A token is hard to recognize in lower case, so the text is checked as it was typed.
        if (error instanceof InvalidWord && typed.some(couldBeSecret)) throw error.withheld();
        throw error;
      }
    },
  };
}

function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const tidied = cleanTyping(text);
  const words = tidied.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return announcesSecret(tidied) || words.some(looksLikeSecret);
}

function split(text: string) {
  const [verb = '', ...rest] = normalizeText(text).split(' ');
  const asksForHelp = verb === '' || rest.includes('help');
  return { verb: verb.replaceAll('-', ''), rest: rest.join(' '), asksForHelp };
}

export function refuseExtraWords(rest: string, verb: string): void {
  if (rest !== '') throw new InvalidWord(clipWord(rest), UNRECOGNIZED, `Type /billing ${verb}.`);
}

function unknownVerb(text: string, verb: string, known: readonly string[]): InvalidWord {
  const texts = couldBeSecret(cleanTyping(text))
    ? []
    : nearestWords(verb, known).map((nearest) => normalizeText(text).replace(/^\S+/, nearest));
  return new InvalidWord(clipWord(simplifyText(text).split(' ')[0] ?? verb), UNKNOWN_COMMAND, '', texts);
}

export function parsePage(text: string, verb: string): number {
  const page = /^page (\d{1,3})$/.exec(text)?.[1];
  if (page === undefined) refuseExtraWords(text, verb);
  return Number(page ?? 1);
}
