/** The application access of a project, which issues its OS_TOKENs: its form, its test, and who can get tokens. */
import { isDeepStrictEqual } from 'node:util';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/typed-text.ts';
import { isProjectId } from '../../domain/product.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { IssuedToken, Revocation } from '../../identity/client.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  confirmDialog,
  context,
  escapeMarkup,
  header,
  type Message,
  markup,
  mention,
  section,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { expiryFields, expiryOf, userGroups } from '../../slack/forms/common-fields.ts';
import { type Field, type FormMoment, note, people, refuseField, text } from '../../slack/forms/fields.ts';
import { createForm, type SentForm } from '../../slack/forms/form.ts';
import { type FormFields, selectedValues } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ApplicationAccessRecord,
  describeAccess,
  type Issuers,
  isNamedIssuer,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
  withExpiry,
} from '../../workspace/credentials/credential-records.ts';
import { auditedChange, stampOf, type WorkspaceChange } from '../../workspace/record/change.ts';
import { findAccess, findProject, type Workspace } from '../../workspace/record/workspace.ts';
import {
  auditedProject,
  describeTokenScope,
  isFirstUse,
  nameProject,
  type TokenServices,
  tenantOf,
  UNRESTRICTED,
} from './token.ts';

const TITLE = 'Application access';

/** The form that registers the access of a project, whose ID is the form's. */
export function createAccessForm(services: TokenServices) {
  const { workspaces, checks, addresses } = services;
  const { open, listeners } = createForm('application-access', {
    right: 'manage',
    workspaces,
    heading: TITLE,
    title: () => TITLE,
    submit: 'Test and save',
    waiting: [
      'Testing: Tally is getting a token and revoking it…',
      context('You can close this window. Tally then sends you the result as a direct message.'),
    ],
    fields: accessFields(checks.authUrl),
    revision: (project, { workspace }) => stampOf(workspace, FIELDS.access + project),
    before: (project, { workspace }) => ({
      groups: workspace.accesses.get(project)?.issuers.groups.join(',') ?? '',
    }),
    conflict({ id, request: { workspace, at } }) {
      const now = workspace.accesses.get(id);
      return now === undefined
        ? 'The application access was removed.'
        : `It’s now ${describeAccess(now, at, workspace.settings.zone)}.`;
    },
    repeated: repeatedMessage,
    async save(sent) {
      const { input, nonce, request } = sent;
      // A token is issued once, however often and to however many processes the form is sent.
      if (!(await isFirstUse(`access ${nonce}`, request, services.dedup))) return undefined;
      const blocks = await (input.secret === ''
        ? editAccess(sent, services)
        : registerAccess(sent, services));
      // Plans the reminders of its expiry.
      await services.all.connected(request.user.teamId);
      return { text: 'The application access is saved.', blocks };
    },
    corrected(failure) {
      const authUrl = isFailure(failure, 'wrong-identity-url') ? failure.data.suggestion : undefined;
      return authUrl === undefined ? {} : { authUrl };
    },
    unchanged: ({ id, request }) =>
      request.workspace.accesses.has(id) ? 'The current access stays in use.' : 'Nothing was saved.',
  });
  return {
    listeners,
    /** @param word an alias or an ID; outside text @throws InvalidWord */
    async open(word: string, request: Request): Promise<void> {
      const project = findAccessProject(word, request.workspace);
      await open(request, { id: project, values: accessValues(project, request, addresses.authUrl) });
    },
  };
}

/** What the form begins with. @param standard the address where none is known yet */
function accessValues(project: string, { workspace, user }: Request, standard = ''): FormFields {
  const current = workspace.accesses.get(project);
  const { connection = workspace.defaultConnection ?? '' } =
    workspace.projects.find(({ id }) => id === project) ?? {};
  const { people, groups } = current?.issuers ?? { people: [user.id], groups: [] };
  return {
    authUrl: current?.authUrl ?? workspace.connections.get(connection)?.authUrl ?? standard,
    people: people.join(','),
    groups: groups.join(','),
  };
}

/** The ID that a word names: an alias, or an ID itself. @throws InvalidWord */
function findAccessProject(word: string, record: Workspace): string {
  const alias = record.aliases.has(word) ? findProject(record, word)?.id : undefined;
  if (alias !== undefined) return alias;
  if (isProjectId(word)) return word;
  const works = `Type a project name or ID, for example ${commandText('/billing projects access')} prod.`;
  if (word === '') throw new InvalidWord('access', 'Which project?', works);
  const nearest = nearestWord(word, [...record.aliases]);
  const rerun = nearest && `projects access ${nearest}`;
  throw new InvalidWord(word.slice(0, 40), 'isn’t a project name', works, rerun);
}

