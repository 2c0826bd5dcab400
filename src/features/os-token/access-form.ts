/** The form for the application access that issues a project's OS_TOKENs, and for the people who can get them. */
import { isDeepStrictEqual } from 'node:util';
import { isProjectId } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, ignoreFailure } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/text-cleanup.ts';
import type { IdentityClient, IssuedToken, Tenant } from '../../identity/client.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  confirmDialog,
  context,
  header,
  joinTexts,
  markup,
  section,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { expiryFields, expiryOf, userGroups } from '../../slack/forms/common-fields.ts';
import {
  type Field,
  FieldRefusal,
  type FormMoment,
  noteField,
  people,
  refuseField,
  text,
} from '../../slack/forms/fields.ts';
import { createForm, type SentForm } from '../../slack/forms/form.ts';
import { type FormValues, selectedValues } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import type { SlackServices } from '../../slack/slack-services.ts';
import {
  describeAccess,
  type Issuers,
  isNamedIssuer,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
  withExpiry,
} from '../../workspace/credentials/credential-records.ts';
import { auditedChange, type WorkspaceChange } from '../../workspace/record/audited-change.ts';
import { findAccess, findProject, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';

const TITLE = 'Application access';
export const UNRESTRICTED =
  '*This application access is unrestricted.* Anyone with one of its tokens can create other credentials that keep working after the token expires. Create a restricted one in the console and use that instead.';

export interface TokenServices extends Services {
  readonly identity: IdentityClient;
  readonly keyring: SlackServices['keyring'];
}

function projectNames({ projects }: Workspace, project: string) {
  const alias = projects.find(({ id }) => id === project)?.alias;
  return { label: alias ?? `Project ${project}`, word: alias ?? project };
}

export function projectAuditText(workspace: Workspace, project: string): string {
  const { word } = projectNames(workspace, project);
  return word === project ? `project ${project}` : `${word} (project ${project})`;
}

export const tenantOf = (project: string, { user }: Request): Tenant => ({
  workspace: user.teamId,
  connection: project,
});

export const describeTokenScope = ({ project, roles, user }: IssuedToken): string =>
  joinTexts(' · ', [
    `Project ${project ?? 'not named by the service'}`,
    roles.length > 0 && `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`,
    user !== undefined && `acts as ${user}`,
  ]);

export const createAccessForm = (services: TokenServices) =>
  createForm('application-access', {
    right: 'manage',
    heading: TITLE,
    submit: 'Test and save',
    waiting: 'Testing: Tally is getting a token and revoking it…',
    start(word: string, request) {
      const id = findAccessProject(word, request.workspace);
      return { id, values: accessValues(id, request, services.defaultAddresses.authUrl) };
    },
    fields: accessFields(services.parseAddress.authUrl),
    records: (project) => [FIELDS.access + project],
    before: (project, { workspace }) => ({
      groups: workspace.accesses.get(project)?.issuers.groups.join(',') ?? '',
    }),
    async save(sent) {
      const { input, request } = sent;
      const blocks = await (input.secret === '' ? editAccess : registerAccess)(sent, services);
      if (blocks instanceof FieldRefusal) return blocks;
      // Plans the reminders before the access expires.
      await services.delivery.changed(request.user.teamId);
      return { text: 'The application access is saved.', blocks };
    },
    unchanged: ({ id, request }) =>
      request.workspace.accesses.has(id) ? 'The current access stays in use.' : 'Nothing was saved.',
  });

function accessValues(project: string, { workspace, user }: Request, defaultAddress = ''): FormValues {
  const current = workspace.accesses.get(project);
  const { connection = workspace.defaultConnection ?? '' } =
    workspace.projects.find(({ id }) => id === project) ?? {};
  const { people, groups } = current?.issuers ?? { people: [user.id], groups: [] };
  return {
    authUrl: current?.authUrl ?? workspace.connections.get(connection)?.authUrl ?? defaultAddress,
    people: people.join(','),
    groups: groups.join(','),
  };
}

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

/** The identity service's IDs are 32 hex digits. The service would log a secret that is sent as the ID. */
const USUAL_ID = /^[\da-f]{32}$/i;

/** If the project already has an application access, an empty field keeps the stored ID or secret. */
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
  // The form never shows the stored ID, because somebody may have entered the secret as the ID.
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
  about: noteField(aboutBlocks),
  authUrl: text('Identity service address', {
    hint: 'In the console: API endpoints → identity. It ends with /v3.',
    placeholder: 'https://identity.example.com/v3',
    max: 500,
    parse: parseAuthUrl,
  }),
  ...CREDENTIALS,
  ...expiryFields<undefined>('Leave it empty to keep the current date, or if you don’t know it.', undefined),
  people: {
    ...people('People who can get tokens', {
      hint: `Only these people get tokens, so add owners and managers who need them. Guests must also be allowed in ${commandText('/billing settings')}.`,
      max: MAX_ISSUERS,
    }),
    parse: (chosen: string, { groups = '' }) =>
      `${chosen}${groups}` === ''
        ? refuseField('Choose at least one person or group.')
        : selectedValues(chosen).length <= MAX_ISSUERS
          ? selectedValues(chosen)
          : refuseField(`Choose up to ${MAX_ISSUERS} people.`),
  } satisfies Field<readonly string[]>,
  groups: userGroups(
    'User groups that can get tokens',
    'Everyone in these groups can get tokens.',
    MAX_ISSUER_GROUPS,
  ),
});

