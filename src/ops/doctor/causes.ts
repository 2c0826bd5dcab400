/**
 * What an error's code means at the place where it arose, and the command or line that fixes it. `{name}` is replaced by a
 * part of the setup that only the check knows. docs/doctor.md shows the same table.
 */
import type { Finding } from './finding.ts';

/** The cause completes “Redis …”. It is bad unless it says that it is a warning. */
type Cause = readonly [cause: string, remedy: string, verdict?: 'warning'];

export type Causes = Readonly<Record<string, Cause>>;

/** Gives each of these codes the same cause. */
const each = (codes: readonly string[], ...cause: Cause): Causes =>
  Object.fromEntries(codes.map((code) => [code, cause]));

/** What replaces `{name}`. */
export type Placeholders = Readonly<Record<string, string>>;

const MORE_FILES =
  'Allow more: `ulimit -n 65536` in the shell, `LimitNOFILE=65536` in a unit of systemd, `--ulimit nofile=65536` for Docker.';

/** Wherever Tally connects. */
const NETWORK: Causes = {
  ECONNREFUSED: [
    'can’t be reached: nothing listens at {address}',
    'Start it, or correct {variable}; in a container, localhost is the container itself. To try it: `{try}`',
  ],
  ENOTFOUND: [
    'can’t be reached: the host name {host} is unknown',
    'Correct the host in {variable}, or its DNS record. To look it up: `getent hosts {host}`',
  ],
  EAI_AGAIN: [
    'can’t be reached: the name server doesn’t answer for {host}',
    'Fix this machine’s DNS. To look it up: `getent hosts {host}`',
  ],
  ETIMEDOUT: [
    'can’t be reached: nothing answers at {address}, as when a firewall drops packets',
    'Allow this machine to connect to {address}. To try it: `{try}`',
  ],
  timeout: [
    'takes the connection and doesn’t answer, at {address}',
    'It hangs, is overloaded, or is something else. To try it: `{try}`',
  ],
  ...each(
    ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'],
    'can’t be reached: this machine has no route to {host}',
    'Connect the networks, or correct {variable}. One side may have only IPv6 and the other only IPv4: `getent ahosts {host}`, `ip -brief address`',
  ),
  EMFILE: ['can’t be asked: this process may not open any more files', MORE_FILES],
  ...each(
    ['ECONNRESET', 'EPIPE', 'closed'],
    'closes the connection at once, at {address}',
    'Correct {variable}, also its http or https, or look in the log there. To try it: `{try}`',
  ),
  'HTTP 407': [
    'can’t be reached: a proxy answers at {address}, and asks for a password',
    'Tally goes through no proxy: let this machine connect directly, or correct {variable}. To try it: `{try}`',
  ],
  'not HTTP': [
    'isn’t HTTP: what answers at {address} is another program',
    'Correct the port in {variable}. To try it: `{try}`',
  ],
  ...each(
    ['HTTP 2xx', 'HTTP 3xx', 'HTTP 4xx'],
    'answers with {code}',
    'Look in its log, or correct {variable}. To try it: `{try}`',
    'warning',
  ),
  'HTTP 5xx': [
    'fails: it answers with {code}',
    'Look in its log, or in that of a proxy in front of it. To try it: `{try}`',
  ],
  TLS: ['accepts only https at {address}, and {variable} has http', 'Write https: `{variable}={asHttps}`'],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    'asks for a client’s certificate, and Tally has none',
    'Let this machine in without one. What it asks for: `openssl s_client -connect {address} </dev/null`',
  ],
  ...each(
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    'presents a certificate of an authority that Node doesn’t trust',
    'Set NODE_EXTRA_CA_CERTS to a file with the authority’s certificate: `NODE_EXTRA_CA_CERTS=/path/ca.pem`. Or it doesn’t send the one between. What it sends: `openssl s_client -connect {address} </dev/null`',
  ),
  INVALID_PURPOSE: [
    'presents a certificate that is not for servers',
    'Make one whose extended key usage has serverAuth. What it has: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -purpose`',
  ],
  // OpenSSL's names for these are lost in Node.
  UNSPECIFIED: [
    'presents a certificate that Node refuses, most often one signed with SHA-1 or with a short key',
    'Make one with SHA-256 and 2048 bits, and its authority’s too. What it has: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -text`',
  ],
  CERT_HAS_EXPIRED: [
    'presents a certificate that has expired by this machine’s clock',
    'Renew it, or correct the clock. Its dates: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -dates`',
  ],
  CERT_NOT_YET_VALID: [
    'presents a certificate that isn’t valid yet by this machine’s clock',
    'Correct the clock: `timedatectl set-ntp true`',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'presents a certificate for another name than {host}',
    'Use a name of the certificate in {variable}; the nodes of a Cluster and Sentinels have to announce it. Its names: `openssl s_client -connect {address} </dev/null | openssl x509 -noout -ext subjectAltName`',
  ],
  ...each(
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    ],
    'has no version of TLS, or no cipher, that Node accepts: it needs TLS 1.2 or 1.3',
    'Turn TLS 1.2 on there. To see what it offers: `openssl s_client -connect {address} -tls1_2`',
  ),
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'doesn’t use TLS at {address}',
    'Correct the port or the scheme in {variable}. To try it: `{try}`',
  ],
};

