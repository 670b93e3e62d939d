import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { experimentIdOf, fileIdOf, seriesIdOf } from '#model/testing';
import { writeBlobKey } from '#series';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/*
 * Reliability test 31: two workspaces that log the same image share nothing, and neither can find
 * out that the other has it.
 */

describeWith(['postgres'], 'blobs of two workspaces', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const image = Buffer.from(`\x89PNG\r\n\x1a\n${'the same image '.repeat(2_000)}`, 'latin1');
  const log = async (): Promise<{ tenant: TestTenant; experimentId: ExperimentId; key: string }> => {
    const tenant = await service.tenant();
    const experimentId = await logged.make(tenant, { run: [{ step: 1n, values: [{ tag: 'image', images: [image] }] }] });
    const [row] = await service.sql('select series_id::text, file_id::text from blob_sequence_value where tenant_id = $1', [
      tenant.tenantId,
    ]);
    const place = {
      experimentId,
      seriesId: seriesIdOf(String(row!.series_id)),
      fileId: fileIdOf(String(row!.file_id)),
      ordinal: 0,
      index: 2,
    };
    return { tenant, experimentId, key: writeBlobKey(place) };
  };

  it('have separate keys, and are served to their own workspace', async () => {
    const [one, two] = [await log(), await log()];
    const namesOf = ({ tenantId }: TestTenant) =>
      [...service.blobs.objects.keys()].filter((name) => name.startsWith(`${tenantId}/blob/`)).map((name) => name.slice(tenantId.length));
    // The same bytes have the same name in both workspaces: content is shared only within a
    // workspace.
    expect(namesOf(one.tenant).length).toBeGreaterThan(0);
    expect(namesOf(one.tenant).toSorted()).toEqual(namesOf(two.tenant).toSorted());
    for (const [own, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const given = await fetch(`${service.base}/api/v1/blobs/${own.key}`, { headers: { authorization: `Bearer ${own.tenant.token}` } });
      expect(Buffer.from(await given.arrayBuffer()).equals(image)).toBe(true);
      const [theirs, none] = await Promise.all([
        service.call(own.tenant, 'GET', `/api/v1/blobs/${other.key}`),
        service.call(
          own.tenant,
          'GET',
          `/api/v1/blobs/${writeBlobKey({ experimentId: experimentIdOf('x'.repeat(22)), seriesId: seriesIdOf('1'), fileId: fileIdOf('1'), ordinal: 0, index: 2 })}`,
        ),
      ]);
      expect([theirs.status, theirs.headers.get('etag')]).toEqual([404, null]);
      expect({ ...theirs.json, request_id: '' }).toEqual({ ...none.json, request_id: '' });
    }
  });

  it("are looked up per workspace, so that timing does not reveal the other's", async () => {
    const { blobs } = service;
    const { get } = blobs;
    const asked: string[] = [];
    blobs.get = (tenantId, ...rest) => {
      asked.push(tenantId);
      return get.call(blobs, tenantId, ...rest);
    };
    try {
      for (const { tenant, key } of [await log(), await log()]) {
        asked.length = 0;
        for (const _ of [1, 2]) expect((await service.call(tenant, 'HEAD', `/api/v1/blobs/${key}`)).status).toBe(200);
        expect(new Set(asked)).toEqual(new Set([tenant.tenantId]));
      }
    } finally {
      blobs.get = get;
    }
  });

  it('have presigned addresses that start with the workspace, for its members only', async () => {
    service.blobs.address = (name) => `https://objects.example/${name}`;
    try {
      const [one, two] = [await log(), await log()];
      const query = (tenant: TestTenant, experimentId: ExperimentId, headers: Record<string, string> = {}) =>
        service.call(
          headers['plotline-share'] === undefined ? tenant : null,
          'POST',
          `/api/v1/experiments/${experimentId}/blob-sequences/query`,
          {
            body: {},
            headers,
          },
        );
      const addressesIn = (text: string): string[] =>
        Array.from(text.matchAll(/https:\/\/objects\.example\/([^"]+)/g), ([, name]) => name!);
      const own = await query(one.tenant, one.experimentId);
      expect(addressesIn(own.text).length).toBeGreaterThan(0);
      for (const name of addressesIn(own.text)) expect(name.startsWith(`${one.tenant.tenantId}/blob/`)).toBe(true);
      expect((await query(one.tenant, two.experimentId)).status).toBe(404);
      // Such a URL outlives a link, and contains the workspace id.
      const made = await service.call(one.tenant, 'POST', `/api/v1/experiments/${one.experimentId}/share-links`, { body: {} });
      const visited = await query(one.tenant, one.experimentId, { 'plotline-share': String(made.json.url).split('/').at(-1)! });
      expect([visited.status, addressesIn(visited.text)]).toEqual([200, []]);
      expect(visited.text).not.toContain(one.tenant.tenantId);
    } finally {
      service.blobs.address = null;
    }
  });
});
