import { expect, it } from 'vitest';
import { RouteTable } from './route-table.ts';

it('a URL has the methods of its most specific route', () => {
  const table = new RouteTable();
  table.load([
    { method: 'DELETE', path: '/invitations/:invitationId' },
    { method: 'POST', path: '/invitations/accept' },
    { method: 'GET', path: '/e/:experimentId' },
    { method: 'GET', path: '/e/:experimentId/*picture' },
  ]);
  expect(table.methodsOf('/invitations/accept')).toEqual(['POST']);
  expect(table.methodsOf('/invitations/7')).toEqual(['DELETE']);
  expect(table.methodsOf('/e/7')).toEqual(['GET', 'HEAD']);
  expect(table.methodsOf('/e/7/val/acc.svg')).toEqual(['GET', 'HEAD']);
  expect(table.methodsOf('/e/7/')).toEqual([]);
  expect(table.methodsOf('/invitations')).toEqual([]);
});
