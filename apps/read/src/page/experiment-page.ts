import { countText, formatHparam } from '#charts';
import { Html, html } from '#http';
import { isPart, isUploadOrigin, type TagName, type View } from '#model';
import type { ExperimentSummary, Frontier, RunSummary, StoredProblem } from '#store';
import { count, duration, moment, size } from './format.ts';
import { command } from './shell.ts';

/** All runs of a tag, as one row of the page. */
export interface TagLine {
  readonly tag: TagName;
  readonly plugin: string;
  readonly runs: number;
  readonly points: number;
  readonly supersededPoints: number;
  readonly lastStep: bigint | null;
}

/** The content of an experiment's page. */
export interface ExperimentPage {
  readonly experiment: ExperimentSummary;
  readonly frontier: Frontier;
  /** The reader's view; null for members, who see everything. */
  readonly view: View | null;
  /**
   * Whether the reader can follow URLs of the API: not in a frame of another site, where browsers
   * do not send cookies.
   */
  readonly links: boolean;
  readonly problems: number;
  /** The first problems, with their reasons. */
  readonly firstProblems: readonly StoredProblem[];
  /** Bytes that were skipped, or are part of a truncated last record of a complete file. */
  readonly unreadableBytes: number;
  /** The first rows; the experiment may have more. */
  readonly runs: readonly RunSummary[];
  readonly tags: readonly TagLine[];
  readonly moreTags: number;
  /** Public URL of the service. */
  readonly base: string;
  readonly basePath: string;
}

/** The summary of an experiment: title, counts, runs, tags, and how to get the data. */
export function experimentPage(page: ExperimentPage): Html {
  const { experiment, view } = page;
  const api = `${page.basePath}/api/v1/experiments/${experiment.experimentId}`;
  return html`<h1>${titleOf(experiment)}</h1>
    ${experiment.description === '' || (view && isUploadOrigin(experiment.description)) ? null : html`<p class="about">${experiment.description}</p>`}
    <p class="facts">
      ${view?.anonymous ? null : html`<span>${experiment.ownerName}</span>`}<span>${moment(experiment.createdAt.getTime() / 1000)} UTC</span
      ><span>${countText(experiment.runs, 'run')}</span>
      ${isPart(view) ? null : counts(experiment)} ${experiment.labels.map((label) => html`<span class="label">${label}</span>`)}
    </p>
    ${progress(page, api)}
    <h2>Runs</h2>
    ${runTable(page)}
    ${
      page.tags.length === 0
        ? null
        : html`<h2>Tags</h2>
            ${tagTable(page, api)}`
    }
    ${page.links ? data(page, api) : null}`;
}

/** How to get the data, including the commands for members. */
function data({ experiment, view, base }: ExperimentPage, api: string): Html {
  return html`<h2>Data</h2>
    <p>
      JSON: <a href="${api}">experiment</a>, <a href="${api}/runs">runs</a>, <a href="${api}/series">series</a>${
        seesFiles(view)
          ? html`, <a href="${api}/receipt">receipt</a>, <a href="${api}/problems">problems</a>, <a href="${api}/files">files</a>`
          : null
      }.
    </p>
    ${view ? null : commands(experiment, base)}`;
}

function commands({ experimentId }: ExperimentSummary, base: string): Html {
  return html`<p>All scalars as CSV, at most 1,000 exact buckets per series:</p>
    ${command(`curl -H "Authorization: Bearer $PLOTLINE_TOKEN" -H "Accept: text/csv" "${base}/api/v1/experiments/${experimentId}/scalars?points=1000"`)}
    <p>Every point, and the original event files:</p>
    ${command(`npm run -s plotline -- export ${experimentId} --format csv`)}
    ${command(`npm run -s plotline -- export ${experimentId} --format raw`)}`;
}

/** Counts of the whole experiment. */
function counts(experiment: ExperimentSummary): Html {
  return html`<span>${countText(experiment.points, 'point')}</span
    >${several(experiment.tensors, 'tensor')}${several(experiment.blobSequences, 'blob sequence point')}<span
      >${size(experiment.acknowledgedBytes)}</span
    >`;
}

/** Whether files and their problems are shown at all. */
export function seesFiles(view: View | null): boolean {
  return !isPart(view) && !view?.anonymous;
}

/** The title of an experiment. Names may be empty; the id never is. */
export function titleOf(experiment: Pick<ExperimentSummary, 'name' | 'experimentId'>): string {
  return experiment.name.trim() === '' ? `Experiment ${experiment.experimentId}` : experiment.name;
}