const WRONG_PEER = 'Correct the host and the port in {variable}: `REDIS_URL={example}`';
/** CONFIG SET lasts until Redis restarts. */
const STAYS = 'Put it into its configuration, too.';

const FREE_SPACE =
  'Free space, on its machine: `df -h {folder}`. Its log says why; `{cli} BGSAVE` tries again.';
const MORE_CLIENTS = `Allow more, or end some: \`{cli} CONFIG SET maxclients 10000\`. ${STAYS}`;
const APPEND = `Turn on its append-only file: \`{cli} CONFIG SET appendonly yes\`. ${STAYS}`;

/** Codes without an error are the names of the setting, or of the field of INFO, that shows the cause. */
const REDIS: Causes = {
  ENOENT: [
    'can’t be reached: there is no socket at {host}',
    'Start Redis, or correct the path: `REDIS_URL=unix:///path/redis.sock`',
  ],
  EACCES: [
    'can’t be reached: this user may not open the socket {host}',
    'Put `unixsocketperm 770` into its configuration, restart it, and add the user to the socket’s group.',
  ],
  HTTP: ['isn’t there: an HTTP server answers at {address}', WRONG_PEER],
  'protocol error': ['isn’t there: what answers at {address} is not Redis', WRONG_PEER],
  plain: [
    'doesn’t use TLS at {address}, and REDIS_URL asks for TLS',
    'Use its port with TLS, or go without: `REDIS_URL={asPlain}`',
  ],
  TLS: ['accepts only TLS at {address}, and REDIS_URL has none', 'Ask for TLS: `REDIS_URL={asTls}`'],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    'asks for a client’s certificate, and Tally has none: it has a user with a password',
    `Turn that off: \`{cli} CONFIG SET tls-auth-clients no\`. ${STAYS}`,
  ],
  NOAUTH: ['needs a password, and REDIS_URL has none', 'Put it before the host: `REDIS_URL={withPassword}`'],
  WRONGPASS: [
    'rejects the user or the password in REDIS_URL',
    'Correct them; write / @ : % as %2F %40 %3A %25. The user may also be off. To try them: `{cli} --user {user} --askpass ping`',
  ],
  'WRONGPASS user': [
    'rejects the user in REDIS_URL, which has no password',
    'If it is the password, put a colon before it: `REDIS_URL={withOnlyPassword}`',
  ],
  'NOAUTH Sentinel': [
    'has Sentinels that reject their own password in REDIS_URL, or need one',
    'Put it at the end: `REDIS_URL={withSentinelPassword}`, with `&sentinelUsername=…` if they have users.',
  ],
  NOPERM: [
    'has a user that may not run {commands}',
    'Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} {rules}`',
  ],
  'NOPERM keys': [
    'has a user that may not touch Tally’s keys',
    "Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} '~tally:*' '~{tally-*}:*'`",
  ],
  'unknown command': [
    'doesn’t have {commands}, which Tally needs: they were renamed, or a proxy or service lacks them',
    'Remove `rename-command` from its configuration, or use a Redis that has them. To try it: `{cli} {command}`',
  ],
  DENIED: [
    'is in protected mode: without a password it answers its own machine only',
    "Give it a user with a password, docs/redis.md has the rights: `{cli} ACL SETUSER tally on '>password' …`",
  ],
  'ERR DB index is out of range': [
    'has no database {database}',
    'Use a database that exists: `REDIS_URL={asDatabase0}`',
  ],
  keyspace: [
    'may be set to the wrong database: database {database} is empty, and database {other} has {keys} keys',
    'If Tally’s records are there: `REDIS_URL={asOther}`',
    'warning',
  ],
  'ERR This instance has cluster support disabled': [
    'is one server, not a Cluster',
    'Name one server: `REDIS_URL={asSingle}`',
  ],
  'redis_mode:cluster': [
    'is a node of a Cluster, and REDIS_URL is for one server',
    'Name the Cluster: `REDIS_URL={asCluster}`',
  ],
  'redis_mode:sentinel': [
    'is a Sentinel, and REDIS_URL is for a server',
    'Name the master that it watches: `REDIS_URL={asSentinel}`',
  ],
  'ERR unknown command': ['is a server, not a Sentinel', 'Name the server itself: `REDIS_URL={asSingle}`'],
  'unknown master': [
    'has Sentinels that don’t know a master “{master}”',
    'Write the name that they know: `REDIS_URL={asMaster}`. To see all: `{cli} SENTINEL MASTERS`',
  ],
  'announced address': [
    'can’t be reached: {address} announces {announced}, where this machine can’t connect',
    'If it is down, start it there. Else let this machine connect to it, or announce another address: `{cli} CONFIG SET {announce} …`',
  ],
  'lost host': [
    'can’t be reached at {hosts} of REDIS_URL; the others answer, and if they fail, Tally can’t start',
    'Start it there, or take it out of REDIS_URL. To try it: `{try}`',
    'warning',
  ],
  'master role': [
    'has Sentinels that name {announced} as the master, which is a replica',
    'Wait for the failover to end. To see what they know: `{cli} SENTINEL MASTER {master}`',
  ],
  latency: [
    'takes {ms} ms to answer, and each of Tally’s answers waits for it',
    'Move it nearer, or find what keeps it busy: `{cli} SLOWLOG GET 10`, `{cli} --latency`',
    'warning',
  ],
  CLUSTERDOWN: [
    'is a Cluster without some of its slots: a master is lost, or they were never assigned',
    'Start the lost master, or assign them: `redis-cli --cluster fix {address}`',
  ],
  OOM: [
    'is full, and refuses every change',
    `Give it more memory, or remove what isn’t Tally’s: \`{cli} CONFIG SET maxmemory {moreMemory}\`. ${STAYS}`,
  ],
  ...each(
    ['READONLY', 'MASTERDOWN'],
    'is a replica, which refuses every change',
    'Set the address of the master: `REDIS_URL={asPrimary}`',
  ),
  'replica-read-only': [
    'is a replica that takes changes, and forgets them when it copies its master again',
    'Set the address of the master: `REDIS_URL={asPrimary}`',
  ],
  pause: [
    'answers questions and holds changes back, as in a failover or by `CLIENT PAUSE`',
    'Wait for the failover to end. If nobody started one: `{cli} CLIENT UNPAUSE`',
  ],
  NOREPLICAS: [
    'has too few replicas for `min-replicas-to-write`, and refuses every change',
    'Bring the replicas back. To see which are connected: `{cli} INFO replication`',
  ],
  MISCONF: ['can’t write to its disk, and refuses every change', FREE_SPACE],
  rdb_last_bgsave_status: ['could not write its last snapshot', FREE_SPACE, 'warning'],
  ...each(
    ['ERR max number of clients reached', 'ERR max number of clients + cluster connections reached'],
    'has as many connections as it allows',
    MORE_CLIENTS,
  ),
  refused: [
    'refuses every command: “{text}”',
    'Look for that in the log of what answers at {address}, Redis, a proxy or a firewall. To try it: `{try}`',
  ],
  maxclients: [
    'has {clients} connections of {most} that it allows, and each process of Tally opens three',
    MORE_CLIENTS,
    'warning',
  ],
  'idle timeout': [
    'ends a connection that was idle for {seconds} s, and a command that comes at that moment fails',
    `Let it keep them: \`{cli} CONFIG SET timeout 0\`. ${STAYS}`,
    'warning',
  ],
  ...each(
    ['closed', 'ECONNRESET'],
    'closes the connection at once, at {address}; with TLS, also when it has as many as it allows',
    'Correct REDIS_URL, or look in its log; on its machine, `redis-cli INFO clients` shows whether it has too many connections.',
  ),
  LOADING: [
    'is still loading its data',
    'Wait until it is done. To see how far it is: `{cli} INFO persistence`',
  ],
  BUSY: ['runs a script that doesn’t end', 'End it: `{cli} SCRIPT KILL`'],
  'maxmemory-policy': [
    'has the eviction policy {policy}, which deletes records, tokens among them, to free memory',
    `Let it delete nothing: \`{cli} CONFIG SET maxmemory-policy noeviction\`. ${STAYS}`,
    'warning',
  ],
  maxmemory: [
    'uses {share} % of its {limit} MiB; when it is full, it refuses every change',
    `Give it more memory: \`{cli} CONFIG SET maxmemory {moreMemory}\`. ${STAYS}`,
    'warning',
  ],
  appendonly: ['keeps nothing on disk: when it stops, every token and schedule is lost', APPEND, 'warning'],
  save: [
    'writes snapshots only: a crash loses what came after the last one, and posts may come twice',
    APPEND,
    'warning',
  ],
  aof_enabled: [
    'has no append-only file; the doctor could not check whether it writes snapshots',
    APPEND,
    'warning',
  ],
  appendfsync: [
    'leaves it to the system when changes reach the disk: a crash of the machine loses half a minute',
    `Let it write every second: \`{cli} CONFIG SET appendfsync everysec\`. ${STAYS}`,
    'warning',
  ],
  redis_version: [
    'is version {version}; Tally is tested with Redis 7 and Valkey 8',
    'Upgrade it. Which version runs: `{cli} INFO server`',
    'warning',
  ],
  'redis_version 4': [
    'is older than version 5, and lacks commands that Tally needs',
    'Upgrade it to Redis 7 or Valkey 8. Which version runs: `{cli} INFO server`',
  ],
  'NOPERM info': [
    'doesn’t allow INFO, so the doctor could not check persistence and memory',
    'Allow it, as an admin of Redis: `{cli} ACL SETUSER {user} +info`. Or check both yourself.',
    'warning',
  ],
};

