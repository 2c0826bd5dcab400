import type { ProductAnswers } from '../../billing/ask-products.ts';
import type { BalanceRecord } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import type { Failure } from '../../domain/failure/index.ts';
import { moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import { formatBalance } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { connectedBlocks, type TestedConnection } from '../../slack/commands/tested-connection.ts';
import { actions, type Message, quote, section } from '../../slack/kit/atoms.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { ConnectRequest } from './words.ts';

/** The outcome of a successful test. */
export interface ConnectedResult extends ProductAnswers {
  readonly connection: string;
  readonly input: Pick<ConnectRequest, 'project' | 'channel'>;
  /** Every connection there is now, and the one that is asked if none is named. */
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}

/** What is said of the test, the number first. A product is never chosen where several have data. */
export function testedConnection(
  { connection, input: { project, channel }, found, failed, names, chosen }: ConnectedResult,
  { user: { locale }, workspace }: Request,
): TestedConnection {
  const money = moneyFormatter(locale, workspace.settings.currency);
  const left = ({ balance }: BalanceRecord) => formatBalance(parseAmount(balance), money);
  const [only, ...others] = found;
  const products = found.map(({ product }) => product);
  const notAnswered = failed.map(
    ({ product, failure }) => `${PRODUCTS[product].name} wasn’t checked: ${failure.message}`,
  );
  const said = (title: string, line: string) => ({
    ...{ connection, channel, project, products, title },
    lines: [line, ...notAnswered, ...defaultLines(connection, names, chosen)],
  });
  if (only === undefined)
    return said(
      `No data for project ${project}`,
      'The token works, but no product has data for this project. Check the ID in the console.',
    );
  if (others.length === 0)
    return said(
      `${projectLabel({ id: project, product: only.product }, workspace)} · ${left(only.balance)}`,
      `Product: ${PRODUCTS[only.product].name}, the only one with data for it.`,
    );
  const each = found.map(({ product, balance }) => `${PRODUCTS[product].name}: ${left(balance)}`);
  return said(
    `Project ${project} · which product?`,
    `Several products have data for it. Choose the one that the console shows. ${each.join(', ')}.`,
  );
}

const defaultLines = (name: string, names: readonly string[], chosen: string | undefined): string[] =>
  names.length === 1
    ? []
    : name === chosen
      ? [`${name} is the default connection.`]
      : [
          `The default connection is still ${chosen}. To use ${name}, choose it for a project, or make it the default in ${commandText('/billing status')}.`,
        ];

/** For a direct message: the form was closed before the test ended. */
export function connectedMessage(tested: TestedConnection, request: Request): Message {
  const {
    title,
    project,
    products: [product, ...others],
  } = tested;
  const words = product === undefined || others.length > 0 ? project : `${project} ${PRODUCTS[product].word}`;
  return {
    text: `Tally is connected. ${title}.`,
    blocks: connectedBlocks(tested, request, [
      actions(
        ...commandButton('name', 'Name the project…', toCommand('/billing projects', `add ${words}`)),
        ...commandButton('schedule', 'Schedule a post…', toCommand('/billing schedule', words)),
      ),
    ]),
  };
}

const CHECK_ADDRESS =
  'Check the address: it may lead to something else, such as a login page or a proxy. If it’s right, try again later.';

/** Advice for the person who has just pasted the token; they don't need to ask an admin. */
const ADVICE: Partial<Record<Failure['kind'], string>> = {
  'token-rejected':
    'Copy the whole token from the console again. If it still fails, the token may have expired or been revoked, or the address may be wrong.',
  'service-failed': CHECK_ADDRESS,
  'invalid-response': CHECK_ADDRESS,
  'response-too-large': CHECK_ADDRESS,
  'service-unreachable': 'Check the address, or try again later: the service may be down.',
  forbidden:
    'Give the token the role Read-only or Accountant. If it has one of these, the project may belong to another account.',
};

/** Why the test of a new token failed. */
export function refusalMessage(failure: Failure, request: Request): Message {
  if (failure.kind === 'redirect-refused')
    return {
      text: failure.message,
      blocks: [
        section(`${failure.message}\nIf the service has moved, enter the new address. It redirects to:`),
        quote(failure.target),
      ],
    };
  const advice = ADVICE[failure.kind];
  return advice === undefined
    ? failureMessage(failure, { request })
    : { text: failure.message, blocks: [section(`${failure.message}\n${advice}`)] };
}
