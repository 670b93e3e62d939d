import { describe, expect, it } from 'vitest';
import { examples } from '../meta/openapi/examples.ts';
import { checkDocumented, type ReceivedResponse } from './documented-response.ts';

const response: ReceivedResponse = {
  method: 'GET',
  path: `/api/v1/experiments/${examples.id}?timeout=1`,
  status: 200,
  mediaType: 'application/json',
  json: examples.experiment,
};
const check = (changes: Partial<ReceivedResponse>) => () => checkDocumented({ ...response, ...changes });

describe('checkDocumented', () => {
  it('accepts what the document describes', () => {
    expect(check({})).not.toThrow();
    expect(check({ method: 'DELETE', status: 204, mediaType: null, json: null })).not.toThrow();
    expect(check({ path: '/api/v1/blobs/WzEsInBLM3YiXQ', mediaType: 'image/png', json: null })).not.toThrow();
    expect(check({ method: 'HEAD', mediaType: null, json: null })).not.toThrow();
  });

  it('detects a wrong type, a missing field and an undocumented field', () => {
    expect(check({ json: { ...examples.experiment, labels: 'base' } })).toThrow(/labels/);
    const { name: _, ...nameless } = examples.experiment;
    expect(check({ json: nameless })).toThrow(/name/);
    expect(check({ json: { ...examples.experiment, secret: 1 } })).toThrow(/not documented: \/secret/);
    const { frontier } = examples.experiment;
    expect(check({ json: { ...examples.experiment, frontier: { ...frontier, more: 1 } } })).toThrow(/not documented: \/frontier\/more/);
  });

  it('detects an undocumented route, status and JSON', () => {
    expect(check({ path: '/api/v1/nowhere' })).toThrow(/no such route/);
    expect(check({ status: 202 })).toThrow(/202 is not documented/);
    expect(check({ path: '/api/v1/blobs/WzEsInBLM3YiXQ', json: {} })).toThrow(/JSON is not documented/);
  });

  it('does not check problems', () => {
    expect(check({ status: 404, json: null })).not.toThrow();
  });
});
