import type { Button } from '@slack/types';
import {
  AccessMissing,
  type Failure,
  isFailure,
  NotConnected,
  NotIssuer,
  ProjectMissing,
} from '../../domain/failure.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import { button, withoutActions } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage } from '../../slack/kit/help.ts';
import { isDirect } from '../../slack/post.ts';
import { placeOf, type Visit } from '../../slack/visit.ts';
import { isNamed } from '../../workspace/accesses.ts';
import type { Errand, Taken } from '../../workspace/handles.ts';
import { type Named, type Target, targetOf } from '../../workspace/target.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { type AccessParts, createAccess } from './access.ts';
import {
  anotherButton,
  CONFIRM,
  confirmation,
  goElsewhere,
  issuing,
  sorryModal,
  usedModal,
  waiting,
} from './blocks.ts';
import { createIssuing, demandIssuer, type IssuingParts, unlessFailure, type Wanted } from './issuing.ts';
import { createRevoking } from './revoking.ts';
import { readTokenWords } from './words.ts';

const ACCESS_HELP: HelpLine = {
  usage: '/billing projects access [project]',
  what: 'The application access that OS_TOKENs of a project are issued with, and who may have them issued (for those who manage).',
  examples: ['/billing projects access prod'],
};
const HELP: HelpLine = {
  usage: '/os-token [project]',
  what: 'A temporary OS_TOKEN for the cloud platform’s API, shown to you alone, for those who were named for the project.',
  examples: ['/os-token prod', '/os-token 123'],
};

export interface OsTokenParts extends IssuingParts, AccessParts {
  readonly workspaces: Workspaces;
}

/** How long a question may wait for its answer, in ms. */
const PATIENCE = 60 * 60_000;

