import { z } from 'zod';
import { joinForm } from '../../members/join.controller.ts';
import { auditExportQuery, auditQuery } from '../../audit/audit.controller.ts';
import { auditEntryJson } from '../../audit/audit-json.ts';
import { acceptBody, invitationBody } from '../../members/invitations.controller.ts';
import { invitationJson, memberJson, roleJson } from '../../members/member-json.ts';
import { membersQuery, roleBody, transferBody } from '../../members/members.controller.ts';
import { erasureBody } from '../../person/person.controller.ts';
import { sessionBody, workspaceBody } from '../../person/workspaces.controller.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const ada = { id: '0b0c3a52-6a0e-4f6e-9f0f-2f8f7e1f2a77', name: 'Ada' };
const grace = { id: '6c1d5b0e-3e0c-4a55-8f0a-0d6f6f0b7a12', name: 'Grace' };
const lab = { id: '5b7f6d4e-0f3f-4b63-8d4c-8e7d9b7c1a10', name: 'Lab' };
const invitation = { id: '2f4f3c0e-6f57-4a0f-9a43-0c3c5e2d1b77', role: 'member', expires: '2026-11-29T00:00:00.000Z' };
const entry = {
  id: '4711',
  at: '2026-11-22T09:00:00.000Z',
  person: ada,
  via: 'token',
  action: 'experiment.delete',
  result: 'done',
  experiment: examples.id,
  object: '0b7e4e0a-2f0c-4d55-9a4f-7f1f0f3a2c11',
  details: { runs: null, tags: null },
  address: '203.0.113.0/24',
  request_id: 'Zk3vT9qLmX2bN8cR',
};
const workspaceRef = z.object({ id: z.uuid(), name: z.string() });
const ownWorkspace = workspaceRef.extend({ role: roleJson, current: z.boolean() });
const form = 'application/x-www-form-urlencoded';

