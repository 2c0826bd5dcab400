import type { SlashCommand } from '../domain/commands.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { routeSubcommands } from '../slack/commands/subcommands.ts';
import type { Listeners } from '../slack/server/listeners.ts';
import type { Feature } from './feature.ts';

export type Registry = ReturnType<typeof createRegistry>;

/** All features combined. Read at each call, because some are made from what the others have. */
export function createRegistry(features: () => readonly Feature[]) {
  const merged = <K extends keyof Feature>(key: K): NonNullable<Feature[K]> =>
    Object.assign({}, ...features().map((feature) => feature[key]));
  const each = async (work: (feature: Feature) => Promise<void> | undefined): Promise<void> => {
    await Promise.all(features().map(work));
  };
  const commands = () => ({ ...merged('commands'), '/billing': routeSubcommands(merged('verbs')) });

  return {
    listeners: (): Required<Listeners> => ({
      commands: commands(),
      actions: merged('actions'),
      views: merged('views'),
      options: merged('options'),
      events: merged('events'),
      steps: merged('steps'),
    }),
    /** `/balance` */
    commands: () => Object.keys(commands()) as SlashCommand[],
    /** Second words of `/billing`. */
    verbs: () => Object.keys(merged('verbs')),
    projectVerbs: () => merged('projectVerbs'),
    stepFigures: () => merged('stepFigures'),
    help: () => features().flatMap(({ help }) => help),
    attention: () => features().flatMap(({ attention }) => attention ?? []),
    home: () => features().flatMap(({ home }) => home ?? []),
    status: () => features().flatMap(({ status }) => status ?? []),
    stops: () => features().flatMap(({ stops }) => stops ?? []),
    afterConnect: () => features().find(({ afterConnect }) => afterConnect)?.afterConnect,
    morningPosts: () => features().find(({ morningPosts }) => morningPosts)?.morningPosts,
    start: () => features().forEach((feature) => void feature.start?.()),
    stop: (patience: Millis) => each((feature) => feature.stop?.(patience)),
    connected: (workspace: SlackId) => each((feature) => feature.connected?.(workspace)),
    forget: (workspace: SlackId) => each((feature) => feature.forget?.(workspace)),
  };
}
