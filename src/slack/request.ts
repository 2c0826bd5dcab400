import type { ModalView } from '@slack/types';
import type { Role } from '../workspace/permissions.ts';
import type { AskLocation } from '../workspace/resolve-project.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import { type Channels, channelsOf } from './channels.ts';
import { type CommandInvocation, commandButton, withoutSecrets, withoutShare } from './command-buttons.ts';
import { actions, type Message, section } from './kit/atoms.ts';
import { isDirectMessage, postMessage } from './post-message.ts';
import type { User, UserGroup } from './users.ts';
import { draw, show, speak, type Ways, whisper } from './ways.ts';
import { callSlack } from './web-client.ts';

/** One request of one person, whatever it came as, with the ways to answer it. */
export interface Request {
  /** When the question arrived, in ms: every figure is as of this instant. */
  readonly at: number;
  /** When an answer is shared: the instant it was first asked for, in ms. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  /** The channel it was asked in, where there is one. */
  readonly channel: string | undefined;
  /** What the workspace told us, read once for this request. */
  readonly workspace: Workspace;
  /** Whom `answer` speaks to. */
  readonly audience: 'asker' | 'channel';
  /** Who brought an answer that everybody sees; undefined where it is for the asker alone. */
  readonly sharedBy: SharedBy | undefined;
  /** BCP 47, of whoever reads the answer: the person, or the workspace where everybody does. */
  readonly locale: string;
  readonly reply: Reply;
  readonly slack: SlackLookups;
}

/** The five ways to reply. Each throws SlackFailed where Slack does not take it. */
export interface Reply {
  /**
   * The answer: in place of the message whose button was used, else where it was asked, for whom the workspace's
   * settings say.
   */
  update(message: Message): Promise<void>;
  /** Only the user sees it, beside whatever is there. */
  private(message: Message): Promise<void>;
  /** Everybody in that channel sees it. @throws CannotPost */
  public(channel: string, message: Message): Promise<void>;
  readonly modal: ModalReply;
  /** A file in the user's conversation with Tally; needs the optional scope files:write. */
  file(file: OutgoingFile): Promise<void>;
}

export interface ModalReply {
  /** Whether a modal can be opened: after a click or a slash command, not after a message. */
  readonly canOpen: boolean;
  /** Opens a modal within 3 s of the click or command, or replaces the one the request came from. */
  open(view: ModalView): Promise<void>;
  /** Replaces the modal of this request. Where that fails (it was closed, say), sends `fallback` as a direct message. */
  update(view: ModalView, fallback?: Message): Promise<void>;
  /** @returns whether the modal was replaced; sends nothing otherwise */
  tryUpdate(view: ModalView): Promise<boolean>;
  /** Replaces the modal as this request last saw it; does nothing where something else changed it since. */
  updateIfUnchanged(view: ModalView): Promise<void>;
}

/** What a request may ask of Slack. Each throws SlackFailed. */
export interface SlackLookups {
  readonly channels: Channels;
  /** Whether the user is in one of these user groups now, never cached. */
  isInGroups(groups: readonly string[]): Promise<boolean>;
  /** The workspace's user groups. @throws SlackFailed `missing_scope` without the optional scope usergroups:read */
  userGroups(): Promise<readonly UserGroup[]>;
  /** The role of somebody else; `nobody` for one whom Slack does not know. */
  roleOf(userId: string): Promise<Role>;
}

export interface SharedBy {
  readonly how: 'asked' | 'shared';
  readonly person: string;
}

/** Damaged settings stop the figures themselves; help and the form that mends them are for everybody to have. */
const publicLocale = (record: Workspace): string => record.settings.locale;

/** Where this is asked. A manager may ask about a limited project anywhere, but not in front of others. */
export const askLocation = ({ channel, user, audience }: Request): AskLocation => ({
  channel,
  manager: user.canManage && (audience === 'asker' || (channel !== undefined && isDirectMessage(channel))),
});