function several(number: number, one: string): Html | null {
  return number === 0 ? null : html`<span>${countText(number, one)}</span>`;
}

/** Notes on data that is not visible yet, or never will be; empty if there are none. */
function progress({ frontier, view, problems, firstProblems, unreadableBytes, links }: ExperimentPage, api: string): Html | null {
  if (isPart(view)) return null;
  const waiting = frontier.acknowledgedBytes - frontier.visibleBytes;
  const notes = [
    waiting === 0
      ? null
      : html`<p class="state">Ingest in progress: ${size(waiting)} of ${size(frontier.acknowledgedBytes)} are not visible yet.</p>`,
    problems === 0
      ? null
      : html`<p class="state bad">
            ${links ? html`<a href="${api}/problems">${countText(problems, 'problem')}</a>` : countText(problems, 'problem')} in the files;
            ${size(unreadableBytes)} could not be read.
          </p>
          <ul>
            ${firstProblems.map(
              ({ run, file, offset, reason, detail }) => html`<li>${run} › ${file}, byte ${count(offset)}: ${reason}. ${detail}</li>`,
            )}
            ${problems > firstProblems.length ? html`<li>… and ${count(problems - firstProblems.length)} more</li>` : null}
          </ul>`,
  ];
  return notes.every((note) => note === null) ? null : html`${notes}`;
}

function runTable({ experiment, runs, basePath, links }: ExperimentPage): Html {
  if (runs.length === 0) return html`<p class="dim">Waiting for data.</p>`;
  const more = experiment.runs - runs.length;
  return html`<div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            <th>Status</th>
            <th class="wide">Started (UTC)</th>
            <th class="number">Duration</th>
          </tr>
        </thead>
        <tbody>
          ${runs.map(
            (run) =>
              html`<tr>
                <td class="name">${breakable(run.run)}${hparams(run.hparams)}</td>
                <td class="${statusClass(run.status)}">${run.status === 'unknown' ? '–' : run.status}</td>
                <td class="wide">${moment(run.startTime)}</td>
                <td class="number">${duration(run.startTime === null || run.lastTime === null ? null : run.lastTime - run.startTime)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${more > 0 ? html`<p class="dim">and ${count(more)} more${links ? html`: <a href="${basePath}/api/v1/experiments/${experiment.experimentId}/runs">all runs</a>` : null}</p>` : null}`;
}

function statusClass(status: string): string {
  return status === 'failure' ? 'bad' : status === 'success' ? 'good' : 'dim';
}

const shownHparams = 12;

/** The hyperparameters of a run, below its name. */
function hparams(values: RunSummary['hparams']): Html | null {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  const rest = entries.length - shownHparams;
  return html`<div class="hparams">
    ${entries.slice(0, shownHparams).map(([name, value]) => html`<span><span class="dim">${name}</span> ${formatHparam(value)}</span> `)}${rest > 0 ? html`<span class="dim">and ${rest} more</span>` : null}
  </div>`;
}

function tagTable({ tags, moreTags, links }: ExperimentPage, api: string): Html {
  return html`<div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Tag</th>
            <th class="wide">Plugin</th>
            <th class="number">Runs</th>
            <th class="number">Points</th>
            <th class="number wide">Superseded</th>
            <th class="number">Last step</th>
          </tr>
        </thead>
        <tbody>
          ${tags.map(
            (line) =>
              html`<tr>
                <td class="name">
                  ${links && line.plugin === 'scalars' ? html`<a href="${api}/scalars?tag=${encodeURIComponent(line.tag)}">${nameOf(line.tag)}</a>` : nameOf(line.tag)}
                </td>
                <td class="dim wide">${line.plugin === '' ? '–' : line.plugin}</td>
                <td class="number">${count(line.runs)}</td>
                <td class="number">${count(line.points)}</td>
                <td class="number dim wide">${line.supersededPoints === 0 ? '' : count(line.supersededPoints)}</td>
                <td class="number">${line.lastStep === null ? '–' : String(line.lastStep)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${moreTags > 0 ? html`<p class="dim">and ${count(moreTags)} more${links ? html`: <a href="${api}/series">all series</a>` : null}</p>` : null}`;
}

/** Tags may be empty. */
function nameOf(tag: TagName): Html {
  return tag === '' ? html`<span class="dim">(no name)</span>` : breakable(tag);
}

/** A path that may wrap after a slash. */
function breakable(path: string): Html {
  return html`${path.split('/').map((part, index) => html`${index > 0 ? html`/<wbr />` : null}${part}`)}`;
}
