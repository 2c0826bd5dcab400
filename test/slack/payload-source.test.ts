import { describe, expect, it } from 'vitest';
import type { SlackPayload } from '../../src/slack/request/payload.ts';
import { originOf, sourceOfPayload } from '../../src/slack/request/source.ts';

const NOTHING = {
  ...{ teamId: '', userId: '', homeTeamId: undefined, channel: undefined, responseUrl: undefined },
  ...{ via: 'event', at: 7, isClick: false, replaces: false, triggerId: undefined },
  ...{ viewId: undefined, viewHash: undefined, hasFields: false, thread: undefined },
  ...{ startsThread: undefined, isFirst: undefined },
};
const ARRIVAL = { via: 'event', at: 7 } as const;

describe('where a payload comes from', () => {
  it.each<[string, SlackPayload, object]>([
    ['an empty one', {}, {}],
    [
      'a command',
      {
        ...{ team_id: 'T1', user_id: 'U1', channel_id: 'C1', response_url: 'https://r', trigger_id: 'x' },
        enterprise_id: 'E1',
      },
      { teamId: 'T1', userId: 'U1', channel: 'C1', responseUrl: 'https://r', triggerId: 'x' },
    ],
    [
      'a click in a message',
      {
        ...{ team: { id: 'T1' }, user: { id: 'U1', team_id: 'T2' }, channel: { id: 'C1' } },
        ...{ container: { message_ts: '1.1', thread_ts: '1.0' }, enterprise: { id: 'E1' } },
      },
      { teamId: 'T1', userId: 'U1', homeTeamId: 'T2', channel: 'C1', isClick: true, thread: '1.0' },
    ],
    [
      'a form',
      { team: { id: 'T1' }, user: { id: 'U1' }, view: { id: 'V1', type: 'modal' } },
      { teamId: 'T1', userId: 'U1', viewId: 'V1' },
    ],
    [
      'a form of an external user, whose workspace is the team',
      {
        ...{ team_id: 'T3', team: { id: 'T2' }, user: { id: 'U1', team_id: 'T2' } },
        view: { id: 'V1', type: 'modal', app_installed_team_id: 'T1' },
      },
      { teamId: 'T1', userId: 'U1', homeTeamId: 'T2', viewId: 'V1' },
    ],
    [
      'Home, which is no modal',
      { team: { id: 'T1' }, user: { id: 'U1' }, view: { id: 'V1', type: 'home' } },
      { teamId: 'T1', userId: 'U1' },
    ],
    [
      'a click in a modal, which is no message',
      { team: { id: 'T1' }, user: { id: 'U1' }, container: {} },
      { teamId: 'T1', userId: 'U1' },
    ],
    [
      'the user’s workspace alone',
      { user: { id: 'U1', team_id: 'T2' } },
      { teamId: 'T2', userId: 'U1', homeTeamId: 'T2' },
    ],
    [
      'an organization alone, which is no workspace',
      { enterprise_id: 'E1', enterprise: { id: 'E2' }, user_id: 'U1', user: { id: 'U2' } },
      { userId: 'U1' },
    ],
    [
      'an organization’s click',
      {
        ...{ team: null, enterprise: { id: 'E1' }, user: { id: 'U2', team_id: 'T1' } },
        view: { id: 'V1', type: 'modal', app_installed_team_id: 'E1' },
      },
      { teamId: 'T1', userId: 'U2', homeTeamId: 'T1', viewId: 'V1' },
    ],
    [
      'an organization’s form, clicked by a member of another one',
      {
        ...{ team: { id: 'T2' }, enterprise: { id: 'E2' }, user: { id: 'U2', team_id: 'T2' } },
        view: { id: 'V1', type: 'modal', app_installed_team_id: 'E1' },
      },
      { userId: 'U2', homeTeamId: 'T2', viewId: 'V1' },
    ],
    [
      'Home in one of two workspaces that installed the app each',
      {
        ...{ team: { id: 'T2' }, user: { id: 'U2', team_id: 'T2' } },
        view: { id: 'V1', type: 'home', app_installed_team_id: 'T1' },
      },
      { teamId: 'T2', userId: 'U2', homeTeamId: 'T2' },
    ],
    [
      'an empty workspace',
      { team_id: '', team: { id: 'T1' }, user_id: 'U1' },
      { teamId: 'T1', userId: 'U1' },
    ],
    [
      'a payload of nulls',
      {
        ...{ team_id: null, team: null, enterprise: null, channel: null, user: null, view: null },
        ...{ container: null, response_url: null, trigger_id: null, channel_id: null, user_id: null },
      },
      {},
    ],
    [
      'nulls within',
      {
        ...{ team: { id: null }, user: { id: 'U1', team_id: null }, view: { id: null, type: 'modal' } },
        ...{ container: { message_ts: null, thread_ts: null }, channel: { id: null } },
      },
      { userId: 'U1' },
    ],
  ])('%s', (_, payload, expected) => {
    expect(sourceOfPayload(payload, ARRIVAL)).toEqual({ ...NOTHING, ...expected });
  });

  it('includes whether it came for the first time', () => {
    const isFirst = Promise.resolve(true);
    expect(sourceOfPayload({}, { ...ARRIVAL, isFirst }).isFirst).toBe(isFirst);
  });
});

describe('where an event comes from', () => {
  const GRID = { enterprise_id: 'E1', is_enterprise_install: true };
  it.each<[string, SlackPayload, string | undefined]>([
    ['the authorized workspace', { team_id: 'T2', authorizations: [{ team_id: 'T1' }] }, 'T1'],
    ['the only workspace that is named', { team_id: 'T1' }, 'T1'],
    [
      'the workspace through which it was received',
      { team_id: 'T2', context_team_id: 'T1', authorizations: [{ ...GRID, team_id: null }] },
      'T1',
    ],
    ['the organization’s', { team_id: 'T1', authorizations: [{ ...GRID, team_id: 'E1' }] }, 'T1'],
    [
      'nobody’s, where the channel is shared and the workspace another organization’s',
      { team_id: 'T2', is_ext_shared_channel: true, authorizations: [{ ...GRID, team_id: null }] },
      undefined,
    ],
    [
      'the organization’s own workspace in a shared channel',
      { team_id: 'T1', enterprise_id: 'E1', is_ext_shared_channel: true, authorizations: [GRID] },
      'T1',
    ],
    ['nobody’s, with the organization alone', { team_id: 'E1', enterprise_id: 'E1' }, undefined],
  ])('%s', (_, payload, teamId) => {
    expect(originOf({ event: { type: 'message' }, ...payload }).teamId).toBe(teamId);
  });
});
