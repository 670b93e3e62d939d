import { describe, expect, it } from 'vitest';
import { nobody, roles, scopes } from '#auth';
import { ownerOf } from '#auth/testing';
import type { View } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { type Action, decide, isForVisitors, rules, type Target } from './permissions.ts';

const mine = { tenantId: tenantIdOf('here'), personId: 'me' };
const own: Target = { tenantId: tenantIdOf('here'), experimentId: experimentIdOf('e1'), ownerId: 'me' };
const others: Target = { tenantId: tenantIdOf('here'), experimentId: experimentIdOf('e2'), ownerId: 'somebody' };
const foreign: Target = { tenantId: tenantIdOf('there'), experimentId: experimentIdOf('e3'), ownerId: 'me' };

/**
 * Who may perform each action on their own objects and, after the bar, on other people's (o owner,
 * a admin, m member, v viewer), and the required scope.
 */
const table: Record<Action, string> = {
  'workspace.read': 'oamv | oamv read',
  'experiment.read': 'oamv | oamv read',
  'experiment.view': 'oamv | oamv read',
  'experiment.files': 'oamv | oamv read',
  'experiment.create': 'oam | oam upload',
  'experiment.upload': 'oam | oam upload',
  'experiment.update': 'oam | oam upload',
  'experiment.delete': 'oam | oa manage',
  'experiment.share': 'oam | oa manage',
  'experiment.snapshot': 'oam | oam upload',
  'experiment.export': 'oam | oam upload',
  'report.read': 'oamv | oamv read',
  'report.view': 'oamv | oamv read',
  'report.write': 'oam | oam upload',
  'report.delete': 'oam | oa manage',
  'report.share': 'oam | oa manage',
  'token.manage': 'oamv | oa manage',
  'member.list': 'oamv | oamv read',
  'member.manage': 'oa | oa admin',
  'member.leave': 'oamv | oamv manage',
  'invitation.accept': 'oamv | oamv manage',
  'audit.read': 'oa | oa admin',
  'person.workspaces': 'oamv | oamv read',
  'person.export': 'oamv | oamv manage',
  'person.erase': 'oamv | oamv admin',
  'session.switch': 'oamv | oamv manage',
  'service-account.manage': 'oa | oa admin',
  'session.read': 'oamv | oamv read',
  'session.manage': 'oamv | oamv manage',
  'device.approve': 'oamv | oamv manage',
  'sign-in-link.create': 'oamv | oamv admin',
  'workspace.create': 'oamv | oamv manage',
  'workspace.update': 'oa | oa admin',
  'workspace.transfer': 'o | o admin',
  'workspace.delete': 'o | o admin',
};

describe('permissions', () => {
  it('match the table, for every role, scope and owner', () => {
    for (const action of Object.keys(rules) as Action[]) {
      const [own_, others_, needed] = table[action].split(/ \| | /) as [string, string, string];
      for (const role of roles)
        for (const [target, allowed] of [[own, own_] as const, [others, others_] as const]) {
          const verdict = decide(ownerOf(mine, { role }), action, target);
          expect(verdict, `${action} by ${role}`).toBe(allowed.includes(role[0]!) ? 'allowed' : 'no-role');
          for (const scope of scopes) {
            const narrow = decide(ownerOf(mine, { role, scopes: new Set([scope]) }), action, target);
            if (scope !== needed) expect(narrow, `${action} with ${scope}`).toBe('no-scope');
            else expect(narrow).toBe(verdict);
          }
        }
    }
  });

  it('hide other workspaces, and what a credential does not cover, from every caller', () => {
    for (const action of Object.keys(rules) as Action[]) {
      expect(decide(ownerOf(mine), action, foreign)).toBe('hidden');
      const bounded = ownerOf(mine, { experiments: new Set(['e1']) });
      expect(decide(bounded, action, others)).toBe('hidden');
      expect(decide(bounded, action, own)).toBe('allowed');
    }
  });

  it('for people are denied to service accounts', () => {
    const rejected = (Object.keys(rules) as Action[]).filter(
      (action) => decide(ownerOf(mine, { program: true }), action, own) !== 'allowed',
    );
    expect(rejected).toEqual([
      'member.leave',
      'invitation.accept',
      'person.workspaces',
      'person.export',
      'person.erase',
      'session.switch',
      'session.read',
      'session.manage',
      'device.approve',
      'sign-in-link.create',
      'workspace.create',
    ]);
    for (const action of rejected) expect(decide(ownerOf(mine, { program: true }), action, own)).toBe('people-only');
  });

  it('let visitors read, by a partial view no files, and nothing else', () => {
    const visitor = (view: Partial<View>) =>
      ownerOf(mine, {
        personId: nobody,
        via: 'share',
        role: 'viewer',
        scopes: new Set(['read']),
        experiments: new Set(['e1']),
        view: { runs: null, tags: null, anonymous: false, ...view },
      });
    const parts = [visitor({ anonymous: true }), visitor({ runs: ['r'] }), visitor({ tags: [] })];
    for (const action of Object.keys(rules) as Action[]) {
      for (const part of parts)
        expect([action, decide(part, action, own)]).toEqual([action, action === 'experiment.view' ? 'allowed' : 'not-for-visitors']);
      const allowed = action === 'experiment.view' || action === 'experiment.files';
      expect([action, decide(visitor({}), action, own)]).toEqual([action, allowed ? 'allowed' : 'not-for-visitors']);
      expect(isForVisitors(action)).toBe(allowed || action === 'report.view');
      for (const who of [...parts, visitor({})]) {
        expect(decide(who, action, others)).toBe('hidden');
        expect(decide(who, action, foreign)).toBe('hidden');
      }
    }
  });

  it('let a visitor of a report view it and its experiments, without files, and nothing else', () => {
    const visitor = ownerOf(mine, {
      personId: nobody,
      via: 'share',
      role: 'viewer',
      scopes: new Set(['read']),
      experiments: new Set(['e1']),
      reportId: 'r1',
      view: { runs: null, tags: null, anonymous: false },
    });
    const report = (reportId?: string): Target => ({
      tenantId: mine.tenantId,
      experimentId: null,
      ownerId: 'me',
      ...(reportId && { reportId }),
    });
    for (const action of Object.keys(rules) as Action[]) {
      const isView = action === 'report.view';
      expect([action, decide(visitor, action, own)]).toEqual([
        action,
        isView ? 'hidden' : action === 'experiment.view' ? 'allowed' : 'not-for-visitors',
      ]);
      expect([action, decide(visitor, action, report('r1'))]).toEqual([action, isView ? 'allowed' : 'out-of-bounds']);
      for (const target of [report('r2'), report()])
        expect([action, decide(visitor, action, target)]).toEqual([action, isView ? 'hidden' : 'out-of-bounds']);
      for (const target of [others, foreign, { ...report('r1'), tenantId: foreign.tenantId }])
        expect([action, decide(visitor, action, target)]).toEqual([action, 'hidden']);
    }
    const { reportId: _, ...ofExperiment } = visitor;
    expect(decide(ofExperiment, 'report.view', report('r1'))).toBe('out-of-bounds');
  });

  it('give a credential for some experiments nothing of the workspace', () => {
    const bounded = ownerOf(mine, { experiments: new Set(['e1']) });
    for (const action of ['workspace.read', 'experiment.create', 'workspace.update', 'workspace.delete'] as const)
      expect(decide(bounded, action)).toBe('out-of-bounds');
    expect(decide(bounded, 'experiment.read')).toBe('allowed'); // the specific experiment is checked once it is known
  });
});
