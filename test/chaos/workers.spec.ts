import { scenarios } from './catalog.ts';
import { shortSet } from './short-set.ts';

shortSet('workers', scenarios.workers);
