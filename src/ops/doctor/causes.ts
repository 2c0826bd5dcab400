/**
 * What an error's code means at the place where it arose, and the command or line that fixes it. `{name}` is replaced by a
 * part of the setup that only the check knows. docs/doctor.md shows the same table.
 */
import type { Finding } from './finding.ts';

interface Cause {
  /** Completes “Redis …”. */
  readonly cause: string;
  readonly remedy: string;
  /** `bad` if absent. */
  readonly verdict?: 'warning';
}

export type Causes = Readonly<Record<string, Cause>>;

/** What replaces `{name}`. */
export type Figures = Readonly<Record<string, string>>;

const UNKNOWN_AUTHORITY: Cause = {
  cause: 'presents a certificate of an authority that Node doesn’t trust',
  remedy:
    'Set NODE_EXTRA_CA_CERTS to a file with the authority’s certificate: `NODE_EXTRA_CA_CERTS=/path/ca.pem`.',
};
const MORE_FILES =
  'Allow more: `ulimit -n 65536` in the shell, `LimitNOFILE=65536` in a unit of systemd, `--ulimit nofile=65536` for Docker.';
const NO_ROUTE: Cause = {
  cause: 'can’t be reached: this machine has no route to {host}',
  remedy:
    'Connect the networks, or correct {variable}. One side may have only IPv6 and the other only IPv4: `getent ahosts {host}`, `ip -brief address`',
};
const OLD_TLS: Cause = {
  cause: 'has no version of TLS, or no cipher, that Node accepts: it needs TLS 1.2 or 1.3',
  remedy: 'Turn TLS 1.2 on there. To see what it offers: `openssl s_client -connect {address} -tls1_2`',
};
const CLOSED: Cause = {
  cause: 'closes the connection at once, at {address}',
  remedy: 'Correct {variable}, or look in the log there. To try it: `{try}`',
};

/** Wherever Tally connects. */
const NETWORK: Causes = {
  ECONNREFUSED: {
    cause: 'can’t be reached: nothing listens at {address}',
    remedy: 'Start it, or correct {variable}. To try it: `{try}`',
  },
  ENOTFOUND: {
    cause: 'can’t be reached: the host name {host} is unknown',
    remedy: 'Correct the host in {variable}, or its DNS record. To look it up: `getent hosts {host}`',
  },
  EAI_AGAIN: {
    cause: 'can’t be reached: the name server doesn’t answer for {host}',
    remedy: 'Fix this machine’s DNS. To look it up: `getent hosts {host}`',
  },
  ETIMEDOUT: {
    cause: 'can’t be reached: nothing answers at {address}, as when a firewall drops packets',
    remedy: 'Allow this machine to connect to {address}. To try it: `{try}`',
  },
  timeout: {
    cause: 'takes the connection and doesn’t answer, at {address}',
    remedy: 'It hangs, is overloaded, or is something else. To try it: `{try}`',
  },
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EAFNOSUPPORT: NO_ROUTE,
  EMFILE: {
    cause: 'can’t be asked: this process may not open any more files',
    remedy: MORE_FILES,
  },
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  closed: CLOSED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: {
    cause: 'presents a certificate that has expired by this machine’s clock',
    remedy:
      'Renew it, or correct the clock. Its dates: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -dates`',
  },
  CERT_NOT_YET_VALID: {
    cause: 'presents a certificate that isn’t valid yet by this machine’s clock',
    remedy: 'Correct the clock: `timedatectl set-ntp true`',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    cause: 'presents a certificate for another name than {host}',
    remedy:
      'Use a name of the certificate in {variable}; the nodes of a Cluster and Sentinels have to announce it. Its names: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -ext subjectAltName`',
  },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: OLD_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: {
    cause: 'doesn’t use TLS at {address}',
    remedy: 'Correct the port or the scheme in {variable}. To try it: `{try}`',
  },
};

const WRONG_PEER = 'Correct the host and the port in {variable}: `REDIS_URL={example}`';
/** CONFIG SET lasts until Redis restarts. */
const STAYS = 'Put it into its configuration, too.';

