import type { QueueClient } from './queue-client.ts';

/** LPOS requires 6.0.6, but BullMQ warns below 6.2. */
const oldest = [6, 2] as const;

/**
 * Why this Redis cannot store the queue, or null if it can. Uses INFO, which managed services
 * support, unlike CONFIG.
 */
export async function findQueueRedisFault(client: QueueClient): Promise<string | null> {
  const [memory, server] = await Promise.all([client.info('memory'), client.info('server')]);
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  if (policy !== 'noeviction') {
    return `it may evict the queue's keys when its memory is full (maxmemory-policy is ${policy}). Set maxmemory-policy to noeviction, or use a separate Redis for the queue.`;
  }
  const version = /^redis_version:(\S+)/m.exec(server)?.[1] ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return `its version is ${version}; the queue needs ${oldest.join('.')} or newer.`;
  }
  return null;
}
