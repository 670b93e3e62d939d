import { describe, expect, it } from 'vitest';
import { count, countRequest, gauge, gauges, renderMetrics, watchProcess } from './metrics.ts';

const lineOf = async (start: string): Promise<string | undefined> =>
  (await renderMetrics()).text.split('\n').find((line) => line.startsWith(start));

describe('metrics', () => {
  it('start at zero, and are exposed before the first event', async () => {
    expect(await lineOf('plotline_acknowledged_bytes_total')).toBe('plotline_acknowledged_bytes_total 0');
    count('acknowledgedBytes', 17);
    count('acknowledgedBytes');
    expect(await lineOf('plotline_acknowledged_bytes_total')).toBe('plotline_acknowledged_bytes_total 18');
  });

  it('separate requests by method, declared route and status', async () => {
    countRequest({ method: 'GET', route: '/api/v1/files/:fileId', status: 404 }, 0.2);
    const { text } = await renderMetrics();
    expect(text).toContain('plotline_http_request_duration_seconds_count{method="GET",route="/api/v1/files/:fileId",status="404"} 1');
    expect(text).toContain('le="0.25",method="GET",route="/api/v1/files/:fileId",status="404"} 1');
  });

  it('read a gauge when scraped, and leave it out while it is unknown', async () => {
    let value: number | null = 4;
    gauge('plotline_test', 'A test.', () => value);
    expect(await lineOf('plotline_test')).toBe('plotline_test 4');
    value = null;
    expect(await lineOf('plotline_test ')).toBeUndefined();
    gauge('plotline_test', 'A test.', () => 5); // a second service in one process
    expect(await lineOf('plotline_test')).toBe('plotline_test 5');
  });

  it('have several numbers under one name', async () => {
    gauges('plotline_test_jobs', 'A test.', 'state', () => ({ waiting: 1, running: 2 }));
    expect(await lineOf('plotline_test_jobs{state="running"}')).toBe('plotline_test_jobs{state="running"} 2');
  });

  it('include the memory and the event loop once the process watches them', async () => {
    expect(await lineOf('process_resident_memory_bytes')).toBeUndefined();
    watchProcess();
    watchProcess();
    expect(await lineOf('process_resident_memory_bytes')).toBeDefined();
    expect(await lineOf('nodejs_eventloop_lag_p99_seconds')).toBeDefined();
  });
});
