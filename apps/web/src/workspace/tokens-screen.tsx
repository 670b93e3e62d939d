import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { TokenJson } from '../api/types.ts';
import { Command } from '../app/command.tsx';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';
import { Frame } from '../app/frame.tsx';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';
import { NewToken } from './new-token.tsx';

/**
 * The reader's access tokens, with their scope, last use, and revoke buttons. Admins see the tokens
 * of all members.
 */
export default function TokensScreen() {
  const { base, server } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const mayAll = useMay()('token.manage', null);
  const [everybody, setEverybody] = useState(false);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null);
  const { data, error } = useQuery({
    queryKey: ['tokens', everybody],
    queryFn: ({ signal }) => api.list<TokenJson>(`/tokens?page_size=1000${everybody ? '&everybody=true' : ''}`, 'tokens', signal),
    staleTime: 0,
  });
  useEffect(() => {
    document.title = 'Access tokens · Plotline';
  }, []);
  return (
    <Frame>
      <main className="page narrow" aria-busy={!data && !error}>
        <div className="page-head">
          <h1>Access tokens</h1>
          {!making && (
            <button type="button" className="primary" onClick={() => setMaking(true)}>
              New token
            </button>
          )}
        </div>
        <p className="dim">The CLI and other programs sign in with access tokens. A token can never do more than you can.</p>
        {making && (
          <NewToken
            api={api}
            onClose={() => setMaking(false)}
            onMade={(token) => {
              setMaking(false);
              setMade(token);
            }}
          />
        )}
        {made && (
          <section className="panel" aria-label="The new token">
            <p>
              <strong>{visibleText(made.name)}</strong> was created. Copy it now; you won't see it again.
            </p>
            <Command text={made.token} />
            <p className="dim">In a terminal:</p>
            <Command text={`export PLOTLINE_SERVER=${server} PLOTLINE_TOKEN=${made.token}`} />
            <button type="button" onClick={() => setMade(null)}>
              Done
            </button>
          </section>
        )}
        {mayAll && (
          <label className="choice">
            <input type="checkbox" checked={everybody} onChange={({ target }) => setEverybody(target.checked)} />
            Show everyone's tokens
          </label>
        )}
        {error && !data && <p className="bad">{problemText(error)}</p>}
        {data?.length === 0 && <p className="dim">No active tokens.</p>}
        {data && data.length > 0 && <Tokens api={api} tokens={data} everybody={everybody} />}
      </main>
    </Frame>
  );
}

interface TokensProps {
  readonly api: Api;
  readonly tokens: readonly TokenJson[];
  readonly everybody: boolean;
}

function Tokens({ api, tokens, everybody }: TokensProps) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => api.send('DELETE', `/tokens/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  return (
    <>
      {revoke.error && <p className="bad">{problemText(revoke.error)}</p>}
      <div className="scroll" role="region" aria-label="Tokens" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Name</th>
              {everybody && <th>Owner</th>}
              <th className="wide">Permissions</th>
              <th>Last used</th>
              <th className="wide">Created</th>
              <th className="wide">Expires</th>
              <th>
                <span className="unseen">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.id}>
                <td className="title">
                  {visibleText(token.name)} <code className="dim">…{visibleText(token.hint)}</code>
                </td>
                {everybody && <td>{visibleText(token.person.name)}</td>}
                <td className="wide">
                  {token.scopes.join(', ')}
                  {token.experiments && (
                    <span className="dim">
                      {' '}
                      in {token.experiments.length} {token.experiments.length === 1 ? 'experiment' : 'experiments'}
                    </span>
                  )}
                </td>
                <td>
                  <Day of={token.last_used_at} none="never" />
                </td>
                <td className="wide">
                  <Day of={token.created_at} />
                </td>
                <td className="wide">
                  <Day of={token.expires_at} none="never" />
                </td>
                <td className="act">
                  <ConfirmButton
                    ask="Revoke?"
                    label={visibleText(token.name)}
                    disabled={revoke.isPending}
                    onConfirm={() => revoke.mutate(token.id)}
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
