import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '#auth';
import { ownerOf } from '#auth/testing';
import { insertMember, insertPerson, listMembers, type TenantScope } from '#store';
import { describeWith } from '#testing';
import { changeRole, removeMember } from '#workspaces';
import { digestOf, type UploadClient, UploadService } from '../testing/upload-service.ts';

/*
 * Reliability test 40, for members: a person who may no longer upload commits nothing more than
 * five seconds after the change.
 */

const change: Record<string, readonly [(scope: TenantScope, by: Caller, personId: string) => Promise<void>, number]> = {
  'taken out of the workspace': [removeMember, 401],
  'made a viewer': [(scope, by, personId) => changeRole(scope, by, personId, 'viewer'), 403],
};

describeWith(['postgres'], 'a body in flight', () => {
  let service: UploadService;
  beforeAll(async () => {
    service = await UploadService.start();
  });
  afterAll(() => service?.stop());

  /** Sends all of a range except the last byte. */
  async function begin(client: UploadClient, fileId: string, body: Buffer): Promise<{ socket: Socket; response: Promise<string> }> {
    const socket = connect(service.port, '127.0.0.1');
    let text = '';
    const response = new Promise<string>((resolve, reject) => {
      socket.setEncoding('utf8').on('error', reject);
      socket.on('data', (piece) => (text += String(piece))).on('close', () => resolve(text));
    });
    const { authorization } = client.headers;
    socket.write(
      `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nUpload-Offset: 4\r\nContent-Digest: ${digestOf(body)}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.write(body.subarray(0, -1), resolve));
    return { socket, response };
  }

  it.each(Object.keys(change))('leaves nothing when its sender is %s', async (what) => {
    const [apply, status] = change[what]!;
    const client = await service.newClient();
    const { tenantId } = client;
    const { fileId } = await client.newFile();
    await client.append(fileId, 0, Buffer.from('kept'));
    const other = randomUUID();
    await insertPerson(service.store.global, other, 'Grace');
    const body = Buffer.from('comes too late');
    const { socket, response } = await begin(client, fileId, body);
    await service.store.withTenant(tenantId, async (scope) => {
      const [sender] = await listMembers(scope, { after: null, limit: 1 });
      await insertMember(scope, other, 'owner');
      await apply(scope, ownerOf({ tenantId, personId: other }), sender!.personId);
    });
    await sleep(5_000); // the guaranteed limit
    socket.write(body.subarray(-1));
    expect(await response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [file] = await service.store.withTenant(tenantId, ({ trx }) =>
      trx.selectFrom('event_file').select('durable_offset').where('tenant_id', '=', tenantId).execute(),
    );
    expect(file).toEqual({ durable_offset: '4' });
    expect((await client.append(fileId, 4, body)).status).toBe(status);
  });
});
