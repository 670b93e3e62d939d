import { describe, expect, it } from 'vitest';
import { ProbeMetrics } from './probe-metrics.ts';

describe('the metrics of probes', () => {
  it('say nothing of rounds before the first one', () => {
    const { text } = new ProbeMetrics();
    expect(text).toContain('plotline_probe_rounds_succeeded_total 0\n');
    expect(text).not.toMatch(/^plotline_probe_(up|last_success)/m);
  });

  it('count successes and failures by phase, and keep the time of the last success', () => {
    const metrics = new ProbeMetrics();
    metrics.add({ seconds: { create: 0.5, upload: 0.25 }, failed: null }, 1_000);
    metrics.add({ seconds: { create: 0.5 }, failed: { phase: 'upload', error: new Error('no') } }, 2_000);
    const { text } = metrics;
    for (const line of [
      '# TYPE plotline_probe_up gauge',
      'plotline_probe_up 0',
      'plotline_probe_rounds_succeeded_total 1',
      'plotline_probe_rounds_failed_total{phase="upload"} 1',
      'plotline_probe_rounds_failed_total{phase="read"} 0',
      'plotline_probe_last_success_timestamp_seconds 1000',
      'plotline_probe_phase_duration_seconds{phase="create"} 0.5',
    ])
      expect(text.split('\n')).toContain(line);
  });
});
