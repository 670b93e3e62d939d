import { describe, expect, it } from 'vitest';
import { findLuaFlaw } from './lua-flaw.ts';

const redis = (version: string) => `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`;
/** For the sake of old clients, Valkey claims to be the Redis version that it was forked from. */
const valkey = (version: string) => `# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:${version}\r\n`;

describe('CVE-2025-49844', () => {
  it.each(['6.2.19', '7.0.15', '7.2.10', '7.4.5', '8.0.3', '8.2.1', '5.0.14'])('is in Redis %s', (version) => {
    expect(findLuaFlaw(redis(version))).toContain(`Redis ${version} has CVE-2025-49844`);
  });

  it.each(['6.2.20', '7.2.11', '7.4.6', '8.0.4', '8.2.2', '8.4.0', '9.0.0'])('is not in Redis %s', (version) => {
    expect(findLuaFlaw(redis(version))).toBeNull();
  });

  it.each(['7.2.10', '8.0.1', '8.1.3'])('is in Valkey %s', (version) => {
    expect(findLuaFlaw(valkey(version))).toContain(`Valkey ${version} has CVE-2025-49844`);
  });

  it.each(['7.2.11', '8.0.6', '8.1.4', '9.0.0'])('is not in Valkey %s', (version) => {
    expect(findLuaFlaw(valkey(version))).toBeNull();
  });

  it('is fixed by a release of the same branch if there is one', () => {
    expect(findLuaFlaw(redis('7.2.4'))).toContain('upgrade to 7.2.11 or newer');
    expect(findLuaFlaw(redis('7.0.15'))).toContain('upgrade to 8.2.2 or newer');
  });
});