/** Codes without an error are the names of the setting, or of the field of INFO, that shows the cause. */
const REDIS: Causes = {
  ENOENT: {
    cause: 'can’t be reached: there is no socket at {host}',
    remedy: 'Start Redis, or correct the path: `REDIS_URL=unix:///path/redis.sock`',
  },
  EACCES: {
    cause: 'can’t be reached: this user may not open the socket {host}',
    remedy: 'Allow it: `{cli} CONFIG SET unixsocketperm 770` and add the user to the socket’s group.',
  },
  HTTP: { cause: 'isn’t there: an HTTP server answers at {address}', remedy: WRONG_PEER },
  'protocol error': { cause: 'isn’t there: what answers at {address} is not Redis', remedy: WRONG_PEER },
  plain: {
    cause: 'doesn’t use TLS at {address}, and REDIS_URL asks for TLS',
    remedy: 'Use its port with TLS, or go without: `REDIS_URL={asPlain}`',
  },
  TLS: {
    cause: 'accepts only TLS at {address}, and REDIS_URL has none',
    remedy: 'Ask for TLS: `REDIS_URL={asTls}`',
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    cause: 'asks for a client’s certificate, and Tally has none: it has a user with a password',
    remedy: `Turn that off: \`{cli} CONFIG SET tls-auth-clients no\`. ${STAYS}`,
  },
  NOAUTH: {
    cause: 'needs a password, and REDIS_URL has none',
    remedy: 'Put it before the host: `REDIS_URL={withPassword}`',
  },
  WRONGPASS: {
    cause: 'rejects the user or the password in REDIS_URL',
    remedy:
      'Correct them; write / @ : % as %2F %40 %3A %25. To try them: `{cli} --user {user} --askpass ping`',
  },
  'WRONGPASS user': {
    cause: 'rejects the user in REDIS_URL, which has no password',
    remedy: 'If it is the password, put a colon before it: `REDIS_URL={withOnlyPassword}`',
  },
  'NOAUTH Sentinel': {
    cause: 'has Sentinels that reject their own password in REDIS_URL, or need one',
    remedy:
      'Put it at the end: `REDIS_URL={withSentinelPassword}`, with `&sentinelUsername=…` if they have users.',
  },
  NOPERM: {
    cause: 'has a user that may not run {commands}',
    remedy: 'Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} {rules}`',
  },
  'NOPERM keys': {
    cause: 'has a user that may not touch Tally’s keys',
    remedy: "Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} '~tally:*' '~{tally-*}:*'`",
  },
  'unknown command': {
    cause: 'doesn’t have {commands}, which Tally needs: they were renamed, or a proxy or service lacks them',
    remedy:
      'Remove `rename-command` from its configuration, or use a Redis that has them. To try it: `{cli} {command}`',
  },
  DENIED: {
    cause: 'is in protected mode: without a password it answers its own machine only',
    remedy:
      "Give it a user with a password, docs/redis.md has the rights: `{cli} ACL SETUSER tally on '>password' …`",
  },
  'ERR DB index is out of range': {
    cause: 'has no database {database}',
    remedy: 'Use a database that exists: `REDIS_URL={asDatabase0}`',
  },
  keyspace: {
    cause:
      'may be set to the wrong database: database {database} is empty, and database {other} has {keys} keys',
    remedy: 'If Tally’s records are there: `REDIS_URL={asOther}`',
    verdict: 'warning',
  },
  'ERR This instance has cluster support disabled': {
    cause: 'is one server, not a Cluster',
    remedy: 'Name one server: `REDIS_URL={asSingle}`',
  },
  'redis_mode:cluster': {
    cause: 'is a node of a Cluster, and REDIS_URL is for one server',
    remedy: 'Name the Cluster: `REDIS_URL={asCluster}`',
  },
  'redis_mode:sentinel': {
    cause: 'is a Sentinel, and REDIS_URL is for a server',
    remedy: 'Name the master that it watches: `REDIS_URL={asSentinel}`',
  },
  'ERR unknown command': {
    cause: 'is a server, not a Sentinel',
    remedy: 'Name the server itself: `REDIS_URL={asSingle}`',
  },
  'unknown master': {
    cause: 'has Sentinels that don’t know a master “{master}”',
    remedy: 'Write the name that they know: `REDIS_URL={asMaster}`. To see all: `{cli} SENTINEL MASTERS`',
  },
  'announced address': {
    cause: 'can’t be reached: {address} announces {announced}, where this machine can’t connect',
    remedy:
      'Announce an address that it can reach: `{cli} CONFIG SET {announce} …`, or let it connect there.',
  },
  CLUSTERDOWN: {
    cause: 'is a Cluster without some of its slots: a master is lost, or they were never assigned',
    remedy: 'Start the lost master, or assign them: `redis-cli --cluster fix {address}`',
  },
  OOM: {
    cause: 'is full, and refuses every change',
    remedy: `Give it more memory, or remove what isn’t Tally’s: \`{cli} CONFIG SET maxmemory {moreMemory}\`. ${STAYS}`,
  },
  READONLY: {
    cause: 'is a replica, which refuses every change',
    remedy: 'Set the address of the primary: `REDIS_URL={asPrimary}`',
  },
  MASTERDOWN: {
    cause: 'is a replica that has lost its primary',
    remedy: 'Set the address of the primary: `REDIS_URL={asPrimary}`',
  },
  NOREPLICAS: {
    cause: 'has too few replicas for `min-replicas-to-write`, and refuses every change',
    remedy: 'Bring the replicas back. To see which are connected: `{cli} INFO replication`',
  },
  MISCONF: {
    cause: 'can’t write to its disk, and refuses every change',
    remedy: 'Free space, on its machine: `df -h {folder}`. Its log says why; `{cli} BGSAVE` tries again.',
  },
  aof_last_write_status: {
    cause: 'can’t write its append-only file',
    remedy: 'Free space, on its machine: `df -h {folder}`. Its log says why.',
  },
  rdb_last_bgsave_status: {
    cause: 'could not write its last snapshot',
    remedy: 'Free space, on its machine: `df -h {folder}`. Its log says why; `{cli} BGSAVE` tries again.',
    verdict: 'warning',
  },
  'ERR max number of clients reached': {
    cause: 'has as many connections as it allows',
    remedy: `Allow more, or end some: \`{cli} CONFIG SET maxclients 10000\`. ${STAYS}`,
  },
  maxclients: {
    cause: 'has {clients} connections of {most} that it allows, and each process of Tally opens about five',
    remedy: `Allow more, or end some: \`{cli} CONFIG SET maxclients 10000\`. ${STAYS}`,
    verdict: 'warning',
  },
  closed: {
    cause: 'closes the connection at once, at {address}; with TLS, also when it has as many as it allows',
    remedy:
      'Correct REDIS_URL, or look in its log; on its machine, `redis-cli INFO clients` shows whether it has too many connections.',
  },
  LOADING: {
    cause: 'is still loading its data',
    remedy: 'Wait until it is done. To see how far it is: `{cli} INFO persistence`',
  },
  BUSY: {
    cause: 'runs a script that doesn’t end',
    remedy: 'End it: `{cli} SCRIPT KILL`',
  },
  'maxmemory-policy': {
    cause: 'has the eviction policy {policy}, which deletes records, tokens among them, to free memory',
    remedy: `Let it delete nothing: \`{cli} CONFIG SET maxmemory-policy noeviction\`. ${STAYS}`,
    verdict: 'warning',
  },
  maxmemory: {
    cause: 'uses {share} % of its {limit} MiB; when it is full, it refuses every change',
    remedy: `Give it more memory: \`{cli} CONFIG SET maxmemory {moreMemory}\`. ${STAYS}`,
    verdict: 'warning',
  },
  appendonly: {
    cause: 'keeps nothing on disk: when it stops, every token and schedule is lost',
    remedy: `Turn on its append-only file: \`{cli} CONFIG SET appendonly yes\`. ${STAYS}`,
    verdict: 'warning',
  },
  save: {
    cause: 'writes snapshots only: a crash loses what came after the last one, and posts may come twice',
    remedy: `Turn on its append-only file: \`{cli} CONFIG SET appendonly yes\`. ${STAYS}`,
    verdict: 'warning',
  },
  aof_enabled: {
    cause: 'has no append-only file; the doctor could not check whether it writes snapshots',
    remedy: `Turn it on: \`{cli} CONFIG SET appendonly yes\`. ${STAYS}`,
    verdict: 'warning',
  },
  appendfsync: {
    cause: 'leaves it to the system when changes reach the disk: a crash of the machine loses half a minute',
    remedy: `Let it write every second: \`{cli} CONFIG SET appendfsync everysec\`. ${STAYS}`,
    verdict: 'warning',
  },
  redis_version: {
    cause: 'is version {version}; Tally is tested with Redis 7 and Valkey 8',
    remedy: 'Upgrade it. Which version runs: `{cli} INFO server`',
    verdict: 'warning',
  },
  'NOPERM info': {
    cause: 'doesn’t allow INFO, so the doctor could not check persistence and memory',
    remedy: 'Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} +info`. Or check both yourself.',
    verdict: 'warning',
  },
};

