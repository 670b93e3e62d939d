/** One line of a panel: an expression, and its legend text. */
type Line = readonly [expression: string, legend: string];

interface Panel {
  readonly title: string;
  readonly unit: 's' | 'Bps' | 'ops' | 'short' | 'percentunit' | 'bytes';
  readonly lines: readonly Line[];
}

const quantile = (share: number, metric: string, by = ''): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`;
const rate = (metric: string, by = ''): string => `sum ${by && `by (${by}) `}(rate(${metric}[$__rate_interval]))`;

/** Rows of panels, from the effects that users notice to their causes. */
const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'What users notice',
    panels: [
      {
        title: 'Acknowledged until visible',
        unit: 's',
        lines: [
          [quantile(0.5, 'plotline_publish_delay_seconds'), 'median'],
          [quantile(0.99, 'plotline_publish_delay_seconds'), '99 %'],
          ['max(plotline_pending_oldest_seconds)', 'oldest pending'],
        ],
      },
      {
        title: 'Requests',
        unit: 'ops',
        lines: [[rate('plotline_http_request_duration_seconds_count', 'status'), '{{status}}']],
      },
      {
        title: 'Duration of requests',
        unit: 's',
        lines: [
          [quantile(0.5, 'plotline_http_request_duration_seconds'), 'median'],
          [quantile(0.99, 'plotline_http_request_duration_seconds'), '99 %'],
          [quantile(0.99, 'plotline_grpc_call_duration_seconds'), 'gRPC, 99 %'],
        ],
      },
      {
        title: 'Rejected requests',
        unit: 'ops',
        lines: [[rate('plotline_rejected_requests_total', 'code'), '{{code}}']],
      },
    ],
  },
  {
    title: 'Ingest',
    panels: [
      {
        title: 'Bytes',
        unit: 'Bps',
        lines: [
          [rate('plotline_acknowledged_bytes_total'), 'acknowledged'],
          [rate('plotline_ingested_bytes_total'), 'ingested'],
        ],
      },
      {
        title: 'Pending',
        unit: 'bytes',
        lines: [['max(plotline_pending_bytes)', 'bytes']],
      },
      {
        title: 'Jobs',
        unit: 'ops',
        lines: [
          [rate('plotline_ingest_jobs_total'), 'committed'],
          [rate('plotline_ingest_failures_total'), 'failed'],
          ['max(plotline_ingest_longest_job_seconds)', 'longest job (s)'],
        ],
      },
      {
        title: 'Periodic work: time since its last success',
        unit: 's',
        lines: [['time() - max by (round) (plotline_round_last_success_timestamp_seconds)', '{{round}}']],
      },
      {
        title: 'Periodic work: duration',
        unit: 's',
        lines: [[quantile(0.99, 'plotline_round_duration_seconds', 'round'), '{{round}}']],
      },
      {
        title: 'Lost and removed',
        unit: 'short',
        lines: [
          ['sum(increase(plotline_lost_bytes_found_total[1h]))', 'reads of lost bytes'],
          ['sum(increase(plotline_ended_files_total[1h]))', 'files that ended early'],
          ['sum(increase(plotline_removed_orphans_total[1h]))', 'removed orphans'],
        ],
      },
    ],
  },
  {
    title: 'What it depends on',
    panels: [
      {
        title: 'Connections to Postgres',
        unit: 'short',
        lines: [['sum by (service, role, state) (plotline_database_connections)', '{{service}} {{role}} {{state}}']],
      },
      {
        title: 'Waits for a permit, 99 %',
        unit: 's',
        lines: [[quantile(0.99, 'plotline_share_wait_seconds', 'resource'), '{{resource}}']],
      },
      {
        title: 'Object store',
        unit: 's',
        lines: [[quantile(0.99, 'plotline_object_store_duration_seconds', 'operation'), '{{operation}}, 99 %']],
      },
      {
        title: 'Failed attempts at the object store',
        unit: 'ops',
        lines: [
          ['sum by (operation) (rate(plotline_object_store_duration_seconds_count{result="failed"}[$__rate_interval]))', '{{operation}}'],
        ],
      },
      {
        title: 'Queue',
        unit: 'short',
        lines: [
          ['min(plotline_queue_up)', 'up'],
          ['sum(rate(plotline_queue_jobs{what="alone"}[$__rate_interval]))', 'jobs without it'],
          ['sum(plotline_hanging_commits)', 'hanging commits'],
        ],
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Requests and streams under way',
        unit: 'short',
        lines: [['sum by (service, kind) (plotline_http_requests_in_flight)', '{{service}} {{kind}}']],
      },
      {
        title: 'Processor',
        unit: 'percentunit',
        lines: [['rate(process_cpu_seconds_total{service=~"plotline-.*"}[$__rate_interval])', '{{service}} {{instance}}']],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        lines: [['process_resident_memory_bytes{service=~"plotline-.*"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Event loop, 99 %',
        unit: 's',
        lines: [['nodejs_eventloop_lag_p99_seconds{service=~"plotline-.*"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Versions',
        unit: 'short',
        lines: [['count by (service, version, schema) (plotline_build_info)', '{{service}} {{version}}, schema {{schema}}']],
      },
    ],
  },
];

const width = 8;
const height = 8;
const acrossAll = 24;

/** Returns a Grafana dashboard for `k8s/components/prometheus`, as JSON. */
export function dashboard(): string {
  let y = 0;
  let id = 0;
  const panels = rows.flatMap(({ title, panels: ofRow }) => {
    const row = { id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y: y++, w: acrossAll, h: 1 }, panels: [] };
    const inRow = ofRow.map((panel, i) => ({
      id: ++id,
      type: 'timeseries',
      title: panel.title,
      datasource: { type: 'prometheus', uid: '${datasource}' },
      fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
      gridPos: { x: (i * width) % acrossAll, y: y + Math.floor((i * width) / acrossAll) * height, w: width, h: height },
      targets: panel.lines.map(([expr, legendFormat], line) => ({ refId: String.fromCharCode(65 + line), expr, legendFormat })),
    }));
    y += Math.ceil((ofRow.length * width) / acrossAll) * height;
    return [row, ...inRow];
  });
  const model = {
    uid: 'plotline',
    title: 'Plotline',
    tags: ['plotline'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
  return `${JSON.stringify(model, null, 2)}\n`;
}
