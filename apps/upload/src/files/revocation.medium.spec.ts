import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessJwtIssuer, createTokenWithId, SigningKeys, TokenExchange, WorkloadIssuers } from '#auth';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

/* Reliability test 40, for credentials. Roles and quotas are covered in the neighboring files. */

describeWith(['postgres'], 'an upload whose sender loses access meanwhile', () => {
  let service: UploadService;
  let client: UploadClient;
  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
  });
  afterAll(() => service?.stop());

  /** The same person as the client, but with a separate token and JWT. */
  async function newCredentials() {
    const { tenantId, personId } = client;
    const { token, tokenId } = await createTokenWithId(service.store, { tenantId, personId, name: 'for this test' });
    const keys = new SigningKeys(service.store, 'a secret of a test, and of nothing else');
    const exchange = new TokenExchange(
      service.store,
      new AccessJwtIssuer('https://plots.example', keys, service.store.clock),
      new WorkloadIssuers([], service.store.clock),
    );
    return { token, tokenId, jwt: (await exchange.fromAccessToken(token, null)).token };
  }

  const stops: readonly [string, (tokenId: string) => string, { status: number; code: string }][] = [
    [
      'the token is revoked',
      (id) => `update access_token set revoked_at = now() where token_id = '${id}'`,
      { status: 401, code: 'unauthenticated' },
    ],
    [
      'the token ends',
      (id) => `update access_token set expires_at = now() where token_id = '${id}'`,
      { status: 401, code: 'unauthenticated' },
    ],
    [
      'the token is narrowed',
      (id) => `update access_token set scopes = '{read}' where token_id = '${id}'`,
      { status: 403, code: 'forbidden' },
    ],
    [
      'the token is for another experiment',
      (id) => `update access_token set experiments = '{AAAAAAAAAAAAAAAAAAAAAA}' where token_id = '${id}'`,
      { status: 404, code: 'file-not-found' },
    ],
  ];

  for (const kind of ['token', 'jwt'] as const) {
    for (const [name, statement, rejection] of stops) {
      it(`stores none of it: ${name}, sent with a ${kind}`, async () => {
        const credentials = await newCredentials();
        const authorization = `Bearer ${credentials[kind]}`;
        const { fileId } = await client.newFile();
        const standing = async () => (await client.send('HEAD', `/api/v1/files/${fileId}`, { headers: { authorization } })).status;
        expect(await standing()).toBe(200);
        const finish = await client.beginAppend(fileId, randomBytes(4_096), { authorization });
        await service.administer(statement(credentials.tokenId));
        await expect.poll(standing, { timeout: 5_000, interval: 50 }).toBe(rejection.status);
        const { status, json } = await finish();
        expect({ status, code: json['code'] }).toEqual(rejection);
        expect((await client.position(fileId)).headers).toMatchObject({ 'upload-offset': '0' });
      });
    }
  }

  it('stores none of it: the person became a viewer', async () => {
    const late = await service.newClient();
    const { fileId } = await late.newFile();
    const finish = await late.beginAppend(fileId, randomBytes(4_096));
    await service.administer(`update workspace_member set role = 'viewer' where tenant_id = '${late.tenantId}'`);
    await expect.poll(async () => (await late.position(fileId)).status, { timeout: 5_000, interval: 50 }).toBe(403);
    expect(await finish()).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    await service.administer(`update workspace_member set role = 'owner' where tenant_id = '${late.tenantId}'`);
    await expect.poll(async () => (await late.position(fileId)).headers['upload-offset'], { timeout: 5_000, interval: 50 }).toBe('0');
  });
});