const RECORDS: Causes = {
  'wrong type': [
    'can’t be read in {keys}: another program has written there',
    'Stop that program or give Tally a database of its own. Then restore a backup: `tally restore --replace FILE`. Without one, look at what is there, and delete it: `redis-cli DEL {key}`',
  ],
  WRONGTYPE: [
    'can’t be read: a key that begins with tally: is of another type, so another program writes such keys',
    'Give Tally a database of its own: `REDIS_URL=redis://…/1`',
  ],
  'unknown-key': [
    '{count} of {total} need the key “{id}”, which isn’t in ENCRYPTION_KEYS: it was taken out too early, or another bot with keys of its own uses this Redis',
    'Add it after the newest one: `ENCRYPTION_KEYS={ids},{id}:…`. Give another bot a database of its own. If the key is lost, see docs/keys.md.',
  ],
  renamed: [
    '{count} of {total} open with the key “{other}”, which was called “{id}” when they were sealed',
    'Give it its name again: `ENCRYPTION_KEYS={id}:…`',
  ],
  swapped: [
    '{count} of {total} open with the other key: the names “{id}” and “{other}” are swapped',
    'Put each key behind its own name again: `ENCRYPTION_KEYS={id}:…,{other}:…`',
  ],
  'not-authentic': [
    '{count} of {total} don’t open: another key was used under the name “{id}”, by this bot or another one, or they are damaged or moved',
    'Put the earlier key back: `ENCRYPTION_KEYS=new-name:…,{id}:…`. Register or install again what still doesn’t open; `tally reseal` lists it.',
  ],
  unreadable: [
    '{records} can’t be read',
    'In Slack, a Tally manager there saves the settings, or presses Remove… in the list of projects, schedules or watches. Or restore a backup: `tally restore FILE`',
  ],
  malformed: ['{count} of {total} are damaged', 'Register or install them again; `tally reseal` lists them.'],
  layout: [
    'are of another version of Tally: this one reads and writes nothing',
    'Start that version, or give this one a database of its own: `REDIS_URL=…`',
  ],
};

