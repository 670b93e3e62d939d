import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { visibleText } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { InvitationJson } from '../api/types.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';

/** The open invitations. */
export function Invitations({ api }: { readonly api: Api }) {
  const client = useQueryClient();
  const { data, isPending } = useQuery({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => (await api.get<{ invitations: readonly InvitationJson[] }>('/invitations', signal)).invitations,
    staleTime: 0,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => api.send('DELETE', `/invitations/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  });
  if (isPending) return <p hidden aria-busy="true" />;
  if (!data || data.length === 0) return null;
  return (
    <>
      <h2>Open invitations</h2>
      {revoke.error && <p className="bad">{problemText(revoke.error)}</p>}
      <div className="scroll" role="region" aria-label="Open invitations" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Role</th>
              <th>Invited by</th>
              <th>Expires</th>
              <th>
                <span className="unseen">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, role, invited_by: by, expires }) => (
              <tr key={id}>
                <td>{role}</td>
                <td className="title">{visibleText(by.name)}</td>
                <td>
                  <Day of={expires} />
                </td>
                <td className="act">
                  <ConfirmButton
                    ask="Revoke?"
                    label={`the ${role} invitation`}
                    disabled={revoke.isPending}
                    onConfirm={() => revoke.mutate(id)}
                  >
                    Revoke
                  </ConfirmButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
