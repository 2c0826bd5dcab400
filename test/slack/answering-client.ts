import { webApi } from '@slack/bolt';

export type Answers = Readonly<Record<string, (args: Record<string, unknown>) => unknown>>;

/** Slack’s client with functions in place of a server. Each function answers the method of its name. */
class AnsweringClient extends webApi.WebClient {
  readonly #answers: Answers;

  constructor(answers: Answers) {
    super('xoxb-T1');
    this.#answers = answers;
  }

  override async apiCall(method: string, args: Record<string, unknown> = {}) {
    const answer = this.#answers[method];
    if (answer === undefined) throw new Error(`${method} isn’t called here.`);
    return { ok: true, ...((await answer(args)) as object) };
  }
}

export const clientOf = (answers: Answers): webApi.WebClient => new AnsweringClient(answers);