const RECORDS: Causes = {
  WRONGTYPE: {
    cause:
      'can’t be read: a key that begins with tally: is of another type, so another program writes such keys',
    remedy: 'Give Tally a database of its own: `REDIS_URL=redis://…/1`',
  },
  'unknown-key': {
    cause:
      '{count} of {total} need the key “{id}”, which isn’t in ENCRYPTION_KEYS: it was taken out too early, or another bot with keys of its own uses this Redis',
    remedy:
      'Add it after the newest one: `ENCRYPTION_KEYS={ids},{id}:…`. Give another bot a database of its own. If the key is lost, see docs/keys.md.',
  },
  renamed: {
    cause: '{count} of {total} open with the key “{other}”, which was called “{id}” when they were sealed',
    remedy: 'Give it its name again: `ENCRYPTION_KEYS={id}:…`',
  },
  swapped: {
    cause: '{count} of {total} open with the other key: the names “{id}” and “{other}” are swapped',
    remedy: 'Put each key behind its own name again: `ENCRYPTION_KEYS={id}:…,{other}:…`',
  },
  'not-authentic': {
    cause:
      '{count} of {total} don’t open: another key was used under the name “{id}”, by this bot or another one, or they are damaged or moved',
    remedy:
      'Put the earlier key back: `ENCRYPTION_KEYS=new-name:…,{id}:…`. Register or install again what still doesn’t open; `tally reseal` lists it.',
  },
  malformed: {
    cause: '{count} of {total} are damaged',
    remedy: 'Register or install them again; `tally reseal` lists them.',
  },
  layout: {
    cause:
      'were written by Tally {version}, which this one, {own}, is too old for: it reads and writes nothing',
    remedy:
      'Run Tally {version} or newer. To go back, restore a backup from before the upgrade into an empty Redis: `tally restore FILE`',
  },
};

