import type { Exception } from './exceptions.ts';

/** The JSON of `npm audit --json` for a vulnerable package. */
export interface AuditReport {
  readonly vulnerabilities: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
}
interface Advisory {
  readonly name: string;
  readonly severity: string;
  readonly title: string;
  /** Ends with the advisory's ID. */
  readonly url: string;
  readonly range: string;
}

/**
 * Why the report fails, one line per reason: a critical advisory without an exception, an exception
 * that has expired or lasts too long, or an exception that is no longer needed. `today`:
 * `2026-11-21`. Anything less than critical is left to human judgment.
 */
export function auditFaults(report: AuditReport, exceptions: readonly Exception[], today: string): readonly string[] {
  const faults: string[] = [];
  const found = new Set<string>();
  for (const advisory of advisoriesOf(report)) {
    const id = advisory.url.split('/').at(-1)!;
    found.add(id);
    if (advisory.severity !== 'critical') continue;
    const exception = exceptions.find((one) => one.advisory === id);
    if (!exception) faults.push(`${id}: ${advisory.name} ${advisory.range}: ${advisory.title}`);
    else if (exception.until < today) faults.push(`${id}: the exception ended on ${exception.until} (${exception.because})`);
  }
  const farthest = new Date(Date.parse(today) + 90 * 86_400_000).toISOString().slice(0, 10);
  for (const { advisory, until } of exceptions) {
    if (!found.has(advisory)) faults.push(`${advisory}: the exception is no longer needed`);
    if (until > farthest) faults.push(`${advisory}: an exception is for at most 90 days, not until ${until}`);
  }
  return faults;
}

function advisoriesOf(report: AuditReport): readonly Advisory[] {
  const all = Object.values(report.vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one !== 'string'));
  return [...new Map(all.map((advisory) => [advisory.url, advisory])).values()];
}
