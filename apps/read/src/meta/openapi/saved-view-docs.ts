import { z } from 'zod';
import { savedViewJson } from '../../saved-views/saved-view-json.ts';
import { changedViewBody, newViewBody } from '../../saved-views/saved-views.controller.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const example = {
  id: '5b1f4f0e-5c1f-4d8f-9d6b-0a8a8f6a3c11',
  experiment: examples.id,
  name: 'Validation only',
  view: 'tagFilter=%5Eval&smoothing=0.9',
  shared: true,
  default: false,
  owner: examples.experiment.owner,
  updated: '2026-11-27T00:00:00.000Z',
};

export const savedViewDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/views',
    tag: 'experiments',
    summary: 'List saved views',
    about: 'The views of the workspace, and your private views.',
    responses: [json(z.object({ views: z.array(savedViewJson) }), 'At most 200, sorted by name.', { views: [example] })],
    problems: ['forbidden', 'experiment-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/views',
    tag: 'experiments',
    summary: 'Save a view',
    about: 'An experiment has at most 100 shared views, and 100 private views per member.',
    body: { schema: newViewBody, example: { name: example.name, view: example.view, shared: true } },
    responses: [json(savedViewJson, 'The view.', example, 201)],
    problems: [
      'experiment-frozen',
      'bad-request',
      'unknown-field',
      'name-too-long',
      'invalid-name',
      'quota-exceeded',
      'forbidden',
      'experiment-not-found',
    ],
  },
  {
    method: 'PATCH',
    path: '/api/v1/views/:viewId',
    tag: 'experiments',
    summary: 'Change a saved view',
    about:
      'Members who may change the experiment may change its shared views. Only its owner can see and change a private view, or make a view private.',
    body: { schema: changedViewBody, example: { name: 'Validation', default: true } },
    responses: [json(savedViewJson, 'The changed view.', { ...example, name: 'Validation', default: true })],
    problems: [
      'experiment-frozen',
      'bad-request',
      'unknown-field',
      'name-too-long',
      'invalid-name',
      'quota-exceeded',
      'forbidden',
      'saved-view-not-found',
    ],
  },
  {
    method: 'DELETE',
    path: '/api/v1/views/:viewId',
    tag: 'experiments',
    summary: 'Delete a saved view',
    responses: [{ status: 204, about: 'The view is deleted.' }],
    problems: ['experiment-frozen', 'forbidden', 'saved-view-not-found'],
  },
];
