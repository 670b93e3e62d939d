import { randomUUID } from 'node:crypto';
import type { Host } from '../host.ts';
import { asArray, asObject, shown } from '../http/json.ts';
import type { Report } from '../report.ts';
import { withApi } from '../with-api.ts';

/** `plotline workspaces list`: those that the person is in. */
export async function list(_flags: object, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { workspaces } = await api.get('/workspaces', 'Listing workspaces');
    report.document({ workspaces });
    report.table(
      ['ID', 'NAME', 'ROLE', ''],
      asArray(workspaces, 'workspaces').map((value) => {
        const workspace = asObject(value, 'workspaces');
        return [
          shown(workspace['id']),
          shown(workspace['name']),
          shown(workspace['role']),
          workspace['current'] === true ? 'this token is for it' : '',
        ];
      }),
    );
  });
}

/** `plotline workspaces create`: a workspace that the person owns. */
export async function create({ argument: name }: { argument: string }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api, origin) => {
    const made = await api.send('POST', '/workspaces', 'Making a workspace', { name }, randomUUID());
    report.document(made);
    report.result(`Made ${shown(made['name'])} (${shown(made['id'])}); it is yours.`);
    report.say(`A token is for one workspace: go there at ${origin}/workspaces with a browser, then use plotline login.`);
  });
}
