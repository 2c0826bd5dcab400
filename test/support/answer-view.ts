import type { AnswerView, ProjectAnswer } from '../../src/slack/reply/project-answers.ts';

export const answerView = <T extends ProjectAnswer>(
  figures: T,
  now: number,
  details: Partial<Omit<AnswerView, 'answered'>> = {},
): AnswerView<T> => {
  const { target } = figures;
  const { word, product } = target;
  return {
    answered: [figures],
    failed: [],
    at: now,
    fetched: now,
    locale: 'en-US',
    sharedBy: undefined,
    user: { canManage: false, zone: 'UTC' },
    mayShare: () => true,
    projects: { word, product, targets: [target], isList: false },
    ...details,
  };
};
