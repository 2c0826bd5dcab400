/** Opens an app in Slack, in the browser or the client. @param origin Slack's, `https://slack.com` */
export const appLink = (origin: string, app: string, team: string): string =>
  `${origin}/app_redirect?${new URLSearchParams({ app, team })}`;
