import { formatBytes, plural, type Report } from '../report.ts';
import type { Uploader } from './uploader.ts';

const barEveryMs = 100;
/** Interval between lines without a terminal, so that a log shows that a long upload is active. */
const lineEveryMs = 30_000;
const barWidth = 24;

/** Shows the progress of an upload: a bar on a terminal, an occasional line elsewhere. */
export class ProgressLine {
  readonly #report: Report;
  readonly #now: () => number;
  #shownAt: number;

  constructor(report: Report, now: () => number = () => performance.now()) {
    this.#report = report;
    this.#now = now;
    this.#shownAt = now();
  }

  /** Called after every step of the upload; usually does nothing. */
  update(uploader: Pick<Uploader, 'progress' | 'files'>): void {
    const now = this.#now();
    const bar = this.#report.stderr.isTTY === true;
    if (now - this.#shownAt < (bar ? barEveryMs : lineEveryMs)) return;
    this.#shownAt = now;
    const { bytes, done } = uploader.progress;
    const share = bytes === 0 ? 1 : done / bytes;
    const text = `${Math.floor(share * 100)} %  ${formatBytes(done)} of ${formatBytes(bytes)}  ${plural(uploader.files.size, 'file')}`;
    const filled = Math.round(share * barWidth);
    if (bar) this.#report.status(`${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${text}`);
    else if (done < bytes) this.#report.say(text);
  }
}