const BOT_PAGE = 'from the app’s page, OAuth & Permissions';
const COPY_BOT_TOKEN = `Copy the Bot User OAuth Token ${BOT_PAGE}: \`SLACK_BOT_TOKEN=xoxb-…\``;
const REINSTALL =
  'Reinstall the app on its page under Install App, and copy its new token: `SLACK_BOT_TOKEN=xoxb-…`';
const SLACK_OUTAGE: Cause = {
  cause: 'fails: the error is Slack’s own',
  remedy: 'Wait, and look at https://slack-status.com. To try it: `{try}`',
};
const DENIED: Cause = {
  cause: 'rejects {variable}: the workspace or its organization doesn’t let this app in',
  remedy: 'Ask an admin of the workspace to approve the app under Manage apps.',
};

const NOT_SLACK: Cause = {
  cause: 'isn’t there: what answers at {address} is not Slack, but a proxy, a login page or another path',
  remedy: 'Let no proxy answer in its place, or correct the address: `SLACK_API_URL=https://slack.com/api/`',
};

/** Slack's error codes, and HTTP's for what answers in its place. */
const SLACK: Causes = {
  ECONNREFUSED: {
    cause: 'can’t be reached: nothing listens at {address}',
    remedy: 'Let this machine connect out, or correct SLACK_API_URL. To try it: `{try}`',
  },
  invalid_auth: {
    cause: 'rejects SLACK_BOT_TOKEN: the token is wrong, or of another Slack',
    remedy: COPY_BOT_TOKEN,
  },
  not_authed: { cause: 'got no token', remedy: COPY_BOT_TOKEN },
  token_revoked: { cause: 'rejects SLACK_BOT_TOKEN: it was revoked', remedy: REINSTALL },
  account_inactive: {
    cause: 'rejects SLACK_BOT_TOKEN: the app was removed from the workspace, or its bot deactivated',
    remedy: REINSTALL,
  },
  token_expired: {
    cause: 'rejects SLACK_BOT_TOKEN: it has expired, because the app has token rotation',
    remedy: `Use an app without token rotation, or install by OAuth; its token: \`SLACK_BOT_TOKEN=xoxb-…\``,
  },
  not_allowed_token_type: {
    cause: 'rejects SLACK_BOT_TOKEN: it is another kind of token',
    remedy: COPY_BOT_TOKEN,
  },
  missing_scope: {
    cause: 'granted too little: the bot lacks {scopes}, which `tally manifest` lists',
    remedy:
      'Add {scopes} on the app’s page under OAuth & Permissions, Bot Token Scopes. Reinstall the app there.',
  },
  surplus_scope: {
    cause: 'granted more than Tally uses: {scopes}',
    remedy:
      'Remove {scopes} on the app’s page under OAuth & Permissions, Bot Token Scopes. Reinstall the app there.',
    verdict: 'warning',
  },
  'x-oauth-scopes': {
    cause: 'doesn’t say which scopes the bot has',
    remedy: 'Compare them with `tally manifest`: {scopes}.',
    verdict: 'warning',
  },
  ratelimited: {
    cause: 'limits how often this app asks',
    remedy: 'Wait a minute, then run the doctor again: `tally doctor`',
  },
  ekm_access_denied: {
    cause: 'rejects SLACK_BOT_TOKEN: the organization has withheld its encryption keys',
    remedy: 'Ask an admin of the organization to restore access under Enterprise Key Management.',
  },
  access_denied: DENIED,
  accesslimited: DENIED,
  enterprise_is_restricted: DENIED,
  org_login_required: DENIED,
  team_access_not_granted: DENIED,
  no_permission: DENIED,
  fatal_error: SLACK_OUTAGE,
  internal_error: SLACK_OUTAGE,
  service_unavailable: SLACK_OUTAGE,
  team_added_to_org: {
    cause: 'is moving the workspace into an organization',
    remedy: 'Wait until that is done, then run the doctor again: `tally doctor`',
  },
  'HTTP 500': SLACK_OUTAGE,
  'HTTP 502': SLACK_OUTAGE,
  'HTTP 503': SLACK_OUTAGE,
  'HTTP 504': SLACK_OUTAGE,
  redirect: {
    cause: 'isn’t there: {address} redirects to {target}',
    remedy:
      'Let no proxy answer in its place, or correct the address: `SLACK_API_URL=https://slack.com/api/`',
  },
  'not JSON': NOT_SLACK,
  'HTTP 403': NOT_SLACK,
  'HTTP 404': NOT_SLACK,
  'HTTP 405': NOT_SLACK,
  'HTTP 407': NOT_SLACK,
  invalid_client_id: {
    cause: 'doesn’t know SLACK_CLIENT_ID',
    remedy: 'Copy the Client ID from the app’s page under Basic Information: `SLACK_CLIENT_ID=…`',
  },
  bad_client_secret: {
    cause: 'rejects SLACK_CLIENT_SECRET: it is not the one of that SLACK_CLIENT_ID',
    remedy: 'Copy the Client Secret from the app’s page under Basic Information: `SLACK_CLIENT_SECRET=…`',
  },
};

