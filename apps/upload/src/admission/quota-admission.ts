import { setTimeout as sleepFor } from 'node:timers/promises';
import { Problem, type Quota, type Quotas, storedQuotas, type TenantId } from '#model';
import { quotaExceeded, usedOf } from '#workspaces';
import type { KnownUsage, UsageView } from './usage-view.ts';

/**
 * The minimum size of a point in an event file: a value with an empty tag and a simple value, plus
 * their field headers. A range contains at most its size divided by this many points.
 */
export const minPointBytes = 8;
/** The minimum size of a new series: a value with its own tag. A guess. */
const minSeriesBytes = 16;
/**
 * Above this fraction of a quota, readings must be fresh, and only ranges that certainly fit are
 * admitted. Below it, this is not necessary, because most ranges add no new series.
 */
const carefulShare = 0.9;

/** The corresponding margin for the file quota. */
const nearFiles = 1_000;

/**
 * If less than this is left of the byte quota, a reading from a second ago is too old: other
 * processes may have added that much since.
 */
const nearBytes = 1024 ** 3;

/** How long a range waits, unread, for other ranges to be counted before it is rejected. */
const maxWaitMs = 1_000;
const lookAgainMs = 100;
const comeBackSeconds = 2;

/**
 * Reservation for one range. Its bytes count as used until they are stored or the reservation is
 * disposed of.
 */
export interface RangeReservation extends Disposable {
  /**
   * Call this when the range has arrived, with this many bytes. Throws the errors of admission if
   * they do not fit, or if the quota was lowered in the meantime.
   */
  arrived(bytes: number): Promise<void>;
  /** Call this when the range is stored. From then on, its actual bytes count. */
  stored(): void;
}

/** Quota for additional event files. */
export interface FileReservation {
  /**
   * Throws `quota-exceeded` unless the quota allows another file. Call this for each created file,
   * in the transaction that creates it.
   */
  take(): void;
  /**
   * Call this once the files exist; they count from then on. Do not call it if the transaction
   * failed.
   */
  made(): void;
}

/**
 * Keeps a workspace within its storage quotas. Bytes are known before they are acknowledged. So
 * bytes exceed their quota only by ranges that other processes were receiving when the quota was
 * reached. Points and series are known only after ingest. Near these quotas, a range waits until
 * earlier ranges that could use up the rest are ingested. So these quotas are exceeded by at most
 * one range per connection.
 *
 * Bytes are never rejected after they are acknowledged: they are ingested and stored even if a
 * quota is exceeded.
 */
export class QuotaAdmission {
  readonly #usage: UsageView;
  readonly #quotasOf: (tenantId: TenantId) => Promise<Quotas>;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #onTheirWay = new Map<string, number>();

  constructor(
    usage: UsageView,
    quotasOf: (tenantId: TenantId) => Promise<Quotas>,
    sleep: (ms: number) => Promise<void> = (ms) => sleepFor(ms),
  ) {
    this.#usage = usage;
    this.#quotasOf = quotasOf;
    this.#sleep = sleep;
  }

