/** What happened in the test that runs, for the message of its failure. */
export const happened: string[] = [];
export const note = (text: string): void => void happened.push(text.slice(0, 300));