/** What `tally restore` says otherwise than the doctor: no other bot has written into the file. */
const BACKUP: Causes = {
  'unknown-key': [
    '{count} of {total} need the key “{id}”, which isn’t in ENCRYPTION_KEYS',
    'Add the key that had this name when the backup was taken: `ENCRYPTION_KEYS={ids},{id}:…`',
  ],
  'not-authentic': [
    '{count} of {total} don’t open: another key was called “{id}” when the backup was taken',
    'Put that key behind this name: `ENCRYPTION_KEYS={id}:…`',
  ],
};

const BOT_PAGE = 'from the app’s page, OAuth & Permissions';
const COPY_BOT_TOKEN = `Copy the Bot User OAuth Token ${BOT_PAGE}: \`SLACK_BOT_TOKEN=xoxb-…\``;
const REINSTALL =
  'Reinstall the app on its page under Install App, and copy its new token: `SLACK_BOT_TOKEN=xoxb-…`';
const NOT_SLACK =
  'Let no proxy answer in its place, or correct the address: `SLACK_API_URL=https://slack.com/api/`';
/** Slack's error codes, and HTTP's for what answers in its place. */
const SLACK: Causes = {
  ECONNREFUSED: [
    'can’t be reached: nothing listens at {address}',
    'Let this machine connect out, or correct SLACK_API_URL. To try it: `{try}`',
  ],
  invalid_auth: ['rejects SLACK_BOT_TOKEN: the token is wrong, or of another Slack', COPY_BOT_TOKEN],
  token_revoked: ['rejects SLACK_BOT_TOKEN: it was revoked', REINSTALL],
  account_inactive: [
    'rejects SLACK_BOT_TOKEN: the app was removed from the workspace, or its bot deactivated',
    REINSTALL,
  ],
  token_expired: [
    'rejects SLACK_BOT_TOKEN: it has expired, because the app has token rotation',
    `Use an app without token rotation, or install by OAuth; its token: \`SLACK_BOT_TOKEN=xoxb-…\``,
  ],
  not_authed: [
    'got no token: what is between removes the header Authorization',
    'Let this machine connect to Slack directly, or that proxy pass the header. To try it: `{try}`',
  ],
  ...each(
    [
      'invalid_arguments',
      'invalid_arg_name',
      'invalid_charset',
      'invalid_form_data',
      'invalid_post_type',
      'missing_post_type',
      'request_timeout',
    ],
    'can’t read what arrives: what is between changes or cuts the request',
    'Let this machine connect to Slack directly. To try it: `{try}`',
  ),
  ...each(
    ['deprecated_endpoint', 'method_deprecated'],
    'no longer has what this version of Tally asks for',
    'Upgrade Tally, see docs/upgrade.md. Which version runs: `tally --version`',
  ),
  not_allowed_token_type: ['rejects SLACK_BOT_TOKEN: it is another kind of token', COPY_BOT_TOKEN],
  missing_scope: [
    'granted too little: the bot lacks {scopes}, which `tally manifest` lists',
    'Add {scopes} on the app’s page under OAuth & Permissions, Bot Token Scopes. Reinstall the app there.',
  ],
  surplus_scope: [
    'granted more than Tally uses: {scopes}',
    'Remove {scopes} on the app’s page under OAuth & Permissions, Bot Token Scopes. Reinstall the app there.',
    'warning',
  ],
  team_id: [
    'says that SLACK_BOT_TOKEN is for “{team}” ({id}), and Redis has records of {others}, where this token can’t post',
    'Set the token of that workspace, or give this one a Redis of its own: `REDIS_URL=…`. One Tally for many workspaces is installed by OAuth.',
    'warning',
  ],
  'x-oauth-scopes': [
    'doesn’t say which scopes the bot has',
    'Compare them with `tally manifest`: {scopes}.',
    'warning',
  ],
  ...each(
    ['ratelimited', 'HTTP 429'],
    'limits how often this app asks',
    'Wait a minute, then run the doctor again: `tally doctor`',
  ),
  ekm_access_denied: [
    'rejects SLACK_BOT_TOKEN: the organization has withheld its encryption keys',
    'Ask an admin of the organization to restore access under Enterprise Key Management.',
  ],
  ...each(
    [
      'access_denied',
      'accesslimited',
      'enterprise_is_restricted',
      'org_login_required',
      'team_access_not_granted',
      'no_permission',
      'two_factor_setup_required',
      'user_removed_from_team',
    ],
    'rejects the token: the workspace or its organization doesn’t let this app in',
    'Ask an admin of the workspace to approve the app under Manage apps.',
  ),
  ...each(
    ['fatal_error', 'internal_error', 'service_unavailable', 'HTTP 500', 'HTTP 502', 'HTTP 503', 'HTTP 504'],
    'fails: the error is Slack’s own',
    'Wait, and look at https://slack-status.com. To try it: `{try}`',
  ),
  team_added_to_org: [
    'is moving the workspace into an organization',
    'Wait until that is done, then run the doctor again: `tally doctor`',
  ],
  redirect: ['isn’t there: {address} redirects to {target}', NOT_SLACK],
  ...each(
    ['not JSON', 'unknown_method', 'HTTP 4xx', 'HTTP 511'],
    'isn’t there: what answers at {address} is not Slack, but a proxy, a login page or another path',
    NOT_SLACK,
  ),
  invalid_client_id: [
    'doesn’t know SLACK_CLIENT_ID',
    'Copy the Client ID from the app’s page under Basic Information: `SLACK_CLIENT_ID=…`',
  ],
  bad_client_secret: [
    'rejects SLACK_CLIENT_SECRET: it is not the one of that SLACK_CLIENT_ID',
    'Copy the Client Secret from the app’s page under Basic Information: `SLACK_CLIENT_SECRET=…`',
  ],
};

