import type { OAuthTokens } from '../oauth.ts';
import { APP, BOT_USER } from '../people.ts';
import type { Team } from '../teams.ts';
import { type Arguments, type Method, type MethodContext, MethodError, textArgument } from './method.ts';

/** Checks the client ID and secret. @throws MethodError */
function authenticateClient(args: Arguments, { oauth }: MethodContext) {
  if (!oauth) throw new MethodError('invalid_client_id');
  const error = oauth.clientError(textArgument(args.client_id), textArgument(args.client_secret));
  if (error !== undefined) throw new MethodError(error);
  return oauth;
}

export const apps: Record<string, Method> = {
  'oauth.v2.access': {
    needsNoToken: true,
    run(args, context) {
      const oauth = authenticateClient(args, context);
      if (args.grant_type === 'refresh_token') {
        const renewed = oauth.refresh(textArgument(args.refresh_token));
        if (!renewed.ok) throw new MethodError(renewed.error);
        return installation(renewed.team, renewed.scope, renewed.tokens);
      }
      const granted = oauth.redeem(textArgument(args.code), textArgument(args.redirect_uri));
      if (!granted.ok) throw new MethodError(granted.error);
      context.markInstalled(granted.team.id);
      const { team, person, scope, tokens } = granted;
      return { ...installation(team, scope, tokens), authed_user: { id: person } };
    },
  },
  'apps.uninstall': {
    required: ['client_id', 'client_secret'],
    run(args, context) {
      authenticateClient(args, context);
      context.uninstall(context.workspace.team.id);
      return { ok: true };
    },
  },
};

function installation(team: Team, scope: string, { access, refresh, expiresIn }: OAuthTokens) {
  return {
    ok: true as const,
    app_id: APP,
    scope,
    token_type: 'bot',
    access_token: access,
    bot_user_id: BOT_USER,
    ...(refresh !== undefined && { refresh_token: refresh, expires_in: expiresIn }),
    team: { id: team.id, name: team.name },
    enterprise: null,
    is_enterprise_install: false,
  };
}
