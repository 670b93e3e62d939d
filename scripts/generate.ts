/**
 * Writes the generated files: the Database type and docs/schema.md from the migrations,
 * docs/configuration.md from libs/config, the Grafana dashboard, the messages of libs/protocols
 * from its .proto files, and the page's types from the API schemas. `--verify` writes nothing and
 * exits with 1 if one of them is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { responseTypes } from './generate/response-types.ts';
import { configurationPage } from './generate/configuration-page.ts';
import { dashboard } from './generate/dashboard.ts';
import { databaseTypes } from './generate/database-types.ts';
import { migratedDatabase } from './generate/migrated-database.ts';
import { protocolDescriptor, protocolTypes } from './generate/protocol-types.ts';
import { schemaPage } from './generate/schema-page.ts';

const root = process.cwd();
const verify = process.argv.includes('--verify');

const database = await migratedDatabase();
const files: Record<string, string> = {};
try {
  files['libs/store/src/database.ts'] = await databaseTypes(database.url);
  files['docs/schema.md'] = await schemaPage(database.url);
} finally {
  await database.stop();
}
files['apps/web/src/api/types.ts'] = responseTypes();
files['docs/configuration.md'] = configurationPage();
files['k8s/components/prometheus/dashboard.json'] = dashboard();
files['libs/protocols/src/messages.ts'] = protocolTypes();
files['libs/protocols/src/descriptor.ts'] = protocolDescriptor();

let outdated = 0;
for (const [name, text] of Object.entries(files)) {
  const path = resolve(root, name);
  const wanted = name.endsWith('.md') ? text : await format(text, { ...(await resolveConfig(path)), filepath: path });
  const present = await readFile(path, 'utf8').catch(() => null);
  if (present === wanted) continue;
  if (verify) {
    outdated++;
    console.error(`${relative(root, path)} is out of date: run npm run generate`);
  } else {
    await writeFile(path, wanted);
    console.log(`wrote ${relative(root, path)}`);
  }
}
process.exitCode = outdated > 0 ? 1 : 0;
