import { commandPrefix } from '../config/variables.ts';
import { appAddress, createManifest, formatManifest } from '../slack/install/manifest.ts';
import { WORKFLOW_FUNCTIONS } from '../slack/install/workflow-functions.ts';
import { parseOption, runCliCommand, SWITCH, TEXT, UsageError } from './command.ts';

const USAGE = `Usage: tally manifest (--url URL | --socket) [options]

Prints the Slack app’s manifest: at https://api.slack.com/apps choose Create New App, From a manifest, and paste it.

  --url URL          for HTTP: the bot’s public address, such as https://tally.example.com
  --socket           for Socket Mode, which needs no public address
  --prefix PREFIX    puts a word before each command: acme makes /acme-balance
  --org              lets an organization install the app for all of its workspaces
  --workflow-steps   adds the steps for Workflow Builder; implies --org`;

const OPTIONS = {
  url: TEXT,
  socket: SWITCH,
  prefix: TEXT,
  org: SWITCH,
  'workflow-steps': SWITCH,
};

export const runManifest = (): Promise<void> =>
  runCliCommand(USAGE, OPTIONS, ({ url, socket, prefix, org, ...more }) => {
    if ((url === undefined) === !socket)
      throw new UsageError('Choose one: --url with the bot’s address, or --socket.');
    const manifest = createManifest({
      url: parseOption('--url', appAddress, url),
      prefix: parseOption('--prefix', commandPrefix, prefix),
      org,
      functions: more['workflow-steps'] ? WORKFLOW_FUNCTIONS : undefined,
    });
    process.stdout.write(formatManifest(manifest));
    return 0;
  });
