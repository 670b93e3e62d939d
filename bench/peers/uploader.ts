import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../lib/processes.ts';
import { pythonEnvironment } from './python.ts';

/** The last TensorBoard release, unmodified, with a working `tensorboard dev upload`. */
export interface StockUploader {
  /** Uploads a directory once. Returns the process's run time in seconds and its stdout. */
  upload(origin: string, directory: string): Promise<{ readonly seconds: number; readonly stdout: string }>;
}

/**
 * Prepares the uploader with its own home below `folder`, with the token as its credentials. It
 * cannot reach any other machine.
 */
export async function stockUploader(folder: string, token: string, say: (line: string) => void): Promise<StockUploader> {
  const environment = await pythonEnvironment('uploader', ['tensorboard==2.15.0', 'numpy<2', 'setuptools<81', 'six'], say);
  const home = join(folder, 'uploader-home');
  const credentials = join(home, 'tensorboard', 'credentials');
  mkdirSync(credentials, { recursive: true });
  const unused = { refresh_token: 'unused', client_id: 'unused', client_secret: 'unused' };
  const known = { type: 'authorized_user', ...unused, token, expiry: '2099-01-01T00:00:00Z' };
  writeFileSync(join(credentials, 'uploader-creds.json'), JSON.stringify(known), { mode: 0o600 });
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CONFIG_HOME: home,
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  };
  return {
    async upload(origin, directory) {
      const global = ['dev', '--origin', origin, '--grpc_creds_type', 'local'];
      const started = performance.now();
      const stdout = await run(
        join(environment, 'bin', 'tensorboard'),
        [...global, 'upload', '--logdir', directory, '--one_shot', '--verbose', '0'],
        { env },
      );
      return { seconds: (performance.now() - started) / 1000, stdout };
    },
  };
}
