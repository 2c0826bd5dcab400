/** What people asked in the test that runs, for the message of its failure. */
export const asked: string[] = [];