const APP_TOKEN_LINE = 'Make one on the app’s page under Basic Information, App-Level Tokens';
const NEW_APP_TOKEN = `${APP_TOKEN_LINE}, with the scope connections:write: \`SLACK_APP_TOKEN=xapp-…\``;

/** Socket Mode: only where it differs. */
const APP_TOKEN: Causes = {
  invalid_auth: ['rejects SLACK_APP_TOKEN: the token is wrong', NEW_APP_TOKEN],
  ...each(['token_revoked', 'account_inactive'], 'rejects SLACK_APP_TOKEN: it was revoked', NEW_APP_TOKEN),
  not_allowed_token_type: ['rejects SLACK_APP_TOKEN: it is another kind of token', NEW_APP_TOKEN],
  missing_scope: ['rejects SLACK_APP_TOKEN: it lacks the scope connections:write', NEW_APP_TOKEN],
  app_id: [
    'has two apps for these tokens: SLACK_APP_TOKEN is of {ofAppToken}, SLACK_BOT_TOKEN of {ofBotToken}, so no command arrives',
    'Take both from one app’s page, https://api.slack.com/apps/{ofBotToken}: `SLACK_APP_TOKEN=xapp-…` is under Basic Information, App-Level Tokens.',
  ],
};

const CLOCK: Causes = {
  date: [
    'is {seconds} s {side} Slack’s; beyond {limit} s, Tally refuses every request’s signature',
    'Set it by NTP: `timedatectl set-ntp true`',
  ],
};

