import { webApi } from '@slack/bolt';

export type Answers = Readonly<Record<string, (args: Record<string, unknown>) => unknown>>;

/** Slack’s client, whose calls these functions answer in place of a server, by the method. */
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