const APP_TOKEN_LINE = 'Make one on the app’s page under Basic Information, App-Level Tokens';
const NEW_APP_TOKEN = `${APP_TOKEN_LINE}, with the scope connections:write: \`SLACK_APP_TOKEN=xapp-…\``;

/** Socket Mode: only where it differs. */
const APP_TOKEN: Causes = {
  invalid_auth: { cause: 'rejects SLACK_APP_TOKEN: the token is wrong', remedy: NEW_APP_TOKEN },
  token_revoked: { cause: 'rejects SLACK_APP_TOKEN: it was revoked', remedy: NEW_APP_TOKEN },
  account_inactive: { cause: 'rejects SLACK_APP_TOKEN: it was revoked', remedy: NEW_APP_TOKEN },
  not_allowed_token_type: {
    cause: 'rejects SLACK_APP_TOKEN: it is another kind of token',
    remedy: NEW_APP_TOKEN,
  },
  missing_scope: {
    cause: 'rejects SLACK_APP_TOKEN: it lacks the scope connections:write',
    remedy: NEW_APP_TOKEN,
  },
  app_id: {
    cause:
      'has two apps for these tokens: SLACK_APP_TOKEN is of {ofAppToken}, SLACK_BOT_TOKEN of {ofBotToken}, so no command arrives',
    remedy:
      'Take both from one app’s page, https://api.slack.com/apps/{ofBotToken}: `SLACK_APP_TOKEN=xapp-…` is under Basic Information, App-Level Tokens.',
  },
};

