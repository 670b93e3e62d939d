import { join } from 'node:path';
import { type ExperimentId, isExperimentId } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { stateFolder } from './folders.ts';
import { realLogdir } from './logdir.ts';
import { UploadMemory } from './upload-memory.ts';

/** Parses an experiment id, or the URL of its page. */
export function parseExperimentId(text: string): ExperimentId {
  const id = /^https?:\/\/[^/]+\/e\/([A-Za-z0-9]{22})(?:[/?#].*)?$/.exec(text)?.[1] ?? text;
  if (!isExperimentId(id)) {
    throw new CliError(
      exitCodes.notFound,
      `There is no experiment ${JSON.stringify(text)}. An id consists of 22 letters and digits. You can also use the URL of its page.`,
      { code: 'experiment-not-found' },
    );
  }
  return id;
}

/** The specified experiment, otherwise the experiment that this log directory was uploaded to. */
export function experimentFor(host: Host, origin: string, named: string | undefined, logdir: string): ExperimentId {
  if (named !== undefined) return parseExperimentId(named);
  const real = realLogdir(host, logdir);
  const remembered = new UploadMemory(join(stateFolder(host), 'uploads'), origin, real).recall();
  if (remembered?.kind === 'experiment') return remembered.id;
  throw new CliError(exitCodes.notFound, `Nothing has been uploaded from ${real} to ${origin} yet. Specify the experiment.`, {
    code: 'experiment-not-found',
  });
}
