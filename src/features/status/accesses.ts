import { limitLines } from '../../domain/language/text.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { button, buttonRow, header, section } from '../../slack/kit/atoms.ts';
import { describeAccess } from '../../workspace/credentials/accesses.ts';
import { expiresSoon, isExpiryUnknown } from '../../workspace/credentials/connections.ts';
import { tryUnseal } from '../../workspace/credentials/sealed-fields.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { StatusPart } from '../feature.ts';

/** An access and what to say of it. */
interface AccessLine {
  readonly id: string;
  /** As people call its project. */
  readonly label: string;
  readonly health: StatusPart['health'];
  readonly isExpiryUnknown: boolean;
  readonly text: string;
}

const RANK = { broken: 0, warning: 1, fine: 2 } as const;
const MOST_ACCESSES = 30;
const MOST_BUTTONS = 5;

/** The application accesses, sorted by project; those that need attention first. */
export function accessParts(workspace: Workspace, at: Millis): readonly StatusPart[] {
  const lines = workspace.accessIds
    .map((id) => lineOf(id, workspace, at))
    .toSorted((a, b) => RANK[a.health] - RANK[b.health]);
  const [worst] = lines;
  if (worst === undefined) return [];
  const wrong = lines.filter(({ health }) => health !== 'fine');
  const texts = lines.map(({ label, text }) => `${label} · ${text}`);
  const todo = lines
    .flatMap(({ id, label, health, isExpiryUnknown: isUnknown }) => {
      if (health !== 'fine') return button(`access-form:${id}`, `Replace access of ${label}…`, { value: id });
      return isUnknown ? button(`access-form:${id}`, `Set expiry of ${label}…`, { value: id }) : [];
    })
    .slice(0, MOST_BUTTONS);
  return [
    {
      health: worst.health,
      problems: wrong.length,
      blocks: [
        header('Application accesses'),
        section(limitLines(texts, MOST_ACCESSES).join('\n')),
        ...buttonRow(todo),
      ],
    },
  ];
}

/** Opens the seal and drops what was in it. */
function lineOf(id: string, workspace: Workspace, at: Millis): AccessLine {
  const access = workspace.accesses.get(id);
  const alias = workspace.projects.find((project) => project.id === id)?.alias;
  const line = { id, label: alias ?? `Project ${id}`, isExpiryUnknown: false };
  if (access === undefined)
    return { ...line, health: 'broken', text: 'damaged and not used: register it again' };
  if (tryUnseal(access.open) === undefined)
    return { ...line, health: 'broken', text: 'can’t be decrypted: register it again' };
  const { zone } = workspace.settings;
  const isOver = access.expiresAt !== undefined && access.expiresAt <= at;
  const isRejected = workspace.rejectedAt({ kind: 'access', name: id }) !== undefined;
  const isSoon = expiresSoon(access, at, zone);
  return {
    ...line,
    health: isOver || isRejected ? 'broken' : isSoon ? 'warning' : 'fine',
    isExpiryUnknown: isExpiryUnknown(access),
    text: `${describeAccess(access, at, zone)}${isRejected ? ' · rejected by the identity service' : ''}`,
  };
}
