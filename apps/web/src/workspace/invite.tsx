import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import { Command } from '../app/command.tsx';
import { type Expiry, ExpiryChoice } from '../app/expiry-choice.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { usePage } from '../app/page-context.ts';
import { rolesUpTo } from './roles.ts';

/** Creates an invitation link. The inviter shares it; no email is sent. */
export function Invite({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) {
  const { reader } = usePage();
  const client = useQueryClient();
  const [role, setRole] = useState('member');
  const [days, setDays] = useState<Expiry>(7);
  const make = useMutation({
    mutationFn: () => api.send<{ url: string }>('POST', '/invitations', { role, expires_in_days: days ?? 7 }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!make.isPending) make.mutate();
  };
  if (make.data)
    return (
      <section className="panel" aria-label="The invitation">
        <p>Send this link to one person. They join as {role} when they sign in. Copy it now; you won't see it again.</p>
        <Command text={make.data.url} />
        <div className="buttons">
          <button type="button" onClick={() => make.reset()}>
            Invite someone else
          </button>
          <button type="button" onClick={onClose}>
            Done
          </button>
        </div>
      </section>
    );
  return (
    <form className="panel" aria-label="Invite" onSubmit={submit}>
      <div className="fields">
        <label className="field">
          Role
          <select value={role} onChange={({ target }) => setRole(target.value)}>
            {rolesUpTo(reader?.role ?? '').map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <ExpiryChoice value={days} onChange={setDays} max={30} />
      </div>
      {make.error && <p className="bad">{problemText(make.error)}</p>}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={make.isPending}>
          Create link
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
