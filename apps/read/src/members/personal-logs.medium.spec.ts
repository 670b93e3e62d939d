import { afterAll, beforeAll, expect, it } from 'vitest';
import { nestLogger } from '#service';
import { createLogger } from '#telemetry';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService } from '../testing/read-service.ts';

describeWith(['postgres'], 'log lines', () => {
  let service: ReadService;
  const lines: string[] = [];
  beforeAll(async () => {
    service = await startReadService();
    service.app.useLogger(nestLogger(createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) })));
  });
  afterAll(() => service?.close());

  it('of errors contain no person, address, secret or link', async () => {
    const owner = await service.tenant('Unmistakable Lab');
    const grace = await addMember(service, owner, 'admin', 'Grace Unmistakable');
    const { json } = await service.call(grace, 'POST', '/api/v1/invitations', { body: {} });
    const join = new URL(json.url).pathname;
    await service.sql('revoke insert on audit_entry from plotline_app');
    await service.sql('revoke select on invitation_route, person from plotline_app');
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const responses = [
      await service.call(owner, 'PATCH', `/api/v1/members/${grace.personId}`, { body: { role: 'member' }, headers }),
      await service.call(grace, 'POST', '/api/v1/invitations/accept', { body: { secret: join.split('/').at(-1) }, headers }),
      await service.call(null, 'GET', join, { headers }),
      await service.call(grace, 'DELETE', '/api/v1/person', { body: { name: 'Grace Unmistakable' }, headers }),
      await service.call(grace, 'GET', '/api/v1/person/export', { headers }),
    ];
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 500));
    // A change never commits without its log entry: both are in one transaction.
    expect(await service.sql('select role from workspace_member where person_id = $1', [grace.personId])).toEqual([{ role: 'admin' }]);
    expect(lines.length).toBeGreaterThanOrEqual(responses.length);
    const text = lines.join('\n');
    expect(text).toContain('/join/…');
    for (const hidden of ['Unmistakable', '203.0.113', '127.0.0', join, grace.token, owner.token]) expect(text).not.toContain(hidden);
  });
});
