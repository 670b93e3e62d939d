import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { MemberJson } from '../api/types.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';
import { Frame } from '../app/frame.tsx';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { roleTexts, rolesUpTo } from './roles.ts';

/** The workspace's members. Admins also see the invitations, and forms to change both. */
export default function MembersScreen() {
  const { base, reader } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const mayManage = useMay()('member.manage');
  const [inviting, setInviting] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => api.list<MemberJson>('/members?page_size=1000', 'members', signal),
    staleTime: 0,
  });
  useEffect(() => {
    document.title = 'Members · Plotline';
  }, []);
  const sorted = data?.toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id));
  return (
    <Frame>
      <main className="page narrow" aria-busy={!data && !error}>
        <div className="page-head">
          <h1>Members of {visibleText(reader?.workspace ?? '')}</h1>
          {mayManage && !inviting && (
            <button type="button" className="primary" onClick={() => setInviting(true)}>
              Invite
            </button>
          )}
        </div>
        {inviting && <Invite api={api} onClose={() => setInviting(false)} />}
        {error && !data && <p className="bad">{problemText(error)}</p>}
        {sorted && <Members api={api} members={sorted} />}
        {mayManage && <Invitations api={api} />}
        <dl className="roles">
          {roleTexts.map(([role, text]) => (
            <div key={role}>
              <dt>{role}</dt>
              <dd className="dim">{text}</dd>
            </div>
          ))}
        </dl>
      </main>
    </Frame>
  );
}

function Members({ api, members }: { readonly api: Api; readonly members: readonly MemberJson[] }) {
  const { base, reader } = usePage();
  const may = useMay();
  const client = useQueryClient();
  const own = members.find(({ id }) => id === reader?.id)?.role ?? reader?.role ?? '';
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['members'] });
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: string }) => api.send('PATCH', `/members/${id}`, { role }),
    onSettled: reload,
  });
  const remove = useMutation({ mutationFn: (id: string) => api.send('DELETE', `/members/${id}`), onSettled: reload });
  const leave = useMutation({
    mutationFn: () => api.send('POST', '/workspace/leave', {}),
    onSuccess: () => location.assign(`${base}/`),
  });
  const failed = change.error ?? remove.error ?? leave.error;
  const isBusy = change.isPending || remove.isPending || leave.isPending;
  return (
    <>
      {failed && (
        <p className="bad" role="alert">
          {problemText(failed)}
        </p>
      )}
      <div className="scroll" role="region" aria-label="Members" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>Role</th>
              <th className="wide">Since</th>
              <th>
                <span className="unseen">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ id, name, role, joined }) => {
              const text = visibleText(name);
              const isSelf = id === reader?.id;
              const offered = rolesUpTo(own);
              const isWithin = may('member.manage') && !isSelf && offered.includes(role);
              return (
                <tr key={id}>
                  <td className="title">
                    {text} {isSelf && <span className="dim">(you)</span>}
                  </td>
                  <td>
                    {isWithin ? (
                      <select
                        value={role}
                        aria-label={`Role of ${text}`}
                        disabled={isBusy}
                        onChange={({ target }) => change.mutate({ id, role: target.value })}
                      >
                        {offered.map((one) => (
                          <option key={one} value={one}>
                            {one}
                          </option>
                        ))}
                      </select>
                    ) : (
                      role
                    )}
                  </td>
                  <td className="wide">
                    <Day of={joined} />
                  </td>
                  <td className="act">
                    {isWithin && (
                      <ConfirmButton ask="Remove?" label={text} disabled={isBusy} onConfirm={() => remove.mutate(id)}>
                        Remove
                      </ConfirmButton>
                    )}
                    {isSelf && may('member.leave') && (
                      <ConfirmButton ask="Leave now?" label="the workspace" disabled={isBusy} onConfirm={() => leave.mutate()}>
                        Leave
                      </ConfirmButton>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}