const CLOCK: Causes = {
  date: {
    cause: 'is {seconds} s {side} Slack’s; beyond {limit} s, Tally refuses every request’s signature',
    remedy: 'Set it by NTP: `timedatectl set-ntp true`',
  },
};

const CONFIGURATION: Causes = {
  'signing secret': {
    cause: 'SLACK_SIGNING_SECRET has {length} characters, and a signing secret has 32 hexadecimal digits',
    remedy:
      'Copy the Signing Secret from the app’s page under Basic Information: `SLACK_SIGNING_SECRET=…`. It is not the Client Secret.',
  },
  'client secret': {
    cause: 'SLACK_SIGNING_SECRET is the same as SLACK_CLIENT_SECRET',
    remedy:
      'Copy the Signing Secret from the app’s page under Basic Information: `SLACK_SIGNING_SECRET=…`. It is not the Client Secret.',
  },
  'any certificate': {
    cause:
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets Node trust any certificate: others can read tokens on the way',
    remedy: 'Remove it, and trust your authority instead: `NODE_EXTRA_CA_CERTS=/path/ca.pem`',
    verdict: 'warning',
  },
  proxy: {
    cause: '{variable} is set, and Tally goes through no proxy: it connects to Slack and the services itself',
    remedy:
      'Let this machine connect out directly. If it can already, take the variable out of Tally’s environment: `unset {variable}`',
    verdict: 'warning',
  },
  'similar name': {
    cause: '{other} is set, which Tally doesn’t read, and {meant} isn’t',
    remedy: 'If it is meant for Tally, rename it: `{meant}=…`',
    verdict: 'warning',
  },
  'open files': {
    cause: 'this process may open {limit} files at a time, and with many requests Tally needs {needed}',
    remedy: MORE_FILES,
    verdict: 'warning',
  },
  authorities: {
    cause: 'NODE_EXTRA_CA_CERTS names a file that can’t be read or has no certificate, so Node ignores it',
    remedy:
      'Name a file in PEM that this user may read: `NODE_EXTRA_CA_CERTS=/path/ca.pem`. In a container, mount it.',
  },
};

const PORT: Causes = {
  EADDRINUSE: {
    cause: '{port} is taken by another program',
    remedy:
      "Stop that program, or use another port: `PORT={nextPort}`. To find it: `ss -ltnp 'sport = :{port}'`",
  },
  EACCES: {
    cause: '{port} needs rights that this user doesn’t have',
    remedy: 'Set one from 1024: `PORT=3000`',
  },
};

const NO_WAY: Cause = {
  cause: 'can’t be reached from here, at {address}; Slack may reach it another way',
  remedy: 'If it should be reachable from this machine, try it: `{try}`',
  verdict: 'warning',
};
const NO_BOT: Cause = {
  cause: 'has a proxy that reaches no bot',
  remedy: 'Start Tally, or let the proxy lead to its PORT: `curl -sS http://127.0.0.1:{port}/healthz`',
  verdict: 'warning',
};
const OTHER_SERVER: Cause = {
  cause: 'leads to something other than Tally: it doesn’t serve /slack/events',
  remedy: 'Let the proxy at {address} hand /slack/ on to this bot’s PORT, {port}. To try it: `{try}`',
};

/** Of a collector: Tally runs without it. */
const TRACES: Causes = {
  path: {
    cause: 'has an address that ends with /v1/traces, which Tally adds itself',
    remedy: 'Write the base address: `OTEL_EXPORTER_OTLP_ENDPOINT={base}`',
  },
};

const PUBLIC_ADDRESS: Causes = {
  http: {
    cause: 'doesn’t begin with https, and Slack takes no other',
    remedy: 'Put a proxy with TLS in front of Tally: `PUBLIC_URL={asHttps}`',
  },
  ECONNREFUSED: NO_WAY,
  ETIMEDOUT: NO_WAY,
  timeout: NO_WAY,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  'HTTP 502': NO_BOT,
  'HTTP 503': NO_BOT,
  'HTTP 504': NO_BOT,
  'HTTP 200': OTHER_SERVER,
  'HTTP 401': OTHER_SERVER,
  'HTTP 403': OTHER_SERVER,
  'HTTP 404': OTHER_SERVER,
  'HTTP 405': OTHER_SERVER,
  path: {
    cause: 'has a path, and what answers there is not Tally',
    remedy:
      'Tally adds /slack/… itself: `PUBLIC_URL={withoutPath}`. If the path is meant, let the proxy remove it.',
  },
  redirect: {
    cause: 'redirects to {target}, and Slack doesn’t follow',
    remedy: 'Name the address itself, or let the proxy hand /slack/ on: `PUBLIC_URL={target}`',
  },
};

