import { join } from 'node:path';
import { freePort } from '#testing';
import { type ApartOptions, ApartService } from '../../test/apart/index.ts';
import { hasNginx, startNginx } from './nginx.ts';
import { plainEnvironment, readCredentials, type Service } from './service.ts';
import { Watch } from './usage.ts';

const kinds = ['upload', 'ingest', 'read'] as const;

/**
 * A Plotline service with one upload, one ingest and one read process, and with its own Postgres,
 * Redis and S3, behind one address for clients.
 */
export interface ServiceApart extends Service {
  /** The upload process itself, for clients that bypass the proxy. */
  readonly uploadOrigin: string;
  /** Process ids. */
  readonly pids: Readonly<Record<(typeof kinds)[number], readonly number[]>>;
  /** Highest resident bytes (VmHWM) of each process so far. */
  peaks(): Readonly<Record<(typeof kinds)[number], number>>;
}

/**
 * Starts a service in a folder that must not exist yet; resolves when every process serves.
 * `uploadSettings` apply to the upload process only. `usage` counts one process of each kind,
 * without Postgres. The proxy is nginx if the machine has it: the tests' Node proxy alone uses a
 * tenth of two cores.
 */
export async function startServiceApart(
  dataFolder: string,
  settings: Readonly<Record<string, string>> = {},
  {
    ingestProcesses = 1,
    uploadSettings = {},
    citus = null,
  }: {
    readonly ingestProcesses?: number;
    readonly uploadSettings?: Readonly<Record<string, string>>;
    readonly citus?: ApartOptions['citus'];
  } = {},
): Promise<ServiceApart> {
  const port = await freePort();
  const publicPort = hasNginx() ? await freePort() : port;
  const origin = `http://127.0.0.1:${publicPort}`;
  const env = { ...plainEnvironment(), PLOTLINE_DATA_DIR: dataFolder, PLOTLINE_PUBLIC_URL: origin, ...settings };
  const count = { upload: 1, ingest: ingestProcesses, read: 1 };
  const apart = new ApartService({ dataDir: dataFolder, port, env, envOf: { upload: uploadSettings }, count, citus });
  await apart.start();
  const hostOf = (kind: 'upload' | 'read'): string => new URL(apart.programs.of(kind)[0]!.url).host;
  const places = { port: publicPort, upload: hostOf('upload'), read: hostOf('read') };
  const starting = hasNginx() ? startNginx(join(dataFolder, 'nginx'), places) : Promise.resolve(null);
  const nginx = await starting.catch(async (error: unknown) => {
    await apart.stop();
    throw error;
  });
  const pidsOf = (kind: (typeof kinds)[number]): number[] => apart.programs.of(kind).map(({ pid }) => pid!);
  const watches = kinds.map((kind) => new Watch(pidsOf(kind)[0]!, 250, { postgres: false }));
  const used = () => watches.map((watch) => watch.usage());
  return {
    origin,
    token: readCredentials(dataFolder).token,
    uploadOrigin: apart.programs.of('upload')[0]!.url,
    pids: { upload: pidsOf('upload'), ingest: pidsOf('ingest'), read: pidsOf('read') },
    dataFolder,
    usage: () => ({
      peakResident: Math.max(...used().map(({ peakResident }) => peakResident)),
      postgresPeakProportional: 0,
      processorSeconds: used().reduce((sum, { processorSeconds }) => sum + processorSeconds, 0),
    }),
    peaks: () => {
      const [upload, ingest, read] = used().map(({ peakResident }) => peakResident) as [number, number, number];
      return { upload, ingest, read };
    },
    stop: async () => {
      for (const watch of watches) watch.stop();
      await nginx?.stop();
      await apart.stop();
    },
  };
}