const COPY_SIGNING_SECRET =
  'Copy the Signing Secret from the app’s page under Basic Information: `SLACK_SIGNING_SECRET=…`. It is not the Client Secret.';

const CONFIGURATION: Causes = {
  'signing secret': [
    'SLACK_SIGNING_SECRET has {length} characters, and a signing secret has 32, each of 0 to 9 or a to f',
    COPY_SIGNING_SECRET,
  ],
  'client secret': ['SLACK_SIGNING_SECRET is the same as SLACK_CLIENT_SECRET', COPY_SIGNING_SECRET],
  'state secret': [
    'SLACK_STATE_SECRET has {length} characters, which can be guessed',
    'Make a long one with `openssl rand -hex 32`, and give it to each process: `SLACK_STATE_SECRET=…`',
    'warning',
  ],
  'any certificate': [
    'NODE_TLS_REJECT_UNAUTHORIZED=0 lets Node trust any certificate: others can read tokens on the way',
    'Remove it, and trust your authority instead: `NODE_EXTRA_CA_CERTS=/path/ca.pem`',
    'warning',
  ],
  proxy: [
    '{variable} is set, and Tally goes through no proxy: it connects to Slack and the services itself',
    'Let this machine connect out directly. If it can already, take the variable out of Tally’s environment: `unset {variable}`',
    'warning',
  ],
  'similar name': [
    '{other} is set, which Tally doesn’t read, and {meant} isn’t',
    'If it is meant for Tally, rename it: `{meant}=…`',
    'warning',
  ],
  'redis option': [
    'REDIS_URL has {options} after the ?, which Tally ignores',
    'Remove it. Known are {known}; TLS is in the scheme: `REDIS_URL=rediss://redis.example.com:6379`',
    'warning',
  ],
  'same key': [
    'ENCRYPTION_KEYS has one key under the names “{id}” and “{older}”, so the newer name protects nothing more',
    'Make a new key with `openssl rand -base64 32`, put it first, and run `tally reseal`: `ENCRYPTION_KEYS=new-name:…,{older}:…`',
    'warning',
  ],
  'guessable key': [
    'ENCRYPTION_KEYS has the key “{id}”, which is one byte again and again and can be guessed',
    'Make a new key with `openssl rand -base64 32`, put it first, and run `tally reseal`: `ENCRYPTION_KEYS=new-name:…,{id}:…`',
    'warning',
  ],
  'container memory': [
    'this process may take {needed} MiB, and its container has {limit} MiB, so the system may end it',
    'Give it more: `--memory 384m` for Docker, `limits.memory: 384Mi` on Kubernetes. If NODE_OPTIONS has `--max-old-space-size`, take it out: Node goes by the container.',
    'warning',
  ],
  memory: [
    'Node lets this process have a heap of {heap} MiB, and Tally needs 96',
    'Give the container 192 MiB or more: `--memory 384m` for Docker, `limits.memory: 384Mi` on Kubernetes. Or take `--max-old-space-size` out of NODE_OPTIONS.',
    'warning',
  ],
  'open files': [
    'this process may open {limit} files at a time, and with many requests Tally needs {needed}',
    MORE_FILES,
    'warning',
  ],
  'event loop': [
    'kept the doctor waiting for up to {ms} ms, so what it calls slow or silent below may be well',
    'Run it again when the machine has less to do: `uptime`, `top`',
    'warning',
  ],
  authorities: [
    'NODE_EXTRA_CA_CERTS names a file that can’t be read or has no certificate, so Node ignores it',
    'Name a file in PEM that this user may read: `NODE_EXTRA_CA_CERTS=/path/ca.pem`. In a container, mount it.',
  ],
};