/** `/os-token`: a token is issued, shown once to the one who asks, and given back from there. Nothing of it is kept. */
export function createOsToken(parts: OsTokenParts): Feature {
  const { workspaces, handles, clock, explain } = parts;
  const issue = createIssuing(parts);
  const revoke = createRevoking(parts);
  const access = createAccess(parts);

  /** What may be wanted by those who are asked about at once; groups are asked about when the modal is open. */
  const wantedBy = (named: Named, word: string | undefined, visit: Visit): Wanted => {
    const { record, asker, channel } = visit;
    const target = targetIn(named, visit);
    const registered = record.access(target.project);
    if (registered === undefined) throw new AccessMissing(target.project, target.label);
    const isPossible = registered.issuers.groups.length > 0 || isNamed(registered, asker.person);
    if (!isPossible) throw new NotIssuer(target.label);
    const place = channel === undefined ? {} : { channel };
    const errand = { person: asker.person, project: target.project, word: word ?? target.word, ...place };
    return { errand, label: target.label, access: registered };
  };

  /** As it was asked for, by what is registered now. */
  const wantedAgain = ({ word, project, channel }: Errand, visit: Visit): Wanted => {
    const isSame = visit.record.aliases.has(word) && visit.record.project(word)?.id === project;
    return wantedBy(isSame ? { alias: word } : { project }, word, { ...visit, channel });
  };

  /** Everything that can go wrong from here on belongs into the modal, where the person looks. */
  const issueIn = async (errand: Errand, find: () => Wanted, visit: Visit, earlier?: Taken) => {
    try {
      const wanted = find();
      await demandIssuer(wanted.label, wanted.access, visit);
      await issue(wanted, visit);
    } catch (error) {
      if (!isFailure(error)) throw error;
      await apologise(error, errand, visit, earlier);
    }
  };

  const apologise = async (error: Failure, errand: Errand, visit: Visit, earlier?: Taken): Promise<void> => {
    explain(error, 'os-token');
    const { workspace } = visit.asker;
    const at = clock();
    const life = { at, until: earlier?.until ?? at + PATIENCE };
    const token = earlier?.token;
    const carried = await handles.keep(workspace, earlier?.errand ?? errand, life, token).catch(() => '');
    const message = failureMessage(error);
    const said = withoutActions(message.blocks);
    const buttons = carried === '' ? [] : remedies(error, errand.project, visit.asker.manage);
    const isCarried = token !== undefined && carried !== '';
    await visit.show(sorryModal(said, buttons, isCarried, carried), { text: message.text, blocks: said });
  };

  const ask = async (named: Named, visit: Visit, rerunText: string): Promise<void> => {
    const { asker, channel, record } = visit;
    if (!visit.opens) return visit.whisper(goElsewhere(rerunText, { command: '/os-token', text: rerunText }));
    const wanted = wantedBy(named, undefined, visit);
    const isSeen = channel !== undefined && !isDirect(channel);
    if (isSeen && !record.isTold(asker.person)) {
      await demandIssuer(wanted.label, wanted.access, visit);
      const at = clock();
      const handle = await handles.keep(asker.workspace, wanted.errand, { at, until: at + PATIENCE });
      return visit.open(confirmation(wanted.label, handle));
    }
    await visit.open(issuing(wanted.label));
    await issueIn(wanted.errand, () => wanted, visit);
  };

  const taken = async (carried: string, visit: Visit): Promise<Taken | undefined> => {
    const { workspace, person } = visit.asker;
    const found = await handles.take(workspace, person, carried, clock());
    if (found === undefined) await visit.show(usedModal(undefined));
    return found;
  };

  return {
    help: [HELP, ACCESS_HELP],
    projectVerbs: { access: { label: 'Application access…', open: access.open } },
    options: access.options,
    commands: {
      '/os-token': {
        right: 'ask',
        async run(text, visit) {
          const named = readTokenWords(text, visit.record.aliases);
          if (named === 'help') return visit.whisper(helpMessage('A key to the API', [HELP]));
          await ask(named, visit, named.alias ?? named.project ?? '');
        },
      },
    },
    actions: {
      ...access.actions,
      'os-token-revoke': {
        right: 'ask',
        async run({ metadata }, visit) {
          const found = await taken(metadata, visit);
          if (found !== undefined) await revoke(found, visit);
        },
      },
      'os-token-another': {
        right: 'ask',
        async run({ metadata }, visit) {
          const found = await taken(metadata, visit);
          if (found === undefined) return;
          await visit.show(issuing(found.errand.word));
          await issueIn(found.errand, () => wantedAgain(found.errand, visit), visit, found);
        },
      },
    },
    views: {
      ...access.views,
      [CONFIRM]: {
        right: 'ask',
        waiting,
        read: (_, metadata) => ({ input: metadata }),
        async work(carried: string, visit) {
          const found = await taken(carried, visit);
          if (found === undefined) return;
          const { workspace, person } = visit.asker;
          // Nobody waits for the note: where it is lost, they are asked once more.
          await Promise.all([
            workspaces.noteTold(workspace, person, visit.at).catch(unlessFailure),
            issueIn(found.errand, () => wantedAgain(found.errand, visit), visit),
          ]);
        },
      },
    },
  };
}

/** A token takes no connection to billing, so nobody is sent to make one first. */
function targetIn(named: Named, visit: Visit): Target {
  try {
    return targetOf(named, visit.record, placeOf(visit));
  } catch (error) {
    throw error instanceof NotConnected ? new ProjectMissing() : error;
  }
}

/** What can be done about it from the modal: by whoever manages, where the access itself is the matter. */
function remedies(failure: Failure, project: string, manage: boolean): Button[] {
  switch (failure.kind) {
    case 'not-issuer':
    case 'not-allowed':
      return [];
    case 'wrong-address': {
      const value = JSON.stringify({ project, authUrl: failure.suggestion });
      const label = failure.suggestion === undefined ? 'Register anew…' : 'Use the corrected address…';
      return manage ? [button('access', label, { value, style: 'primary' })] : [];
    }
    case 'access-refused':
    case 'access-unknown':
    case 'project-disabled':
    case 'access-missing':
    case 'seal-broken':
      return [
        ...(manage ? [button('access', 'Register anew…', { value: project, style: 'primary' })] : []),
        anotherButton('Try again'),
      ];
    default:
      return [anotherButton('Try again')];
  }
}