const ID = /^[\x21-\x7e]{1,255}$/;

/** The identity API's own IDs are 32 hexadecimal digits. A secret sent as an ID would appear in the service's answer and log. */
const USUAL_ID = /^[\da-f]{32}$/i;

/** ID and secret may stay as they are where there are some. */
const keepable = (field: Field<string>): Field<string> => ({
  ...field,
  draw: (at) =>
    field
      .draw(at)
      .map((block) =>
        block.type === 'input' ? { ...block, optional: at.request.workspace.accesses.has(at.id) } : block,
      ),
});

const CREDENTIALS = {
  // Never filled in again either, because the two may have been swapped.
  access_id: keepable(
    text('Access ID', {
      hint: 'In the console: Cloud servers → your project → Access for applications.',
      max: 255,
      secret: true,
      parse(id, { secret = '' }) {
        if (id === '' && secret === '') return '';
        if (USUAL_ID.test(secret.trim()) && id.length > secret.length)
          return refuseField('The ID and the secret look swapped.');
        return ID.test(id) ? id : refuseField('Paste only the ID, without spaces or line breaks.');
      },
    }),
  ),
  secret: keepable(
    text('Secret key', {
      hint: 'The console shows it once. Tally encrypts it and never shows it again.',
      max: 3000,
      secret: true,
      parse: (secret, { access_id: id = '' }) =>
        secret !== '' || id === ''
          ? secret
          : refuseField(
              'Enter the secret for this ID. If you no longer have it, create a new access in the console.',
            ),
    }),
  ),
};

const accessFields = (parseAuthUrl: (typed: string) => string) => ({
  about: note(aboutBlocks),
  authUrl: text('Address of the identity service', {
    hint: 'In the console: API endpoints, under identity. It ends with /v3.',
    placeholder: 'https://identity.example.com/v3',
    max: 500,
    parse: parseAuthUrl,
  }),
  ...CREDENTIALS,
  ...expiryFields<undefined>('If you know it. Leave it empty to keep what is registered.', undefined),
  people: {
    ...people('People who can get tokens', {
      hint: `Only these people get tokens. Add owners and managers too if they need them. Guests need to be turned on in ${commandText('/billing settings')} too.`,
      max: MAX_ISSUERS,
    }),
    parse: (chosen: string, { groups = '' }) =>
      `${chosen}${groups}` === ''
        ? refuseField('Choose at least one person or group.')
        : selectedValues(chosen).length <= MAX_ISSUERS
          ? selectedValues(chosen)
          : refuseField(`Choose up to ${MAX_ISSUERS} people.`),
  } satisfies Field<readonly string[]>,
  groups: userGroups('User groups that can get tokens', 'Everyone in these groups.', MAX_ISSUER_GROUPS),
});

type SentAccess = SentForm<ReturnType<typeof accessFields>>;

function aboutBlocks({ id: project, request: { workspace, at } }: FormMoment): Block[] {
  const { label } = nameProject(workspace, project);
  const current = workspace.accesses.get(project);
  const keeps = current === undefined ? '' : ' Leave ID and secret empty to keep the current ones.';
  const about = section(
    `Tally uses this access to issue temporary OS_TOKENs for ${label} to the people you choose below.${keeps}`,
  );
  if (!workspace.accessIds.includes(project)) return [about];
  const words =
    current === undefined
      ? 'The current access is damaged and not used. Enter ID and secret again to repair it.'
      : `Current: ${describeAccess(current, at, workspace.settings.zone)}. Tally tests a new access before it replaces this one.`;
  const confirm = confirmDialog(
    `Remove the access for ${label}?`,
    'Nobody will be able to get new tokens. Existing tokens work until they expire.',
    'Remove',
    'Keep',
  );
  const remove = { style: 'danger', value: project, confirm } as const;
  return [about, section(words), actions(button('access-remove', 'Remove this access', remove))];
}

const issuersOf = ({ people, groups }: SentAccess['input']): Issuers => ({ people, groups });

/** @param done what the audit says of it: `changed the expiry of` */
const accessChange = (request: Request, project: string, ...done: readonly string[]): WorkspaceChange =>
  auditedChange(request, ...done.map((did) => [did, auditedProject(request.workspace, project)] as const));

/** Gets a token and revokes it, which also tells whether the service can revoke tokens: undefined if that failed. */
async function testAccess(
  { id: project, input, request }: SentAccess,
  { identity, limits }: TokenServices,
): Promise<{ readonly issued: IssuedToken; readonly revoked: Revocation | undefined }> {
  const { authUrl, access_id: id, secret } = input;
  const tenant = tenantOf(project, request);
  limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
  const issued = await identity.issue({ authUrl, id, secret }, tenant);
  return { issued, revoked: await identity.revoke(authUrl, issued.token, tenant).catch(ignoreFailure) };
}