const PORT: Causes = {
  EADDRINUSE: [
    '{port} is taken, by another program or by a Tally that doesn’t answer',
    "Stop it, or use another port: `PORT={nextPort}`. To find it: `ss -ltnp 'sport = :{port}'`",
  ],
  readyz: [
    '{port} has a bot that isn’t ready: {lacking}',
    'Its log says why. To see what it lacks: `curl -s http://127.0.0.1:{port}/readyz`',
    'warning',
  ],
  EACCES: ['{port} needs rights that this user doesn’t have', 'Set one from 1024: `PORT=3000`'],
};

const PUBLIC_ADDRESS: Causes = {
  http: [
    'doesn’t begin with https, and Slack takes no other',
    'Put a proxy with TLS in front of Tally: `PUBLIC_URL={asHttps}`',
  ],
  ...each(
    ['ECONNREFUSED', 'ETIMEDOUT', 'timeout', 'EHOSTUNREACH', 'ENETUNREACH'],
    'can’t be reached from here, at {address}; Slack may reach it another way',
    'If it should be reachable from this machine, try it: `{try}`',
    'warning',
  ),
  ...each(
    ['HTTP 502', 'HTTP 503', 'HTTP 504'],
    'has a proxy that reaches no bot',
    'Start Tally, or let the proxy lead to its PORT: `curl -sS http://127.0.0.1:{port}/healthz`',
    'warning',
  ),
  'HTTP 401': [
    'asks for a login, which Slack doesn’t have',
    'Let the proxy at {address} hand /slack/ on without one: Tally checks Slack’s signature. To try it: `{try}`',
  ],
  'HTTP 413': [
    'has a proxy that refuses long requests, which Slack sends for forms',
    'Let it take 1 MiB, in nginx: `client_max_body_size 1m;`',
  ],
  ...each(
    ['HTTP 2xx', 'HTTP 4xx'],
    'leads to something other than Tally: it doesn’t serve /slack/events',
    'Let the proxy at {address} hand /slack/ on to this bot’s PORT, {port}. To try it: `{try}`',
  ),
  'local address': [
    'is {host}, which only this machine or its network can reach, and Slack can’t',
    'Name the address that the internet knows, or use Socket Mode: `PUBLIC_URL=https://tally.example.com`, or `SLACK_APP_TOKEN=xapp-…`',
  ],
  signature: [
    'leads to a Tally that doesn’t accept what is signed with SLACK_SIGNING_SECRET (HTTP {status})',
    'Let the proxy pass bodies and headers as they are. The log of the Tally there has the `reason`: `unsigned` is a header that was removed, `wrong-signature` a changed body or another secret, `outdated` a clock.',
  ],
  path: [
    'has a path, and what answers there is not Tally',
    'Tally adds /slack/… itself: `PUBLIC_URL={withoutPath}`. If the path is meant, let the proxy remove it.',
  ],
  redirect: [
    'redirects to {target}, and Slack doesn’t follow',
    'Name the address itself, or let the proxy hand /slack/ on: `PUBLIC_URL={target}`',
  ],
};

