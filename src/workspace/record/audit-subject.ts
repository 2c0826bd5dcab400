import * as z from 'zod';

const text = z.string();
const names = z.array(text).readonly();

/** What became of an OS_TOKEN, where it was not simply issued, or revoked. */
const tokenOutcome = z.enum([
  'not-shown',
  'unclear',
  'test-revoked',
  'test-not-revoked',
  'test-unclear',
  'alive',
  'already-dead',
]);
export type AuditedTokenOutcome = z.infer<typeof tokenOutcome>;

/** What an entry of the audit is about. The sentence is made when somebody reads it. */
export const auditSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connection'), name: text }),
  z.object({
    kind: z.literal('project'),
    /** Undefined for an application access of a project without a name. */
    alias: text.exactOptional(),
    /** Undefined if its record was damaged. */
    id: text.exactOptional(),
    /** Its alias before it was renamed. */
    before: text.exactOptional(),
    changed: names.exactOptional(),
  }),
  z.object({ kind: z.literal('channel'), channel: text, alias: text.exactOptional() }),
  z.object({ kind: z.literal('settings'), changed: names, isDamaged: z.boolean().exactOptional() }),
  z.object({
    ...{ kind: z.literal('token'), alias: text.exactOptional(), id: text },
    /** Identifies the token without revealing it. */
    token: text.exactOptional(),
    isTest: z.boolean().exactOptional(),
    outcome: tokenOutcome.exactOptional(),
  }),
  /** `item` is its record, as JSON. */
  z.object({ kind: z.enum(['schedule', 'watch']), item: text }),
  z.object({ kind: z.literal('damaged'), ids: names }),
  z.object({
    ...{ kind: z.literal('request'), command: text, text },
    ...{ channel: text.exactOptional(), person: text.exactOptional() },
  }),
  z.object({ kind: z.literal('installation'), isOrganization: z.boolean() }),
]);

/** Never has a secret. */
export type AuditSubject = Readonly<z.infer<typeof auditSubject>>;
