import { badObjectStore } from './bad-object-store.ts';
import { badPostgresLink } from './bad-postgres-link.ts';
import { fullDisks } from './full-disks.ts';
import { gracefulStops } from './graceful-stops.ts';
import { partitions } from './partitions.ts';
import { poisonRecord } from './poison-record.ts';
import { postgresKills } from './postgres-kills.ts';
import { redisMemory } from './redis-memory.ts';
import { redisOutages } from './redis-outages.ts';
import { replays } from './replays.ts';
import type { DegradedScenario } from './report.ts';
import { wrongClocks } from './wrong-clocks.ts';

/** Scenarios in which part of the system is down, slow, full or faulty. */
export const degraded: readonly DegradedScenario[] = [
  postgresKills,
  replays,
  poisonRecord,
  redisOutages,
  redisMemory,
  badPostgresLink,
  badObjectStore,
  fullDisks,
  wrongClocks,
  partitions,
  gracefulStops,
];
