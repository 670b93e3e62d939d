import { randomBytes } from 'node:crypto';
import { experimentIdOf } from '#model/testing';
import { insertExperiment } from '#store';
import { HttpClient } from '../lib/http.ts';
import { secondWorkspace, withServiceStore } from '../lib/second-workspace.ts';
import { startService } from '../lib/service.ts';
import { chanceOfMore } from '../lib/stats.ts';

/** Information that responses reveal about another workspace's experiments. */
export interface ForeignIds {
  /** Milliseconds. */
  readonly foreign: readonly number[];
  readonly missing: readonly number[];
  /**
   * Probability that a request for a foreign id takes longer than a request for a missing id; 0.5
   * means indistinguishable.
   */
  readonly chance: number;
  /** The same probability between two halves of the missing ids: the noise level. */
  readonly noise: number;
  /** Responses that were not 404, or that differ in more than the id. */
  readonly different: number;
}

const unlimited = '999999999999';
const warmUp = 200;

/**
 * Requests another workspace's experiments and missing experiments, each id once, alternating
 * between the two kinds (reliability test 25).
 */
export async function foreignIds(folder: string, requests: number): Promise<ForeignIds> {
  const service = await startService(folder, { PLOTLINE_QUOTA_REQUESTS_PER_MINUTE: unlimited });
  const http = new HttpClient();
  try {
    const { tenantId, personId } = await secondWorkspace(folder, 'Other', Number(unlimited));
    const ids = Array.from({ length: warmUp + requests }, newId);
    await withServiceStore(folder, (store) =>
      store.withTenant(tenantId, async (scope) => {
        for (const experimentId of ids)
          await insertExperiment(scope, {
            experimentId: experimentIdOf(experimentId),
            name: 'foreign',
            description: '',
            ownerId: personId,
            labels: [],
          });
      }),
    );
    const headers = { authorization: `Bearer ${service.token}` };
    const words = new Set<string>();
    const ask = async (id: string): Promise<number> => {
      const { status, body, milliseconds } = await http.send(`${service.origin}/api/v1/experiments/${id}`, { headers });
      const document = JSON.parse(body.toString('utf8')) as { request_id: string };
      words.add(JSON.stringify([status, { ...document, request_id: '' }]).replaceAll(id, 'ID'));
      return milliseconds;
    };
    const times = { foreign: [] as number[], missing: [] as number[] };
    for (const [n, id] of ids.entries()) {
      const pair: [keyof typeof times, string][] = [
        ['foreign', id],
        ['missing', newId()],
      ];
      // Swaps the order, so that neither kind always comes second.
      if (Math.random() < 0.5) pair.reverse();
      for (const [kind, one] of pair) {
        const ms = await ask(one);
        if (n >= warmUp) times[kind].push(ms);
      }
    }
    const half = (parity: number): number[] => times.missing.filter((_, n) => n % 2 === parity);
    const is404 = [...words].every((text) => text.startsWith('[404,'));
    return {
      ...times,
      chance: chanceOfMore(times.foreign, times.missing),
      noise: chanceOfMore(half(0), half(1)),
      different: words.size - 1 + (is404 ? 0 : 1),
    };
  } finally {
    http.close();
    await service.stop();
  }
}

function newId(): string {
  return randomBytes(11).toString('hex');
}
