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
    summary: 'List members and their roles',
    query: membersQuery,
    responses: [
      json(z.object({ members: z.array(memberJson), next_page_token: z.string().optional() }), 'Members, ordered by id.', {
        members: [{ ...ada, role: 'owner', joined: '2026-11-21T10:00:00.000Z' }],
      }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-page-token'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/members/:personId',
    tag: 'members',
    summary: 'Change the role of a member',
    about: 'You cannot change the role of members above you, or assign a role above your own.',
    body: { schema: roleBody, example: { role: 'member' } },
    responses: [json(z.object({ id: z.string(), role: roleJson }), 'The member.', { id: grace.id, role: 'member' })],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'member-not-found', 'last-owner'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/members/:personId',
    tag: 'members',
    summary: 'Remove a member',
    about:
      "Within five seconds, the member's tokens and sessions stop working in the workspace, and their open invitations are revoked. Their uploads are kept.",
    responses: [{ status: 204, about: 'The member was removed.' }],
    problems: ['forbidden', 'member-not-found', 'last-owner'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/leave',
    tag: 'members',
    summary: 'Leave the workspace',
    about: 'Also revokes your tokens, sessions and open invitations there. The last owner cannot leave.',
    body: { schema: z.strictObject({}), example: {} },
    responses: [{ status: 204, about: 'You left the workspace.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'last-owner'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/transfer',
    tag: 'members',
    summary: 'Transfer ownership to another member',
    about: 'You become an admin.',
    body: { schema: transferBody, example: { person: grace.id } },
    responses: [{ status: 204, about: 'The member owns the workspace.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'member-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/invitations',
    tag: 'members',
    summary: 'Invite one person',
    about:
      'Only this response contains the link. No email is sent: share the link yourself. One signed-in person can use the link, once, and only while you still have permission to create it.',
    body: { schema: invitationBody, example: { role: 'member', expires_in_days: 7 } },
    responses: [
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
    summary: 'List open invitations',
    responses: [
      json(z.object({ invitations: z.array(invitationJson) }), 'At most 1,000, newest first.', {
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
    responses: [{ status: 204, about: 'The invitation was revoked.' }],
    problems: ['forbidden', 'invitation-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/invitations/accept',
    tag: 'members',
    summary: 'Accept an invitation',
    about:
      'Joins the workspace of the invitation; the credentials can belong to any workspace. The error does not say why an invitation is invalid.',
    body: { schema: acceptBody, example: { secret: '4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE' } },
    responses: [json(z.object({ workspace: workspaceRef, role: roleJson }), 'The workspace.', { workspace: lab, role: 'member' })],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invitation-not-found', 'already-a-member'],
  },
  {
    method: 'GET',
    path: '/join/:secret',
    tag: 'pages',
    public: true,
    summary: 'Show the page of an invitation link',
    about:
      'Shows the workspace and how to accept. Opening the page does not use up the invitation. Sets a cookie for `/join`; no other address then contains the secret.',
    responses: [{ status: 200, about: 'The invitation is open.', content: { 'text/html': null } }],
    problems: ['invitation-not-found', 'store-unavailable'],
  },
  {
    method: 'GET',
    path: '/join',
    tag: 'pages',
    public: true,
    summary: 'Accept the invitation that this browser opened, or sign in first',
    responses: [{ status: 200, about: 'The invitation is open.', content: { 'text/html': null } }],
    problems: ['invitation-not-found', 'store-unavailable'],
  },
  {
    method: 'POST',
    path: '/join',
    tag: 'pages',
    summary: 'Accept the invitation that this browser opened',
    about: 'Submitted by a form on the page `/join`. The session switches to the workspace.',
    body: { schema: joinForm, mediaType: form, example: {} },
    responses: [{ status: 303, about: 'The person is a member.' }],
    problems: ['forbidden', 'bad-request', 'invitation-not-found', 'already-a-member'],
  },
  {
    method: 'GET',
    path: '/api/v1/workspaces',
    tag: 'members',
    summary: "List the caller's workspaces",
    responses: [
      json(
        z.object({ workspaces: z.array(ownWorkspace) }),
        'Ordered by the time of joining. `current` is the workspace of these credentials.',
        { workspaces: [{ ...lab, role: 'owner', current: true }] },
      ),
    ],
    problems: ['forbidden'],
  },
  {
    method: 'POST',
    path: '/api/v1/workspaces',
    tag: 'members',
    summary: 'Create a workspace',
    about:
      'The caller owns the new workspace. These credentials remain in their own workspace, because a token is for one workspace. The number of workspaces per person is limited.',
    body: { schema: workspaceBody, example: { name: 'Lab' } },
    idempotent: true,
    responses: [json(ownWorkspace, 'The workspace.', { ...lab, role: 'owner', current: false }, 201)],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'quota-exceeded', 'idempotency-key-reused'],
  },
  {
    method: 'GET',
    path: '/workspaces',
    tag: 'pages',
    summary: 'Switch to another workspace, or create one',
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['forbidden'],
  },
  {
    method: 'POST',
    path: '/workspaces',
    tag: 'pages',
    summary: 'Create a workspace and switch to it',
    about: 'Submitted by a form on the page `/workspaces`.',
    body: { schema: workspaceBody, mediaType: form, example: { name: 'Lab' } },
    responses: [{ status: 303, about: 'The session switched to the workspace.' }],
    problems: ['forbidden', 'bad-request', 'quota-exceeded'],
  },
  {
    method: 'POST',
    path: '/workspaces/choose',
    tag: 'pages',
    summary: 'Switch to another workspace',
    about: 'Submitted by a form on the page `/workspaces`. The session continues in the other workspace under a new cookie.',
    body: { schema: sessionBody, mediaType: form, example: { workspace: lab.id } },
    responses: [{ status: 303, about: 'The session switched to the workspace.' }],
    problems: ['forbidden', 'bad-request', 'workspace-not-found'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/session',
    tag: 'members',
    summary: 'Move a browser session to another workspace',
    about: 'Sets a new cookie. A token is for one workspace and cannot be moved.',
    body: { schema: sessionBody, example: { workspace: lab.id } },
    responses: [
      json(z.object({ workspace: workspaceRef, role: roleJson }), 'The workspace of the session.', { workspace: lab, role: 'owner' }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'workspace-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/person/export',
    tag: 'members',
    summary: "Export the caller's personal data",
    about: 'One JSON document per line; `kind` is person, session, workspace, token, experiment, invitation or action.',
    responses: [{ status: 200, about: 'As a file.', content: { 'application/x-ndjson': null } }],
    problems: ['forbidden'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/person',
    tag: 'members',
    summary: "Erase the caller's personal data",
    about:
      'Removes the caller from every workspace and deletes their tokens, sessions, name and addresses. Objects that they created for a workspace are kept, without an author. The last owner of a workspace must transfer or delete it first.',
    body: { schema: erasureBody, example: { name: 'Ada' } },
    responses: [{ status: 204, about: 'The caller was erased.' }],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'last-owner'],
  },
  {
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'members',
    summary: 'Read the audit log',
    about: 'For owners and admins. The log contains ids and numbers, but no names of runs or tags; nobody can change it.',
    query: auditQuery,
    responses: [
      json(z.object({ entries: z.array(auditEntryJson), next_page_token: z.string().optional() }), 'Newest first.', {
        entries: [entry],
      }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-page-token'],
  },
  {
    method: 'GET',
    path: '/api/v1/audit/export',
    tag: 'members',
    summary: 'Export the audit log as a file',
    about: 'One JSON line per entry, oldest first. The export itself is also recorded as an entry.',
    query: auditExportQuery,
    responses: [{ status: 200, about: 'As a file.', content: { 'application/x-ndjson': null } }],
    problems: ['forbidden', 'bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/members',
    tag: 'pages',
    summary: 'Members of the workspace: list, invite, change, remove',
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['forbidden'],
  },
];
