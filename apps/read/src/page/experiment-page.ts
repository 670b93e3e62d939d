import { Html, html } from '#http';
import type { ExperimentSummary, Frontier, RunSummary } from '#store';
import { count, countOf, duration, moment, size } from './format.ts';
import { command } from './shell.ts';

/** All runs of a tag, as one line of the page. */
export interface TagLine {
  readonly tag: string;
  readonly plugin: string;
  readonly runs: number;
  readonly points: number;
  readonly supersededPoints: number;
  readonly lastStep: bigint | null;
}

/** What the page of an experiment shows. */
export interface ExperimentPage {
  readonly experiment: ExperimentSummary;
  readonly frontier: Frontier;
  readonly problems: number;
  /** Passed over, or in a record at the end of a complete file that is cut. */
  readonly unreadableBytes: number;
  /** The first ones; the experiment may have more. */
  readonly runs: readonly RunSummary[];
  readonly tags: readonly TagLine[];
  readonly moreTags: number;
  /** Public address of the service. */
  readonly base: string;
  readonly basePath: string;
}

/** The summary of an experiment: title, counts, runs, tags, and where the numbers are to be had. */
export function experimentPage(page: ExperimentPage): Html {
  const { experiment } = page;
  const api = `${page.basePath}/api/v1/experiments/${experiment.experimentId}`;
  return html`<h1>${titleOf(experiment)}</h1>
    ${experiment.description === '' ? null : html`<p class="about">${experiment.description}</p>`}
    <p class="facts">
      <span>${experiment.ownerName}</span><span>${moment(experiment.createdAt.getTime() / 1000)} UTC</span
      ><span>${countOf(experiment.runs, 'run')}</span>
      <span>${countOf(experiment.points, 'point')}</span
      >${several(experiment.tensors, 'tensor')}${several(experiment.blobSequences, 'blob sequence point')}<span
        >${size(experiment.acknowledgedBytes)}</span
      >
      ${experiment.labels.map((label) => html`<span class="label">${label}</span>`)}
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
    <h2>Data</h2>
    <p>
      JSON: <a href="${api}">experiment</a>, <a href="${api}/runs">runs</a>, <a href="${api}/series">series</a>,
      <a href="${api}/receipt">receipt</a>, <a href="${api}/problems">problems</a>, <a href="${api}/files">files</a>.
    </p>
    <p>Charts of all scalars as CSV, at most 1,000 exact buckets each:</p>
    ${command(`curl -H "Authorization: Bearer $PLOTLINE_TOKEN" -H "Accept: text/csv" "${page.base}/api/v1/experiments/${experiment.experimentId}/scalars?points=1000"`)}
    <p>Every point, and the original event files:</p>
    ${command(`npm run -s plotline -- export ${experiment.experimentId} --format csv`)}
    ${command(`npm run -s plotline -- export ${experiment.experimentId} --format raw`)}`;
}

/** Names may be empty; the id never is. */
export function titleOf(experiment: Pick<ExperimentSummary, 'name' | 'experimentId'>): string {
  return experiment.name.trim() === '' ? `Experiment ${experiment.experimentId}` : experiment.name;
}

function several(number: number, one: string): Html | null {
  return number === 0 ? null : html`<span>${countOf(number, one)}</span>`;
}

/** What is not there yet, or never will be; nothing when all is well. */
function progress({ frontier, problems, unreadableBytes }: ExperimentPage, api: string): Html | null {
  const waiting = frontier.acknowledgedBytes - frontier.visibleBytes;
  const notes = [
    waiting === 0
      ? null
      : html`<p class="state">Still reading: ${size(waiting)} of ${size(frontier.acknowledgedBytes)} are not visible yet.</p>`,
    problems === 0
      ? null
      : html`<p class="state bad">
          <a href="${api}/problems">${countOf(problems, 'problem')}</a> in the files; ${size(unreadableBytes)} could not be read.
        </p>`,
  ];
  return notes.every((note) => note === null) ? null : html`${notes}`;
}

function runTable({ experiment, runs, basePath }: ExperimentPage): Html {
  if (runs.length === 0) return html`<p class="dim">No run has a readable event yet.</p>`;
  const more = experiment.runs - runs.length;
  return html`<div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            <th>Status</th>
            <th class="wide">Started (UTC)</th>
            <th class="number">Took</th>
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
    ${more > 0 ? html`<p class="dim">and ${count(more)} more: <a href="${basePath}/api/v1/experiments/${experiment.experimentId}/runs">all runs</a></p>` : null}`;
}

function statusClass(status: string): string {
  return status === 'failure' ? 'bad' : status === 'success' ? 'good' : 'dim';
}

const shownHparams = 12;

/** The hyper-parameters of a run, below its name. */
function hparams(values: RunSummary['hparams']): Html | null {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  const rest = entries.length - shownHparams;
  return html`<div class="hparams">
    ${entries.slice(0, shownHparams).map(([name, value]) => html`<span><span class="dim">${name}</span> ${String(value)}</span> `)}${rest > 0 ? html`<span class="dim">and ${rest} more</span>` : null}
  </div>`;
}

function tagTable({ tags, moreTags }: ExperimentPage, api: string): Html {
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
                  ${line.plugin === 'scalars' ? html`<a href="${api}/scalars?tag=${encodeURIComponent(line.tag)}">${nameOf(line.tag)}</a>` : nameOf(line.tag)}
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
    ${moreTags > 0 ? html`<p class="dim">and ${count(moreTags)} more: <a href="${api}/series">all series</a></p>` : null}`;
}

/** Tags may be empty. */
function nameOf(tag: string): Html {
  return tag === '' ? html`<span class="dim">(no name)</span>` : breakable(tag);
}

/** A path that may go on in the next line behind a slash. */
function breakable(path: string): Html {
  return html`${path.split('/').map((part, index) => html`${index > 0 ? html`/<wbr />` : null}${part}`)}`;
}
