import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, writeEventFile } from '#testing';
import { startProbe } from '../e2e/running-probe.ts';
import { Sender } from '../e2e/sender.ts';
import { Cli, Service } from '../e2e/service.ts';

const dashboard = join(import.meta.dirname, '../../k8s/components/prometheus/dashboard.json');
const rules = join(import.meta.dirname, '../../k8s/components/prometheus/rules.yaml');

describeWith(['postgres', 'redis', 's3'], 'the metrics of running processes', () => {
  let service: Service;
  let folder: string;
  let probe: Awaited<ReturnType<typeof startProbe>>;

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart', env: { PLOTLINE_METRICS_PORT: '0' } });
    const sender = await Sender.start(service);
    await sender.send(
      'run',
      writeEventFile(Array.from({ length: 100 }, (_, step) => ({ step, wallTime: 1 + step, scalars: { loss: step } }))),
    );
    await sender.visible();
    expect((await service.fetch(`${sender.path}/nothing`)).status).toBe(404);
    folder = await mkdtemp(join(tmpdir(), 'plotline-metrics-'));
    probe = await startProbe(new Cli(service, folder));
  });
  afterAll(async () => {
    probe?.child.kill('SIGTERM');
    await probe?.ended;
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the metrics of all processes and the probe, as text. */
  async function metrics(): Promise<string> {
    const urls = service.apart.programs.all.map(({ output }) => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(output)![0]);
    urls.push(probe.url);
    return (await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).join('\n');
  }

  it('include each one that the dashboard and the alerts name', async () => {
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^plotline_probe_up 1$/m);
    const known = new Set([...(await metrics()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
    const named = async (file: string): Promise<string[]> => [
      ...new Set((await readFile(file, 'utf8')).match(/\b(plotline|nodejs|process)_[a-z0-9_]+(?=[{[)\s"])/g)),
    ];
    const wanted = [...(await named(dashboard)), ...(await named(rules))];
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.map((name) => name.replace(/_(bucket|count|sum)$/, '')).filter((name) => !known.has(name))).toEqual([]);
  });

  it('say how long data took to become visible, what the processes hold, and what ran', async () => {
    const text = await metrics();
    const sum = (pattern: RegExp): number => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    expect(sum(/^plotline_publish_delay_seconds_count (\d+)$/gm)).toBeGreaterThan(0);
    expect(sum(/^plotline_publish_delay_seconds_sum ([\d.e-]+)$/gm)).toBeGreaterThan(0);
    expect(sum(/^plotline_object_store_duration_seconds_count\{operation="\w+",result="ok"\} (\d+)$/gm)).toBeGreaterThan(0);
    expect(sum(/^plotline_database_connections\{role="plotline_app",state="idle"\} (\d+)$/gm)).toBeGreaterThan(0);
    expect(sum(/^plotline_rejected_requests_total\{code="not-found"\} (\d+)$/gm)).toBe(1);
    expect(text).toMatch(/^plotline_build_info\{version="\d+\.\d+\.\d+",schema="\d+"\} 1$/m);
    const rounds = new Set(
      [...text.matchAll(/^plotline_round_last_success_timestamp_seconds\{round="(\w+)"\}/gm)].map(([, round]) => round),
    );
    for (const round of ['sweep', 'publish', 'deletions', 'exports']) expect([...rounds]).toContain(round);
    // An upload process publishes nothing, so it has no publishing metrics.
    expect(sum(/^plotline_http_requests_in_flight\{kind="stream"\} (\d+)$/gm)).toBe(0);
  });
});
