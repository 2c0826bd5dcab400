/** What is wrong with a bot's secrets: each problem with what to do, for the doctor. */
import { type FailureOf, isFailure } from '../domain/failure/index.ts';
import { listNames, pluralize } from '../domain/wording.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { FIELDS, recordKey } from '../redis/keys.ts';
import { guardRead } from '../redis/outage.ts';
import { type Keyring, reseal } from '../vault/keyring.ts';
import { sealOwnerOfField } from '../workspace/record/parse-record.ts';
import { parseWorkspace } from '../workspace/record/workspace.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-store.ts';

interface SecretProblem {
  readonly says: string;
  readonly todo: string;
}

/** A stand-in for Slack may have another one, so it is no reason to refuse to start. */
export const signingSecretProblem = (secret: string): SecretProblem | undefined =>
  /^[0-9a-f]{32}$/.test(secret)
    ? undefined
    : {
        says: `SLACK_SIGNING_SECRET has ${secret.length} characters and can’t be Slack’s, which has 32, each of 0 to 9 or a to f: Slack’s requests are refused`,
        todo: 'Copy the Signing Secret from the app’s page under Basic Information: SLACK_SIGNING_SECRET=…',
      };

/**
 * Tries the keys on what is sealed, looks for records that can't be read, and changes nothing.
 *
 * @param most how many workspaces it looks at
 * @throws store-unavailable
 */
export async function tryKeys(redis: RedisConnection, keyring: Keyring, most: number) {
  let [workspaces, opened] = [0, 0];
  const shut: FailureOf<'unseal-failed'>[] = [];
  const damaged: DamagedField[] = [];
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    if (workspaces++ === most) break;
    const key = recordKey(workspace);
    const fields = await guardRead(() => redis.hgetall(key));
    for (const { kind, id } of parseWorkspace(workspace, fields, keyring).damaged)
      if (!SEALED.includes(kind)) damaged.push([key, kind === 'settings' ? kind : FIELDS[kind] + id]);
    for (const [field, value] of Object.entries(fields))
      try {
        const owner = sealOwnerOfField(workspace, field, value);
        if (owner === undefined) continue;
        reseal(keyring, owner, value);
        opened += 1;
      } catch (error) {
        if (!isFailure(error, 'unseal-failed')) throw error;
        shut.push(error);
      }
  }
  return { opened, problem: shut[0] ? keyProblem(shut, shut.length + opened) : damageProblem(damaged) };
}

/** Their seal says what is wrong with them. */
const SEALED: readonly string[] = ['connection', 'access'];

type DamagedField = readonly [key: string, field: string];

function damageProblem(damaged: readonly DamagedField[]): SecretProblem | undefined {
  if (damaged.length === 0) return undefined;
  const [it, arent] = damaged.length === 1 ? ['it', 'isn’t'] : ['them', 'aren’t'];
  const names = listNames(damaged.map((each) => each.join(' ')));
  const commands = [...new Set(damaged.map(([key]) => key))].map((key) =>
    ['HDEL', key, ...damaged.flatMap(([of, field]) => (of === key ? [field] : []))].join(' '),
  );
  return {
    says: `${pluralize(damaged.length, 'record')} can’t be read and ${arent} used: ${names}`,
    todo: `Restore a backup, or delete ${it} and set ${it} up again: ${commands.join('; ')}`,
  };
}

function keyProblem(shut: readonly FailureOf<'unseal-failed'>[], total: number): SecretProblem {
  const count = `${shut.length} of ${total} sealed records don’t open`;
  const isGone = shut.filter(({ data }) => data.reason !== 'malformed');
  if (isGone.length === 0) return { says: `${count}: they are damaged`, todo: 'See which: `tally reseal`' };
  const lacking = isGone.filter(({ data }) => data.reason === 'unknown-key');
  const ids = [...new Set((lacking.length > 0 ? lacking : isGone).flatMap(({ data }) => data.keyId ?? []))];
  const names = ids.map((id) => `“${id}”`).join(', ');
  const why =
    lacking.length > 0
      ? `ENCRYPTION_KEYS lacks ${names}`
      : `${names} in ENCRYPTION_KEYS isn’t the key that sealed them, or they were changed outside of Tally`;
  const line = `ENCRYPTION_KEYS=newest:…,${ids.map((id) => `${id}:…`).join(',')}`;
  return { says: `${count}: ${why}`, todo: `Put the old key back under its name; nothing is lost: ${line}` };
}
