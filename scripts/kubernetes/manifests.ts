import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from './api-server.ts';

const run = promisify(execFile);

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..');

/** Copies k8s/ into a new folder, and writes new secrets for its overlay `dev`. */
export async function copyManifests(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-manifests-'));
  await cp(join(root, 'k8s'), folder, { recursive: true });
  await rm(join(folder, 'overlays/dev/secrets.env'), { force: true });
  await run(join(folder, 'overlays/dev/secrets.sh'));
  return folder;
}

/** Builds an overlay; returns its objects. */
export async function buildOverlay(kustomize: string, folder: string, overlay: string): Promise<KubernetesObject[]> {
  return documentsOf(await buildText(kustomize, folder, overlay));
}

/** Builds an overlay; returns it as YAML, as `kustomize build` prints it. */
export async function buildText(kustomize: string, folder: string, overlay: string): Promise<string> {
  return (await run(kustomize, ['build', join(folder, 'overlays', overlay)], { maxBuffer: 64 << 20 })).stdout;
}

/** Returns the objects in a YAML string. */
export function documentsOf(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => (document.contents === null ? [] : [document.toJS() as KubernetesObject]));
}
