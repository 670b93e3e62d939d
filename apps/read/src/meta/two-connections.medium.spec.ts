import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 29 from the outside: eight clients of two workspaces share two connections. */

const clients = 8;
const requests = 10_000;

describeWith(['postgres'], 'a service with two connections', () => {
  let service: ReadService;
  let labs: { readonly tenant: TestTenant; readonly name: string; readonly id: string }[];
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [], { storeOptions: { appPoolSize: 2 } });
    // No quota may interfere.
    labs = [];
    for (const name of ['alpha', 'beta']) {
      const tenant = await service.tenant(name);
      await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [tenant.tenantId]);
      const { json } = await service.call(tenant, 'POST', '/api/v1/experiments', { body: { name: `experiment of ${name}` } });
      labs.push({ tenant, name, id: json.id });
    }
  });
  afterAll(() => service?.close());

  it('answers 10,000 alternating requests with the caller’s own data, while others disconnect and fail', async () => {
    const counts = { responded: 0, rejected: 0, gone: 0, foreign: 0 };
    let sent = 0;
    const client = async (): Promise<void> => {
      for (let n = sent++; n < requests; n = sent++) {
        const [own, other] = n % 2 === 0 ? [labs[0]!, labs[1]!] : [labs[1]!, labs[0]!];
        const hangUp = n % 5 === 0 ? new AbortController() : null;
        const paths = ['/api/v1/experiments', `/api/v1/experiments/${own.id}`, '/api/v1/usage', `/api/v1/experiments/${other.id}`];
        const bad = ['/api/v1/experiments?filter=(', '/api/v1/experiments?page_token=x', `/api/v1/experiments/${own.id}/runs?order_by=no`];
        const path = n % 3 === 0 ? bad[n % bad.length]! : paths[n % paths.length]!;
        if (hangUp) setTimeout(() => hangUp.abort(), n % 4);
        try {
          const response = await fetch(service.base + path, {
            headers: { authorization: `Bearer ${own.tenant.token}` },
            ...(hangUp && { signal: hangUp.signal }),
          });
          const text = await response.text();
          if (text.includes(`experiment of ${other.name}`) || (response.ok && text.includes(other.id))) counts.foreign++;
          counts[response.ok ? 'responded' : 'rejected']++;
          if (path === `/api/v1/experiments/${other.id}`) expect(response.status).toBe(404);
        } catch (error) {
          if (!(error instanceof DOMException)) throw error;
          counts.gone++;
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    expect(counts.foreign).toBe(0);
    expect(counts.responded + counts.rejected + counts.gone).toBe(requests);
    for (const count of [counts.responded, counts.rejected, counts.gone]) expect(count).toBeGreaterThan(500);
  }, 240_000);
});
