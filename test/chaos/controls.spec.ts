import { scenarios } from './catalog.ts';
import { shortSet } from './short-set.ts';

shortSet('controls', scenarios.controls);