interface OutgoingFile {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

/** Who was let in, and the workspace's record that decided it. */
export interface Admission {
  readonly user: User;
  readonly workspace: Workspace;
  readonly userGroups: () => Promise<readonly UserGroup[]>;
  readonly isIn: (groups: readonly string[]) => Promise<boolean>;
  readonly roleOf: (person: string) => Promise<Role>;
}

export interface RequestOptions {
  readonly at: number;
  readonly audience?: 'asker' | 'channel';
  /** Shows the channel an answer that its asker got alone; the instant they asked, in ms. */
  readonly sharedFrom?: number;
  readonly replace?: boolean;
  /** Whom an open answer is for, where it is asked in front of others or of nobody. */
  readonly aloud?: 'asker' | 'channel';
  /** The command that is run. */
  readonly rerun?: CommandInvocation;
}

/** Slack opens a form at a click or a slash command, not at a message: so a click is asked for. */
function formBehind(rerun: CommandInvocation): Message {
  const text = 'Slack opens forms at a click only:';
  return {
    text,
    blocks: [section(text), actions(...commandButton('form', 'Open the form…', rerun, { style: 'primary' }))],
  };
}

export function createRequest(
  ways: Ways,
  { user, workspace, userGroups, isIn, roleOf }: Admission,
  options: RequestOptions,
): Request {
  const { origin, client } = ways;
  const { at, audience = 'asker', replace = false, sharedFrom, rerun } = options;
  return {
    at,
    sharedFrom,
    user,
    channel: origin.channel,
    workspace,
    audience,
    sharedBy:
      audience === 'asker'
        ? undefined
        : { how: sharedFrom === undefined ? 'asked' : 'shared', person: user.id },
    locale: audience === 'asker' ? user.locale : publicLocale(workspace),
    slack: { channels: channelsOf(client), isInGroups: isIn, userGroups, roleOf },
    reply: {
      async update(message) {
        const isAlone = origin.responseUrl === undefined && origin.channel === undefined;
        if (audience === 'channel' && !isAlone) return speak(ways, message);
        const isShared = origin.channel !== undefined && !isDirectMessage(origin.channel);
        await whisper(ways, isShared ? message : withoutShare(message), replace);
      },
      private: (message) => whisper(ways, message),
      public: (channel, message) => postMessage(client, { channel, thread: undefined }, message),
      modal: modalReply(ways, rerun && withoutSecrets(rerun, workspace.aliases)),
      async file({ name, title, content }) {
        const { channel } = await callSlack('conversations.open', () =>
          client.conversations.open({ users: origin.userId }),
        );
        await callSlack('files.uploadV2', () =>
          client.filesUploadV2({ channel_id: channel?.id ?? '', filename: name, title, content }),
        );
      },
    },
  };
}

/** @param command offered as a button where no modal can be opened */
function modalReply(ways: Ways, command: CommandInvocation | undefined): ModalReply {
  const { origin, client } = ways;
  return {
    canOpen: (origin.triggerId ?? origin.viewId) !== undefined,
    async open(view) {
      const { triggerId = '' } = origin;
      const viewId = ways.opened ?? origin.viewId;
      if (viewId !== undefined) {
        const drawn = await callSlack('views.update', () => client.views.update({ view_id: viewId, view }));
        ways.opened = viewId;
        if (drawn.view?.hash !== undefined) ways.hash = drawn.view.hash;
        return;
      }
      if (triggerId === '' && command !== undefined) return whisper(ways, formBehind(command));
      const shown = await callSlack('views.open', () => client.views.open({ trigger_id: triggerId, view }));
      if (shown.view?.id !== undefined) ways.opened = shown.view.id;
      if (shown.view?.hash !== undefined) ways.hash = shown.view.hash;
    },
    update: (view, fallback) => show(ways, view, fallback),
    tryUpdate: (view) => draw(ways, view),
    async updateIfUnchanged(view) {
      const { opened: id = origin.viewId, hash } = ways;
      if (id === undefined || hash === undefined) return;
      await callSlack('views.update', () => client.views.update({ view_id: id, hash, view })).catch(
        () => undefined,
      );
    },
  };
}
