import { UnsealFailed } from '../../domain/failure/index.ts';
import { limitLines, pluralize } from '../../domain/language/text.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryRead } from '../../domain/try-read.ts';
import { button, buttonRow, header, section } from '../../slack/kit/atoms.ts';
import { describeAccess } from '../../workspace/credentials/accesses.ts';
import { isExpiryUnknown } from '../../workspace/credentials/connections.ts';
import { credentialHealth, worstFirst } from '../../workspace/credentials/health.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { StatusPart } from '../feature.ts';

const MOST_ACCESSES = 30;
const MOST_BUTTONS = 5;

/** The application accesses, sorted by project; those that need attention first. */
export function accessParts(workspace: Workspace, at: Millis): readonly StatusPart[] {
  const states = worstFirst(workspace.accessIds.map((id) => accessState(id, workspace, at)));
  const [worst] = states;
  if (worst === undefined) return [];
  const texts = states.map(({ label, text }) => `${label} · ${text}`);
  const todo = states
    .flatMap(({ id, label, health, isExpiryUnknown: isUnknown }) => {
      if (health !== 'fine') return button(`access-form:${id}`, `Replace access of ${label}…`, { value: id });
      return isUnknown ? button(`access-form:${id}`, `Set expiry of ${label}…`, { value: id }) : [];
    })
    .slice(0, MOST_BUTTONS);
  return [
    {
      health: worst.health,
      problems: states.filter(({ health }) => health !== 'fine').length,
      summary: `*Application accesses* · ${pluralize(states.length, 'project')}`,
      blocks: [
        header('Application accesses'),
        section(limitLines(texts, MOST_ACCESSES).join('\n')),
        ...buttonRow(todo),
      ],
    },
  ];
}

/** The state of an access. Opens its seal only to see whether it opens. */
function accessState(id: string, workspace: Workspace, at: Millis) {
  const { zone } = workspace.settings;
  const access = workspace.accesses.get(id);
  const isOpen = access !== undefined && tryRead(access.open, UnsealFailed) !== undefined;
  const isRejected = workspace.rejectedAt({ kind: 'access', name: id }) !== undefined;
  const rejected = isRejected ? ' · rejected by the identity service' : '';
  return {
    id,
    label: workspace.projects.find((project) => project.id === id)?.alias ?? `Project ${id}`,
    health: credentialHealth(access, !isOpen || isRejected, at, zone),
    isExpiryUnknown: isOpen && isExpiryUnknown(access),
    text:
      access === undefined
        ? 'damaged and not used: register it again'
        : isOpen
          ? `${describeAccess(access, at, zone)}${rejected}`
          : 'can’t be decrypted: register it again',
  };
}
