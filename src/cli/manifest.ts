import { commandPrefix } from '../config/schemas.ts';
import { WORKFLOW_FUNCTIONS } from '../features/workflow-steps/functions.ts';
import { appAddress, createManifest, formatManifest } from '../slack/install/manifest.ts';
import { checkOption, runCommand, UsageError } from './command.ts';

const USAGE = [
  'Usage: tally manifest (--url URL | --socket) [options]',
  '',
  'Prints the Slack app’s manifest: at https://api.slack.com/apps choose Create New App, From a manifest, and paste it.',
];

const OPTIONS = {
  url: ['URL', 'for HTTP: the bot’s public address, such as https://tally.example.com'],
  socket: ['', 'for Socket Mode, which needs no public address'],
  prefix: ['PREFIX', 'puts a word before each command: acme makes /acme-balance'],
  org: ['', 'lets an organization install the app for all of its workspaces'],
  'workflow-steps': ['', 'adds the steps for Workflow Builder; implies --org'],
} as const;

await runCommand({ usage: USAGE, options: OPTIONS }, (values) => {
  if ((values.url === undefined) === !values.socket)
    throw new UsageError('Choose one: --url with the bot’s address, or --socket for Socket Mode.');
  const manifest = createManifest({
    url: checkOption('--url', appAddress, values.url),
    prefix: checkOption('--prefix', commandPrefix, values.prefix),
    org: values.org,
    functions: values['workflow-steps'] ? WORKFLOW_FUNCTIONS : undefined,
  });
  process.stdout.write(formatManifest(manifest));
  return 0;
});
