/**
 * Slack's methods that Tally calls, and whether a call may be made once more when it is unclear what became of the first:
 * a message posted twice is there twice. A method that is not listed is not repeated.
 */
export const IS_REPEATABLE = {
  'apps.connections.open': true,
  'auth.test': true,
  'chat.delete': true,
  'chat.postEphemeral': false,
  'chat.postMessage': false,
  'chat.update': true,
  'conversations.history': true,
  'conversations.info': true,
  'conversations.join': true,
  'conversations.members': true,
  'conversations.open': true,
  'conversations.replies': true,
  'files.completeUploadExternal': false,
  'files.getUploadURLExternal': true,
  // The SDK's name for an upload as a whole.
  'files.uploadV2': false,
  // A code or a refresh token works once.
  'oauth.v2.access': false,
  'usergroups.list': true,
  'usergroups.users.list': true,
  'users.info': true,
  'users.list': true,
  // A trigger opens one view, however often it is asked.
  'views.open': true,
  'views.publish': true,
  'views.update': true,
} as const;

export type WebMethod = keyof typeof IS_REPEATABLE;

/** @param url of a call to the Web API, which ends with the method's name */
export function isRepeatable(url: string): boolean {
  const name = url.slice(url.lastIndexOf('/') + 1);
  return Object.hasOwn(IS_REPEATABLE, name) && IS_REPEATABLE[name as WebMethod];
}