/** Of billing and identity. */
const SERVICE: Causes = {
  version: {
    cause: 'has an address that doesn’t end with /v3',
    remedy: 'Write it with the version: `{variable}={suggestion}`',
  },
  'HTTP 404': {
    cause: 'isn’t there: {address} has no {service} service',
    remedy: '{works} `{variable}={example}`',
  },
  'HTTP 300': {
    cause: 'isn’t there: {address} lists its versions, and v3 is not at this path, or it has only older ones',
    remedy: '{works} `{variable}={example}`. To see the list: `{try}`',
  },
  'HTTP 403': {
    cause: 'answers with a page and HTTP 403, as a firewall does',
    remedy: 'If it is not the service’s own answer, allow this machine there. To try it: `{try}`',
    verdict: 'warning',
  },
  'not JSON': {
    cause: 'isn’t there: what answers at {address} is not JSON but, for example, a login page',
    remedy: '{works} `{variable}={example}`',
  },
  redirect: {
    cause: 'redirects to {target}; Tally doesn’t follow, to protect the token',
    remedy: 'If that address is right: `{variable}={base}`',
  },
  'address refused': {
    cause: '{problem}',
    remedy: 'Name a public https address, or exempt this host: `TRUSTED_API_HOSTS={host}`',
  },
  'no public address': {
    cause: 'isn’t asked: {host} has no public address ({problem})',
    remedy: 'Correct {variable}, or exempt this host: `TRUSTED_API_HOSTS={host}`',
  },
  'HTTP 429': {
    cause: 'limits how often this machine asks',
    remedy: 'Wait a minute, then run the doctor again: `tally doctor`',
    verdict: 'warning',
  },
};

/** Any other status of HTTP. */
const OTHER_STATUS: Cause = {
  cause: 'answers with {code}',
  remedy: 'Look in its log, or correct {variable}. To try it: `{try}`',
  verdict: 'warning',
};
const SERVER_ERROR: Cause = {
  cause: 'fails: it answers with {code}',
  remedy: 'Look in its log, or in that of a proxy in front of it. To try it: `{try}`',
};

export const CAUSES = {
  NETWORK,
  REDIS,
  RECORDS,
  SLACK,
  APP_TOKEN,
  CLOCK,
  CONFIGURATION,
  PORT,
  TRACES,
  PUBLIC_ADDRESS,
  SERVICE,
} as const satisfies Readonly<Record<string, Causes>>;
export type Place = keyof typeof CAUSES;

/** Nothing is guessed about a code that isn't in the table. */
const UNKNOWN: Cause = {
  cause: 'fails with {code}',
  remedy: 'The doctor doesn’t know this code: look for it in the log of what answered. To try it: `{try}`',
};

const causeOf = (place: Place, code: string): Cause => {
  const find = (causes: Causes) => (Object.hasOwn(causes, code) ? causes[code] : undefined);
  const network = place === 'CONFIGURATION' || place === 'RECORDS' ? undefined : find(NETWORK);
  const shared = place === 'APP_TOKEN' ? find(SLACK) : undefined;
  const status = /^HTTP 5/.test(code) ? SERVER_ERROR : /^HTTP /.test(code) ? OTHER_STATUS : undefined;
  return find(CAUSES[place]) ?? shared ?? network ?? status ?? UNKNOWN;
};

const fill = (text: string, figures: Figures): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => figures[name] ?? '…');

/**
 * What to say about a code.
 *
 * @param check what was checked
 * @param figures what the table's `{name}` stand for
 */
export function findingOf(place: Place, check: string, code: string, figures: Figures): Finding {
  const { cause, remedy, verdict = 'bad' } = causeOf(place, code);
  const all = { code, ...figures };
  const says = fill(cause, all);
  return {
    ...{ verdict, check, code },
    // Codes that people search for; the others are the doctor's own words.
    says: says.includes(code) || !/^[A-Z]|_/.test(code) ? says : `${says} (${code})`,
    todo: fill(remedy, all),
  };
}
