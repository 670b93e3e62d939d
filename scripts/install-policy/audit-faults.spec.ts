import { describe, expect, it } from 'vitest';
import { type AuditReport, auditFaults } from './audit-faults.ts';

const today = '2026-11-21';
const report = (severity: string): AuditReport => ({
  vulnerabilities: {
    kysely: { via: [{ name: 'kysely', severity, title: 'says too much', url: 'https://github.com/advisories/GHSA-aaaa', range: '<1' }] },
    store: { via: ['kysely'] },
  },
});
const exception = { advisory: 'GHSA-aaaa', until: '2026-12-01', because: 'we do not call it' };

describe('the audit', () => {
  it('passes unknown packages, and vulnerabilities that are less than critical', () => {
    expect(auditFaults({ vulnerabilities: {} }, [], today)).toEqual([]);
    expect(auditFaults(report('high'), [], today)).toEqual([]);
  });

  it('fails on a critical vulnerability, once, even if other packages depend on it', () => {
    expect(auditFaults(report('critical'), [], today)).toEqual(['GHSA-aaaa: kysely <1: says too much']);
  });

  it('accepts a vulnerability until the last day of its exception', () => {
    expect(auditFaults(report('critical'), [exception], today)).toEqual([]);
    expect(auditFaults(report('critical'), [exception], '2026-12-01')).toEqual([]);
    expect(auditFaults(report('critical'), [exception], '2026-12-02')).toEqual([expect.stringContaining('ended on 2026-12-01')]);
  });

  it('fails on an exception that is not needed, or that lasts too long', () => {
    expect(auditFaults({ vulnerabilities: {} }, [exception], today)).toEqual([expect.stringContaining('no longer needed')]);
    expect(auditFaults(report('critical'), [{ ...exception, until: '2027-12-01' }], today)).toEqual([
      expect.stringContaining('at most 90 days'),
    ]);
  });
});
