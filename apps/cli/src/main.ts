#!/usr/bin/env node
import { processHost } from './host.ts';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), processHost());
