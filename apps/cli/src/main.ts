#!/usr/bin/env node
import { constants, setPriority } from 'node:os';
import { processHost } from './host.ts';
import { runCli } from './program.ts';

// An upload runs beside a training, and the training has the machine first. Lowering one's own priority is always allowed.
if (process.argv[2] === 'upload') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.exitCode = await runCli(process.argv.slice(2), processHost());
