import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { type CliResult, Cli, Service, type Uploaded } from './service.ts';

/*
 * A member runs the CLI in a folder from someone else, e.g. a cloned repository or an unpacked
 * archive.
 */

const secret = 'PRIVATE KEY of the person';
let service: Service;
let attacker: Server;
/** Requests that reached the attacker's server. */
let stolen: string[];
let home: string;
let folder: string;

beforeAll(async () => {
  service = await Service.start();
  attacker = createServer((request, response) => {
    stolen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  attacker.close();
  await service.dispose();
});

beforeEach(async () => {
  stolen = [];
  home = await mkdtemp(join(tmpdir(), 'plotline-person-'));
  folder = join(home, 'clone');
  const events = writeEventFile([{ step: 1, scalars: { loss: 0.5 } }]);
  const logs = join(folder, 'logs');
  await mkdir(join(logs, 'train'), { recursive: true });
  await writeFile(join(logs, 'train', 'events.out.tfevents.1'), events);
  await writeFile(join(logs, 'train', 'tfevents.md'), '# How to read these logs\n');
  // The member's private files, and targets of links in the folder.
  await mkdir(join(home, 'private'));
  await writeFile(join(home, 'private', 'id_ed25519'), secret);
  await writeFile(join(home, 'private', 'events.out.tfevents.9'), writeEventFile([{ step: 1, scalars: { [secret]: 1 } }]));
  await symlink(join(home, 'private', 'id_ed25519'), join(logs, 'train', 'events.out.tfevents.2'));
  await symlink('../../../private/events.out.tfevents.9', join(logs, 'train', 'events.out.tfevents.3'));
  await symlink('../../private', join(logs, 'run'));
  await symlink('/', join(logs, 'everything'));
  // A different log: a copy of the other log would not be uploaded.
  await writeFile(
    join(logs, 'train', 'tfevents.\u001b[31m\u202etxt'),
    writeEventFile([{ step: 2, wallTime: 1_700_000_100, scalars: { loss: 0.25 } }]),
  );
  // The attacker's address in the folder.
  await mkdir(join(folder, '.plotline'));
  const { port } = attacker.address() as AddressInfo;
  const planted = join(folder, '.plotline', 'credentials.json');
  await writeFile(planted, JSON.stringify({ server: `http://127.0.0.1:${port}`, token: 'plt_of_the_attacker' }));
  await chmod(planted, 0o600);
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Runs `plotline ARGS` in that folder. */
function plotline(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
  const cli = new Cli(service, join(home, 'state'), { PLOTLINE_DATA_DIR: '', INIT_CWD: folder, HOME: home, ...env });
  return cli.spawn(args).ended;
}

const upload = ['upload', '--logdir', 'logs', '--one-shot', '--json'];

describe('a folder from someone else', () => {
  it('cannot choose the server: it gets neither tokens nor logs', async () => {
    for (const env of [{}, { PLOTLINE_TOKEN: await service.token() }]) {
      for (const args of [upload, ['list'], ['whoami'], ['logout'], ['status', '--logdir', 'logs'], ['verify', '--logdir', 'logs']]) {
        const { code, stderr } = await plotline(args, env);
        expect([code, stderr], args.join(' ')).toEqual([3, expect.stringContaining('was ignored: none of your services wrote it')]);
      }
    }
    expect(stolen).toEqual([]);
  });

  it('changes nothing for members signed in elsewhere, and none of its links is followed', async () => {
    await mkdir(join(home, 'state/plotline'), { recursive: true });
    const logins = { server: service.url, tokens: { [service.url]: await service.token() } };
    await writeFile(join(home, 'state/plotline/credentials.json'), JSON.stringify(logins));
    const { code, stdout, stderr } = await plotline(upload);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { experiment_id: id } = JSON.parse(stdout) as Uploaded;
    const { files } = await service.json<{ files: { run: string; name: string }[] }>(`/experiments/${id}/files`);
    expect(files.map(({ run, name }) => `${run}/${name}`).toSorted()).toEqual([
      'train/events.out.tfevents.1',
      'train/tfevents.\u001b[31m\u202etxt',
    ]);
    const { series } = await service.json<{ series: { tag: string }[] }>(`/experiments/${id}/series`);
    expect(series.map(({ tag }) => tag)).toEqual(['loss']);
    for (const link of ['logs/run', 'logs/everything', 'train/events.out.tfevents.2', 'train/events.out.tfevents.3'])
      expect(stderr).toMatch(new RegExp(`${link}: a link out of the log directory, .*--follow-links`));
    expect(stderr).toContain('tfevents.md: is not an event file');
    expect(stderr + stdout).not.toContain(secret);
    // No characters that move the cursor or reverse text reach the terminal.
    expect(stderr + stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stolen).toEqual([]);
  });

  it('is followed through its links only on request, and even then only event files are read', async () => {
    await rm(join(folder, 'logs/everything'));
    const env = { PLOTLINE_SERVER: service.url, PLOTLINE_TOKEN: await service.token() };
    const { code, stdout, stderr } = await plotline([...upload, '--follow-links'], env);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { experiment_id: id } = JSON.parse(stdout) as Uploaded;
    const { files } = await service.json<{ files: { run: string; name: string }[] }>(`/experiments/${id}/files`);
    expect(files.map(({ run, name }) => `${run}/${name}`).toSorted()).toEqual([
      'run/events.out.tfevents.9',
      'train/events.out.tfevents.1',
      'train/events.out.tfevents.3',
      'train/tfevents.\u001b[31m\u202etxt',
    ]);
    expect(stderr).toContain('events.out.tfevents.2: is not an event file');
    expect(stolen).toEqual([]);
  });
});
