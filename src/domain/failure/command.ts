/** What a command names (its words, its project, the connection behind it), and whether its sender may ask that now. */
import { couldBeSecret } from '../language/secret-detection.ts';
import type { SlackId } from '../slack-id.ts';
import type { Millis } from '../time/calendar.ts';
import { FailureBase } from './base.ts';

/**
 * Whether a refused word is quoted: `judged` by its look, `always` for an address or the workspace's own name for
 * something, `never` if it is known that it may be a secret.
 */
type Quoting = 'judged' | 'always' | 'never';

/** Replaces a word that is not repeated. */
const WITHHELD = '…';

const HIDDEN_WORD = 'one word (not repeated, as it may be a secret)';

/** In a `why`: where the refused word goes. */
const WORD = '{word}';

/** The `why` of an unknown word. */
export const UNRECOGNIZED = `I don’t recognize ${WORD}`;
/** The `why` of a command that does not exist. */
export const UNKNOWN_COMMAND = `Unknown command ${WORD}`;

/**
 * A word that cannot be used. `suggestion` is the whole text corrected, ready to run again; `readings` are the texts that
 * an ambiguous word may mean. None of them holds a word that could be a secret.
 */
export class InvalidWord extends FailureBase<'invalid-word'> {
  readonly word: string;
  readonly suggestion?: string;
  /** Two or more; empty when there is a `suggestion` or nothing to offer. */
  readonly readings: readonly string[] = [];
  /** What is wrong, without what to type. */
  readonly fact: string;
  /**
   * @param why completes “word” …, or is a sentence, with `{word}` in it or without; without a full stop
   * @param works what to type, in whole sentences
   * @param suggestion one text, or what an ambiguous word may mean
   */
  constructor(
    word: string,
    readonly why: string,
    readonly works: string,
    suggestion?: string | readonly string[],
    private readonly quoting: Quoting = 'judged',
    /** The command's text before a project, if the word is an unknown one: a picker is offered. */
    readonly projectFor?: string,
  ) {
    const mayQuote = (text: string) => quoting === 'always' || (quoting === 'judged' && !couldBeSecret(text));
    const isQuoted = word !== WITHHELD && mayQuote(word);
    const named = isQuoted ? `“${word}”` : HIDDEN_WORD;
    const isSentence = why.includes(WORD) || /^[A-Z]/.test(why);
    const whole = isSentence ? why : `${WORD} ${why}`;
    // At the end of a sentence, hidden words can be left out.
    const sentence = (isQuoted ? whole : whole.replace(`, ${WORD}`, '')).replace(WORD, () => named);
    const fact = sentence.replace(/^one word/, 'One word').replace(/[^?]$/, '$&.');
    super('invalid-word', `${fact} ${works}`.trim());
    this.fact = fact;
    this.word = isQuoted ? word : WITHHELD;
    const offered = [suggestion ?? []].flat().filter(mayQuote);
    const [only, ...others] = offered;
    if (others.length > 0) this.readings = offered;
    else if (only !== undefined) this.suggestion = only;
  }

  /** Every text that is offered. */
  get offered(): readonly string[] {
    return this.suggestion === undefined ? this.readings : [this.suggestion];
  }

  /** A copy whose suggestion and readings are each put into a longer text. */
  within(whole: (text: string) => string): InvalidWord {
    const { word, why, works, quoting, projectFor } = this;
    return new InvalidWord(word, why, works, this.offered.map(whole), quoting, projectFor);
  }

  /** A copy that quotes another spelling of the word. */
  spelled(spell: (word: string) => string): InvalidWord {
    const { word, why, works, offered, quoting, projectFor } = this;
    return new InvalidWord(spell(word), why, works, offered, quoting, projectFor);
  }

  /** A copy that does not contain the word. */
  withheld(): InvalidWord {
    return new InvalidWord(this.word, this.why, this.works, undefined, 'never', this.projectFor);
  }
}

/** @returns what `parse` returns, or the InvalidWord that it throws @throws its other errors, such as SecretPasted */
export function catchInvalidWord<T>(parse: () => T): T | InvalidWord {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
}

/** In characters; longer texts are rejected before they are parsed. */
const LONGEST_TEXT = 1_000;

