import type { Request } from '../../slack/request/request.ts';
import { lookUp, type Rerun } from '../../slack/server/listener-types.ts';
import type { Feature, Services } from '../feature.ts';
import { createAnswers } from './answer.ts';
import { askManagers } from './ask.ts';

declare module '../../domain/commands.ts' {
  interface Actions {
    'ask-manager': true;
    'answer-request': true;
    'use-allowance': true;
  }
}

/**
 * **Ask a manager**, below a refusal: the managers get who asks for what and where, and answer with **Do it**, **Allow once** or
 * **No**. What is asked for is a command's text; what may be done about it is decided at each press, by the rights of then.
 */
export function createAskManagerFeature({ requests, delivery, all }: Services): Feature {
  const { answers, redeem } = createAnswers(requests, delivery.scheduling.changed);
  return {
    help: [],
    actions: {
      'ask-manager': {
        right: 'workspaceUser',
        kind: 'change',
        run: ({ value }, request) => askManagers(value, request, requests, all.listeners().commands),
      },
      'answer-request': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const run = async (_: unknown, request: Request, rerun: Rerun) => {
          await lookUp(answers, kind)?.(id, request, rerun);
        };
        return { right: 'manage', kind: kind === 'form' ? 'changeInForm' : 'change', run };
      },
      'use-allowance': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const run = (_: unknown, request: Request, rerun: Rerun) => redeem(id, request, rerun);
        return { right: 'workspaceUser', kind: kind === 'form' ? 'changeInForm' : 'change', run };
      },
    },
  };
}