type SentAccess = SentForm<ReturnType<typeof accessFields>>;

function aboutBlocks({ id: project, request: { workspace, at } }: FormMoment): Block[] {
  const { label } = projectNames(workspace, project);
  const current = workspace.accesses.get(project);
  const keeps = current === undefined ? '' : ' Leave ID and secret empty to keep the current ones.';
  const about = section(
    `Tally uses this access to issue temporary OS_TOKENs for ${label} to the people you choose below.${keeps}`,
  );
  if (!workspace.accessIds.includes(project)) return [about];
  const words =
    current === undefined
      ? 'The stored access is damaged. Enter the ID and the secret again.'
      : `Current: ${describeAccess(current, at, workspace.settings.zone)}. A new access is tested before it replaces the current one.`;
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

const accessChange = (request: Request, project: string, ...done: readonly string[]): WorkspaceChange =>
  auditedChange(request, ...done.map((did) => [did, projectAuditText(request.workspace, project)] as const));

async function registerAccess(
  { id: project, input, request }: SentAccess,
  { workspaces, identity, limits }: TokenServices,
): Promise<Block[]> {
  const { user, at, workspace } = request;
  const { authUrl, access_id: id, secret, expires } = input;
  const tenant = tenantOf(project, request);
  limits.demand('tests', { teamId: user.teamId, userId: user.id });
  const issued = await identity.issue({ authUrl, id, secret }, tenant);
  const revoked = await identity.revoke(authUrl, issued.token, tenant).catch(ignoreFailure);
  const expiry = expires === undefined ? {} : expiryOf(expires, workspace.settings.zone);
  const verb = workspace.accessIds.includes(project) ? 'replaced' : 'registered';
  const isKnown = revoked === 'revoked' || revoked === 'not-offered';
  await request.reply.confirm();
  const access = await workspaces.saveAccess(
    accessChange(request, project, `${verb} the application access of`),
    {
      project,
      authUrl,
      issuers: issuersOf(input),
      id,
      secret,
      registeredBy: user.id,
      registeredAt: at,
      ...expiry,
      ...(isKnown && { revocable: revoked === 'revoked' }),
    },
  );
  const { label, word } = projectNames(workspace, project);
  const happened =
    revoked === 'revoked'
      ? 'The test passed: the service issued a token and revoked it.'
      : 'The test passed. The test token couldn’t be revoked; nobody has seen it, and it will expire.';
  const issue = commandButton('os-token', 'Issue a token', { command: '/os-token', text: word });
  return compact([
    header(`${label} can issue OS_TOKENs`),
    section(happened),
    section(describeAccess(access, at, workspace.settings.zone)),
    section(describeTokenScope(issued)),
    issued.isRestricted === false && markup(UNRESTRICTED),
    ...buttonRow(isNamedIssuer(access, user.id) ? issue : []),
  ]);
}

async function editAccess(
  { id: project, input, request }: SentAccess,
  { workspaces }: TokenServices,
): Promise<Block[] | FieldRefusal> {
  const { authUrl, expires } = input;
  const issuers = issuersOf(input);
  const { workspace } = request;
  const current = findAccess(workspace, project);
  if (current === undefined) return refuseField('Enter the ID and the secret.');
  if (authUrl !== current.authUrl) return refuseField('For a new address, enter the ID and the secret too.');
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
  const now = expiry === undefined ? current : withExpiry(current, expiry);
  const saved = done.length === 0 ? 'No changes to save.' : 'Saved.';
  return [section(saved), context(describeAccess(now, request.at, workspace.settings.zone))];
}

export async function removeAccess(
  project: string,
  request: Request,
  { workspaces }: TokenServices,
): Promise<void> {
  const { workspace, reply } = request;
  const { label } = projectNames(workspace, project);
  if (workspace.accessIds.includes(project))
    await workspaces.removeAccess(
      accessChange(request, project, 'removed the application access of'),
      project,
    );
  const text = `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`;
  await reply.modal.show(TITLE, textMessage(text));
}