export const memberDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/members',
    tag: 'members',
    summary: 'Who is in the workspace, and as what',
    query: membersQuery,
    answers: [
      json(z.object({ members: z.array(memberJson), next_page_token: z.string().optional() }), 'Members, by their ids.', {
        members: [{ ...ada, role: 'owner', joined: '2026-11-21T10:00:00.000Z' }],
      }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-page-token'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/members/:personId',
    tag: 'members',
    summary: 'Give a member another role',
    about: 'Nobody acts on people above themselves, nor makes anybody more than they are.',
    body: { schema: roleBody, example: { role: 'member' } },
    answers: [json(z.object({ id: z.string(), role: roleJson }), 'The member.', { id: grace.id, role: 'member' })],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'member-not-found', 'last-owner'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/members/:personId',
    tag: 'members',
    summary: 'Take a member out',
    about:
      'Within five seconds their tokens and sessions work nowhere in the workspace; their open invitations end. What they uploaded stays.',
    answers: [{ status: 204, about: 'They are out.' }],
    problems: ['forbidden', 'member-not-found', 'last-owner'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/leave',
    tag: 'members',
    summary: 'Leave the workspace',
    about: 'With every token, session and open invitation. The last owner cannot.',
    body: { schema: z.strictObject({}), example: {} },
    answers: [{ status: 204, about: 'You are out.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'last-owner'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/transfer',
    tag: 'members',
    summary: 'Make another member the owner in your place',
    about: 'You are an admin then.',
    body: { schema: transferBody, example: { person: grace.id } },
    answers: [{ status: 204, about: 'They own the workspace.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'member-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/invitations',
    tag: 'members',
    summary: 'Invite one person',
    about:
      'The link is in this answer and nowhere else, and no mail is sent: hand it over. It works once, for whoever is signed in, and only while you could still make it.',
    body: { schema: invitationBody, example: { role: 'member', expires_in_days: 7 } },
    answers: [
      json(
        z.object({ id: z.uuid(), url: z.url(), role: roleJson, expires: z.iso.datetime() }),
        'The invitation.',
        { ...invitation, url: 'https://plotline.example/join/4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE' },
        201,
      ),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/api/v1/invitations',
    tag: 'members',
    summary: 'Invitations that can still be accepted',
    answers: [
      json(z.object({ invitations: z.array(invitationJson) }), 'At most 1,000, the newest first.', {
        invitations: [{ ...invitation, invited_by: ada, created: '2026-11-22T00:00:00.000Z' }],
      }),
    ],
    problems: ['forbidden'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/invitations/:invitationId',
    tag: 'members',
    summary: 'Revoke an invitation',
    answers: [{ status: 204, about: 'Nobody can accept it any more.' }],
    problems: ['forbidden', 'invitation-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/invitations/accept',
    tag: 'members',
    summary: 'Become a member by an invitation',
    about:
      'Of the workspace that the invitation is for, whichever one the credentials are of. What is wrong with one that does not work is not told.',
    body: { schema: acceptBody, example: { secret: '4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE' } },
    answers: [json(z.object({ workspace: workspaceRef, role: roleJson }), 'The workspace.', { workspace: lab, role: 'member' })],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invitation-not-found', 'already-a-member'],
  },
  {
    method: 'GET',
    path: '/join/:secret',
    tag: 'pages',
    public: true,
    summary: 'The page behind the link of an invitation',
    about:
      'Says what it is for, and how to accept it. Looking uses nothing up. Sets a cookie for `/join`, so that no other address has the secret.',
    answers: [{ status: 200, about: 'It can be accepted.', content: { 'text/html': null } }],
    problems: ['invitation-not-found', 'store-unavailable'],
  },
  {
    method: 'GET',
    path: '/join',
    tag: 'pages',
    public: true,
    summary: 'Accept the invitation whose link this browser has opened, or sign in first',
    answers: [{ status: 200, about: 'It can be accepted.', content: { 'text/html': null } }],
    problems: ['invitation-not-found', 'store-unavailable'],
  },
  {
    method: 'POST',
    path: '/join',
    tag: 'pages',
    summary: 'Accept the invitation whose link this browser has opened',
    about: 'A form of the page `/join`. The session goes on in the workspace.',
    body: { schema: joinForm, mediaType: form, example: {} },
    answers: [{ status: 303, about: 'The person is a member.' }],
    problems: ['forbidden', 'bad-request', 'invitation-not-found', 'already-a-member'],
  },
  {
    method: 'GET',
    path: '/api/v1/workspaces',
    tag: 'members',
    summary: 'The workspaces of the caller as a person',
    answers: [
      json(
        z.object({ workspaces: z.array(ownWorkspace) }),
        'In the order in which they were joined. `current`: the one that these credentials are for.',
        { workspaces: [{ ...lab, role: 'owner', current: true }] },
      ),
    ],
    problems: ['forbidden'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspaces',
    tag: 'members',
    summary: 'Make a workspace',
    about: 'The caller owns it. These credentials stay in theirs: a token is for one workspace. How many one person may make is bounded.',
    body: { schema: workspaceBody, example: { name: 'Lab' } },
    idempotent: true,
    answers: [json(ownWorkspace, 'The workspace.', { ...lab, role: 'owner', current: false }, 201)],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'quota-exceeded', 'idempotency-key-reused'],
  },
  {
    method: 'GET',
    path: '/workspaces',
    tag: 'pages',
    summary: 'Go from one workspace to another, or make one',
    answers: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['forbidden'],
  },
  {
    method: 'POST',
    path: '/workspaces',
    tag: 'pages',
    summary: 'Make a workspace and go there',
    about: 'A form of the page `/workspaces`.',
    body: { schema: workspaceBody, mediaType: form, example: { name: 'Lab' } },
    answers: [{ status: 303, about: 'The session is there.' }],
    problems: ['forbidden', 'bad-request', 'quota-exceeded'],
  },
  {
    method: 'POST',
    path: '/workspaces/choose',
    tag: 'pages',
    summary: 'Go to another workspace',
    about: 'A form of the page `/workspaces`. The session goes on there, under a new cookie.',
    body: { schema: sessionBody, mediaType: form, example: { workspace: lab.id } },
    answers: [{ status: 303, about: 'The session is there.' }],
    problems: ['forbidden', 'bad-request', 'workspace-not-found'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/session',
    tag: 'members',
    summary: 'Move a browser session to another workspace',
    about: 'Sets a new cookie. A token is for one workspace, and cannot be moved.',
    body: { schema: sessionBody, example: { workspace: lab.id } },
    answers: [json(z.object({ workspace: workspaceRef, role: roleJson }), 'Where it is now.', { workspace: lab, role: 'owner' })],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'workspace-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/person/export',
    tag: 'members',
    summary: 'Everything that is known about the caller as a person',
    about: 'One JSON document a line; `kind` says what it is: person, session, workspace, token, experiment, invitation, action.',
    answers: [{ status: 200, about: 'As a file.', content: { 'application/x-ndjson': null } }],
    problems: ['forbidden'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/person',
    tag: 'members',
    summary: 'Erase the caller as a person',
    about:
      'Out of every workspace, with all tokens and sessions, without name and addresses. What they made for a workspace stays there, as made by nobody. The last owner of a workspace hands it over or deletes it first.',
    body: { schema: erasureBody, example: { name: 'Ada' } },
    answers: [{ status: 204, about: 'They are nobody.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'last-owner'],
  },
  {
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'members',
    summary: 'Who did what in the workspace',
    about: 'For owners and admins. The log has ids and numbers, and no names of runs or tags; nobody can change it.',
    query: auditQuery,
    answers: [
      json(z.object({ entries: z.array(auditEntryJson), next_page_token: z.string().optional() }), 'The newest first.', {
        entries: [entry],
      }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-page-token'],
  },
  {
    method: 'GET',
    path: '/api/v1/audit/export',
    tag: 'members',
    summary: 'The audit log as a file',
    about: 'One line of JSON for each entry, the oldest first; that it was exported is an entry itself.',
    query: auditExportQuery,
    answers: [{ status: 200, about: 'As a file.', content: { 'application/x-ndjson': null } }],
    problems: ['forbidden', 'bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/members',
    tag: 'pages',
    summary: 'The people of the workspace: see, invite, change, remove',
    answers: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['forbidden'],
  },
];
