import { describe, expect, it } from 'vitest';
import { signInFaultOf } from './assert-signs-in.ts';
import type { SignedInRole } from './queries/maintenance/read-signed-in-role.ts';
import { serviceRoles } from './service-roles.ts';

const signedIn = (name: string, more: Partial<SignedInRole> = {}): SignedInRole => ({
  name,
  worksAs: name,
  superuser: false,
  bypassesRls: name !== 'plotline_app',
  ...more,
});

// Roles belong to the whole cluster, so faulty roles cannot be tested on a shared server.
describe('signInFaultOf', () => {
  it.each(serviceRoles)('accepts %s as the migrations create it, and not as a superuser', (role) => {
    expect(signInFaultOf(role, signedIn(role))).toBeNull();
    expect(signInFaultOf(role, signedIn(role, { superuser: true }))).toMatch(/which must not be a superuser: .*npm run migrate/);
  });

  it('rejects BYPASSRLS for the application, and accepts ingest and sweeper without it: managed Postgres has policies instead', () => {
    expect(signInFaultOf('plotline_app', signedIn('plotline_app', { bypassesRls: true }))).toMatch(/must not have BYPASSRLS/);
    for (const role of ['plotline_ingest', 'plotline_sweeper'] as const)
      expect(signInFaultOf(role, signedIn(role, { bypassesRls: false }))).toBeNull();
  });

  it('rejects a login that works as another role, in both directions', () => {
    expect(signInFaultOf('plotline_app', signedIn('postgres', { worksAs: 'plotline_app', superuser: true }))).toBe(
      'signs in as postgres, a superuser (and works as plotline_app), but must sign in as plotline_app.',
    );
    expect(signInFaultOf('plotline_app', signedIn('plotline_app', { worksAs: 'other' }))).toMatch(/\(and works as other\)/);
  });
});
