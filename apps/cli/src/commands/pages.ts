import type { Commands } from './commands.ts';

/** Adds verbs for the service on this machine and its pages. */
export function addPages(commands: Commands): void {
  commands.verb('serve', 'run the whole service on this machine', async () => (await import('../verbs/serve.ts')).serve);
  commands.verb('open', "open an experiment's page", async () => (await import('../verbs/experiments.ts')).open, '<experiment>');
}
