import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useMemo, useState } from 'react';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ReportLinkJson } from '../api/types.ts';
import { Dialog } from '../app/dialog.tsx';
import { type Expiry, ExpiryChoice } from '../app/expiry-choice.tsx';
import { firstClickOnly } from '../app/first-click.ts';
import { usePage } from '../app/page-context.ts';
import { ActiveLinks, linksKey } from '../share/active-links.tsx';
import { LinkLabel } from '../share/link-label.tsx';
import { MadeLink } from '../share/made-link.tsx';

/** A newly created link: its URL is returned only once. */
type Made = Pick<ReportLinkJson, 'kind'> & { readonly url: string };

/** Who can see the report besides its workspace: people with a link created here. */
export default function ShareReportDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { base } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const [made, setMade] = useState<Made | null>(null);
  const path = `/reports/${id}/share-links`;
  return (
    <Dialog title="Share" onClose={onClose}>
      <p>Anyone with a link can view this report and the experiments that it shows, including those added later.</p>
      {made ? <MadeLink made={made} onDone={() => setMade(null)} /> : <NewReportLink api={api} path={path} onMade={setMade} />}
      <ActiveLinks api={api} path={path} pathOf={(link) => `${path}/${link}`} shows={shows} />
    </Dialog>
  );
}

interface NewReportLinkProps {
  readonly api: Api;
  /** The API path of the report's links. */
  readonly path: string;
  readonly onMade: (made: Made) => void;
}

/** A form for a link: its audience and its lifetime. */
function NewReportLink({ api, path, onMade }: NewReportLinkProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [anonymous, setAnonymous] = useState(false);
  const [days, setDays] = useState<Expiry>(90);
  const make = useMutation({
    mutationFn: () => api.send<Made>('POST', path, { name, anonymous, expires_in_days: days }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: linksKey(path) });
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!make.isPending) make.mutate();
  };
  return (
    <form className="panel" aria-label="New link" onSubmit={submit}>
      <h3>New link</h3>
      <fieldset className="field">
        <legend>Options</legend>
        <label className="choice">
          <input type="checkbox" checked={anonymous} onChange={({ target }) => setAnonymous(target.checked)} />
          Anonymous: hide people, workspace, file and host names
        </label>
      </fieldset>
      <div className="fields">
        <ExpiryChoice value={days} onChange={setDays} />
        <LinkLabel value={name} onChange={setName} />
      </div>
      {make.error && (
        <p className="bad" role="alert">
          {problemText(make.error)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" onClick={firstClickOnly} disabled={make.isPending}>
          Create link
        </button>
      </div>
    </form>
  );
}

/** A short summary of what a link shows. */
function shows({ anonymous }: ReportLinkJson): string {
  return anonymous ? 'live · anonymous' : 'live';
}
