import { bucketOf } from '../domain/bucket.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { isCluster, type RedisConnection } from './connect.ts';

/** A Cluster spreads its slots over many servers; elsewhere each further shard only costs connections. */
const CLUSTER_SHARDS = 16;

/** Among how many shards the scheduler spreads workspaces. */
export const shardCount = (redis: RedisConnection): number => (isCluster(redis) ? CLUSTER_SHARDS : 1);

/** All shards, from 0. */
export const shardsOf = (redis: RedisConnection): readonly number[] => [...Array(shardCount(redis)).keys()];

/** The shard of a workspace: the same in every process. */
export const shardOf = (redis: RedisConnection, workspace: SlackId): number =>
  bucketOf(workspace, shardCount(redis));
