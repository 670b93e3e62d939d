import { expect, it } from 'vitest';
import { isSubjectPattern, matchesSubject } from './subject-pattern.ts';

it('accepts whole subjects, and prefixes that end with a separator', () => {
  for (const pattern of [
    'system:serviceaccount:lab:trainer',
    'system:serviceaccount:lab:*',
    'repo:lab/models:*',
    'repo:lab/*',
    'just-this',
  ])
    expect([pattern, isSubjectPattern(pattern)]).toEqual([pattern, true]);
  // All subjects of an issuer, a partial name, a star inside, two stars.
  for (const pattern of ['', '*', 'repo:*', 'repo::*', '://*', 'repo:lab*', 'repo:lab/mod*', 'repo:*:ref:main', 'repo:lab/*:ref:*', '**'])
    expect([pattern, isSubjectPattern(pattern)]).toEqual([pattern, false]);
});

it('matches literally', () => {
  expect(matchesSubject('repo:lab/*', 'repo:lab/models:ref:refs/heads/main')).toBe(true);
  expect(matchesSubject('repo:lab/*', 'repo:lab-of-others/models:ref:refs/heads/main')).toBe(false);
  expect(matchesSubject('repo:lab/*', 'xrepo:lab/models')).toBe(false);
  expect(matchesSubject('system:serviceaccount:lab:trainer', 'system:serviceaccount:lab:trainer')).toBe(true);
  for (const subject of ['system:serviceaccount:lab:trainer2', 'System:serviceaccount:lab:trainer', 'system:serviceaccount:lab:', ''])
    expect([subject, matchesSubject('system:serviceaccount:lab:trainer', subject)]).toEqual([subject, false]);
});
