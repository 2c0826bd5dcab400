/** What a command names: its words, its project, the connection behind it. */
import { couldBeSecret } from '../language/secret-detection.ts';
import { FailureBase } from './base.ts';

/**
 * Whether a refused word is quoted: `judged` by its look, `always` for an address or the workspace's own name for
 * something, `never` where it is known that it may be a secret.
 */
type Quoting = 'judged' | 'always' | 'never';

/** Stands for a word that is not repeated. */
const WITHHELD = '…';

/**
 * A word that cannot be taken. `suggestion` is the whole text corrected, ready to run again. Neither holds a word that
 * could be a secret: such a one is `WITHHELD`, and suggests nothing.
 */
export class InvalidWord extends FailureBase<'invalid-word'> {
  readonly word: string;
  readonly suggestion?: string;
  constructor(
    word: string,
    readonly why: string,
    readonly works: string,
    suggestion?: string,
    quoting: Quoting = 'judged',
  ) {
    const mayQuote = (text: string) => quoting === 'always' || (quoting === 'judged' && !couldBeSecret(text));
    const named = mayQuote(word) ? `“${word}”` : 'A word (not shown, it may be a secret)';
    super('invalid-word', `${named} ${why}. ${works}`);
    this.word = mayQuote(word) ? word : WITHHELD;
    if (suggestion !== undefined && mayQuote(suggestion)) this.suggestion = suggestion;
  }

  /** The same without the word. */
  withheld(): InvalidWord {
    return new InvalidWord(this.word, this.why, this.works, undefined, 'never');
  }
}

/** In characters. No question needs more, and whatever reads them is spared the rest. */
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

/** @throws TextTooLong */
export function requireShortText(text: string): void {
  if (text.length > LONGEST_TEXT) throw new TextTooLong();
}

/** Something in the command looks like a secret. It is not carried here, so that it can't be repeated. */
export class SecretPasted extends FailureBase<'secret-pasted'> {
  constructor() {
    super('secret-pasted', 'That looks like a token or a password. Tally did not store, log or repeat it.');
  }
}

/** A period without length yet: `today` at the first millisecond of the day. */
export class PeriodJustBegan extends FailureBase<'period-just-began'> {
  constructor(readonly phrase: string) {
    super('period-just-began', `“${phrase}” has only just begun, so there’s no data yet.`);
  }
}

/** The command needs a project and none was named. */
export class ProjectMissing extends FailureBase<'project-missing'> {
  constructor() {
    super('project-missing', 'Which project?');
  }
}

/** Nobody has registered a token in this workspace yet. */
export class NotConnected extends FailureBase<'not-connected'> {
  constructor() {
    super('not-connected', 'Tally is not connected to a billing service yet.');
  }
}

/**
 * The connection that a project names is gone; without a name: several are there and none is the default.
 * @param project how the one that was asked about is called, and its alias where it has one
 */
export class ConnectionMissing extends FailureBase<'connection-missing'> {
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
    return `This workspace has several connections and no default.${needed}`;
  }
  return label === undefined
    ? `There is no connection named ${connection}.`
    : `${label} uses the connection “${connection}”, which no longer exists.`;
}

export type CommandFailure =
  | InvalidWord
  | TextTooLong
  | SecretPasted
  | PeriodJustBegan
  | ProjectMissing
  | NotConnected
  | ConnectionMissing;
