import { z } from 'zod';
import { experimentJson } from '../../experiments/experiment-json.ts';
import { changeBody, createBody, experimentsQuery } from '../../experiments/experiments.controller.ts';
import { runJson } from '../../runs/run-json.ts';
import { changeRunsBody, runBehindJson, runsQuery } from '../../runs/runs.controller.ts';
import { seriesJson } from '../../series-list/series-json.ts';
import { seriesQuery } from '../../series-list/series-list.controller.ts';
import { tagJson, tagsQuery } from '../../tags/tags.controller.ts';
import { examples } from './examples.ts';
import { onlyWaiting } from '../../query-schemas.ts';
import { json, type RouteDoc } from './route-doc.ts';

const next = z.string().optional().meta({ description: 'The next `page_token`; absent on the last page.' });
const filterAbout =
  'A filter compares fields with `= != < <= > >=`, `:` (contains) and `~` `!~` (regular expression), joined by AND, OR, NOT and parentheses; a word alone matches names that contain it. ' +
  'An order is a list like `last("val/acc") desc, name`; entries without a value, or whose value is NaN or infinite, come last in both directions.';

export const experimentDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/experiments',
    tag: 'experiments',
    summary: 'Create an experiment',
    idempotent: true,
    body: { schema: createBody, example: { name: 'resnet, three learning rates' } },
    responses: [json(experimentJson, 'The new experiment.', examples.experiment, 201)],
    problems: ['unknown-field', 'bad-request', 'name-too-long', 'invalid-name', 'forbidden', 'quota-exceeded', 'idempotency-key-reused'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments',
    tag: 'experiments',
    summary: 'List experiments',
    about: `Newest first by default. Fields: id, name, description, owner, label, archived, created, updated, received. ${filterAbout}`,
    query: experimentsQuery,
    responses: [
      json(z.object({ experiments: z.array(experimentJson), next_page_token: next }), 'A page.', { experiments: [examples.experiment] }),
    ],
    problems: ['invalid-filter', 'invalid-page-token', 'bad-request'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId',
    tag: 'experiments',
    summary: 'Read an experiment',
    query: onlyWaiting,
    responses: [json(experimentJson, 'The experiment.', examples.experiment)],
    problems: ['experiment-not-found', 'bad-request', 'unknown-field', 'not-visible-yet'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/experiments/:experimentId',
    tag: 'experiments',
    summary: 'Change name, description, labels, notes, visibility, or whether it is archived',
    about: 'Changing the visibility requires permission to share the experiment. A snapshot accepts no other change.',
    body: { schema: changeBody, example: { name: 'resnet, final' } },
    responses: [json(experimentJson, 'The updated experiment.', examples.experiment)],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'name-too-long', 'invalid-name', 'forbidden', 'experiment-frozen'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/experiments/:experimentId',
    tag: 'experiments',
    summary: 'Delete an experiment with everything in it',
    responses: [
      {
        status: 204,
        about: 'The experiment is no longer visible to anyone; its data is being removed.',
        headers: { Location: 'The progress.' },
      },
    ],
    problems: ['experiment-not-found', 'forbidden'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/runs',
    tag: 'runs and series',
    summary: 'List runs',
    about: `On the first page, \`behind\` lists runs with bytes that cannot be read yet, since when, and why. Fields: name, status, group, label, archived, start_time, last_time, duration (seconds), state("minutes") (running, finished, failed, stalled or unknown; minutes: how long a running run may be silent), hparam("…"), and last("tag"), min("tag"), max("tag"), last_step("tag"), min_step("tag") and max_step("tag") (the first step of the smallest and of the largest value) of scalar series; value_at("tag", 1000) (the value at a step, otherwise the last value before it), value_at_min("tag", "other") and value_at_max("tag", "other") (at the step of the smallest or largest value of another tag), and step_at, step_at_min and step_at_max (the steps of these values). At most 8 of these are allowed in a filter and an order. Example: \`last("val/acc") >= 0.9 AND hparam("lr") < 0.01\`. ${filterAbout}`,
    query: runsQuery,
    responses: [
      json(
        z.object({ runs: z.array(runJson), total: z.int().optional(), behind: z.array(runBehindJson).optional(), next_page_token: next }),
        'A page.',
        {
          runs: [examples.run],
          behind: [examples.runBehind],
        },
      ),
    ],
    problems: ['experiment-not-found', 'not-visible-yet', 'invalid-filter', 'invalid-page-token', 'bad-request'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/experiments/:experimentId/runs',
    tag: 'runs and series',
    summary: 'Change labels and notes of runs, or archive them',
    about: 'Omitted fields stay unchanged. New labels and notes replace the old values.',
    body: { schema: changeRunsBody, example: { runs: ['lr=0.01'], labels: ['best'], notes: 'Used in the paper.' } },
    responses: [{ status: 204, about: 'The runs were changed.' }],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'name-too-long', 'invalid-name', 'forbidden', 'experiment-frozen'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/series',
    tag: 'runs and series',
    summary: 'List series',
    about:
      '`run`, `tag` and `plugin` are repeatable. One page holds up to 10,000 series unless `page_size` asks for fewer. `points`, steps, `min`, `max` and `last` cover effective points; null where they do not apply.',
    query: seriesQuery,
    responses: [json(z.object({ series: z.array(seriesJson), next_page_token: next }), 'The series.', { series: [examples.series] })],
    problems: ['experiment-not-found', 'not-visible-yet', 'invalid-page-token', 'bad-request'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/tags',
    tag: 'runs and series',
    summary: 'List the tags of all runs',
    about: 'Grouped by tag, plugin and data class. One page holds up to 10,000 entries unless `page_size` asks for fewer.',
    query: tagsQuery,
    responses: [json(z.object({ tags: z.array(tagJson), next_page_token: next }), 'The tags.', { tags: [examples.tag] })],
    problems: ['experiment-not-found', 'not-visible-yet', 'invalid-page-token', 'bad-request'],
  },
];
