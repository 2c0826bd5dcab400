/** What has happened in the current test, for the message of its failure. */
export const happened: string[] = [];
export const note = (text: string): void => void happened.push(text.slice(0, 300));
