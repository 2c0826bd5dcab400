import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/correct-text.ts';
import { isProjectId } from '../../domain/product.ts';
import { FIELDS } from '../../redis/keys.ts';
import { expiryFields } from '../../slack/commands/expiry-input.ts';
import { userGroups } from '../../slack/commands/user-group-picker.ts';
import { type Field, type FormMoment, note, people, refuseField, text } from '../../slack/forms/fields.ts';
import { createForm, type FormDescription, type SentForm } from '../../slack/forms/form.ts';
import { actions, type Block, button, confirmDialog, context, section } from '../../slack/kit/blocks.ts';
import { selectedValues } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import { describeAccess, MAX_ISSUER_GROUPS, MAX_ISSUERS } from '../../workspace/credentials/access-record.ts';
import { stampOf } from '../../workspace/record/change.ts';
import { findProject, type Workspace } from '../../workspace/record/workspace.ts';
import { accessProjectLabel, type TokenContext } from './token-request.ts';

export const ACCESS_TITLE = 'Application access';

/** The form that registers the access of a project, whose ID is the form's. */
export function createAccessForm(
  { workspaces, checks, addresses }: Omit<TokenContext, 'request'>,
  saving: Pick<FormDescription<AccessFields>, 'save' | 'repeated'> & Partial<FormDescription<AccessFields>>,
) {
  const { open, listeners } = createForm('application-access', {
    right: 'manage',
    workspaces,
    heading: ACCESS_TITLE,
    title: () => ACCESS_TITLE,
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
    ...saving,
    corrected(failure) {
      const authUrl = isFailure(failure, 'wrong-identity-url') ? failure.data.suggestion : undefined;
      return authUrl === undefined ? {} : { authUrl };
    },
    kept: ({ id, request }) =>
      request.workspace.accesses.has(id) ? 'The current access stays in use.' : 'Nothing was saved.',
  });
  return {
    listeners,
    /** @param word an alias or an ID, and perhaps the address to fill in; outside text @throws InvalidWord */
    async open(word: string, request: Request): Promise<void> {
      const { workspace, user } = request;
      const [named = '', corrected] = word.split(' ');
      const project = findAccessProject(named, workspace);
      const current = workspace.accesses.get(project);
      const connection =
        workspace.projects.find(({ id }) => id === project)?.connection ?? workspace.defaultConnection;
      const known = current?.authUrl ?? workspace.connections.get(connection ?? '')?.authUrl;
      const issuers = current?.issuers ?? { people: [user.id], groups: [] };
      await open(request, {
        id: project,
        values: {
          authUrl: corrected ?? known ?? addresses.authUrl ?? '',
          people: issuers.people.join(','),
          groups: issuers.groups.join(','),
        },
      });
    },
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
  throw new InvalidWord(
    word.slice(0, 40),
    'isn’t a project name',
    works,
    nearest === undefined ? undefined : `projects access ${nearest}`,
  );
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

type AccessFields = ReturnType<typeof accessFields>;
export type SentAccess = SentForm<AccessFields>;

function aboutBlocks({ id: project, request: { workspace, at } }: FormMoment): Block[] {
  const { label } = accessProjectLabel(workspace, project);
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
  const ask = confirmDialog(
    `Remove the access for ${label}?`,
    'Nobody will be able to get new tokens. Existing tokens work until they expire.',
    'Remove',
    'Keep',
  );
  const remove = button('access-remove', 'Remove this access', {
    style: 'danger',
    value: project,
    confirm: ask,
  });
  return [about, section(words), actions(remove)];
}
