#!/usr/bin/env node
import { constants, setPriority } from 'node:os';
import { processHost } from './host.ts';
import { runCli } from './program.ts';

// An upload runs beside a training run, which has priority. A process can always lower its own
// priority.
if (process.argv[2] === 'upload') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.exitCode = await runCli(process.argv.slice(2), processHost());
