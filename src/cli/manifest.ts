import { appAddress, createManifest, formatManifest } from '../slack/install/manifest.ts';
import { WORKFLOW_FUNCTIONS } from '../slack/install/workflow-functions.ts';
import { parseOption, runCliCommand, SWITCH, TEXT, UsageError } from './command.ts';

const USAGE = `Usage: tally manifest (--url URL | --socket) [options]

Prints the Slack app’s manifest: at https://api.slack.com/apps choose Create New App, From a manifest, and paste it.

  --url URL          for HTTP: the bot’s public address, such as https://tally.example.com
  --socket           for Socket Mode, which needs no public address
  --org              lets an organization install the app for all of its workspaces
  --workflow-steps   adds the steps for Workflow Builder; implies --org`;

const OPTIONS = {
  url: TEXT,
  socket: SWITCH,
  org: SWITCH,
  'workflow-steps': SWITCH,
};

export const runManifest = (): Promise<void> =>
  runCliCommand(USAGE, OPTIONS, ({ url, socket, org, ...more }) => {
    if ((url === undefined) === !socket)
      throw new UsageError('Choose one: --url with the bot’s address, or --socket.');
    const manifest = createManifest({
      url: parseOption('--url', appAddress, url),
      org,
      functions: more['workflow-steps'] ? WORKFLOW_FUNCTIONS : undefined,
    });
    process.stdout.write(formatManifest(manifest));
    return 0;
  });
