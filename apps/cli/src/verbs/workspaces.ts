import { randomUUID } from 'node:crypto';
import type { Host } from '../host.ts';
import { asArray, asObject, shown } from '../http/json.ts';
import type { Report } from '../report.ts';
import { withApi } from '../with-api.ts';

/** `plotline workspaces list`: lists the workspaces of the person. */
export async function list(_flags: object, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { workspaces } = await api.get('/workspaces', 'Listing workspaces');
    report.document({ workspaces });
    report.table(
      ['ID', 'NAME', 'ROLE', ''],
      asArray(workspaces, 'workspaces').map((value) => {
        const workspace = asObject(value, 'workspaces');
        return [shown(workspace['id']), shown(workspace['name']), shown(workspace['role']), workspace['current'] === true ? 'current' : ''];
      }),
    );
  });
}

/** `plotline workspaces create`: creates a workspace owned by the person. */
export async function create({ argument: name }: { argument: string }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api, origin) => {
    const made = await api.send('POST', '/workspaces', 'Creating a workspace', { name }, randomUUID());
    report.document(made);
    report.result(`Created ${shown(made['name'])} (${shown(made['id'])}); you own it.`);
    report.say(`Each token is for one workspace. Switch at ${origin}/workspaces in a browser, then run plotline login.`);
  });
}