/** The billing and identity services. */
const SERVICE: Causes = {
  version: [
    'has an address that doesn’t end with /v3',
    'Write it with the version: `{variable}={suggestion}`',
  ],
  ...each(
    ['HTTP 404', 'HTTP 405', 'HTTP 410'],
    'isn’t there: {address} has no {service} service',
    '{works} `{variable}={example}`',
  ),
  'HTTP 400': [
    'answers with HTTP 400, as a port for https does when it is asked by http',
    'If it is one, write https: `{variable}={asHttps}`. Else look in its log. To try it: `{try}`',
    'warning',
  ],
  'HTTP 300': [
    'isn’t there: {address} lists its versions, and v3 is not at this path, or it has only older ones',
    '{works} `{variable}={example}`. To see the list: `{try}`',
  ],
  ...each(
    ['HTTP 401', 'HTTP 403'],
    'refuses with a page, as a firewall or a proxy with a login of its own does',
    'If it is not the service’s own answer, allow this machine there. To try it: `{try}`',
    'warning',
  ),
  ...each(
    ['not JSON', 'response-too-large'],
    'isn’t there: what answers at {address} is something else, for example a login page',
    '{works} `{variable}={example}`',
  ),
  redirect: [
    'redirects to {target}; Tally doesn’t follow, to protect the token',
    'If that address is right: `{variable}={base}`. If it is a login page, let the proxy there pass this machine.',
  ],
  'redirect to itself': [
    'redirects to itself: it wants https and doesn’t see that it has it, or it is a login that needs a cookie',
    'If a proxy ends TLS in front of it, let that send `X-Forwarded-Proto: https`. To see it: `{try} -D -`',
  ],
  'address refused': [
    '{problem}',
    'Name a public https address, or exempt this host: `TRUSTED_API_HOSTS={host}`',
  ],
  'no public address': [
    'isn’t asked: {host} has no public address ({problem})',
    'Correct {variable}, or exempt this host: `TRUSTED_API_HOSTS={host}`',
  ],
  'HTTP 429': [
    'limits how often this machine asks',
    'Wait a minute, then run the doctor again: `tally doctor`',
    'warning',
  ],
};

export const CAUSES = {
  NETWORK,
  REDIS,
  RECORDS,
  BACKUP,
  SLACK,
  APP_TOKEN,
  CLOCK,
  CONFIGURATION,
  PORT,
  PUBLIC_ADDRESS,
  SERVICE,
} as const satisfies Readonly<Record<string, Causes>>;
export type CheckArea = keyof typeof CAUSES;

/** Nothing is guessed about a code that isn't in the table. */
const UNKNOWN: Cause = [
  'fails with {code}',
  'The doctor doesn’t know this code: look for it in the log of what answered. To try it: `{try}`',
];

const WITHOUT_NETWORK: ReadonlySet<CheckArea> = new Set(['CONFIGURATION', 'RECORDS', 'BACKUP']);
/** Where a table has only what differs from another. */
const SHARED: Partial<Readonly<Record<CheckArea, Causes>>> = { APP_TOKEN: SLACK, BACKUP: RECORDS };

/** A status that is not in a table has the cause of its class, `HTTP 4xx`. */
const causeOf = (place: CheckArea, code: string): Cause => {
  const tables: readonly Causes[] = [
    CAUSES[place],
    SHARED[place] ?? {},
    WITHOUT_NETWORK.has(place) ? {} : NETWORK,
  ];
  const codes = [code, code.replace(/^(HTTP \d)\d\d$/, '$1xx')];
  const found = codes.flatMap((each) =>
    tables.flatMap((causes) => (Object.hasOwn(causes, each) ? [causes[each]] : [])),
  );
  return found[0] ?? UNKNOWN;
};

const fill = (text: string, figures: Placeholders): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => figures[name] ?? '…');

/**
 * What to say about a code.
 *
 * @param check what was checked
 * @param figures what the table's `{name}` stand for
 */
export function findingOf(place: CheckArea, check: string, code: string, figures: Placeholders): Finding {
  const [cause, remedy, verdict = 'bad'] = causeOf(place, code);
  const all = { code, ...figures };
  const says = fill(cause, all);
  return {
    verdict,
    check,
    code,
    // Codes that people search for; the others are the doctor's own words.
    says: says.includes(code) || !/^[A-Z]|_/.test(code) ? says : `${says} (${code})`,
    todo: fill(remedy, all),
  };
}
