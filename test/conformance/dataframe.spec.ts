import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { StockClient, stockProgram, walledIn } from './stock-client.ts';

const run = promisify(execFile);

const script = `
import json, sys
from tensorboard.data.experimental import ExperimentFromDev
frame = ExperimentFromDev(sys.argv[1], api_endpoint=sys.argv[2]).get_scalars(include_wall_time=True)
json.dump({name: frame[name].map(float.hex).tolist() if frame[name].dtype == float else frame[name].tolist() for name in frame}, sys.stdout)
`;

describeWith(['tensorboard'], 'TensorBoard clients that require TLS', () => {
  let folder: string;
  let stage: Stage;
  let cert: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-tls-'));
    cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject]);
    stage = await Stage.start({ PLOTLINE_GRPC_TLS_CERT_FILE: cert, PLOTLINE_GRPC_TLS_KEY_FILE: key });
  });
  afterAll(async () => {
    await stage?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the columns that the DataFrame client returns. */
  const frameOf = async (experimentId: string, home: string): Promise<Record<string, (string | number)[]>> => {
    const { stdout } = await run(stockProgram('uploader', 'python'), ['-c', script, experimentId, `localhost:${stage.grpcPort}`], {
      env: { ...walledIn(home), GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: cert },
      maxBuffer: 256 * 1024 * 1024,
    });
    return JSON.parse(stdout) as Record<string, (string | number)[]>;
  };

  const number = (hex: string | number): number => (typeof hex === 'number' ? hex : fromHex(hex));

  it('ExperimentFromDev returns what was logged', async () => {
    const experimentId = await stage.uploadNatively(await logDirectory('keras'));
    await stage.visible(experimentId);
    const frame = await frameOf(experimentId, stage.client.home);
    const points = frame.run!.map((name, i) => [
      name,
      frame.tag![i]!,
      frame.step![i]!,
      number(frame.value![i]!),
      number(frame.wall_time![i]!),
    ]);
    const logged = [...(await readExperiment(stage.service, experimentId))].flatMap(([name, tags]) =>
      [...tags].flatMap(([tag, { scalars, superseded }]) =>
        scalars.filter((_, i) => !superseded[i]).map(({ step, wallTime, value }) => [name, tag, Number(step), value, wallTime]),
      ),
    );
    expect(points.length).toBeGreaterThan(500);
    expect(points.map((point) => point.slice(0, 4)).toSorted(byText)).toEqual(logged.map((point) => point.slice(0, 4)).toSorted(byText));
    const times = (list: typeof logged) => list.map((point) => Number(point[4])).toSorted((a, b) => a - b);
    times(points).forEach((time, i) => expect(time).toBeCloseTo(times(logged)[i]!, 6));
  });

  it('reads a public experiment without credentials, but not a private one', async () => {
    const experimentId = await stage.uploadNatively(await logDirectory('tensorboardx'));
    const home = await mkdtemp(join(folder, 'nobody-'));
    await expect(frameOf(experimentId, home)).rejects.toThrow(/UNAUTHENTICATED|NOT_FOUND|PERMISSION_DENIED/);
    const published = await stage.service.fetch(`/experiments/${experimentId}`, {
      method: 'PATCH',
      body: JSON.stringify({ visibility: 'public' }),
    });
    expect(published.status).toBe(200);
    // The visibility of an experiment is cached for a few seconds.
    await expect.poll(() => frameOf(experimentId, home).catch(() => null), { timeout: 60_000 }).not.toBeNull();
    expect((await frameOf(experimentId, home)).step!.length).toBe(171);
  });

  it.each(['ssl', 'ssl_dev'] as const)('uploads by --grpc_creds_type %s', async (credentials) => {
    const client = await StockClient.make(stage.service.url, await stage.service.token());
    try {
      const env = { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: cert };
      const { ended } = client.spawnWith(
        { credentials, env },
        'upload',
        '--logdir',
        await logDirectory('tensorboardx'),
        '--one_shot',
        '--plugins',
        'scalars',
      );
      const { code, stderr } = await ended;
      expect(code, stderr).toBe(0);
    } finally {
      await client.dispose();
    }
  });
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Parses Python's hexadecimal form of a double, which is exact. */
function fromHex(text: string): number {
  if (/nan|inf/.test(text)) return Number(text.replace('inf', 'Infinity').replace('nan', 'NaN'));
  const [, sign, digits, exponent] = /^(-?)0x([01]\.[0-9a-f]+)p([+-]\d+)$/.exec(text)!;
  const [whole, fraction = ''] = digits!.split('.');
  return (sign ? -1 : 1) * (Number(whole) + Number.parseInt(fraction || '0', 16) / 16 ** fraction.length) * 2 ** Number(exponent);
}
