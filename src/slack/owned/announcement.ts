/** What the user, the channel and other people are told when something is set up or changed. */

import { isFailure } from '../../domain/failure/index.ts';
import { projectsOf, type Target, targetOf } from '../../workspace/owned/stop-reasons.ts';
import { describeProjects } from '../../workspace/projects/chosen-project.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';
import { actions, button, channelLink, escapeMarkup, type Message, markup, mention } from '../kit/atoms.ts';
import type { Request } from '../request/request.ts';
import type { OwnedKind } from './owned-kind.ts';
import type { OwnedItem } from './ownership.ts';

export const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** As mrkdwn. */
export const targetMarkup = (target: Target): string =>
  'channel' in target ? channelLink(target.channel) : target.people.map(mention).join(', ');

/** `Saved: *prod*: balance below 50,000.00. Alerts go to #finance.`, as mrkdwn. */
export function savedText<T extends OwnedItem>(kind: OwnedKind<T>, item: T, request: Request): string {
  const paused = item.paused === undefined ? '' : ' It stays paused until someone resumes it.';
  const what = kind.words.summary(item, request);
  return `Saved: ${what}. ${capitalized(kind.sends)} go to ${targetMarkup(targetOf(item))}.${paused}`;
}

/**
 * Tells the channel, or the people other than the user; after saving, so that nothing is announced that is not stored.
 * @returns who could not be notified, and why: mrkdwn sentences
 */
export async function announce<T extends OwnedItem>(
  kind: OwnedKind<T>,
  item: T,
  request: Request,
  isChange: boolean,
): Promise<readonly string[]> {
  const target = targetOf(item);
  const message = announcementOf(kind, item, request, isChange);
  const others = 'channel' in target ? [target.channel] : target.people;
  const problems: string[] = [];
  for (const to of others.filter((id) => id !== request.user.id))
    try {
      await request.reply.public(to, message);
    } catch (error) {
      if (!isFailure(error)) throw error;
      const where = isPerson(to) ? mention(to) : channelLink(to);
      problems.push(`Tally couldn’t announce this to ${where}: ${escapeMarkup(error.message)}`);
    }
  return problems;
}

function announcementOf<T extends OwnedItem>(
  { noun, sends, actions: ids, words }: OwnedKind<T>,
  item: T,
  request: Request,
  isChange: boolean,
): Message {
  const { user, workspace } = request;
  const lead = isChange ? `${capitalized(noun)} changed` : `New ${noun}`;
  const what = words.summary(item, { workspace, locale: workspace.settings.locale });
  const by = `${isChange ? 'Changed' : 'Set up'} by ${mention(user.id)}.`;
  const where = 'people' in targetOf(item) ? ` ${capitalized(sends)} come to you here.` : '';
  return {
    text: `${lead} for ${describeProjects({ projects: projectsOf(item) }, workspace)}.`,
    blocks: [markup(`${lead}: ${what}.\n${by}${where}`), actions(button(ids.manage, 'Manage'))],
  };
}