/** A command or a mention of more than `LONGEST_TEXT` characters, refused before anything reads it. */
export class TextTooLong extends FailureBase<'text-too-long'> {
  constructor() {
    super(
      'text-too-long',
      `That text is too long. Tally reads up to ${LONGEST_TEXT.toLocaleString('en-US')} characters.`,
    );
  }
}

export const isShortText = (text: string): boolean => text.length <= LONGEST_TEXT;

/** @throws TextTooLong */
export function requireShortText(text: string): void {
  if (!isShortText(text)) throw new TextTooLong();
}

/** Something in the command looks like a secret. The failure does not contain it, so that it can't be repeated. */
export class SecretPasted extends FailureBase<'secret-pasted'> {
  constructor() {
    super('secret-pasted', 'That looks like a token or a password. Tally didn’t store, log or repeat it.');
  }
}

/** A period without length yet: `today` at the first millisecond of the day. */
export class PeriodJustBegan extends FailureBase<'period-just-began'> {
  constructor(readonly phrase: string) {
    super('period-just-began', `“${phrase}” has only just begun: there is nothing to ask about yet.`);
  }
}

/** The command needs a project and none was named. */
export class ProjectMissing extends FailureBase<'project-missing'> {
  /** @param projectFor the command's text before the project, if a project is all it needs: `projects edit` */
  constructor(readonly projectFor?: string) {
    super('project-missing', 'Which project?');
  }
}

/** Nobody has registered a token in this workspace yet. */
export class NotConnected extends FailureBase<'not-connected'> {
  override readonly summary = 'not connected';
  constructor() {
    super('not-connected', 'Tally isn’t connected to a billing service yet.');
  }
}

/**
 * The connection that a project names is gone; without a name: several are there and none is the default.
 * @param project what the project that was asked about is called, and its alias if any
 */
export class ConnectionMissing extends FailureBase<'connection-missing'> {
  override readonly summary = 'not connected';
  constructor(
    readonly connection?: string,
    readonly project?: { readonly label: string; readonly alias: string | undefined },
  ) {
    super('connection-missing', missingWords(connection, project?.label));
  }
}

function missingWords(connection: string | undefined, label: string | undefined): string {
  if (connection === undefined) {
    const needed = label === undefined ? '' : ` ${label} needs one.`;
    return `There are several connections, and none of them is the default.${needed}`;
  }
  return label === undefined
    ? `There is no connection named ${connection}.`
    : `The connection “${connection}”, which ${label} uses, no longer exists.`;
}

/** The person lacks the right to do this. */
export class NotAllowed extends FailureBase<'not-allowed'> {
  override readonly summary = 'not allowed here';
  /**
   * @param managers for `not-manager`: Slack IDs of people who may, if known
   * @param owned what belongs to somebody else, for `not-owner`, and what was to be done with it: `pause abcd1234`
   */
  constructor(
    readonly reason: 'guest' | 'external' | 'not-member' | 'not-manager' | 'not-owner' | 'channel',
    readonly managers: readonly SlackId[] = [],
    readonly owned?: { readonly plural: 'schedules' | 'watches'; readonly text: string },
  ) {
    super(
      'not-allowed',
      {
        guest: 'Guests can’t use Tally in this workspace.',
        external: 'Tally only answers members of the workspace that installed it.',
        'not-member': 'Only full members of this workspace can set up schedules and watches.',
        'not-owner': 'Only its owner or a Tally manager can do this.',
        'not-manager': 'Only Tally managers can do this.',
        channel: 'This project is limited to certain channels.',
      }[reason],
    );
  }
}

/** Only the people named for the project get tokens, whatever their role. */
export class NotIssuer extends FailureBase<'not-issuer'> {
  constructor(readonly label: string) {
    super('not-issuer', `You can’t get tokens for ${label}.`);
  }
}

/** More than one person, or all of a workspace, may ask in a short time. `wait` in ms, until one more is possible. */
export class Throttled extends FailureBase<'throttled'> {
  /** @param doing completes "You're …" */
  constructor(
    readonly whose: 'person' | 'workspace',
    doing: string,
    readonly wait: Millis,
  ) {
    super('throttled', `${whose === 'person' ? 'You’re' : 'Your workspace is'} ${doing}.`);
  }
}