  /**
   * Returns a permit for a range of this many bytes, as far as the size is known. Throws
   * `quota-exceeded`, or `too-much-pending` if the range must wait.
   */
  async admit(tenantId: TenantId, bytes: number): Promise<RangeReservation> {
    const quotas = await this.#quotasOf(tenantId);
    let known = await this.#usage.recent(tenantId);
    for (let waitedMs = 0; this.#isNear(tenantId, known, quotas, bytes); waitedMs += lookAgainMs) {
      known = await this.#usage.fresh(tenantId);
      rejectExceeded(known, quotas, bytes);
      if (!this.#mustWait(tenantId, known, quotas, bytes)) break;
      if (waitedMs >= maxWaitMs) throw mustComeBack();
      await this.#sleep(lookAgainMs);
    }
    return this.#letIn(tenantId, quotas, bytes);
  }

  /**
   * The number of event files that can be created now. Call this before the transaction that
   * creates files.
   */
  async reserveFiles(tenantId: TenantId): Promise<FileReservation> {
    const { files: limit } = await this.#quotasOf(tenantId);
    const { seen, since } = await this.#usage.recent(tenantId);
    let left = limit - seen.files - since.files;
    // A fresh reading includes everything that was created before it. Concurrent requests may
    // exceed the quota together.
    if (left < nearFiles) left = limit - (await this.#usage.fresh(tenantId)).seen.files;
    let taken = 0;
    return {
      take: () => {
        if (taken >= left) throw quotaExceeded('files', limit, limit - left + taken);
        taken++;
      },
      made: () => {
        this.#usage.add(tenantId, { files: taken });
        taken = 0;
      },
    };
  }

  /** The workspace's remaining storage. Call this directly after a range. */
  async quota(tenantId: TenantId): Promise<Quota> {
    const { bytes: quota } = await this.#quotasOf(tenantId);
    const { seen, since } = await this.#usage.recent(tenantId);
    return { policy: 'stored', quota, unit: 'content-bytes', left: quota - usedOf(seen).bytes - since.bytes, seconds: null };
  }

  #letIn(tenantId: TenantId, quotas: Quotas, expected: number): RangeReservation {
    let bytes = expected;
    let released = false;
    this.#move(tenantId, bytes);
    const release = (): void => {
      if (!released) this.#move(tenantId, -bytes);
      released = true;
    };
    return {
      arrived: async (actual) => {
        this.#move(tenantId, actual - bytes);
        bytes = actual;
        // Receiving the body may have taken minutes, during which the quota may have been lowered.
        const quotasNow = await this.#quotasOf(tenantId);
        if (storedQuotas.every((name) => quotasNow[name] >= quotas[name])) {
          if (actual <= expected || !this.#isNear(tenantId, await this.#usage.recent(tenantId), quotasNow, 0)) return;
        }
        const known = await this.#usage.fresh(tenantId);
        rejectExceeded(known, quotasNow, bytes);
        if (usedOf(known.seen).bytes + known.since.bytes + this.#way(tenantId) > quotasNow.bytes) throw mustComeBack();
      },
      stored: () => {
        this.#usage.add(tenantId, { bytes });
        release();
      },
      [Symbol.dispose]: release,
    };
  }

  #way(tenantId: TenantId): number {
    return this.#onTheirWay.get(tenantId) ?? 0;
  }

  #move(tenantId: TenantId, bytes: number): void {
    const left = this.#way(tenantId) + bytes;
    if (left > 0) this.#onTheirWay.set(tenantId, left);
    else this.#onTheirWay.delete(tenantId);
  }

  /** Whether a recent reading may be too old to admit a range. */
  #isNear(tenantId: TenantId, known: KnownUsage, quotas: Quotas, bytes: number): boolean {
    const used = usedOf(known.seen);
    const all = used.bytes + known.since.bytes + this.#way(tenantId) + bytes;
    if (quotas.bytes - all < nearBytes) return true;
    if (used.points >= quotas.points * carefulShare || used.series >= quotas.series * carefulShare) return true;
    return this.#mustWait(tenantId, known, quotas, bytes);
  }

  /** Whether uncounted ranges could use up the quota. */
  #mustWait(tenantId: TenantId, { seen, since }: KnownUsage, quotas: Quotas, bytes: number): boolean {
    const way = this.#way(tenantId);
    const used = usedOf(seen);
    if (used.bytes + since.bytes + way + bytes > quotas.bytes) return true;
    const unread = seen.pendingBytes + since.bytes + way;
    if (unread === 0) return false;
    if (used.points + unread / minPointBytes >= quotas.points) return true;
    return used.series >= quotas.series * carefulShare && used.series + unread / minSeriesBytes >= quotas.series;
  }
}

/** Throws if the committed data leaves no quota even if all work in progress fails. */
function rejectExceeded({ seen }: KnownUsage, quotas: Quotas, bytes: number): void {
  const used = usedOf(seen);
  if (used.bytes + bytes > quotas.bytes) throw quotaExceeded('bytes', quotas.bytes, used.bytes);
  if (used.points >= quotas.points) throw quotaExceeded('points', quotas.points, used.points);
  if (used.series >= quotas.series) throw quotaExceeded('series', quotas.series, used.series);
}

function mustComeBack(): Problem {
  return new Problem(
    'too-much-pending',
    `This workspace is near its quota, and earlier uploads must be counted first. Nothing is lost; send the range again in ${comeBackSeconds} s.`,
    { retryAfterSeconds: comeBackSeconds },
  );
}
