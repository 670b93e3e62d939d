import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from './migrator.ts';
import { migrationHazards } from './testing/migration-hazards.ts';

/** Older files have been applied everywhere and never change. */
const firstJudged = 28;

/** Accepted hazards, by migration number, with the reason. */
const accepted: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  33: {
    'index-not-concurrent sign_in_link': 'links live for an hour: the table is small',
    'index-not-concurrent browser_session': 'one row for each signed-in browser: the table is small',
  },
};

describe('migrations', () => {
  beforeAll(() => loadModule());

  it('neither lock large tables for long nor break the previous version, except for written reasons', async () => {
    const judged = (await readMigrations()).filter(({ number }) => number >= firstJudged);
    expect(judged.length).toBeGreaterThan(5);
    const found = judged.flatMap(({ number, sql }) => migrationHazards(sql).map((hazard) => `${number} ${hazard}`));
    const known = Object.entries(accepted).flatMap(([number, hazards]) => Object.keys(hazards).map((hazard) => `${number} ${hazard}`));
    expect([...new Set(found)].sort()).toEqual(known.sort());
  });
});