/** Tests the access, then saves it. */
async function registerAccess(sent: SentAccess, services: TokenServices): Promise<Block[]> {
  const { id: project, input, request } = sent;
  const { user, at, workspace } = request;
  const { authUrl, access_id: id, secret, expires } = input;
  const { issued, revoked } = await testAccess(sent, services);
  const expiry = expires === undefined ? {} : expiryOf(expires, workspace.settings.zone);
  const verb = workspace.accessIds.includes(project) ? 'replaced' : 'registered';
  const isKnown = revoked === 'revoked' || revoked === 'not-offered';
  const access = await services.workspaces.saveAccess(
    accessChange(request, project, `${verb} the application access of`),
    {
      ...{ project, authUrl, issuers: issuersOf(input), id, secret, registeredBy: user.id, registeredAt: at },
      ...expiry,
      ...(isKnown && { revocable: revoked === 'revoked' }),
    },
  );
  const { label, word } = nameProject(workspace, project);
  const happened =
    revoked === 'revoked'
      ? 'The test passed: the service issued a token and revoked it.'
      : 'The test passed: the service issued a token. It wasn’t revoked, so it works until it expires. Nobody has seen it.';
  const issue = commandButton('os-token', 'Issue a token', { command: '/os-token', text: word });
  return compact([
    ...accessBlocks(access, `${label} can issue OS_TOKENs`, happened, request),
    section(describeTokenScope(issued)),
    issued.isRestricted === false && markup(UNRESTRICTED),
    ...buttonRow(isNamedIssuer(access, user.id) ? issue : []),
  ]);
}

/** Without the secret, everything but the URL can change. @throws InvalidWord */
async function editAccess(
  { id: project, input, request }: SentAccess,
  { workspaces }: TokenServices,
): Promise<Block[]> {
  const { authUrl, expires } = input;
  const issuers = issuersOf(input);
  const { workspace } = request;
  const current = findAccess(workspace, project);
  if (current === undefined) throw new InvalidWord('Access ID', 'is empty', 'Enter the ID and the secret.');
  if (authUrl !== current.authUrl) {
    const todo = 'Enter the ID and the secret too.';
    throw new InvalidWord(authUrl, 'is a new address', todo, undefined, 'always');
  }
  const expiry = expires === undefined ? undefined : expiryOf(expires, workspace.settings.zone);
  const done = compact([
    !isDeepStrictEqual(issuers, current.issuers) && 'changed who can get OS_TOKENs for',
    expiry !== undefined && 'changed the expiry of',
  ]);
  if (done.length > 0)
    await workspaces.editCredential(
      accessChange(request, project, ...done),
      { kind: 'access', name: project },
      { issuers, expiry },
    );
  const now = { ...(expiry === undefined ? current : withExpiry(current, expiry)), issuers };
  const { label } = nameProject(workspace, project);
  return accessBlocks(now, label, done.length === 0 ? 'No changes to save.' : 'Saved.', request);
}

/** Of a form that was sent twice. */
function repeatedMessage({ id, input, request }: SentAccess): Message | undefined {
  const known = request.workspace.accesses.get(id);
  if (known?.authUrl !== input.authUrl || !isDeepStrictEqual(known.issuers, issuersOf(input)))
    return undefined;
  const isSame =
    input.secret === '' ||
    (tryParse(() => known.open())?.secret === input.secret && known.registeredBy === request.user.id);
  const { label } = nameProject(request.workspace, id);
  return isSame ? { text: 'Saved.', blocks: accessBlocks(known, label, 'Saved.', request) } : undefined;
}

const accessBlocks = (
  access: ApplicationAccessRecord,
  title: string,
  happened: string,
  { workspace, at }: Request,
): Block[] => [
  header(title),
  section(happened),
  section(describeAccess(access, at, workspace.settings.zone)),
  issuersBlock(access.issuers),
];

export async function removeAccess(
  project: string,
  request: Request,
  { workspaces }: TokenServices,
): Promise<void> {
  const { workspace, reply } = request;
  const { label } = nameProject(workspace, project);
  const isThere = workspace.accessIds.includes(project);
  if (isThere)
    await workspaces.removeAccess(
      accessChange(request, project, 'removed the application access of'),
      project,
    );
  const text = isThere
    ? `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`
    : `The access for ${label} was already removed.`;
  await reply.modal.show(TITLE, textMessage(text));
}

const issuersBlock = ({ people, groups }: Issuers): Block =>
  markup(
    `Named for tokens: ${[...people.map(mention), ...groups.map((id) => `<!subteam^${escapeMarkup(id)}>`)].join(', ')}`,
  );
