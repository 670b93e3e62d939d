import type { Command } from 'commander';
import type { Host } from '../host.ts';
import { checkEnvironment } from '../local/check-environment.ts';
import type { Report } from '../report.ts';

/**
 * A verb takes flags and arguments, and returns an exit code. Results and messages go through the
 * report.
 */
export type Verb<F> = (flags: F, host: Host, report: Report) => Promise<number>;

interface Context {
  readonly host: Host;
  readonly report: Report;
  readonly onExit: (exitCode: number) => void;
}

/** Verbs of the program, or of a group such as `members`. */
export class Commands {
  readonly #parent: Command;
  readonly #context: Context;

  constructor(parent: Command, context: Context) {
    this.#parent = parent;
    this.#context = context;
  }

  /** Adds a verb whose module is loaded only when it is called, to keep startup fast. */
  verb<F>(name: string, description: string, load: () => Promise<Verb<F>>, argumentName?: string): Command {
    const { host, report, onExit } = this.#context;
    const command = this.#parent.command(argumentName ? `${name} ${argumentName}` : name).description(description);
    command.option('--json', 'print one JSON document on stdout and nothing else');
    command.action(async (...args: unknown[]) => {
      const flags = command.opts();
      const [argument, rest] = args;
      await checkEnvironment(host.env);
      const run = await load();
      const second = typeof rest === 'string' ? { second: rest } : {};
      onExit(
        await run({ ...flags, ...(argumentName && { argument }), ...second, ...(Array.isArray(rest) && { rest }) } as F, host, report),
      );
    });
    return command;
  }

  /** Adds a group of verbs. */
  group(name: string, description: string): Commands {
    return new Commands(this.#parent.command(name).description(description), this.#context);
  }
}
