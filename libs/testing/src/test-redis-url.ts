import { inject } from 'vitest';
import './global-setup.ts'; // For the types of provided values.

/** Address of the Redis that all suites share. It is not empty, so use unique names. */
export function testRedisUrl(): string {
  const url = inject('redisUrl');
  if (url === null) throw new Error('This suite needs Redis: put it into describeWith(["redis"], …).');
  return url;
}
