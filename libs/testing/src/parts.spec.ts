import { describe, expect, it } from 'vitest';
import { checkRequired, type PartStates, requiredParts } from './parts.ts';

const states: PartStates = {
  postgres: { found: 'here' },
  redis: { missing: 'TEST_REDIS_URL is not set' },
  s3: { missing: 'TEST_S3_ENDPOINT is not set' },
  chromium: { found: 'here' },
  docker: { missing: 'no engine' },
  tensorboard: { missing: 'not installed' },
  rsync: { found: 'here' },
  rclone: { missing: 'not installed' },
  s3transfer: { missing: 'not installed' },
  tables: { missing: 'not installed' },
  trackers: { missing: 'not installed' },
  citus: { missing: 'no' },
  'plain-postgres': { found: 'here' },
  prometheus: { missing: 'not installed' },
};

describe('TEST_REQUIRE', () => {
  it('requires nothing if TEST_REQUIRE is not set', () => {
    expect(requiredParts(undefined)).toEqual([]);
    checkRequired(states, '');
  });

  it('passes if all named parts are available', () => {
    expect(requiredParts(' postgres, chromium,')).toEqual(['postgres', 'chromium']);
    checkRequired(states, 'postgres,chromium');
  });

  it('fails with every missing part and its reason', () => {
    expect(() => checkRequired(states, 'postgres,redis,s3')).toThrow(/redis: TEST_REDIS_URL is not set; s3: TEST_S3_ENDPOINT is not set/);
  });

  it('rejects an unknown part, so that a typo does not pass silently', () => {
    expect(() => checkRequired(states, 'postgers')).toThrow(/unknown part, postgers/);
  });
});
